/* test-integer-ops.c: every op that works on integers is exact on them, near 2^62 and
 * where they wrap, on `ref`, and on each device that has kernels of it. What it should
 * be is told here in 128 bits; an op of which nothing is told is one of reals, or only
 * moves elements, or fails the test. */
#include "config.h"

#include "integer-answers.h"
#include "ops/op.h"
#include "plan-on.h"

#include <string.h>

/* Told of in test-integers.c: what comes out is of another type, or what goes in is
 * unsigned. */
static const char *const told_elsewhere[]
    = { "BitCast", "BitShift", "Cast", "CastLike", "Equal", "Greater", "GreaterOrEqual", "Less",
        "LessOrEqual", "RankedArgMax", "RankedArgMin", "Widen", NULL };

/* ---- running them --------------------------------------------------------- */

static char *
write_inputs (const char *const *reads, const char *dtype)
{
  g_autoptr (GString) text = g_string_new ("");

  for (int k = 0; k < n_integer_inputs; k++)
    if (g_strv_contains (reads, integer_inputs[k].name))
      g_string_append_printf (
          text, "%s{\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": %s}",
          text->len > 0 ? ", " : "", integer_inputs[k].name,
          integer_inputs[k].is_index ? "int64" : dtype, integer_inputs[k].shape);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
write_model (int i, const char *dtype)
{
  g_auto (GStrv) reads = g_strsplit (integer_cases[i].reads, " ", -1);
  g_autofree char *inputs = write_inputs ((const char *const *) reads, dtype);
  g_autoptr (GString) names = g_string_new ("");

  for (int k = 0; reads[k] != NULL; k++)
    g_string_append_printf (names, "%s\"%s\"", k > 0 ? ", " : "",
                            *reads[k] == '_' ? "" : reads[k]);
  return g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"name\": \"one\", \"opset\": %d,"
      " \"inputs\": [%s], \"initializers\": %s, \"outputs\": [\"y\"],"
      " \"ops\": [{\"name\": \"op\", \"type\": \"%s\", \"inputs\": [%s],"
      " \"outputs\": [\"y\"], \"attrs\": {%s}}]}",
      integer_cases[i].opset, inputs, integer_constants, integer_cases[i].op, names->str,
      integer_cases[i].attrs);
}

/* What goes in, in the width it is wanted in; in the order of the model's. */
static GPtrArray *
make_inputs (const TplanGraph *graph, gboolean is_narrow)
{
  GPtrArray *made = g_ptr_array_new_with_free_func (g_free);
  int n;
  const TplanTensor *tensors = tplan_graph_get_inputs (graph, &n);

  for (int i = 0; i < n; i++)
    for (int k = 0; k < n_integer_inputs; k++)
      if (g_str_equal (tensors[i].name, integer_inputs[k].name))
        {
          gint64 *wide = g_memdup2 (integer_inputs[k].values,
                                    integer_inputs[k].n * sizeof (gint64));

          for (int j = 0; is_narrow && !integer_inputs[k].is_index && j < integer_inputs[k].n; j++)
            ((gint32 *) wide)[j] = (gint32) integer_inputs[k].values[j];
          g_ptr_array_add (made, wide);
        }
  g_ptr_array_add (made, NULL); /* there may be none */
  return made;
}

static void
compare (int i, const char *device, const void *got, gsize size)
{
  gint64 want[MOST];
  int n = integer_cases[i].tell (want);

  g_assert_true (size == n * sizeof (gint64) || size == n * sizeof (gint32));
  for (int k = 0; k < n; k++)
    {
      gint64 wanted = size == n * sizeof (gint32) ? (gint32) want[k] : want[k];
      gint64 has = size == n * sizeof (gint32) ? ((const gint32 *) got)[k]
                                               : ((const gint64 *) got)[k];

      if (has != wanted)
        g_error ("%s of %s on %s: element %d is %" G_GINT64_FORMAT
                 ", not %" G_GINT64_FORMAT,
                 integer_cases[i].op, integer_cases[i].reads, device, k, has, wanted);
    }
}

static void
run (int i, const char *device, gboolean is_narrow)
{
  g_autofree char *model = write_model (i, is_narrow ? "int32" : "int64");
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GPtrArray) in = NULL;
  g_autoptr (GError) error = NULL;
  gint64 out[MOST];
  void *outs[] = { out };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  in = make_inputs (tplan_plan_get_graph (plan), is_narrow);
  tplan_session_run (session, (const void *const *) in->pdata, outs, &error);
  g_assert_no_error (error);
  compare (i, device, out,
           tplan_graph_get_outputs (tplan_plan_get_graph (plan), NULL)
               ->size_bytes);
}

static void
run_all (const char *device, gboolean is_narrow)
{
  integer_answers_set (is_narrow);
  for (int i = 0; i < n_integer_cases; i++)
    if ((integer_cases[i].has_kernels || g_str_equal (device, "ref"))
        && !(is_narrow && integer_case_is_wide (&integer_cases[i])))
      run (i, device, is_narrow);
}

static void
test_wide (gconstpointer device)
{
  run_all (device, FALSE);
}

static void
test_narrow (gconstpointer device)
{
  run_all (device, TRUE);
}

/* ---- nothing is forgotten ------------------------------------------------- */

static gboolean
is_told (const char *op)
{
  for (int i = 0; i < n_integer_cases; i++)
    if (g_str_equal (integer_cases[i].op, op))
      return TRUE;
  return g_strv_contains (told_elsewhere, op);
}

/* What has a way of its own with integers has a case here. */
static void
test_all_told (void)
{
  int n;
  const TpOp *const *ops = tp_op_list (&n);

  for (int i = 0; i < n; i++)
    {
      gboolean is_own = ops[i]->map_integer != NULL
                        || ops[i]->reference_integer != NULL
                        || ops[i]->products != NULL
                        || ops[i]->ranks != TP_RANKS_NONE;

      if (is_own && !is_told (ops[i]->name))
        g_error ("nothing is told of %s here", ops[i]->name);
    }
}

/* ONNX has these of reals only, or of integers of 8 and 16 bits, or they make integers of
 * shapes and truth values. */
static const char *const others[] = {
  "Acos", "Acosh", "And", "Asin", "Asinh", "Atan", "Atanh", "Attention",
  "AveragePool", "BatchNormalization", "Celu", "Constant", "ConstantOfShape",
  "ConvInteger", "Cos", "Cosh", "DequantizeLinear", "Det", "DynamicQuantizeLinear",
  "Elu", "Erf", "Exp", "EyeLike", "FastGelu", "GRU", "Gelu",
  "GlobalAveragePool", "GlobalLpPool", "GridSample", "GroupNormalization",
  "HardSigmoid", "HardSwish", "InstanceNormalization", "Interpolate", "IsInf",
  "IsNaN", "LRN", "LSTM", "LayerNormalization", "LeakyRelu", "Log",
  "LogSoftmax", "LpNormalization", "LpPool", "MatMulInteger", "MatMulNBits",
  "MeanVarianceNormalization", "Not", "Or", "QLinearConv", "QLinearMatMul",
  "QuantizeLinear", "RMSNormalization", "RNN", "RandomNormalLike",
  "RandomUniformLike", "Reciprocal", "RoiSample", "RotaryEmbedding",
  "ScaleShift", "Selu", "Shape", "Sigmoid", "Sin", "Sinh", "SinkAttention",
  "Size", "Softmax",
  "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "ThresholdedRelu",
  "Xor", "com.microsoft.FusedMatMul", NULL
};

static void
test_all_known (void)
{
  int n;
  const TpOp *const *ops = tp_op_list (&n);

  for (int i = 0; i < n; i++)
    if (!is_told (ops[i]->name) && ops[i]->moves == 0
        && !g_strv_contains (others, ops[i]->name))
      g_error ("is %s exact of integers, or of reals only?", ops[i]->name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/integer-ops/told", test_all_told);
  g_test_add_func ("/integer-ops/known", test_all_known);
  g_test_add_data_func ("/integer-ops/int64/ref", "ref", test_wide);
  g_test_add_data_func ("/integer-ops/int64/cpu", "cpu", test_wide);
  g_test_add_data_func ("/integer-ops/int64/opencl", "opencl:0", test_wide);
  g_test_add_data_func ("/integer-ops/int32/ref", "ref", test_narrow);
  g_test_add_data_func ("/integer-ops/int32/cpu", "cpu", test_narrow);
  return g_test_run ();
}
