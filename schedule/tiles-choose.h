/* tiles-choose.h: which tiles, blocks and parts of K, by a model of a GPU. */
#ifndef TP_SCHEDULE_TILES_CHOOSE_H
#define TP_SCHEDULE_TILES_CHOOSE_H

#include "schedule/tiles.h"

#define TP_TILES_N_STEPS 3 /* tile and items; depth and buffers; parts */

void tp_tiles_enumerate (gconstpointer tiles, int step, const TpChoice *partial,
                         TpArray *out_choices);
double tp_tiles_cost (gconstpointer tiles, int step, const TpChoice *choice);
const char *tp_tiles_find_fault (gconstpointer tiles, const TpChoice *choice);

#endif
