/* pass.c: all passes, in the order that plans are made after. */
#include "config.h"

#include "graph/pass.h"

#include "graph/pass-layout.h"
#include "graph/pass-simplify.h"
#include "ir/graph.h"

TpGraph *
tp_graph_prepare (const TpGraph *graph, GError **error)
{
  g_autoptr (TpGraph) simple = tp_graph_simplify (graph, error);

  return simple == NULL ? NULL : tp_graph_assign_layout (simple, error);
}
