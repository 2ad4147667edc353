/* json.h: what all writers and readers of JSON share. */
#ifndef TP_FORMAT_JSON_H
#define TP_FORMAT_JSON_H

#include <glib.h>

/* Appends @text in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void tp_json_append_string (GString *out, const char *text);

#endif
