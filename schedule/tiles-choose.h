/* tiles-choose.h: which tiles, blocks and parts of K, by a model of a GPU. */
#ifndef TP_SCHEDULE_TILES_CHOOSE_H
#define TP_SCHEDULE_TILES_CHOOSE_H

#include "schedule/tiles.h"

#define TP_TILES_N_STEPS 3 /* tile and items; depth and buffers; parts */

void tp_tiles_enumerate (gconstpointer tiles, int step, const TpChoice *partial,
                         TpArray *out_choices);
double tp_tiles_cost (gconstpointer tiles, int step, const TpChoice *choice);
const char *tp_tiles_find_fault (gconstpointer tiles, const TpChoice *choice);

/* Of other families with such blocks, whose choices have depth and parts where those of
 * tiles have them. */

/* Do parts divide the steps of @plan, and does it keep to local memory and to the room
 * for copies? NULL: yes. */
const char *tp_tile_plan_find_fault (const TpTilePlan *plan);
/* Appends @partial with parts that divide its steps of K. */
void tp_tiles_list_parts (const TpTiles *t, const TpChoice *partial, TpArray *out);
typedef double (*TpTilesCostFunc) (const TpTiles *t, const TpChoice *choice);
/* Of @choice without its parts: what it costs with the best of these. */
double tp_tiles_find_least (const TpTiles *t, const TpChoice *choice,
                            TpTilesCostFunc cost);

#endif
