/* share-step.h: a bound that sweeps no longer raise, raised further. */
#ifndef TP_PLANNER_SHARE_STEP_H
#define TP_PLANNER_SHARE_STEP_H

#include "planner/share-climb.h"

/* Raises the bound of @state, or leaves it, towards @cost, that of the best
 * placement. Ends after @work messages looked at, or earlier, where too little comes
 * of it. Returns the bound. */
gint64 tp_share_state_climb (TpShareState *state, gint64 cost, gint64 work);

#endif
