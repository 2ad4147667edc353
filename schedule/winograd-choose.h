/* winograd-choose.h: blocks and tiles that Winograd's filtering may have. */
#ifndef TP_SCHEDULE_WINOGRAD_CHOOSE_H
#define TP_SCHEDULE_WINOGRAD_CHOOSE_H

#include "ir/array.h"
#include "schedule/winograd.h"

#define TP_WINOGRAD_N_STEPS 3

void tp_winograd_enumerate (gconstpointer analysis, int step,
                            const TpChoice *partial, TpArray *out_choices);
double tp_winograd_cost (gconstpointer analysis, int step,
                         const TpChoice *choice);
const char *tp_winograd_find_fault (gconstpointer analysis,
                                    const TpChoice *choice);

#endif
