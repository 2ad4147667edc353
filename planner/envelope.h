/* envelope.h: which plan is the cheapest, as one thing takes longer. */
#ifndef TP_PLANNER_ENVELOPE_H
#define TP_PLANNER_ENVELOPE_H

#include "ir/costs.h"
#include "ir/envelope.h"

/**
 * tp_envelope_find:
 * @costs: as they are for x = 1; spreads are not heeded
 *
 * What every placement costs is a line over x, so the least is concave, made of
 * pieces of lines. All of them are found, but those that are the least on less
 * than a billionth of where they are.
 *
 * Returns: (transfer full): for k pieces at most 2 k - 1 plans were made, or two.
 *   %NULL: those of tp_place (); TPLAN_ERROR_LIMIT: costs are too large to be
 *   told apart so finely.
 */
TpEnvelope *tp_envelope_find (const TpGraph *graph, const TpGroups *groups,
                              const TpCosts *costs, const TpScale *scale,
                              GError **error);

#endif
