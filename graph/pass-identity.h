/* pass-identity.h: Identity and Dropout go. */
#ifndef TP_GRAPH_PASS_IDENTITY_H
#define TP_GRAPH_PASS_IDENTITY_H

#include "graph/graph-draft.h"

gboolean tp_draft_drop_identities (TpDraft *draft, GError **error);

#endif
