/* graph-value.h: the values of constants. */
#ifndef TP_IR_GRAPH_VALUE_H
#define TP_IR_GRAPH_VALUE_H

#include "ir/graph.h"

/* Elements [@first, @first + @n) of a constant. */
void tp_tensor_write_part (const TpTensor *tensor, gint64 first, gint64 n,
                           void *dst);

/* Writes the value of a constant, row-major, @tensor->size_bytes. */
void tp_tensor_write_value (const TpTensor *tensor, void *dst);

/* The same as doubles, @tensor->count of them. */
void tp_tensor_write_doubles (const TpTensor *tensor, double *dst);

#endif
