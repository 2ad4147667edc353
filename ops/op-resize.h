/* op-resize.h: Resize and Upsample: images of another size. */
#ifndef TP_OPS_OP_RESIZE_H
#define TP_OPS_OP_RESIZE_H

#include "ir/graph.h"
#include "ops/resize.h"

/* The values of inputs by their number; NULL: not given, or none. */
#define TP_RESIZE_INPUTS 4
typedef const double *TpResizeGiven[TP_RESIZE_INPUTS];

/* Completes each of @rank axes, whose extents are set: scales by @given, the
 * attribute or how the extents compare; and the part that is looked at. */
void tp_resize_set_axes (const TpNode *node, const TpResizeGiven given, int rank,
                         TpResizeAxis *axes);
/* The axes of a node that makes @out of @inputs, NULL where one is left out, by what of
 * these is constant. */
void tp_resize_find_axes (const TpNode *node, const TpTensor *const *inputs,
                          const TpTensor *out, TpResizeAxis *axes);
/* Whether all that is done along @rank axes is to repeat elements, and there are kernels
 * for it. */
gboolean tp_resize_repeats (const TpResize *resize, const TpResizeAxis *axes, int rank);

#endif
