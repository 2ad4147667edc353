/* test-quantized.c: quantized ops on each device, to the last bit what their formulas
 * give in C: sums in 64 bits, scales in float32, near 2^24 and where all saturates. */
#include "config.h"

#include "plan-on.h"

#include <math.h>

#define ROUNDS 3

static int
pick (int low, int high)
{
  return g_test_rand_int_range (low, high + 1);
}

/* Fills memory and tells it as JSON, too. */
static char *
fill (void *memory, gboolean is_signed, int n, gboolean is_extreme)
{
  GString *text = g_string_new ("");

  for (int i = 0; i < n; i++)
    {
      int low = is_signed ? -128 : 0, high = low + 255;
      int value = is_extreme ? high : pick (low, high);

      ((guint8 *) memory)[i] = (guint8) value;
      g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", value);
    }
  return g_string_free (text, FALSE);
}

/* FALSE: there is no such device. */
static gboolean
run (const char *device, const char *format_text, const void *const *inputs,
     void *const *outputs)
{
  g_autofree char *model = g_strdup (format_text);
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GError) error = NULL;

  g_strdelimit (model, "'", '"');
  plan = tp_test_plan_on (device, model, 1);
  if (plan == NULL)
    return FALSE;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  return TRUE;
}

static int
quantize (float value, int zero, int low)
{
  float whole = nearbyintf (value) + (float) zero;

  return (int) fminf (fmaxf (whole, (float) low), (float) low + 255.0f);
}

/* ---- products of matrices -------------------------------------------------- */

enum { M = 3, N = 17, K_MOST = 700 };

/* x is of uint8 and has a zero point that only a run knows, or 0. */
static gboolean
check_matmul (const char *device, int k, gboolean is_extreme,
              gboolean has_zero)
{
  static guint8 x[M * K_MOST], zero;
  static gint8 w[K_MOST * N];
  g_autofree char *told = fill (w, TRUE, k * N, is_extreme);
  g_autofree char *unused = fill (x, FALSE, M * k, is_extreme);
  g_autofree char *model = NULL;
  const void *inputs[] = { x, &zero };
  gint32 y[M * N];
  void *outputs[] = { y };

  zero = has_zero ? (guint8) pick (0, 255) : 0;
  model = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'dtype': 'uint8', 'shape': [%d, %d]}, {'name': 'z', 'dtype': 'uint8', "
      "'shape': []}], 'initializers': [{'name': 'w', 'dtype': 'int8', 'shape': "
      "[%d, %d], 'data': [%s]}], 'ops': [{'type': 'MatMulInteger', 'inputs': "
      "['x', 'w', 'z'], 'outputs': ['y']}], 'outputs': ['y']}",
      M, k, k, N, told);
  if (!run (device, model, inputs, outputs))
    return FALSE;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      {
        gint64 sum = 0;

        for (int l = 0; l < k; l++)
          sum += (x[i * k + l] - zero) * w[l * N + j];
        g_assert_cmpint (y[i * N + j], ==, sum);
      }
  return TRUE;
}

static void
test_matmul (gconstpointer device)
{
  static const int sizes[] = { 1, 5, 64, 518, 519, K_MOST };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int extreme = 0; extreme < 2; extreme++)
      if (!check_matmul (device, sizes[i], extreme, i % 2))
        return;
}

/* ---- convolutions ------------------------------------------------------------ */

enum { C = 3, F = 8, SIDE = 6 };

typedef struct
{
  guint8 x[C * SIDE * SIDE];
  gint8 w[F * C * 9];
  int x_zero, y_zero, bias[F];
  float x_scale, y_scale, w_scale[F];
} Conv;

/* Padding is the zero point: it adds nothing. */
static int
conv_at (const Conv *conv, int f, int row, int column)
{
  int sum = conv->bias[f];
  float factor;

  for (int c = 0; c < C; c++)
    for (int i = 0; i < 9; i++)
      {
        int r = row + i / 3 - 1, q = column + i % 3 - 1;

        if (r >= 0 && q >= 0 && r < SIDE && q < SIDE)
          sum += (conv->x[(c * SIDE + r) * SIDE + q] - conv->x_zero)
                 * conv->w[(f * C + c) * 9 + i];
      }
  factor = conv->x_scale * conv->w_scale[f];
  factor /= conv->y_scale;
  return quantize ((float) sum * factor, conv->y_zero, -128);
}

#define NUMBER(name, dtype, value)                                            \
  "{'name': '" name "', 'dtype': '" dtype "', 'shape': [], 'data': [" value "]}"

static char *
write_conv (Conv *conv)
{
  g_autofree char *w = fill (conv->w, TRUE, F * C * 9, FALSE);
  g_autofree char *x = fill (conv->x, FALSE, C * SIDE * SIDE, FALSE);
  g_autoptr (GString) scales = g_string_new ("");
  g_autoptr (GString) biases = g_string_new ("");

  conv->x_zero = pick (0, 255);
  conv->y_zero = pick (-128, 127);
  conv->x_scale = 0.03125f * pick (1, 9);
  conv->y_scale = 0.375f * pick (1, 9);
  for (int f = 0; f < F; f++)
    {
      const char *comma = f > 0 ? ", " : "";

      conv->bias[f] = pick (-9999, 9999);
      conv->w_scale[f] = 0.001f * pick (1, 99);
      g_string_append_printf (biases, "%s%d", comma, conv->bias[f]);
      g_string_append_printf (scales, "%s%.9g", comma, conv->w_scale[f]);
    }
  return g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'dtype': 'uint8', 'shape': [1, %d, %d, %d]}], 'initializers': [{'name': "
      "'w', 'dtype': 'int8', 'shape': [%d, %d, 3, 3], 'data': [%s]}, "
      "{'name': 'ws', 'shape': [%d], 'data': [%s]}, {'name': 'b', 'dtype': "
      "'int32', 'shape': [%d], 'data': [%s]}, " NUMBER ("xs", "float32", "%.9g")
      ", " NUMBER ("xz", "uint8", "%d") ", " NUMBER ("wz", "int8", "0") ", "
      NUMBER ("ys", "float32", "%.9g") ", " NUMBER ("yz", "int8", "%d")
      "], 'ops': [{'type': 'QLinearConv', 'inputs': ['x', 'xs', 'xz', 'w', "
      "'ws', 'wz', 'ys', 'yz', 'b'], 'outputs': ['y'], 'attrs': {'pads': "
      "[1, 1, 1, 1]}}], 'outputs': ['y']}",
      C, SIDE, SIDE, F, C, w, F, scales->str, F, biases->str, conv->x_scale,
      conv->x_zero, conv->y_scale, conv->y_zero);
}

static void
test_conv (gconstpointer device)
{
  for (int round = 0; round < ROUNDS; round++)
    {
      Conv conv;
      g_autofree char *model = write_conv (&conv);
      const void *inputs[] = { conv.x };
      gint8 y[F * SIDE * SIDE];
      void *outputs[] = { y };

      if (!run (device, model, inputs, outputs))
        return;
      for (int i = 0; i < F * SIDE * SIDE; i++)
        g_assert_cmpint (y[i], ==,
                         conv_at (&conv, i / (SIDE * SIDE), i / SIDE % SIDE,
                                  i % SIDE));
    }
}

/* ---- there and back ---------------------------------------------------------- */

#define ELEMENTS 999

static const char back_model[]
    = "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'shape': [999]}, {'name': 's', 'shape': []}, {'name': 'z', 'dtype': "
      "'int8', 'shape': []}], 'ops': ["
      "{'type': 'QuantizeLinear', 'inputs': ['x', 's', 'z'], 'outputs': ['q']},"
      "{'type': 'DequantizeLinear', 'inputs': ['q', 's', 'z'], 'outputs': "
      "['f']}, {'type': 'DynamicQuantizeLinear', 'inputs': ['x'], 'outputs': "
      "['d', 'ds', 'dz']}], 'outputs': ['q', 'f', 'd', 'ds', 'dz']}";

/* Halves among them, which are rounded to even, and what is far outside. */
static void
test_back (gconstpointer device)
{
  float x[ELEMENTS], f[ELEMENTS], high = 0.0f, low = 0.0f;
  float s = 0.5f, ds, scale;
  gint8 z = -3, q[ELEMENTS];
  guint8 d[ELEMENTS], dz;
  const void *inputs[] = { x, &s, &z };
  void *outputs[] = { q, f, d, &ds, &dz };
  int zero;

  for (int i = 0; i < ELEMENTS; i++)
    {
      x[i] = i % 2 ? 0.25f * (float) pick (-300, 300)
                   : (float) g_test_rand_double_range (-99, 50);
      high = fmaxf (high, x[i]);
      low = fminf (low, x[i]);
    }
  if (!run (device, back_model, inputs, outputs))
    return;
  scale = (high - low) / 255.0f;
  zero = quantize (-low / scale, 0, 0);
  g_assert_cmpfloat (ds, ==, scale);
  g_assert_cmpint (dz, ==, zero);
  for (int i = 0; i < ELEMENTS; i++)
    {
      g_assert_cmpint (q[i], ==, quantize (x[i] / s, z, -128));
      g_assert_cmpfloat (f[i], ==, (float) (q[i] - z) * s);
      g_assert_cmpint (d[i], ==, quantize (x[i] / scale, zero, 0));
    }
}

/* ---- ops of ONNX Runtime ------------------------------------------------------ */

enum { ROWS = 2, DEPTH = 6, COLUMNS = 5 };

#define INPUT(name, dtype, shape)                                             \
  "{'name': '" name "', 'dtype': '" dtype "', 'shape': " shape "}, "
#define OP(type, inputs, output)                                              \
  "{'type': '" type "', 'inputs': [" inputs "], 'outputs': ['" output "']}"

#define CONTRIB(type, inputs, output) OP ("com.microsoft." type, inputs, output)

static const char runtime_model[]
    = "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': ["
      INPUT ("a", "uint8", "[2, 6]") INPUT ("b", "uint8", "[2, 6]")
      INPUT ("w", "int8", "[6, 5]") INPUT ("c", "int32", "[5]")
      INPUT ("s", "float32", "[]") INPUT ("t", "float32", "[]")
      INPUT ("az", "uint8", "[]") INPUT ("wz", "int8", "[]")
      "{'name': 'x', 'shape': [2, 6]}], 'ops': ["
      CONTRIB ("QLinearAdd", "'a', 's', 'az', 'b', 't', 'az', 's', 'wz'", "sum") ", "
      CONTRIB ("QLinearMul", "'a', 's', 'az', 'b', 't', 'az', 's', 'wz'", "mul") ", "
      CONTRIB ("QGemm", "'a', 's', 'az', 'w', 't', 'wz', 'c', 't', 'az'", "gemm")
      ", " CONTRIB ("MatMulIntegerToFloat", "'a', 'w', 's', 't', 'az', 'wz'", "real")
      ", " CONTRIB ("DynamicQuantizeMatMul", "'x', 'w', 't', 'wz'", "dynamic") ", "
      "{'type': 'DynamicQuantizeLinear', 'inputs': ['x'], 'outputs': ['q', "
      "'qs', 'qz']}, "
      CONTRIB ("MatMulIntegerToFloat", "'q', 'w', 'qs', 't', 'qz', 'wz'", "spelled")
      "], 'outputs': ['sum', 'mul', 'gemm', 'real', 'dynamic', 'spelled']}";

static int
product_at (const guint8 *a, const gint8 *w, int a_zero, int w_zero, int at)
{
  int sum = 0;

  for (int k = 0; k < DEPTH; k++)
    sum += (a[at / COLUMNS * DEPTH + k] - a_zero)
           * (w[k * COLUMNS + at % COLUMNS] - w_zero);
  return sum;
}

static void
test_runtime (gconstpointer device)
{
  guint8 a[ROWS * DEPTH], b[ROWS * DEPTH], az = 131;
  gint8 w[DEPTH * COLUMNS], wz = -7;
  gint32 c[COLUMNS] = { -300, 12, 4, 999, -1 };
  float s = 0.25f, t = 0.75f, x[ROWS * DEPTH];
  gint8 sum[ROWS * DEPTH], mul[ROWS * DEPTH];
  guint8 gemm[ROWS * COLUMNS];
  float real[ROWS * COLUMNS], dynamic[ROWS * COLUMNS], spelled[ROWS * COLUMNS];
  const void *inputs[] = { a, b, w, c, &s, &t, &az, &wz, x };
  void *outputs[] = { sum, mul, gemm, real, dynamic, spelled };

  g_free (fill (a, FALSE, ROWS * DEPTH, FALSE));
  g_free (fill (b, FALSE, ROWS * DEPTH, FALSE));
  g_free (fill (w, TRUE, DEPTH * COLUMNS, FALSE));
  for (int i = 0; i < ROWS * DEPTH; i++)
    x[i] = (float) g_test_rand_double_range (-3, 3);
  if (!run (device, runtime_model, inputs, outputs))
    return;
  for (int i = 0; i < ROWS * DEPTH; i++)
    {
      float p = (float) (a[i] - az) * s, q = (float) (b[i] - az) * t;

      g_assert_cmpint (sum[i], ==, quantize ((p + q) / s, wz, -128));
      g_assert_cmpint (mul[i], ==, quantize (p * q / s, wz, -128));
    }
  for (int i = 0; i < ROWS * COLUMNS; i++)
    {
      int product = product_at (a, w, az, wz, i);

      g_assert_cmpfloat (real[i], ==, (float) product * (s * t));
      g_assert_cmpint (gemm[i], ==,
                       quantize ((float) (product + c[i % COLUMNS]) * (s * t)
                                     / t,
                                 az, 0));
      g_assert_cmpfloat (dynamic[i], ==, spelled[i]);
    }
}

static void
add (const char *name, GTestDataFunc function)
{
  static const char *const devices[] = { "ref", "cpu", "opencl:0" };

  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/quantized/%s/%s", name, devices[i]);

      g_test_add_data_func (path, devices[i], function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("matmul", test_matmul);
  add ("conv", test_conv);
  add ("back", test_back);
  add ("runtime", test_runtime);
  return g_test_run ();
}
