/* judge.h: what a placement that was made elsewhere costs. */
#ifndef TP_PLANNER_JUDGE_H
#define TP_PLANNER_JUDGE_H

#include "ir/judgement.h"
#include "ir/plan.h"

/**
 * tp_placement_judge:
 * @plan: whose figures, groups and objective it is judged by; its placement says
 *   nothing
 * @devices: [node]: of the other placement
 * @n_moves: as many are told of, or fewer: only those that gain
 *
 * Pure. TPLAN_ERROR_INFEASIBLE names an op that cannot run where @devices has it;
 * the rest as tp_place ().
 */
TpJudgement *tp_placement_judge (const TpPlan *plan, const TpGraph *graph,
                                 const guint8 *devices, int n_moves,
                                 GError **error);

#endif
