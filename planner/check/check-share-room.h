/* check-share-room.h: of plans for several devices, what those that keep to limits of
 * memory cost at least. */
#ifndef TP_PLANNER_CHECK_SHARE_ROOM_H
#define TP_PLANNER_CHECK_SHARE_ROOM_H

#include "planner/check/check-private.h"

/* Nothing, where the plan says nothing of it. */
void tp_checker_check_share_room (TpChecker *checker);

/* Those of @proof: of what has a limit, and not too many. */
gboolean tp_checker_check_prices (TpChecker *checker,
                                  const TpShareProof *proof);

#endif
