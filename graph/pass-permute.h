/* pass-permute.h: Transposes that need no copy. */
#ifndef TP_GRAPH_PASS_PERMUTE_H
#define TP_GRAPH_PASS_PERMUTE_H

#include "graph/graph-draft.h"

/* Transposes that need no copy become views; after layouts are chosen. */
void tp_draft_permute (TpDraft *draft);

#endif
