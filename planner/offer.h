/* offer.h: groups within groups: which of them are offered.
 *
 * A family is what tp_fuse_find_all () gives: parts of chains, chains, and wholes that
 * are made of chains and single nodes; of two groups of one reading of the rules one holds
 * the other, or they share nothing. Solvers and proofs take disjoint groups; so for each that holds others either
 * itself is offered or what is best of these, before anything is placed. */
#ifndef TP_PLANNER_OFFER_H
#define TP_PLANNER_OFFER_H

#include "ir/costs.h"

/**
 * tp_offer_choose:
 * @costs: of @family; then of those that are returned
 *
 * A whole is offered in place of what it holds where it takes no longer than that, and
 * its other nodes, on any device: on one it must be there, and on none may what it
 * holds save time where it cannot run. A chain stands back behind its parts where these
 * save no less on any device, and more on one, and no guess stands beside what was
 * measured. All this for each reading of the rules apart; then of each bundle
 * (bundles.h) the second is offered where it saves no less on any device, more on one,
 * and no guess stands beside what was measured.
 */
TpGroups *tp_offer_choose (const TpGroups *family, const TpGraph *graph,
                            TpCosts *costs);
gboolean tp_offer_has_wholes (const TpGroups *family, const TpGraph *graph);
/* Whether @groups are a choice of @family, by whatever costs: in its order. */
gboolean tp_offer_allows (const TpGroups *family, const TpGroups *groups);

#endif
