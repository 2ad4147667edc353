/* report.h: plans as one page of HTML that needs nothing else. */
#ifndef TP_VIEW_REPORT_H
#define TP_VIEW_REPORT_H

#include <glib.h>

/* By which such a page is known, in its first 2,000 bytes. */
#define TP_REPORT_MARK "<meta name=\"generator\" content=\"tplan "

/* @title and @lines (NULL-terminated, what is to be read also without scripts) are
 * plain text, @json is what report.js draws: all three may come from strangers. No
 * page that this makes loads, sends or runs anything but report.js: it says so to
 * the browser, too. The caller frees. */
char *tp_report_page_new (const char *title, const char *const *lines,
                          const char *json);

#endif
