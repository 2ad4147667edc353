/* margin.h: how firmly each op sits where it is. */
#ifndef TP_PLANNER_MARGIN_H
#define TP_PLANNER_MARGIN_H

#include "ir/graph.h"
#include "ir/plan.h"

/* Fills margin_ns of every placement, and is_margin_least where the solver cannot
 * tell more. */
gboolean tp_place_margins (TpPlan *plan, const TpGraph *graph, GError **error);

#endif
