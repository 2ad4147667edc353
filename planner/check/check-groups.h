/* check-groups.h: are the groups of a plan those that may be fused? */
#ifndef TP_PLANNER_CHECK_GROUPS_H
#define TP_PLANNER_CHECK_GROUPS_H

#include "ir/plan.h"

/* That no op outside of a group can notice that it is fused, and that they are what
 * the rules give but for those that the plan leaves out. @reasons gets char *. */
gboolean tp_checker_check_groups (const TpPlan *plan, const TpGraph *graph,
                                  GPtrArray *reasons);

#endif
