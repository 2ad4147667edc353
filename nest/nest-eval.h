/* nest-eval.h: runs nests in double by plain loops: slow and right. */
#ifndef TP_NEST_NEST_EVAL_H
#define TP_NEST_NEST_EVAL_H

#include "nest/nest.h"

/* Runs nests in double and gint64 by plain loops over buffers of doubles, one per
 * operand, scratch too: the oracle for schedules and emitters. */
void tp_lowered_eval (const TpLowered *lowered, double *const *operands);

#endif
