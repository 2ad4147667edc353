/* graph-empty.h: tensors without elements, which nobody has to compute. */
#ifndef TP_GRAPH_GRAPH_EMPTY_H
#define TP_GRAPH_GRAPH_EMPTY_H

#include "graph/graph-draft.h"

/* What @node makes that has no elements becomes a constant, and what it reads that
 * has none goes; @node goes, too, where nothing else is left to do. Its shapes are
 * inferred. */
void tp_draft_drop_empty (TpDraft *draft, TpNode *node);
/* Inputs without elements are constants, which nobody has to give. */
void tp_draft_take_empty_inputs (TpDraft *draft);

#endif
