/* pareto.h: a plan's figures, and all plans that are the least for some worth of two
 * things or three. */
#ifndef TP_API_PARETO_H
#define TP_API_PARETO_H

#include "include/tplan.h"
#include "ir/break-even.h"
#include "ir/pareto.h"

/**
 * tp_api_find_pareto:
 * @plan: whose figures, groups and limits count; where they place it does not
 * @aims: [@n_aims], 2 or 3: each once
 *
 * Plans are complete, and say that they were asked for as @plan was.
 *
 * TPLAN_ERROR_USAGE: @plan is for another objective than "time"; others: those of
 * tp_pareto_find ().
 */
TpPareto *tp_api_find_pareto (const TplanPlan *plan, int n_aims,
                              const TpAim *aims, GError **error);

/* Up to which price @device of @plan pays, which is not its host; errors are those
 * of tp_break_even_find (). */
gboolean tp_api_find_break_even (const TplanPlan *plan, int device,
                                 TpBreakEven *out, GError **error);

#endif
