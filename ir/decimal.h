/* decimal.h: numbers as digits, by the million. */
#ifndef TP_IR_DECIMAL_H
#define TP_IR_DECIMAL_H

#include <glib.h>

#define TP_DECIMAL_SIZE 21    /* the longest, and the nul */

/* Into @out, with a nul behind; returns how long it is. As "%d" writes it, in a
 * tenth of the time. */
int tp_decimal_write (gint64 value, char *out);

#endif
