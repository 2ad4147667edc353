/* test-pass-quantized.c: what is computed of dequantized reals and quantized again becomes
 * products of integers where that is all there is to it, and gives what it gave, up to a
 * step where a value is all but between two. Products with weights of a few bits become
 * such. */
#include "config.h"

#include "count-ops.h"
#include "graph/pass.h"
#include "ir/op.h"
#include "op-support.h"
#include "ops/reference.h"

#include <math.h>

#define NUMBER(name, value, type)                                             \
  "scalar " name "f " value ";Cast " name "f -> " name " to=" type ";"
#define SCALES                                                                \
  "scalar xs 0.02;scalar ws 0.01;scalar ys 0.05;" NUMBER ("xz", "120", "2")   \
  NUMBER ("wz", "-3", "3") NUMBER ("yz", "128", "2")
#define DEQUANTIZED(dims)                                                     \
  "in x " dims ";QuantizeLinear x xs xz -> xq;DequantizeLinear xq xs xz -> xd;"
#define IMAGE SCALES DEQUANTIZED ("2 3 6 5")
#define FILTERS                                                               \
  "const wr 4 3 3 3;QuantizeLinear wr ws wz -> wq;DequantizeLinear wq ws wz -> wd;"
#define COLUMNS                                                               \
  "const wr 20 6;QuantizeLinear wr ws wz -> wq;DequantizeLinear wq ws wz -> wd;"
#define BIAS(scale)                                                           \
  "ints bi 100 -70 3 0;Cast bi -> bq to=6;scalar bs " scale ";"              \
  "DequantizeLinear bq bs -> bd;"
#define RESULT ";QuantizeLinear c ys yz -> y"
/* Weights of @type in blocks of 16, their values four times those from @low to @high. */
#define BLOCKS(type, low, high, dims, blocks, zeros)                          \
  "const wr " dims ";scalar f 4;Mul wr f -> wm;scalar lo " low ";scalar hi " high \
  ";Clip wm lo hi -> wc;scalar ws 0.25;scalar z 0;Cast z -> zt to=" type ";"                       \
  "QuantizeLinear wc ws zt -> wq;pos sc " blocks ";pos zr " blocks ";" \
  "Mul zr f -> zf;Cast zf -> zv to=" type ";"                                 \
  "DequantizeLinear wq sc " zeros " -> wd axis=0 block_size=16;"
#define PER_FILTER                                                            \
  "const wr 4 3 3 3;const wa 4;scalar k 0.01;Abs wa -> wb;Mul wb k -> wk;"    \
  "Add wk k -> wv;ints zi 0 0 0 0;Cast zi -> zv to=3;"                        \
  "QuantizeLinear wr wv zv -> wq axis=0;DequantizeLinear wq wv zv -> wd axis=0;"

static const struct
{
  const char *text;
  const char *type;           /* of what there is; NULL: none is made */
} cases[] = {
  { IMAGE FILTERS "Conv xd wd -> c pads=1,1,1,1" RESULT, "QLinearConv" },
  { IMAGE FILTERS "Conv xd wd -> c strides=2,1 dilations=1,2" RESULT,
    "QLinearConv" },
  { IMAGE FILTERS BIAS ("0.0002") "Conv xd wd bd -> c pads=0,1,0,1" RESULT,
    "QLinearConv" },
  { IMAGE PER_FILTER "Conv xd wd -> c pads=1,1,1,1" RESULT, "QLinearConv" },
  { SCALES DEQUANTIZED ("3 20") COLUMNS "MatMul xd wd -> c" RESULT,
    "QLinearMatMul" },
  { SCALES DEQUANTIZED ("2 3 20") COLUMNS "MatMul xd wd -> c" RESULT,
    "QLinearMatMul" },
  /* without a zero point, as there is 0 */
  { SCALES "in x 3 20;QuantizeLinear x xs -> xq;DequantizeLinear xq xs -> xd;"
    "const wr 20 6;QuantizeLinear wr ws wz -> wq;DequantizeLinear wq ws wz -> wd;"
    "MatMul xd wd -> c" RESULT, "QLinearMatMul" },
  /* a bias in other steps, or of reals */
  { IMAGE FILTERS BIAS ("0.0003") "Conv xd wd bd -> c pads=1,1,1,1" RESULT, NULL },
  { IMAGE FILTERS "const bd 4;Conv xd wd bd -> c pads=1,1,1,1" RESULT, NULL },
  /* somebody else reads the reals */
  { IMAGE FILTERS "Conv xd wd -> c pads=1,1,1,1" RESULT ";Neg c -> z", NULL },
  /* w is no constant; x is not quantized; nothing is quantized again */
  { SCALES DEQUANTIZED ("20 20") "MatMul xd xd -> c" RESULT, NULL },
  { SCALES "in xd 3 20;" COLUMNS "MatMul xd wd -> c" RESULT, NULL },
  { SCALES DEQUANTIZED ("3 20") COLUMNS "MatMul xd wd -> y", NULL },
  /* weights of a few bits in blocks, with zero points and without, of both types */
  { BLOCKS ("3", "-2", "1.75", "32 6", "2 6", "zv") "in x 3 32;MatMul x wd -> y",
    "MatMulNBits" },
  { BLOCKS ("3", "-2", "1.75", "32 6", "2 6", "_") "in x 2 5 32;MatMul x wd -> y",
    "MatMulNBits" },
  { BLOCKS ("2", "0", "3.75", "32 6", "2 6", "zv") "in x 3 32;MatMul x wd -> y",
    "MatMulNBits" },
  { BLOCKS ("2", "0", "3.75", "64 70", "4 70", "_") "in x 1 64;MatMul x wd -> y",
    "MatMulNBits" },
  { BLOCKS ("3", "-2", "1.75", "16 1", "1 1", "zt") "in x 16;MatMul x wd -> y",
    "MatMulNBits" },
  /* somebody else reads them; the last block is shorter; values of more bits */
  { BLOCKS ("3", "-2", "1.75", "32 6", "2 6", "zv")
    "in x 6 32;MatMul x wd -> y;Transpose x -> xt perm=1,0;Add xt wd -> out", NULL },
  { BLOCKS ("3", "-2", "1.75", "40 6", "3 6", "zv") "in x 3 40;MatMul x wd -> y",
    NULL },
  { BLOCKS ("3", "-2", "2", "32 6", "2 6", "zv") "in x 3 32;MatMul x wd -> y", NULL },
  { BLOCKS ("2", "0", "4", "32 6", "2 6", "_") "in x 3 32;MatMul x wd -> y", NULL },
  /* sums that float32 does not hold */
  { SCALES DEQUANTIZED ("1 9000") "const wr 9000 2;scalar tiny 0.0001;"
    "QuantizeLinear wr tiny wz -> wq;DequantizeLinear wq tiny wz -> wd;"
    "MatMul xd wd -> c" RESULT, NULL },
};

/* Output 0 of both, for one x. */
static void
assert_alike (const TpGraph *a, const TpGraph *b)
{
  gint64 n = a->tensors[a->inputs[0]].count, n_apart = 0;
  g_autofree double *x = g_new (double, n);
  const double *inputs[] = { x };
  g_autoptr (GPtrArray) from_a = NULL, from_b = NULL;
  gint64 n_results = a->tensors[a->outputs[0]].count;
  gboolean is_integer
      = tp_dtype_is_integer (a->tensors[a->outputs[0]].dtype);

  for (gint64 i = 0; i < n; i++)
    x[i] = (float) g_test_rand_double_range (-3.0, 3.0);
  from_a = tp_graph_run_reference (a, inputs, FALSE, NULL);
  from_b = tp_graph_run_reference (b, inputs, FALSE, NULL);
  for (gint64 i = 0; i < n_results; i++)
    {
      double apart = fabs (((double *) from_a->pdata[0])[i]
                           - ((double *) from_b->pdata[0])[i]);

      g_assert_cmpfloat (apart, <=, is_integer ? 1.0 : 1e-4);
      n_apart += is_integer && apart > 0.0;
    }
  g_assert_cmpint (n_apart * 20, <=, n_results);
}

static void
test_case (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (13, cases[i].text, &error);
  g_autoptr (TpGraph) simple = NULL;

  g_assert_no_error (error);
  simple = tp_graph_simplify (graph, &error);
  g_assert_no_error (error);
  if (cases[i].type != NULL)
    {
      g_assert_cmpint (count_ops (simple, cases[i].type), ==, 1);
      g_assert_cmpint (count_ops (simple, "Conv") + count_ops (simple, "MatMul"), ==, 0);
      g_assert_cmpint (count_ops (simple, "DequantizeLinear"), ==, 0);
    }
  else
    {
      g_assert_cmpint (count_ops (simple, "QLinearConv")
                           + count_ops (simple, "QLinearMatMul")
                           + count_ops (simple, "MatMulNBits"), ==, 0);
      g_assert_cmpint (count_ops (simple, "Conv") + count_ops (simple, "MatMul"), ==, 1);
    }
  assert_alike (graph, simple);
}

/* Left out, it leaves the op, and weights to be dequantized. */
static void
test_left_out (void)
{
  const char *const left_out[] = { "quantized", NULL };
  const TpPassOptions options = { .left_out = left_out };
  g_autoptr (TpGraph) graph = test_graph_new (13, cases[0].text, NULL);
  g_autoptr (TpGraph) plain = tp_graph_prepare_with (graph, &options, NULL);

  g_assert_cmpint (count_ops (plain, "Conv"), ==, 1);
  g_assert_cmpint (count_ops (plain, "DequantizeLinear"), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/pass-quantized/%d", (int) i);

      g_test_add_data_func (path, GINT_TO_POINTER ((int) i), test_case);
    }
  g_test_add_func ("/pass-quantized/left-out", test_left_out);
  return g_test_run ();
}
