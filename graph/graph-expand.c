/* graph-expand.c: ops added to a graph, or the bodies they stand for. */
#include "config.h"

#include "graph/graph-expand.h"

#include "graph/function.h"
#include "graph/graph-faulty.h"
#include "graph/graph-given.h"
#include "graph/graph-node.h"

static gboolean
add (TpGraphBuilder *builder, const TpNode *node, TpNodeNames names,
     GError **error)
{
  TpNode own = *node;

  own.group = tp_builder_find_group (builder, node->name);
  if (!tp_function_is_meant (node, names))
    return tp_builder_add_plain_node (builder, &own, names, error);
  if (node->n_costs == 0)
    return tp_function_expand (builder, &own, names, error);
  if (!tp_builder_add_plain_node (builder, &own, names, error))
    return FALSE;
  /* Its type may have a record, but that is of another op. */
  tp_draft_node (builder->draft, (int) builder->draft->nodes->len - 1)->op = NULL;
  return TRUE;
}

gboolean
tp_graph_builder_add_node (TpGraphBuilder *builder, const TpNode *node,
                           TpNodeNames names, GError **error)
{
  g_autoptr (GError) fault = NULL;

  if (add (builder, node, names, &fault)
      || tp_builder_put_off (builder, node, names, fault))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}
