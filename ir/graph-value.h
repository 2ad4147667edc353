/* graph-value.h: element types in and out of doubles. */
#ifndef TP_IR_GRAPH_VALUE_H
#define TP_IR_GRAPH_VALUE_H

#include "ir/graph.h"

/* Rounds to the nearest float; integers are cut towards zero and held to their
 * range, NaN becomes 0; booleans become 0 or 1. */
void tp_doubles_to_dtype (const double *src, gint64 n, TpDtype dtype,
                          void *dst);

/* Elements [@first, @first + @n) of a constant. */
void tp_tensor_write_part (const TpTensor *tensor, gint64 first, gint64 n,
                           void *dst);

/* Writes the value of a constant, row-major, @tensor->size_bytes. */
void tp_tensor_write_value (const TpTensor *tensor, void *dst);

/* The same as doubles, @tensor->count of them. */
void tp_tensor_write_doubles (const TpTensor *tensor, double *dst);

#endif
