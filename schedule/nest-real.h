/* nest-real.h: sums of small integers as such of reals. */
#ifndef TP_SCHEDULE_NEST_REAL_H
#define TP_SCHEDULE_NEST_REAL_H

#include "nest/nest.h"

/* The same computation with the sums of its one stage, which are small, in reals; NULL: it
 * has no such stage, or what it sums up is none of reals. Owned by the caller. */
TpNest *tp_nest_make_real (const TpNest *nest);

#endif
