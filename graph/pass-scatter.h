/* pass-scatter.h: Scatters whose indices are constant, without scattering. */
#ifndef TP_GRAPH_PASS_SCATTER_H
#define TP_GRAPH_PASS_SCATTER_H

#include "graph/graph-draft.h"

/* Scatters by constant indices become Gathers and Wheres. */
gboolean tp_draft_split_scatters (TpDraft *draft, GError **error);

#endif
