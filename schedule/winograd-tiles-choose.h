/* winograd-tiles-choose.h: tiles, items, channels and parts that Winograd's filtering
 * may have on a GPU, by a model. */
#ifndef TP_SCHEDULE_WINOGRAD_TILES_CHOOSE_H
#define TP_SCHEDULE_WINOGRAD_TILES_CHOOSE_H

#include "ir/array.h"
#include "schedule/winograd.h"

#define TP_WINOGRAD_TILES_N_STEPS 3 /* tile and items; depth; parts */

void tp_winograd_tiles_enumerate (gconstpointer analysis, int step,
                                  const TpChoice *partial,
                                  TpArray *out_choices);
/* As tp_tiles_cost() has it: multiply-adds of an item. */
double tp_winograd_tiles_cost (gconstpointer analysis, int step,
                               const TpChoice *choice);
const char *tp_winograd_tiles_find_fault (gconstpointer analysis,
                                          const TpChoice *choice);

#endif
