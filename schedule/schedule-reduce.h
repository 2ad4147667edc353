/* schedule-reduce.h: the family "reduce", for families that have reductions in them. */
#ifndef TP_SCHEDULE_SCHEDULE_REDUCE_H
#define TP_SCHEDULE_SCHEDULE_REDUCE_H

#include "schedule/family.h"
#include "schedule/reduce.h"

extern const TpFamily tp_schedule_reduce;

#endif
