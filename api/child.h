/* child.h: a question whose answer may take the process along, asked in a child. */
#ifndef TP_API_CHILD_H
#define TP_API_CHILD_H

#include <glib.h>

/* Calls @work (@data, @out) in a child and returns what it put into @out, which
 * has no NUL in it. The child ends with this process, and is ended at the deadline,
 * each with all that its libraries started; what they print goes to stderr. NULL:
 * TPLAN_ERROR_DEVICE, the message says how it ended: "did not answer within 10 s";
 * TPLAN_ERROR_FAILED: the system allows no child now. */
char *tp_child_ask (void (*work) (gpointer data, GString *out), gpointer data,
                    GError **error);

/* With a deadline of its own, and the files of this process, which the child of the
 * other has none of but the three standard ones. */
char *tp_child_ask_within (void (*work) (gpointer data, GString *out),
                           gpointer data, gint64 time_ns, GError **error);

/* Of tp_child_ask () from now on; 10 s if never called. */
void tp_child_set_deadline (gint64 time_ns);

#endif
