/* test-parts.c: what each part of an output is said to be made of, held against the
 * references: change the other parts, or move all of them round. */
#include "config.h"

#include "op-support.h"
#include "ops/parts.h"
#include "ops/reference.h"

#include <string.h>

#define MAX_INPUTS 16

static const struct
{
  int opset;
  const char *text;
} cases[] = {
#include "op-cases.inc"
};

/* ---- what is found -------------------------------------------------------- */

/* Of "x", whose dimension 0 has the parts. */
static const struct
{
  const char *text;
  const char *steps;          /* of what the last op reads, and of what it writes;
                               * NULL: refused */
} known[] = {
  { "in x 4 3 8 8;const w 5 3 3 3;const b 5;Conv x w b -> y pads=1,1,1,1",
    "192 0 0 -> 320" },
  { "in x 4 3 8 8;const w 5 3 3 3;Conv x w -> y strides=2,2 dilations=2,2 "
    "pads=2,2,2,2", "192 0 -> 80" },
  { "in x 4 4 8 8;const w 4 1 3 3;Conv x w -> y group=4 pads=1,1,1,1",
    "256 0 -> 256" },
  { "in x 4 3 8 8;MaxPool x -> y kernel_shape=3,3 strides=2,2 pads=1,1,1,1",
    "192 -> 48" },
  { "in x 4 3 8 8;AveragePool x -> y kernel_shape=2,2", "192 -> 147" },
  { "in x 4 3 8 8;GlobalAveragePool x -> y", "192 -> 3" },
  { "in x 4 6;const w 6 5;MatMul x w -> y", "6 0 -> 5" },
  { "in x 4 6;in w 6 5;const b 5;Gemm x w b -> y", "6 0 0 -> 5" },
  { "in x 4 6;in w 5 4;MatMul w x -> y", NULL },
  { "in x 6 4;const w 6 5;Gemm x w -> y transA=1", NULL },
  { "in x 5 6;in w 6 4;Gemm w x -> y transB=1 transA=1", "0 6 -> 1" },
  { "in x 4 2 3 5;in w 4 2 5 3;MatMul x w -> y", "30 30 -> 18" },
  { "in x 4 2 3 5;in w 2 5 3;MatMul x w -> y", "30 0 -> 18" },
  { "in x 4 3 5;Softmax x -> y axis=2", "15 -> 15" },
  { "in x 4 3 5;Softmax x -> y axis=1", "15 -> 15" },
  { "in x 4 3 5;Softmax x -> y axis=0", NULL },
  { "in x 4 3 5;ReduceMean x -> y axes=1,2", "15 -> 1" },
  { "in x 4 3 5;ReduceMean x -> y axes=0", NULL },
  { "in x 4 3 5;const s 5;const b 5;LayerNormalization x s b -> y",
    "15 0 0 -> 15" },
  { "in x 4 3 6;const s 3;const b 3;InstanceNormalization x s b -> y",
    "18 0 0 -> 18" },
  { "in x 4 3 5;in y 4 3 5;Add x y -> z", "15 15 -> 15" },
  { "in x 4 3 5;in y 3 5;Add x y -> z", "15 0 -> 15" },
  { "in x 4 3 5;in y 4 1 1;Add x y -> z", "15 1 -> 15" },
  { "in x 4 1;in y 4;Add x y -> z", "1 0 -> 4" },
  { "in x 4;in y 4 1;Add x y -> z", "1 0 -> 1" },
  { "in x 4 3 5;in y 1 3 5;Concat x y -> z axis=0", NULL },
  { "in x 4 3 5;in y 4 2 5;Concat x y -> z axis=1", "15 10 -> 25" },
  { "in x 4 3 5;Transpose x -> y perm=0,2,1", "15 -> 15" },
  { "in x 4 3 5;Transpose x -> y perm=1,0,2", "15 -> 5" },
  { "in x 4 3 5;Transpose x -> y perm=2,1,0", "15 -> 1" },
  { "in x 4 3 5;Transpose x -> t perm=1,0,2;Softmax t -> y axis=0",
    "5 -> 5" },
  { "in x 4 3 5;Transpose x -> t perm=1,0,2;ints s 12 5;Reshape t s -> r;"
    "const w 5 2;MatMul r w -> y", "5 0 -> 2" },
  { "in x 4 3 5;Transpose x -> t perm=1,0,2;ints s 12 5;Reshape t s -> r;"
    "Softmax r -> y axis=0", NULL },
  { "in x 4 3 6;Transpose x -> t perm=1,0,2;ints s 3 8 3;Reshape t s -> r;"
    "Transpose r -> y perm=1,0,2", "6 -> 18" },
  { "in x 4 6 5;ints s 8 15;Reshape x s -> y", "30 0 -> 30" },
  { "in x 4 6;Relu x -> y", "6 -> 6" },
  { "const t 7 3;int64 x 4 2;Gather t x -> y", "0 2 -> 6" },
  { "in x 4 3;int64 i 2;Gather x i -> y axis=1", "3 0 -> 2" },
  { "in x 4 3;int64 i 4;Gather x i -> y", NULL },
  { "in x 4 3 5;ints s 1;ints e 3;ints a 1;Slice x s e a -> y",
    "15 0 0 0 -> 10" },
  { "in x 4 3 5;ints s 3;ints e -9;ints a 0;ints d -1;Slice x s e a d -> y",
    NULL },
  { "in x 4 3 5;ints p 0 1 0 0 1 0;Pad x p -> y", "15 0 -> 25" },
  { "in x 4 3 5;ints p 1 0 0 1 0 0;Pad x p -> y", NULL },
  { "in x 4 3 5;const w 1 12 5;const r 1 12 3;LSTM x w r -> y hidden_size=3",
    NULL },
  { "in x 3 4 5;Transpose x -> t perm=1,0,2;const w 1 12 5;const r 1 12 3;"
    "LSTM t w r -> y hidden_size=3", "5 0 0 -> 3" },
  { "in x 3 4 5;Transpose x -> t perm=1,0,2;const w 2 9 5;const r 2 9 3;"
    "GRU t w r -> y h direction=bidirectional hidden_size=3", "5 0 0 -> 3 3" },
  { "in x 4 2 3 8;in k 4 1 5 8;in m 3 5;Attention x k k m -> y is_causal=1",
    "48 40 40 0 -> 48" },
  { "in x 4 3 8;in k 4 5 4;in m 4 1 1 5;Attention x k k m -> y q_num_heads=2 "
    "kv_num_heads=1", "24 20 20 5 -> 24" },
  { "in x 4 2 3 8;in k 4 2 1 8;in p 4 2 6 8;Attention x k k _ p p -> y pk pv",
    "48 16 16 0 96 96 -> 48 112 112" },
  { "in x 4 2 3 8;in k 4 2 5 8;int64 n 4;Attention x k k _ _ _ n -> y "
    "is_causal=1", "48 80 80 0 0 0 1 -> 48" },
  { "in x 4 3 24;const c 9 4;int64 i 4 3;RotaryEmbedding x c c i -> y",
    "72 0 0 3 -> 72" },
  { "in x 4 6 5;in s 5;RMSNormalization x s -> y", "30 0 -> 30" },
  { "in x 4 6 5;in s 2;GroupNormalization x s s -> y num_groups=2",
    "30 0 0 -> 30" },
};

/* Follows the parts of its inputs through @graph; NULL: refused. */
static char *
find (const TpGraph *graph, TpParts *parts)
{
  const TpNode *node = &graph->nodes[graph->n_nodes - 1];
  gint64 steps[MAX_INPUTS];
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < graph->n_nodes; i++)
    if (!tp_parts_follow (parts, graph, i, steps, &error))
      {
        g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
        return NULL;
      }
  for (int i = 0; i < node->n_inputs; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " ", steps[i]);
  g_string_append (text, "->");
  for (int i = 0; i < node->n_outputs; i++)
    g_string_append_printf (text, " %" G_GINT64_FORMAT,
                            parts->steps[node->outputs[i]]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_known (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (17, known[i].text, &error);
  g_autofree char *found = NULL;
  g_autofree gint64 *steps = NULL;
  int x = 0;

  g_assert_no_error (error);
  steps = g_new0 (gint64, graph->n_tensors);
  while (strcmp (graph->tensors[x].name, "x") != 0)
    x++;
  steps[x] = graph->tensors[x].strides[0];
  found = find (graph, &(TpParts){ graph->tensors[x].dims[0], steps });
  g_assert_cmpstr (found, ==, known[i].steps);
}

/* ---- against references --------------------------------------------------- */

static GPtrArray *
make_inputs (const TpGraph *graph)
{
  g_autoptr (GPtrArray) values = test_graph_run (
      graph, graph->nodes[0].op->domain == TP_DOMAIN_POSITIVE);
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      gsize size = graph->tensors[graph->inputs[i]].count * sizeof (double);

      g_ptr_array_add (
          inputs, g_memdup2 (values->pdata[graph->inputs[i]], MAX (size, 1)));
    }
  return inputs;
}

static GPtrArray *
run (const TpGraph *graph, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs = tp_graph_run_reference (
      graph, (const double *const *) inputs->pdata, FALSE, &error);

  g_assert_no_error (error);
  return outputs;
}

/* @steps: of all tensors; 0: it has no parts. */
typedef struct
{
  gint64 n_parts;
  const gint64 *steps;
} Claim;

static gint64
get_part (const Claim *claim, gint64 step, gint64 element)
{
  return element / step % claim->n_parts;
}

/* Part k of @to is part k - 1 of @from. */
static void
turn (const Claim *claim, const TpTensor *tensor, gint64 step,
      const double *from, double *to)
{
  for (gint64 i = 0; i < tensor->count; i++)
    {
      gint64 is_last = get_part (claim, step, i) == claim->n_parts - 1;

      to[i + step - (is_last ? claim->n_parts * step : 0)] = from[i];
    }
}

static GPtrArray *
turn_inputs (const TpGraph *graph, GPtrArray *inputs, const Claim *claim)
{
  GPtrArray *turned = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      gint64 step = claim->steps[graph->inputs[i]];
      double *values
          = g_memdup2 (inputs->pdata[i], tensor->count * sizeof (double));

      if (step > 0)
        turn (claim, tensor, step, inputs->pdata[i], values);
      g_ptr_array_add (turned, values);
    }
  return turned;
}

/* All parts but the first are those of @others. */
static GPtrArray *
mix_inputs (const TpGraph *graph, GPtrArray *inputs, GPtrArray *others,
            const Claim *claim)
{
  GPtrArray *mixed = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      const double *other = others->pdata[i];
      gint64 step = claim->steps[graph->inputs[i]];
      double *values
          = g_memdup2 (inputs->pdata[i], tensor->count * sizeof (double));

      for (gint64 k = 0; step > 0 && k < tensor->count; k++)
        if (get_part (claim, step, k) > 0)
          values[k] = other[k];
      g_ptr_array_add (mixed, values);
    }
  return mixed;
}

static gboolean
is_same (double a, double b)
{
  return a == b || (a != a && b != b);
}

static void
check_output (const TpTensor *tensor, gint64 step, const Claim *claim,
              double *const *values, const char *text)
{
  g_autofree double *want = g_new (double, tensor->count + 1);

  g_assert_cmpint (step, >, 0);
  turn (claim, tensor, step, values[0], want);
  for (gint64 k = 0; k < tensor->count; k++)
    if (!is_same (values[1][k], want[k])
        || (get_part (claim, step, k) == 0
            && !is_same (values[2][k], values[0][k])))
      g_error ("%s: in %d parts, element %d of '%s' is of another", text,
               (int) claim->n_parts, (int) k, tensor->name);
}

/* Parts moved round come out moved round; and part 0 is what it was whatever the
 * others are. */
static void
check_claim (const TpGraph *graph, const Claim *claim, const char *text)
{
  g_autoptr (GPtrArray) inputs = make_inputs (graph);
  g_autoptr (GPtrArray) others = make_inputs (graph);
  g_autoptr (GPtrArray) turned = turn_inputs (graph, inputs, claim);
  g_autoptr (GPtrArray) mixed = mix_inputs (graph, inputs, others, claim);
  g_autoptr (GPtrArray) is = run (graph, inputs);
  g_autoptr (GPtrArray) is_turned = run (graph, turned);
  g_autoptr (GPtrArray) is_mixed = run (graph, mixed);

  for (int i = 0; i < graph->n_outputs; i++)
    check_output (
        &graph->tensors[graph->outputs[i]], claim->steps[graph->outputs[i]],
        claim,
        (double *[]){ is->pdata[i], is_turned->pdata[i], is_mixed->pdata[i] },
        text);
}

/* Of input @input, along @dim; whether there is anything to check. */
static gboolean
check_dim (const TpGraph *graph, int input, int dim, gint64 n_parts,
           const char *text)
{
  const TpNode *node = &graph->nodes[0];
  const TpTensor *tensor = &graph->tensors[input];
  g_autofree gint64 *steps = g_new0 (gint64, graph->n_tensors);
  TpParts parts = { n_parts, steps };
  gint64 reads[MAX_INPUTS];

  if (tensor->dims[dim] == 0 || tensor->dims[dim] % n_parts != 0)
    return FALSE;
  steps[input] = tensor->dims[dim] / n_parts * tensor->strides[dim];
  if (!tp_parts_follow (&parts, graph, 0, reads, NULL))
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      {
        if (reads[i] > 0
            && tp_tensor_is_constant (&graph->tensors[node->inputs[i]]))
          return FALSE; /* cannot be moved round */
        steps[node->inputs[i]] = reads[i];
      }
  check_claim (graph, &(Claim){ n_parts, steps }, text);
  return TRUE;
}

static int
check_case (int index)
{
  g_autoptr (TpGraph) graph
      = test_graph_new (cases[index].opset, cases[index].text, NULL);
  int n = 0;

  if (graph->n_nodes > 1 || graph->nodes[0].n_inputs > MAX_INPUTS)
    return 0;
  for (int i = 0; i < graph->n_inputs; i++)
    for (int dim = 0; dim < graph->tensors[graph->inputs[i]].rank; dim++)
      for (int n_parts = 2; n_parts <= 6; n_parts++)
        n += check_dim (graph, graph->inputs[i], dim, n_parts,
                        cases[index].text);
  return n;
}

/* Every case of every op, in whatever parts it can be. */
static void
test_claims (void)
{
  int n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    n += check_case (i);
  g_test_message ("%d claims", n);
  g_assert_cmpint (n, >, 500);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autofree char *path = g_strdup_printf ("/parts/known/%02zu", i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_known);
    }
  g_test_add_func ("/parts/claims", test_claims);
  return g_test_run ();
}
