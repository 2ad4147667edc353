/* place-digits.h: what is kept of a row, sorted by the digits of its keys. */
#ifndef TP_SCHEDULE_PLACE_DIGITS_H
#define TP_SCHEDULE_PLACE_DIGITS_H

#include "schedule/place.h"

#define TP_PLACE_DIGITS 256   /* different ones */

/* plan->order has the places of what is kept, the greatest first, then. */
void tp_place_emit_digits (const TpPlacePlan *plan, TpEmit *emit);

#endif
