/* waves-choose.h: choices of squares and waves, and what they cost by a model. */
#ifndef TP_SCHEDULE_WAVES_CHOOSE_H
#define TP_SCHEDULE_WAVES_CHOOSE_H

#include "schedule/waves.h"

#define TP_WAVES_N_STEPS 3

/* As a TpFamily has them; @tiles is a TpTiles. */
const char *tp_waves_find_fault (gconstpointer tiles, const TpChoice *choice);
double tp_waves_cost (gconstpointer tiles, int step, const TpChoice *choice);
void tp_waves_enumerate (gconstpointer tiles, int step, const TpChoice *partial,
                         TpArray *out_choices);

#endif
