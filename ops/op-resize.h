/* op-resize.h: Resize and Upsample: images of another size. */
#ifndef TP_OPS_OP_RESIZE_H
#define TP_OPS_OP_RESIZE_H

#include "ir/graph.h"
#include "ops/resize.h"

/* The input that holds the scales: inputs moved between opsets. */
int tp_resize_find_scales (const TpNode *node);

/* Sets the scale of each of @rank axes, whose extents are set: @given (NULL: see
 * the attribute), else how the extents compare. */
void tp_resize_set_scales (const TpNode *node, const double *given, int rank,
                           TpResizeAxis *axes);

#endif
