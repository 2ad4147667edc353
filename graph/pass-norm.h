/* pass-norm.h: BatchNormalization of constants to ScaleShift: (x - mean) /
 * sqrt (var + epsilon) * scale + bias = x * f + g. */
#ifndef TP_GRAPH_PASS_NORM_H
#define TP_GRAPH_PASS_NORM_H

#include "graph/graph-draft.h"

/* BatchNormalizations of constants become ScaleShifts: no root and no division
 * per element. */
gboolean tp_draft_split_norms (TpDraft *draft, GError **error);

#endif
