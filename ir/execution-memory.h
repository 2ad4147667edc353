/* execution-memory.h: what an execution takes on each device. Where its tensors have
 * their places, tp_execution_lay_out () of execution.h says. */
#ifndef TP_IR_EXECUTION_MEMORY_H
#define TP_IR_EXECUTION_MEMORY_H

#include "ir/execution.h"

/* Into weight_bytes, which are 0. */
void tp_execution_count_weights (TpExecution *execution, TpScratch *scratch);

#endif
