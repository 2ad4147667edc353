/* pass-layout.h: chooses strides. */
#ifndef TP_GRAPH_PASS_LAYOUT_H
#define TP_GRAPH_PASS_LAYOUT_H

#include "graph/graph-draft.h"

/* Rank-4 float activations become channels-last; "Relayout" ops are put where a
 * consumer (Reshape, graph output) needs row-major. Nodes are linked, and none is
 * removed. */
gboolean tp_draft_assign_layout (TpDraft *draft, GError **error);

#endif
