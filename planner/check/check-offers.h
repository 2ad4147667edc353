/* check-offers.h: of groups that hold others, which are offered to be fused. */
#ifndef TP_PLANNER_CHECK_OFFERS_H
#define TP_PLANNER_CHECK_OFFERS_H

#include "ir/costs.h"

/* What is wrong with a choice; -1: nothing of that. */
typedef struct
{
  int strange;                /* of the groups: none of the family, or not there */
  int lacking;                /* of the family: it lacks, or is too many */
} TpCheckerFault;

/* Whether of @family, as tp_checker_find_groups () gives it, @groups are those of
 * some choice, in its order: of each whole itself, or all chains that it holds. */
gboolean tp_checker_is_choice (const TpGroups *family, const TpGroups *groups,
                               TpCheckerFault *out_fault);

/* Those that are offered by @costs, which are of @family and then of these alone. */
TpGroups *tp_checker_choose (const TpGroups *family, const TpGraph *graph,
                             TpCosts *costs);

#endif
