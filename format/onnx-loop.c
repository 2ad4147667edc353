/* onnx-loop.c: see onnx-loop.h. */
#include "config.h"

#include "format/onnx-loop.h"

#include "format/onnx-subgraph.h"
#include "graph/graph-body.h"
#include "ir/array.h"

static const char *
get_name (const TpArray *names, guint i)
{
  return tp_array_index (names, const char *, i);
}

/* Inputs are there before what reads them, by the names that the body has for them. */
static gboolean
add_inputs (TpOnnx *onnx, const TpOnnxSubgraph *graph, int body,
            const char *place, GError **error)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const char *name
          = tp_map_lookup (graph->names, get_name (graph->inputs, i));

      if (!tp_graph_builder_add_body_input (onnx->builder, body, name, place,
                                            error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_outputs (TpOnnx *onnx, const TpOnnxSubgraph *graph, int body,
             const char *place, GError **error)
{
  for (guint i = 0; i < graph->outputs->len; i++)
    if (!tp_graph_builder_add_body_output (onnx->builder, body,
                                           get_name (graph->outputs, i), place,
                                           error))
      return FALSE;
  return TRUE;
}

/* Returns its number; 0 on error. */
static int
read_body (TpOnnx *onnx, TpOnnxSubgraph *graph, const TpNode *node,
           GError **error)
{
  g_autofree char *place = NULL;
  int body;

  if (!tp_onnx_subgraph_read_names (onnx, graph, node->type, TRUE, error))
    return 0;
  place = tp_wire_path_to_string (graph->wire.path);
  body = tp_graph_builder_enter_body (onnx->builder, graph->prefix, error);
  if (body == 0 || !add_inputs (onnx, graph, body, place, error)
      || !tp_onnx_subgraph_read_body (onnx, graph, error)
      || !add_outputs (onnx, graph, body, place, error))
    return 0;
  tp_graph_builder_leave_body (onnx->builder);
  return body;
}

gboolean
tp_onnx_add_loop (TpOnnx *onnx, const TpWire *wire, const TpNode *node,
                  TpNodeNames names, GError **error)
{
  g_auto (TpOnnxSubgraph) graph = { 0 };
  TpOnnxSubgraphs all = { 1, &graph, NULL };
  int body;

  tp_onnx_subgraph_init (&graph, wire, "body");
  if (!tp_onnx_subgraph_check_depth (onnx, wire, node->type, error)
      || !tp_onnx_subgraphs_find (onnx, wire, &all, error))
    return FALSE;
  if (graph.graph.number == 0)
    {
      tp_wire_set_error (wire, wire->pos, error, "%s has no body", node->type);
      return FALSE;
    }
  body = read_body (onnx, &graph, node, error);
  return body != 0
         && tp_graph_builder_add_node_with_body (onnx->builder, body, node, names,
                                                 error);
}
