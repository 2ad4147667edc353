/* envelope.h: which plan is the cheapest, as costs change along straight lines. */
#ifndef TP_PLANNER_ENVELOPE_H
#define TP_PLANNER_ENVELOPE_H

#include "planner/lines.h"

/**
 * tp_envelope_find:
 * @low, @high: of x, rising
 *
 * What every placement costs is a line over x, so the least is concave, made of
 * pieces of lines. All of them are found, but those that are the least on less
 * than a billionth of where they are, or, where sums of all costs come near 2^62, on
 * less than the finest fractions that these leave.
 *
 * Returns: (transfer full): for k pieces at most 2 k + 3 plans were made, 2 k - 1 where
 *   no other is the cheapest at an end.
 *   %NULL: those of tp_place_with (); TPLAN_ERROR_LIMIT: costs are too large to be
 *   told apart so finely.
 */
TpEnvelope *tp_envelope_find (const TpLines *lines, double low, double high,
                              GError **error);

#endif
