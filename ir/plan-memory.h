/* plan-memory.h: what a plan takes on each device. */
#ifndef TP_IR_PLAN_MEMORY_H
#define TP_IR_PLAN_MEMORY_H

#include "ir/execution.h"
#include "ir/plan.h"

/* The device of each node; g_free (). TPLAN_ERROR_INPUT: @plan does not place
 * every node of @graph once, on a device that it has. */
int *tp_plan_list_places (const TpPlan *plan, const TpGraph *graph,
                          GError **error);
/* The groups that are in effect in what it says is cheapest of all: those that
 * save there, and that kernels are made of. (transfer full) */
TpGroups *tp_plan_find_cheapest_groups (const TpPlan *plan);
/* The groups in effect that kernels are made of: none is of what only the graph says
 * is one. (transfer full) */
TpGroups *tp_plan_list_made_groups (const TpPlan *plan);
/* All that a run of @plan does, of the other groups op by op, and the memory it does it
 * in; borrows @graph. TPLAN_ERROR_INPUT: of placements or groups that no planner makes. */
TpExecution *tp_plan_spell_out (const TpPlan *plan, const TpGraph *graph,
                                GError **error);
/* Likewise; what is mapped is copied all the same. */
TpExecution *tp_plan_spell_out_apart (const TpPlan *plan, const TpGraph *graph,
                                      GError **error);

/* Sets peak_bytes and weight_bytes of a plan whose placements and groups are
 * known: what its sessions will have in arenas, to the byte, and the constants
 * as they are before kernels pack them. The largest number a plan can hold where
 * it cannot be spelled out. */
void tp_plan_count_memory (TpPlan *plan, const TpGraph *graph);
/* How many of its transfers copy nothing: the host works in the memory of the device
 * that is its other end. */
int tp_plan_count_handed_over (const TpPlan *plan, const TpGraph *graph);
/* Whether what was counted keeps to @limits, by rows (ir/pools.h). */
gboolean tp_plan_fits (const TpPlan *plan, const gint64 *limits);

#endif
