/* op-cast.h: Cast and CastLike: the same numbers as another type. */
#ifndef TP_OPS_OP_CAST_H
#define TP_OPS_OP_CAST_H

#include "ir/graph.h"
#include "ir/types.h"

/* An element type by ONNX's number in an attribute. FALSE with an error. */
gboolean tp_node_get_dtype (const TpNode *node, const char *name,
                            TpDtype fallback, TpDtype *out_dtype,
                            GError **error);

#endif
