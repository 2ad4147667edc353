/* check-offers.h: of groups that hold others, which are offered to be fused. */
#ifndef TP_PLANNER_CHECK_OFFERS_H
#define TP_PLANNER_CHECK_OFFERS_H

#include "ir/costs.h"

/* Whether of @family, as tp_checker_find_groups () gives it, @groups are those of
 * some choice, in its order: of each whole itself, or all chains that it holds.
 * *@out_strange: the first that is none of @family, or out of its order; -1: there is
 * none. */
gboolean tp_checker_is_choice (const TpGroups *family, const TpGroups *groups,
                               int *out_strange);

/* Those that are offered by @costs, which are of @family and then of these alone. */
TpGroups *tp_checker_choose (const TpGroups *family, const TpGraph *graph,
                             TpCosts *costs);

#endif
