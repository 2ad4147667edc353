/* nest-work.h: how much work nests are. */
#ifndef TP_NEST_NEST_WORK_H
#define TP_NEST_NEST_WORK_H

#include "nest/nest.h"

/* Linear in the size of the nests: nothing is enumerated. */
void tp_lowered_count_work (const TpLowered *lowered, TpWork *out_work);

#endif
