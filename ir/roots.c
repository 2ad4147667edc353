/* roots.c: see roots.h. */
#include "config.h"

#include "ir/roots.h"

#include "ir/guard.h"
#include "ir/outline.h"

int *
tp_roots_find (const TpGraph *graph)
{
  const TpNodeOutline *nodes = tp_graph_get_outline (graph)->nodes;
  int *roots = tp_new (int, graph->n_tensors + 1);

  for (int i = 0; i < graph->n_tensors; i++)
    roots[i] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    if (nodes[i].is_view)
      roots[nodes[i].outputs[0]] = roots[nodes[i].inputs[0]];
  return roots;
}

gboolean *
tp_roots_find_ends (const TpGraph *graph)
{
  g_autofree int *roots = tp_roots_find (graph);
  g_autofree gboolean *are_ends = tp_new0 (gboolean, graph->n_tensors + 1);

  for (int i = 0; i < graph->n_inputs; i++)
    are_ends[roots[graph->inputs[i]]] = TRUE;
  for (int i = 0; i < graph->n_outputs; i++)
    are_ends[roots[graph->outputs[i]]] = TRUE;
  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_is_stream (&graph->nodes[i]))
      are_ends[roots[graph->nodes[i].outputs[0]]] = TRUE;
  for (int i = 0; i < graph->n_tensors; i++)
    are_ends[i] = are_ends[roots[i]];
  return g_steal_pointer (&are_ends);
}
