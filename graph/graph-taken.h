/* graph-taken.h: which branch of an If is taken (graph/graph-branch.h). */
#ifndef TP_GRAPH_GRAPH_TAKEN_H
#define TP_GRAPH_GRAPH_TAKEN_H

#include "graph/graph-draft.h"

/* FALSE: it is known that @node is not computed. What makes the conditions it hangs
 * on has been folded where it can be. */
gboolean tp_branch_is_taken (TpDraft *draft, const TpNode *node);
/* An If becomes an Identity where its condition is known. */
void tp_branch_choose (TpDraft *draft, TpNode *node);
/* One whose shape has been inferred becomes a Where, where it is not. */
void tp_branch_keep (TpNode *node);
/* Adds to @error of @node that it is of a branch which need not be taken, if so. */
void tp_branch_explain (TpDraft *draft, const TpNode *node, GError *error);
/* Forgets the branches, and tensors that are in none taken. */
gboolean tp_branch_forget (TpDraft *draft, GError **error);

#endif
