/* copies.h: which copies a placement needs. */
#ifndef TP_PLANNER_COPIES_H
#define TP_PLANNER_COPIES_H

#include "ir/array.h"
#include "ir/plan.h"
#include "planner/problem.h"

/* TpTransfer, by tensor, then by where to; @devices: one a node. */
TpArray *tp_copies_list (const TpProblem *problem, const guint8 *devices);
/* Of them, those that cost anything. */
int tp_copies_count_priced (const TpProblem *problem, const guint8 *devices);

#endif
