/* pass-resize.h: Resize and Upsample, one dimension after the other. */
#ifndef TP_GRAPH_PASS_RESIZE_H
#define TP_GRAPH_PASS_RESIZE_H

#include "graph/graph-draft.h"

/* Resizes and Upsamples become Gathers and Interpolates, an op for each dimension
 * that changes. */
gboolean tp_draft_split_resizes (TpDraft *draft, GError **error);

#endif
