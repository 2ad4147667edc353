/* pass-fold-norm.h: BatchNormalization goes into the Conv before it. */
#ifndef TP_GRAPH_PASS_FOLD_NORM_H
#define TP_GRAPH_PASS_FOLD_NORM_H

#include "graph/graph-draft.h"

gboolean tp_draft_fold_norms (TpDraft *draft, GError **error);

#endif
