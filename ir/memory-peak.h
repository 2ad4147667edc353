/* memory-peak.h: where a run takes most memory, in words. */
#ifndef TP_IR_MEMORY_PEAK_H
#define TP_IR_MEMORY_PEAK_H

#include "ir/execution.h"

/* "when op 'conv5' runs: weights 1200 bytes, 'x12' 800, 'x13' 400": what @device
 * holds when it holds most, the largest first; caller frees. */
char *tp_memory_peak_describe (const TpExecution *execution, int device);

#endif
