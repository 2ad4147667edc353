/* pareto.h: a plan's figures, and all plans that are the least for some worth of two
 * things. */
#ifndef TP_API_PARETO_H
#define TP_API_PARETO_H

#include "include/tplan.h"
#include "ir/break-even.h"
#include "ir/pareto.h"

/**
 * tp_api_find_pareto:
 * @plan: whose figures and groups count; where they place it does not
 * @aims: [2]: not the same
 *
 * Plans are complete, and say that they were asked for as @plan was.
 *
 * TPLAN_ERROR_USAGE: @plan has limits of memory, or is for another objective than
 * "time"; others: those of tp_pareto_find ().
 */
TpPareto *tp_api_find_pareto (const TplanPlan *plan, const TpAim *aims,
                              GError **error);

/* Up to which price the device of @plan that is not the host pays; errors are those
 * of tp_break_even_find (). */
gboolean tp_api_find_break_even (const TplanPlan *plan, TpBreakEven *out,
                                 GError **error);

#endif
