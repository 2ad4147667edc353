/* pass.c: all passes, in the order that plans are made after. */
#include "config.h"

#include "graph/pass.h"

#include "graph/graph-draft.h"
#include "graph/pass-fold-norm.h"
#include "graph/pass-identity.h"
#include "graph/pass-layout.h"
#include "graph/pass-norm.h"
#include "graph/pass-permute.h"
#include "graph/pass-recognise.h"
#include "graph/pass-resize.h"
#include "graph/pass-scatter.h"
#include "graph/pass-transpose.h"
#include "ops/op.h"

TpGraph *
tp_graph_simplify (const TpGraph *graph, GError **error)
{
  g_autoptr (TpDraft) draft = tp_draft_new_from_graph (graph);

  if (!tp_draft_split_resizes (draft, error)
      || !tp_draft_split_scatters (draft, error)
      || !tp_draft_drop_identities (draft, error))
    return NULL;
  tp_draft_remove_dead (draft);
  if (!tp_draft_fold_transposes (draft, error)
      || !tp_draft_recognise (draft, error)
      || !tp_draft_fold_norms (draft, error)
      || !tp_draft_split_norms (draft, error))
    return NULL;
  tp_draft_remove_dead (draft);
  if (!tp_draft_remove_unused_tensors (draft, error))
    return NULL;
  return tp_draft_finish (draft, error);
}

static gboolean
is_laid_out (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_has_flag (&graph->nodes[i], TP_OP_LAYOUT))
      return TRUE;
  return FALSE;
}

TpGraph *
tp_graph_assign_layout (const TpGraph *graph, GError **error)
{
  g_autoptr (TpDraft) draft = NULL;

  if (is_laid_out (graph))
    return tp_graph_ref ((TpGraph *) graph);
  draft = tp_draft_new_from_graph (graph);
  if (!tp_draft_assign_layout (draft, error))
    return NULL;
  tp_draft_permute (draft);
  return tp_draft_finish (draft, error);
}

TpGraph *
tp_graph_prepare (const TpGraph *graph, GError **error)
{
  g_autoptr (TpGraph) simple = tp_graph_simplify (graph, error);

  return simple == NULL ? NULL : tp_graph_assign_layout (simple, error);
}
