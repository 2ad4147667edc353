/* test-outline.c: the outline of a graph says what the graph does, and is made once. */
#include "config.h"

#include "ir/op.h"
#include "ir/outline.h"
#include "ir/plan.h"
#include "random-model.h"

#define N_MODELS 30
#define N_THREADS 4

static void
check_tensor (const TpGraph *graph, const TpOutline *outline, int index)
{
  const TpTensor *it = &graph->tensors[index];
  const TpTensorOutline *its = &outline->tensors[index];
  const TpTensor *alike = &graph->tensors[its->form];

  g_assert_cmpint (its->producer, ==, it->producer);
  g_assert_cmpmem (its->readers, its->n_readers * sizeof (int), it->consumers,
                   it->n_consumers * sizeof (int));
  g_assert_cmpint (its->size_bytes, ==, it->size_bytes);
  g_assert_cmpint (its->dtype, ==, it->dtype);
  g_assert_cmpint (its->is_constant, ==, tp_tensor_is_constant (it));
  g_assert_cmpint (its->is_resident, ==, tp_tensor_is_resident (it));
  g_assert_cmpint (its->is_state, ==, it->state > 0);
  g_assert_cmpint (its->is_output, ==, it->is_output);
  g_assert_cmpint (alike->dtype, ==, it->dtype);
  g_assert_cmpmem (alike->dims, alike->rank * sizeof (gint64), it->dims,
                   it->rank * sizeof (gint64));
  g_assert_cmpmem (alike->strides, alike->rank * sizeof (gint64), it->strides,
                   it->rank * sizeof (gint64));
}

static void
check_node (const TpGraph *graph, const TpOutline *outline, int index)
{
  const TpNode *it = &graph->nodes[index];
  const TpNodeOutline *its = &outline->nodes[index];

  g_assert_cmpmem (its->inputs, its->n_inputs * sizeof (int), it->inputs,
                   it->n_inputs * sizeof (int));
  g_assert_cmpmem (its->outputs, its->n_outputs * sizeof (int), it->outputs,
                   it->n_outputs * sizeof (int));
  g_assert_true (its->op == it->op);
  g_assert_cmpint (its->opset, ==, it->opset);
  g_assert_cmpint (its->kind, ==, it->op == NULL ? TP_OP_OPAQUE : it->op->kind);
  g_assert_cmpint (its->has_attrs, ==, it->n_attrs > 0);
  g_assert_cmpint (its->has_small_sums, ==, it->has_small_sums);
  g_assert_cmpint (its->is_pinned, ==, it->pins != NULL);
  g_assert_cmpint (its->is_view, ==, tp_node_is_view (it));
  g_assert_cmpint (its->is_stream, ==, tp_node_is_stream (it));
}

static void
check_graph (const TpGraph *graph)
{
  const TpOutline *outline = tp_graph_get_outline (graph);
  gboolean gives_times = graph->n_groups > 0, gives_copies = FALSE;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      check_tensor (graph, outline, i);
      gives_copies |= graph->tensors[i].n_copies > 0;
    }
  for (int i = 0; i < graph->n_nodes; i++)
    {
      check_node (graph, outline, i);
      gives_times |= graph->nodes[i].n_costs > 0;
    }
  g_assert_cmpint (outline->gives_times, ==, gives_times);
  g_assert_cmpint (outline->gives_copies, ==, gives_copies);
}

static void
test_random (void)
{
  for (int i = 0; i < N_MODELS; i++)
    {
      g_autoptr (TpGraph) graph = random_model (g_test_rand_int_range (1, 12));

      check_graph (graph);
    }
}

static void
test_full (void)
{
  g_autoptr (TpGraph) graph = full_model ();

  check_graph (graph);
}

/* Of a graph made of another whose outline there is already. */
static void
test_pinned (void)
{
  static const char *const pins[] = { "*=cpu", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = random_model (5);
  g_autoptr (TpGraph) pinned = NULL;

  check_graph (graph);
  pinned = tp_graph_pin (graph, pins, &error);
  g_assert_no_error (error);
  check_graph (pinned);
  check_graph (graph);
  g_assert_true (tp_graph_get_outline (pinned)->nodes[0].is_pinned);
}

static gpointer
ask (gpointer graph)
{
  return (gpointer) tp_graph_get_outline (graph);
}

/* Whoever asks, and however many at once, gets the one that is kept. */
static void
test_threads (void)
{
  g_autoptr (TpGraph) graph = random_model (12);
  GThread *threads[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("ask", ask, graph);
  for (int i = 0; i < N_THREADS; i++)
    g_assert_true (g_thread_join (threads[i]) == tp_graph_get_outline (graph));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/outline/random", test_random);
  g_test_add_func ("/outline/full", test_full);
  g_test_add_func ("/outline/pinned", test_pinned);
  g_test_add_func ("/outline/threads", test_threads);
  return g_test_run ();
}
