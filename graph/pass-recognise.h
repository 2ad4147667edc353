/* pass-recognise.h: what exporters write for an op that ONNX had not yet
 * becomes that op: one node, one kernel, and a value that is read once, so
 * that the product before it can take it in. */
#ifndef TP_GRAPH_PASS_RECOGNISE_H
#define TP_GRAPH_PASS_RECOGNISE_H

#include "graph/graph-draft.h"

/* What exporters spell out becomes one node: Gelu, LayerNormalization, ... */
gboolean tp_draft_recognise (TpDraft *draft, GError **error);

#endif
