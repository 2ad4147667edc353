/* unroll-mel.h: MelWeightMatrix: filters of equal widths by ear, of numbers that are known
 * before a run. */
#ifndef TP_GRAPH_UNROLL_MEL_H
#define TP_GRAPH_UNROLL_MEL_H

#include "graph/unroll.h"

gboolean tp_unroll_mel (TpUnroll *self, const TpNode *node, GError **error);

#endif
