/* break-even.h: up to which price a device pays. */
#ifndef TP_PLANNER_BREAK_EVEN_H
#define TP_PLANNER_BREAK_EVEN_H

#include "ir/break-even.h"
#include "ir/costs.h"

/**
 * tp_break_even_find:
 * @costs: of two devices, one of which is the host, with prices; that of the other
 *   says how it is paid, and not how much
 *
 * Exact. FALSE: those of tp_place_with () for objective "price".
 */
gboolean tp_break_even_find (const TpGraph *graph, const TpGroups *groups,
                             const TpCosts *costs, TpBreakEven *out,
                             GError **error);

#endif
