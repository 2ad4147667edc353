/* graph-batch.c: see graph-batch.h. */
#include "config.h"

#include "graph/graph-batch.h"

gint64
tp_graph_get_batch (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_inputs; i++)
    if (graph->tensors[graph->inputs[i]].rank > 0)
      return graph->tensors[graph->inputs[i]].dims[0];
  return 0;
}

TpGraph *
tp_graph_split_batch (TpGraph *graph, const gint64 *sizes, int n_sizes,
                      GError **error)
{
  if (n_sizes == 0)
    return tp_graph_ref (graph);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE, "to come");
  return NULL;
}
