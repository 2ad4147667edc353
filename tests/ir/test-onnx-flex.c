/* test-onnx-flex.c: FlexAttention against loops over all heads, queries and keys; what its
 * graphs name of the graph around them; and what is refused. */
#include "config.h"

#include "ops/reference.h"
#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-loop-support.h"
#include "tests/ir/onnx-support.h"

#include "include/tplan.h"

#include <math.h>

#define GRAPH 5               /* AttributeProto.AttributeType */
#define FLOAT 1
#define ROUNDS 40
#define BIAS 0.75f

typedef struct
{
  gint64 batch, heads, shared, queries, keys, size, value_size;
  float scale;                /* 0: the usual one */
  gboolean has_score, has_probability;
} Flex;

static void
draw (Flex *it, int round)
{
  it->batch = g_test_rand_int_range (1, 3);
  it->heads = g_test_rand_int_range (1, 3);
  it->shared = g_test_rand_int_range (1, 4);
  it->queries = g_test_rand_int_range (1, 4);
  it->keys = g_test_rand_int_range (1, 5);
  it->size = g_test_rand_int_range (1, 5);
  it->value_size = g_test_rand_int_range (1, 4);
  it->scale = g_test_rand_bit () ? 0.0f : (float) g_test_rand_double_range (0.1, 2);
  it->has_score = (round & 1) != 0;
  it->has_probability = (round & 2) != 0;
}

static void
add_graph (Msg *node, const char *name, Msg *graph)
{
  Msg *attr = attr_new (name, GRAPH);

  msg_take (attr, 6, graph);
  msg_take (node, 5, attr);
}

/* Of scores s: s * s + bias, which is of the graph around. */
static Msg *
score_new (void)
{
  return body_new (NAMES ("s"), NODES (node_new ("Mul", "s", "s", "t"),
                                       node_new ("Add", "t", "bias", "u")), NAMES ("u"));
}

/* Of probabilities, called like the scores above: the root. */
static Msg *
probability_new (void)
{
  return body_new (NAMES ("s"), NODES (node_new ("Sqrt", "s", NULL, "t")), NAMES ("t"));
}

static Msg *
flex_new (const Flex *it)
{
  Msg *node = node_of ("FlexAttention", "f", NAMES ("q", "k", "v"), NAMES ("y"), NULL);

  msg_string (node, 7, "ai.onnx.preview");
  if (it->scale != 0.0f)
    {
      Msg *attr = attr_new ("scale", FLOAT);

      msg_float (attr, 2, it->scale);
      msg_take (node, 5, attr);
    }
  if (it->has_score)
    add_graph (node, "score_mod", score_new ());
  if (it->has_probability)
    add_graph (node, "prob_mod", probability_new ());
  return node;
}

static TpGraph *
load_flex (const Flex *it)
{
  const gint64 n = it->heads * it->shared;
  const gint64 dims[3][4] = { { it->batch, n, it->queries, it->size },
                              { it->batch, it->heads, it->keys, it->size },
                              { it->batch, it->heads, it->keys, it->value_size } };
  static const char *const names[] = { "q", "k", "v" };
  Msg *graph = graph_new ();

  for (int i = 0; i < 3; i++)
    msg_take (graph, 11, value_new (names[i], 4, dims[i]));
  msg_take (graph, 5, float_new ("bias", BIAS));
  msg_take (graph, 1, flex_new (it));
  return load_well (graph);
}

/* Of one query, at @q, and the keys and values of its head. */
static void
attend (const Flex *it, const double *q, const double *k, const double *v, double *out)
{
  double scale = it->scale != 0.0f ? it->scale : 1.0 / sqrt ((double) it->size);
  g_autofree double *p = g_new0 (double, it->keys);
  double sum = 0.0;

  for (gint64 i = 0; i < it->keys; i++)
    {
      for (gint64 d = 0; d < it->size; d++)
        p[i] += scale * q[d] * k[i * it->size + d];
      if (it->has_score)
        p[i] = p[i] * p[i] + BIAS;
      p[i] = exp (p[i]);
      sum += p[i];
    }
  for (gint64 d = 0; d < it->value_size; d++)
    {
      out[d] = 0.0;
      for (gint64 i = 0; i < it->keys; i++)
        out[d] += (it->has_probability ? sqrt (p[i] / sum) : p[i] / sum)
                  * v[i * it->value_size + d];
    }
}

static void
check (const Flex *it, double *const *inputs, const double *y)
{
  gint64 n = it->heads * it->shared;
  g_autofree double *wanted = g_new (double, it->value_size);

  for (gint64 i = 0; i < it->batch * n * it->queries; i++)
    {
      gint64 query_head = i / it->queries;
      gint64 head = query_head / n * it->heads + query_head % n / it->shared;

      attend (it, inputs[1] + i * it->size, inputs[2] + head * it->keys * it->size,
              inputs[3] + head * it->keys * it->value_size, wanted);
      for (gint64 d = 0; d < it->value_size; d++)
        g_assert_cmpfloat (fabs (y[i * it->value_size + d] - wanted[d]), <, 1e-5);
    }
}

static void
test_flex (void)
{
  for (int round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (TpGraph) graph = NULL;
      g_autoptr (GError) error = NULL;
      Flex it;

      draw (&it, round);
      graph = load_flex (&it);
      g_assert_cmpint (graph->n_inputs, ==, 4); /* x too, which nothing reads */
      for (int i = 0; i < graph->n_inputs; i++)
        {
          gint64 n = graph->tensors[graph->inputs[i]].count;
          double *values = g_new (double, n);

          for (gint64 k = 0; k < n; k++)
            values[k] = (float) g_test_rand_double_range (-1, 1);
          g_ptr_array_add (inputs, values);
        }
      outputs = tp_graph_run_reference (graph, (const double *const *) inputs->pdata, FALSE,
                                        &error);
      g_assert_no_error (error);
      check (&it, (double *const *) inputs->pdata, outputs->pdata[0]);
    }
}

/* @node reads three inputs of 1 x 2 x 3 x 4. */
static void
assert_refused (Msg *node, const char *pattern)
{
  static const gint64 dims[] = { 1, 2, 3, 4 };
  Msg *graph = graph_new ();

  for (const char *const *name = NAMES ("q", "k", "v"); *name != NULL; name++)
    msg_take (graph, 11, value_new (*name, 4, dims));
  msg_string (node, 7, "ai.onnx.preview");
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, pattern);
}

static void
test_errors (void)
{
  Msg *node = node_of ("FlexAttention", "f", NAMES ("q", "k", "v"), NAMES ("y"), NULL);

  add_graph (node, "score_mod",
             body_new (NAMES ("s", "r"), NODES (node_new ("Add", "s", "r", "t")),
                       NAMES ("t")));
  assert_refused (node, "*graph.node?0?*score_mod has 2 inputs and 1 outputs, must have "
                  "one of each*");
  node = node_of ("FlexAttention", "f", NAMES ("q", "k"), NAMES ("y"), NULL);
  add_graph (node, "prob_mod", probability_new ());
  assert_refused (node, "*FlexAttention has 2 inputs and 1 outputs, must have 3 and 1*");
  node = node_of ("FlexAttention", "f", NAMES ("q", "k", "v"), NAMES ("y"), NULL);
  msg_take (node, 5, attr_new ("softcap", FLOAT));
  assert_refused (node, "*FlexAttention has no attribute 'softcap'; it has scale, "
                  "softmax_precision*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-flex/loops", test_flex);
  g_test_add_func ("/onnx-flex/errors", test_errors);
  return g_test_run ();
}
