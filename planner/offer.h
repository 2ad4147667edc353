/* offer.h: groups within groups: which of them are offered.
 *
 * A family is what tp_fuse_find_all () gives: chains, and wholes that are made of chains
 * and single nodes. Solvers and proofs take disjoint groups; so for each whole either
 * itself is offered or its chains are, before anything is placed. */
#ifndef TP_PLANNER_OFFER_H
#define TP_PLANNER_OFFER_H

#include "ir/costs.h"

/**
 * tp_offer_choose:
 * @costs: of @family; then of those that are returned
 *
 * A whole is offered in place of its chains where it takes no longer than these, and
 * what else it is made of, on any device: on one it must be there, and on none may a
 * chain save time where the whole cannot run.
 */
TpGroups *tp_offer_choose (const TpGroups *family, const TpGraph *graph,
                            TpCosts *costs);
/* Whether @groups are a choice of @family, by whatever costs: in its order. */
gboolean tp_offer_allows (const TpGroups *family, const TpGroups *groups);

#endif
