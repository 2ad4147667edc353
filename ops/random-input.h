/* random-input.h: values for inputs that nobody gave any. */
#ifndef TP_OPS_RANDOM_INPUT_H
#define TP_OPS_RANDOM_INPUT_H

#include "ir/graph.h"

/* Writes the value of @tensor, row-major, as a function of @seed alone: reals
 * uniform in [-@scale, @scale), integers from 0 up to the shortest table that
 * they pick from, or 0 and 1 where they pick from none. */
void tp_random_input_write (const TpGraph *graph, int tensor, guint64 seed,
                            double scale, void *dst);

#endif
