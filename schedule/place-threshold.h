/* place-threshold.h: the greatest of a row, all above a threshold, in order. */
#ifndef TP_SCHEDULE_PLACE_THRESHOLD_H
#define TP_SCHEDULE_PLACE_THRESHOLD_H

#include "schedule/place.h"

/* plan->order has the places then. */
void tp_place_emit_threshold (const TpPlacePlan *plan, TpEmit *emit);

#endif
