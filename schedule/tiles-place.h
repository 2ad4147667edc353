/* tiles-place.h: where the axes of K are. */
#ifndef TP_SCHEDULE_TILES_PLACE_H
#define TP_SCHEDULE_TILES_PLACE_H

#include "schedule/emit.h"
#include "schedule/tiles.h"

/* Puts K at point @unit * @width of step @step. Returns whether that lies
 * before the end, as a mask; -1: it does. */
TpValue tp_tile_plan_set_k (const TpTilePlan *plan, TpEmit *emit, TpValue step,
                            TpValue unit, int width);

#endif
