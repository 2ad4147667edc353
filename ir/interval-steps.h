/* interval-steps.h: the steps of intervals, from 0 on. */
#ifndef TP_IR_INTERVAL_STEPS_H
#define TP_IR_INTERVAL_STEPS_H

#include "ir/intervals.h"

/* @intervals themselves, if from step 0 on few steps are none of theirs; else a copy
 * with its steps numbered anew, in the same order. */
TpInterval *tp_interval_steps_number (TpInterval *intervals, int n,
                                      TpScratch *scratch, int *out_n_steps);

#endif
