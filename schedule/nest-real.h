/* nest-real.h: sums of small integers as such of reals. */
#ifndef TP_SCHEDULE_NEST_REAL_H
#define TP_SCHEDULE_NEST_REAL_H

#include "nest/nest.h"

/* The same computation with the sums of its one stage, which are small, in reals; NULL: it
 * has no such stage, or what it sums up is none of reals. Owned by the caller. */
TpNest *tp_nest_make_real (const TpNest *nest);

/* How many products, whatever they are, float32 adds up without rounding; 0: the one stage
 * of @nest is no sum of products of bytes. */
gint64 tp_nest_count_small_terms (const TpNest *nest);

/* Expression @sum, a whole number that is small, as an integer; that it is small is said
 * once more. */
int tp_nest_add_small_integer (TpNest *nest, int sum);

#endif
