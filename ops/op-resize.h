/* op-resize.h: Resize and Upsample: images of another size. */
#ifndef TP_OPS_OP_RESIZE_H
#define TP_OPS_OP_RESIZE_H

#include "ir/graph.h"

/* The input that holds the scales: inputs moved between opsets. */
int tp_resize_find_scales (const TpNode *node);

/* The scale of every dimension: @given (NULL: see the attribute), else how the
 * extents compare. */
void tp_resize_get_scales (const TpNode *node, const double *given, int rank,
                           const gint64 *in, const gint64 *out,
                           double *out_scales);

#endif
