/* check-fusion.h: which groups the rules of docs/planner.md give, "Fusion groups". */
#ifndef TP_PLANNER_CHECK_FUSION_H
#define TP_PLANNER_CHECK_FUSION_H

#include "ir/costs.h"

#define TP_CHECKER_MAX_FUSED 32 /* ops of a group */

/* Of the rules, in the order in which they are applied; NULL: there are no more. */
const char *tp_checker_get_rule (int index);

/* Chains by their first ops, then wholes by what puts them together, then groups that
 * the graph gives a cost of, of one of @devices, NULL-terminated (nullable).
 * @left_out: rules, NULL-terminated (nullable). */
TpGroups *tp_checker_find_groups (const TpGraph *graph,
                                  const char *const *left_out,
                                  const char *const *devices);

#endif
