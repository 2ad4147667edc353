/* share-pair.h: two of several devices, as if there were no others. */
#ifndef TP_PLANNER_SHARE_PAIR_H
#define TP_PLANNER_SHARE_PAIR_H

#include "planner/problem.h"

/* Into @out, [op], the cheapest placement on @a and @b alone that fits into the limits
 * of @problem, or the cheapest found, by its weights and where ops may be; FALSE: none
 * was. */
gboolean tp_share_pair_place (const TpProblem *problem, int a, int b,
                              guint8 *out);

#endif
