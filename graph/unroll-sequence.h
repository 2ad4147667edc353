/* unroll-sequence.h: sequences, which are lists of tensors while a graph is read, and
 * what may be absent. */
#ifndef TP_GRAPH_UNROLL_SEQUENCE_H
#define TP_GRAPH_UNROLL_SEQUENCE_H

#include "graph/unroll.h"

/* Of one op each; ops that compute something are in its place. */
gboolean tp_unroll_sequence_empty (TpUnroll *self, const TpNode *node,
                                   GError **error);
gboolean tp_unroll_sequence_construct (TpUnroll *self, const TpNode *node,
                                       GError **error);
gboolean tp_unroll_sequence_insert (TpUnroll *self, const TpNode *node,
                                    GError **error);
gboolean tp_unroll_sequence_erase (TpUnroll *self, const TpNode *node,
                                   GError **error);
gboolean tp_unroll_sequence_at (TpUnroll *self, const TpNode *node,
                                GError **error);
gboolean tp_unroll_sequence_length (TpUnroll *self, const TpNode *node,
                                    GError **error);
gboolean tp_unroll_split_to_sequence (TpUnroll *self, const TpNode *node,
                                      GError **error);
gboolean tp_unroll_concat_from_sequence (TpUnroll *self, const TpNode *node,
                                         GError **error);
gboolean tp_unroll_optional (TpUnroll *self, const TpNode *node, GError **error);
gboolean tp_unroll_optional_get (TpUnroll *self, const TpNode *node,
                                 GError **error);
gboolean tp_unroll_optional_has (TpUnroll *self, const TpNode *node,
                                 GError **error);

/* Any other op, an input of which is a list: an Identity or an If goes, too; others
 * fail. */
gboolean tp_unroll_any (TpUnroll *self, const TpNode *node, GError **error);
/* Graph outputs that are sequences become their elements. */
gboolean tp_unroll_spread_outputs (TpUnroll *self, GError **error);

#endif
