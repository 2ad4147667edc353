/* control.h: the ops that are gone once shapes are inferred (graph/unroll.h). */
#ifndef TP_GRAPH_CONTROL_H
#define TP_GRAPH_CONTROL_H

#include "graph/unroll.h"
#include "ir/op.h"

/* The record of one of them, which has arity and attributes and can do nothing; NULL:
 * @type is another op, or none. */
const TpOp *tp_control_find (const char *type);
/* Whether it has a graph of its own, the attribute body. */
gboolean tp_control_has_body (const char *type);

/* Whether @node goes: it is one of them, or reads a sequence. */
gboolean tp_control_is_asked (const TpUnroll *self, const TpNode *node);
/* Puts what it stands for in its place. */
gboolean tp_control_expand (TpUnroll *self, const TpNode *node, GError **error);

#endif
