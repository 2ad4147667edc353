/* fuse-value.h: what a value has to be like that need not exist between two nodes. */
#ifndef TP_PLANNER_FUSE_VALUE_H
#define TP_PLANNER_FUSE_VALUE_H

#include "ir/graph.h"
#include "ir/op.h"

TpOpKind tp_fuse_get_kind (const TpNode *node);
gboolean tp_fuse_has_equal_dims (const TpTensor *a, const TpTensor *b);
/* Whether all it does is to put together what it reads. */
gboolean tp_fuse_joins (const TpNode *node);

/* Which group @node is in of those that the graph gives and that @counts, [group], says
 * count; -1: none. */
int tp_fuse_find_given (const TpGraph *graph, const guint8 *counts, int node);
/* Whether these are not in the same one. */
gboolean tp_fuse_are_parted (const TpGraph *graph, const guint8 *counts,
                             const TpNode *a, const TpNode *b);
/* Whether the value between @producer and @consumer is for that alone. A map may
 * read it twice (x * x); an anchor reads it once, as its data; what joins, once. */
gboolean tp_fuse_is_for_one (const TpGraph *graph, const TpNode *producer,
                             const TpNode *consumer);
/* Whether what @producer makes can be handed on without being stored. */
gboolean tp_fuse_hands_on (const TpGraph *graph, const TpNode *producer);
/* Whether each dimension of @out is one or more of @in, so that who goes over those
 * of @in knows where he is in @out: the other way round takes divisions. */
gboolean tp_fuse_merges_dims (const TpTensor *in, const TpTensor *out);

#endif
