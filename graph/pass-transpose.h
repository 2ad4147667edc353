/* pass-transpose.h: Transposes of constants go, as of an embedding that is the
 * last layer too: the result is a constant that is read in another order. */
#ifndef TP_GRAPH_PASS_TRANSPOSE_H
#define TP_GRAPH_PASS_TRANSPOSE_H

#include "graph/graph-draft.h"

/* Transposes of constants become constants. */
gboolean tp_draft_fold_transposes (TpDraft *draft, GError **error);

#endif
