/* narrow-real.h: reals of 16 bits. A format is told by its @digits, the bits of
 * its mantissa: a sign and an exponent take the rest, as IEEE 754 has it. */
#ifndef TP_IR_NARROW_REAL_H
#define TP_IR_NARROW_REAL_H

#include <glib.h>

#define TP_FLOAT16_DIGITS 10
#define TP_BFLOAT16_DIGITS 7

/* Exact. */
double tp_narrow_real_widen (guint16 bits, int digits);
/* The nearest, ties to even, in one step; what is too large is infinite, and NaN
 * stays NaN. */
guint16 tp_narrow_real_round (double value, int digits);

#endif
