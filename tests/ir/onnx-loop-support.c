/* onnx-loop-support.c: see onnx-loop-support.h. */
#include "config.h"

#include "tests/ir/onnx-loop-support.h"

#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "tests/ir/onnx-if-support.h"

Msg *
body_new (const char *const *inputs, Msg **nodes, const char *const *outputs)
{
  Msg *graph = msg_new ();

  msg_string (graph, 2, "body");
  for (; *nodes != NULL; nodes++)
    msg_take (graph, 1, *nodes);
  for (; *inputs != NULL; inputs++)
    msg_take (graph, 11, value_new (*inputs, 0, NULL));
  for (; *outputs != NULL; outputs++)
    msg_take (graph, 12, value_new (*outputs, 0, NULL));
  return graph;
}

Msg *
node_of (const char *type, const char *name, const char *const *inputs,
         const char *const *outputs, Msg *body)
{
  Msg *node = msg_new ();

  for (; *inputs != NULL; inputs++)
    msg_string (node, 1, *inputs);
  for (; *outputs != NULL; outputs++)
    msg_string (node, 2, *outputs);
  msg_string (node, 3, name);
  msg_string (node, 4, type);
  if (body != NULL)
    add_branch (node, "body", body);
  return node;
}

void
add_ints (Msg *node, const char *name, int n, gint64 first, gint64 second)
{
  Msg *attr = attr_new (name, n == 0 ? 2 : 7);

  msg_int (attr, n == 0 ? 3 : 8, first);
  if (n > 1)
    msg_int (attr, 8, second);
  msg_take (node, 5, attr);
}

void
add_int_constant (Msg *graph, const char *name, gint64 value)
{
  Msg *tensor = tensor_new (name, 7, 0, NULL);

  msg_int (tensor, 7, value);
  msg_take (graph, 5, tensor);
}

void
add_output (Msg *graph, const char *name)
{
  msg_take (graph, 12, value_new (name, 0, NULL));
}

static GPtrArray *
run (const TpGraph *graph)
{
  static const double x[] = { -2, -1, -0.5, 0.25, 1, 3 };
  const double *inputs[] = { x };
  g_autoptr (GError) error = NULL;
  GPtrArray *results = NULL;

  g_assert_cmpint (graph->n_inputs, ==, 1);
  results = tp_graph_run_reference (graph, inputs, FALSE, &error);
  g_assert_no_error (error);
  return results;
}

static gboolean
has_no_traces (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].rank < 0)
      return FALSE;
  for (int i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].branch != 0 || graph->nodes[i].body != 0
        || graph->nodes[i].op == NULL || graph->nodes[i].op->infer == NULL)
      return FALSE;
  return TRUE;
}

void
assert_is (const TpGraph *graph, const TpGraph *straight)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) ready = tp_graph_prepare (graph, &error);
  g_autoptr (GPtrArray) want = run (straight), have = run (graph);
  g_autoptr (GPtrArray) planned = NULL;

  g_assert_no_error (error);
  g_assert_true (has_no_traces (graph));
  planned = run (ready);
  g_assert_cmpint (graph->n_outputs, ==, straight->n_outputs);
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *y = &graph->tensors[graph->outputs[i]];
      const TpTensor *z = &straight->tensors[straight->outputs[i]];
      gsize size = z->count * sizeof (double);

      g_assert_cmpint (y->rank, ==, z->rank);
      g_assert_cmpmem (y->dims, y->rank * sizeof y->dims[0], z->dims,
                       z->rank * sizeof z->dims[0]);
      g_assert_cmpmem (have->pdata[i], size, want->pdata[i], size);
      g_assert_cmpmem (planned->pdata[i], size, want->pdata[i], size);
    }
}
