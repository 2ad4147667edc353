/* place-keys.h: elements as integers that have their order. */
#ifndef TP_SCHEDULE_PLACE_KEYS_H
#define TP_SCHEDULE_PLACE_KEYS_H

#include "schedule/place.h"

/* That of element @at, which is known to lie within @last, at one lane. */
TpValue tp_place_make_key (const TpPlacePlan *plan, TpEmit *emit, TpValue at);
/* Those of all elements become plan->keys: with their places in the lower half where
 * turns are taken. */
void tp_place_store_keys (const TpPlacePlan *plan, TpEmit *emit);
/* Keys of the row, @lanes from @at on: from scratch, or made again of one element. */
TpValue tp_place_get_keys (const TpPlacePlan *plan, TpEmit *emit, TpValue at,
                           int lanes);
/* @lanes of @buffer from @at on, keys as they are made. */
TpValue tp_place_load_keys (const TpPlacePlan *plan, TpEmit *emit, int buffer,
                            TpValue at, int lanes);
void tp_place_store_key (const TpPlacePlan *plan, TpEmit *emit, int buffer,
                         TpValue at, TpValue key);
/* @value, an INDEX, as a key of so many lanes. */
TpValue tp_place_spread (const TpPlacePlan *plan, TpEmit *emit, TpValue value,
                         int lanes);
/* What no element is below. */
gint64 tp_place_get_least (const TpPlacePlan *plan);

#endif
