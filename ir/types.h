/* types.h: limits of shapes, and size arithmetic that cannot overflow
 * silently. */
#ifndef TP_IR_TYPES_H
#define TP_IR_TYPES_H

#include <glib.h>

#include "include/tplan.h"
#include "ir/dtype.h"

#define TP_MAX_RANK 8
#define TP_MAX_NAME_BYTES 4096

/* Both return FALSE and leave *out alone on overflow or a negative factor. */
gboolean tp_size_mul (gint64 a, gint64 b, gint64 *out);
gboolean tp_size_add (gint64 a, gint64 b, gint64 *out);

/* The greatest common divisor, 0 or more; 0 of two zeros. */
gint64 tp_gcd (gint64 a, gint64 b);

/* Number of elements of a shape; FALSE if it overflows gint64 bytes at 8 B. */
gboolean tp_dims_count (int rank, const gint64 *dims, gint64 *out_count);

/* Element strides of a dense row-major (last dimension fastest) array. */
void tp_dims_row_major (int rank, const gint64 *dims, gint64 *out_strides);

/* Value i of the stream of random initializers: bit-exact in any language.
 * uniform in [-1, 1), from the top 24 bits of splitmix64 (seed + (i + 1) *
 * 0x9e3779b97f4a7c15); the caller multiplies by std * sqrt (3). */
float tp_random_uniform (guint64 seed, guint64 i);

#endif
