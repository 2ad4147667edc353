/* graph-draft-make.h: what passes make: names, constants, tensors on the way. */
#ifndef TP_GRAPH_GRAPH_DRAFT_MAKE_H
#define TP_GRAPH_GRAPH_DRAFT_MAKE_H

#include "graph/graph-draft.h"
#include "ir/types.h"

/* A name that no other tensor, or node, has: @stem, @suffix, and more if need
 * be. */
const char *tp_draft_make_tensor_name (TpDraft *draft, const char *stem,
                                       const char *suffix, GError **error);
const char *tp_draft_make_node_name (TpDraft *draft, const char *stem,
                                     const char *suffix, GError **error);

/* A constant that a pass makes, of the type and shape of @like and named after
 * it; -1 on error. */
int tp_draft_add_values (TpDraft *draft, const TpTensor *like,
                         const char *suffix, const double *values,
                         GError **error);

/* A tensor between two nodes that a pass makes of one; likewise. */
int tp_draft_add_stage (TpDraft *draft, const TpTensor *like, GError **error);

/* Whether a pass may make constants of @n elements more: a small file must not
 * ask for gigabytes. Counts them. */
gboolean tp_draft_take_constants (TpDraft *draft, gint64 n);

#endif
