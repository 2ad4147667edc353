/* foreign-text.h: text of strangers, made fit to be shown.
 *
 * Names come from models, plans and tables that anybody may have written. What
 * could steer a terminal, begin a line, or turn or hide what stands beside it must
 * not get out: controls (C0, C1, DEL), ends of lines and paragraphs, marks that
 * turn direction or cannot be seen. Escaping for a format, such as DOT's HTML,
 * comes after. */
#ifndef TP_IR_FOREIGN_TEXT_H
#define TP_IR_FOREIGN_TEXT_H

#include <glib.h>

/* Whether @text is printable ASCII: most is, and fit as it is. */
gboolean tp_foreign_text_is_plain (const char *text);

/* One line of valid UTF-8: '?' for each such character, U+FFFD for bytes that are
 * no text. @text: (nullable); the caller frees. */
char *tp_foreign_text_clean (const char *text);

/* The same for the message of @error, (nullable), which may quote names: for
 * readers, so that whoever prints it need not think of that. */
void tp_foreign_text_clean_error (GError **error);

/* The same for text that is JSON already, where they can be escaped: nothing is
 * lost. Line ends are those between values, and stay. Takes @json, (nullable). */
char *tp_foreign_text_escape_json (char *json);

#endif
