/* rows-tiles-choose.h: tiles and items of attention on a GPU, by a model. */
#ifndef TP_SCHEDULE_ROWS_TILES_CHOOSE_H
#define TP_SCHEDULE_ROWS_TILES_CHOOSE_H

#include "ir/array.h"
#include "schedule/rows-tiles.h"

void tp_rows_tiles_enumerate (gconstpointer analysis, int step,
                              const TpChoice *partial, TpArray *out_choices);
double tp_rows_tiles_cost (gconstpointer analysis, int step,
                           const TpChoice *choice);
const char *tp_rows_tiles_find_fault (gconstpointer analysis,
                                      const TpChoice *choice);

#endif
