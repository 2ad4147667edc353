/* strided.h: the elements of a tensor in row-major order, wherever its strides
 * put them. */
#ifndef TP_RUNTIME_STRIDED_H
#define TP_RUNTIME_STRIDED_H

#include "ir/graph.h"

/* Row-major elements @src of the dtype of @tensor to their places in @dst. */
void tp_strided_scatter (const TpTensor *tensor, const void *src, void *dst);
/* Storage @src of @tensor to row-major doubles, and back. */
void tp_strided_to_doubles (const TpTensor *tensor, const void *src,
                            double *dst);
void tp_strided_from_doubles (const TpTensor *tensor, const double *src,
                              void *dst);
/* The same, integers as gint64, which are none of them rounded. */
void tp_strided_to_values (const TpTensor *tensor, const void *src, void *dst);
void tp_strided_from_values (const TpTensor *tensor, const void *src,
                             void *dst);

#endif
