/* graph-infer.h: shapes and types of every tensor, in one walk. */
#ifndef TP_GRAPH_GRAPH_INFER_H
#define TP_GRAPH_GRAPH_INFER_H

#include "graph/graph-draft.h"

/* Infers shapes of sorted nodes and folds what is constant. */
gboolean tp_draft_infer (TpDraft *draft, GError **error);

/* Infers what can be; the rest is in @problems, by name of the op. */
gboolean tp_draft_survey (TpDraft *draft, GHashTable *problems,
                          GError **error);

#endif
