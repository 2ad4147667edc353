/* graph-reopen.c: what a writer asks of a builder, made from a finished graph: the
 * list of constants, the shapes of inputs, and those that are said of ops which
 * have costs only. */
#include "config.h"

#include "graph/graph-reopen.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-finish.h"
#include "ir/array.h"
#include "ir/op.h"
#include "ops/op-move.h"
#include "ops/op.h"

static gboolean
add_spec (TpGraphBuilder *builder, int index, GError **error)
{
  const TpTensor *tensor = tp_draft_tensor (builder->draft, index);
  TpBuilderSpec spec
      = { .tensor = index, .dtype = tensor->dtype, .rank = tensor->rank };
  TpDimSpec *dims = tp_region_alloc (builder->draft->region,
                                     MAX (tensor->rank, 1), sizeof *dims,
                                     error);

  if (dims == NULL)
    return FALSE;
  for (int i = 0; i < tensor->rank; i++)
    dims[i] = (TpDimSpec){ tensor->dims[i], NULL };
  spec.dims = dims;
  tp_array_append_val (builder->specs, spec);
  return TRUE;
}

static gboolean
add_node (TpGraphBuilder *builder, TpNode *node, GError **error)
{
  if (node->op == &tp_op_permute)
    {
      node->op = tp_op_find ("Transpose");
      node->type = node->op->name;
    }
  for (int i = 0; node->op == NULL && i < node->n_outputs; i++)
    if (!add_spec (builder, node->outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
add_all (TpGraphBuilder *builder, GError **error)
{
  TpDraft *draft = builder->draft;

  for (guint i = 0; i < draft->inputs->len; i++)
    if (!add_spec (builder, tp_array_index (draft->inputs, int, i), error))
      return FALSE;
  for (int i = 0; i < (int) draft->tensors->len; i++)
    if (tp_tensor_is_constant (tp_draft_tensor (draft, i)))
      tp_array_append_val (builder->constants, i);
    else if (tp_draft_tensor (draft, i)->state == 1 + i
             && !add_spec (builder, i, error))
      return FALSE;
  for (guint i = 0; i < draft->nodes->len; i++)
    if (!add_node (builder, tp_draft_node (draft, i), error))
      return FALSE;
  return TRUE;
}

TpGraphBuilder *
tp_graph_reopen (const TpGraph *graph, GError **error)
{
  g_autoptr (TpGraphBuilder) builder
      = tp_graph_builder_new (graph->name, graph->opset);

  g_clear_pointer (&builder->draft, tp_draft_free);
  builder->draft = tp_draft_new_from_graph (graph);
  return add_all (builder, error) ? g_steal_pointer (&builder) : NULL;
}

TpGraphBuilder *
tp_graph_builder_decide (TpGraphBuilder *builder, GError **error)
{
  g_autoptr (TpGraphBuilder) owned = builder;
  g_autoptr (TpGraph) graph = NULL;

  if (builder->draft->branches->len == 0 && !builder->draft->has_control)
    return g_steal_pointer (&owned);
  graph = tp_graph_builder_finish (builder, NULL, error);
  return graph == NULL ? NULL : tp_graph_reopen (graph, error);
}
