/* graph-attrs.h: attributes: copied, and held to what their op knows. */
#ifndef TP_GRAPH_GRAPH_ATTRS_H
#define TP_GRAPH_GRAPH_ATTRS_H

#include "ir/op.h"
#include "ir/region.h"

/* Copies the attributes of @src into @dst. Those of a known op (@dst->op) must
 * be in its table and of the kind it says; numbers are widened (INT to FLOAT).
 * TENSOR attributes are taken as they are. @prefix opens messages. */
gboolean tp_attrs_copy (TpRegion *region, const TpNode *src, TpNode *dst,
                        const char *prefix, GError **error);

#endif
