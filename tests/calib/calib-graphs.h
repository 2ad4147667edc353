/* calib-graphs.h: small graphs that these tests measure. */
#ifndef TP_TESTS_CALIB_GRAPHS_H
#define TP_TESTS_CALIB_GRAPHS_H

#include <string.h>

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/graph.h"

/* x [4, @width] -> MatMul -> Relu -> Reshape -> Relu: two kernels twice over, a
 * VIEW between. */
static inline TpGraph *
make_small_graph (int width)
{
  g_autofree char *text = g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "  \"shape\": [4, %d]}], \"outputs\": [\"y\"],"
      "\"initializers\": ["
      "  {\"name\": \"w\", \"dtype\": \"float32\", \"shape\": [%d, 8],"
      "   \"random\": {\"seed\": 1, \"std\": 0.5}},"
      "  {\"name\": \"s\", \"dtype\": \"int64\", \"shape\": [1],"
      "   \"data\": [32]}],"
      "\"ops\": ["
      "  {\"name\": \"mul\", \"type\": \"MatMul\", \"inputs\": [\"x\", \"w\"],"
      "   \"outputs\": [\"a\"]},"
      "  {\"name\": \"relu\", \"type\": \"Relu\", \"inputs\": [\"a\"],"
      "   \"outputs\": [\"b\"]},"
      "  {\"name\": \"view\", \"type\": \"Reshape\","
      "   \"inputs\": [\"b\", \"s\"], \"outputs\": [\"c\"]},"
      "  {\"name\": \"last\", \"type\": \"Tanh\", \"inputs\": [\"c\"],"
      "   \"outputs\": [\"y\"]}]}", width, width);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_load_json ("small.json", text,
                                                  strlen (text), NULL, &error);
  TpGraph *prepared;

  g_assert_no_error (error);
  prepared = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  return prepared;
}

#endif
