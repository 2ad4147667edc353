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

#endif
