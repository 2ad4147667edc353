/* test-narrow-types.c: what is cast or quantized to reals of a byte or less, and to integers
 * of less, is the nearest there is, on every device: halves, infinities and NaN too. All
 * numbers of each type are listed here from its definition. */
#include "plan-on.h"

#include <glib.h>
#include <math.h>
#include <tplan.h>

#define N 2048
#define MOST 160              /* numbers of a type from 0 on */

typedef struct
{
  int onnx, exponents, first, digits, n_left_out; /* at the end, of the greatest exponent */
  gboolean has_nan, has_infinity;
} Reals;

static const Reals reals[] = {
  { 17, 15, -6, 3, 1, TRUE, FALSE },  /* float8e4m3fn */
  { 18, 15, -7, 3, 0, TRUE, FALSE },  /* float8e4m3fnuz */
  { 19, 30, -14, 2, 0, TRUE, TRUE },  /* float8e5m2 */
  { 20, 31, -15, 2, 0, TRUE, FALSE }, /* float8e5m2fnuz */
  { 23, 3, 0, 1, 0, FALSE, FALSE },   /* float4e2m1 */
};
#define N_REALS ((int) G_N_ELEMENTS (reals))

/* From 0 on, and behind them the one that would follow. */
static int
list_numbers (const Reals *type, double *out)
{
  int n = 0, each = 1 << type->digits;

  for (int k = 0; k < each; k++)
    out[n++] = ldexp (k, type->first - type->digits);
  for (int e = type->first; e < type->first + type->exponents; e++)
    for (int k = 0; k < each; k++)
      out[n++] = ldexp (each + k, e - type->digits);
  n -= type->n_left_out;
  out[n] = 2 * out[n - 1] - out[n - 2];
  return n;
}

/* Of two that are as near the one whose last digit is 0, which has an even place. */
static double
round_to (const Reals *type, double x, gboolean saturates)
{
  double numbers[MOST + 1], magnitude = fabs (x), got;
  int n = list_numbers (type, numbers), nearest = 0;

  if (isnan (x))
    return type->has_nan ? x : 0.0;
  if (magnitude > numbers[n]) /* also where differences are all alike */
    nearest = n;
  for (int i = 1; i <= n && nearest < n; i++)
    {
      double gain = fabs (numbers[nearest] - magnitude) - fabs (numbers[i] - magnitude);

      if (gain > 0 || (gain == 0 && i % 2 == 0))
        nearest = i;
    }
  got = numbers[nearest];
  if (nearest == n)
    got = saturates || !type->has_nan ? numbers[n - 1]
          : type->has_infinity        ? INFINITY
                                      : NAN;
  return copysign (got, x);
}

/* Numbers, halves between them and what is next to these; then what comes. */
static void
fill (const Reals *type, float *x)
{
  static const float others[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e30f, -1e-30f };
  double numbers[MOST + 1];
  int n = list_numbers (type, numbers), k = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    x[k++] = others[i];
  for (int i = 1; i <= n; i++)
    {
      float half = (float) ((numbers[i - 1] + numbers[i]) / 2);

      x[k++] = (float) numbers[i];
      x[k++] = half;
      x[k++] = -nextafterf (half, 0.0f);
      x[k++] = nextafterf (half, INFINITY);
    }
  while (k < N)
    x[k++] = (float) ldexp (g_test_rand_double_range (-2, 2),
                            g_test_rand_int_range (-20, 20));
}

static void
add_op (GString *ops, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_op (GString *ops, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_string_append (ops, ops->len == 0 ? "" : ", ");
  g_string_append_vprintf (ops, format, args);
  va_end (args);
}

/* Runs @ops, whose outputs are those of the graph, y0, y1, .., of float32. FALSE: the
 * device is not there. */
static gboolean
run (const char *device, const char *ops, int n, const float *x, float (*y)[N])
{
  g_autoptr (GString) model = g_string_new (NULL);
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GError) error = NULL;
  const void *inputs[] = { x };
  void *outputs[16];

  g_string_printf (model, "{\"format\": \"tplan-graph/1\", \"opset\": 25, \"inputs\": "
                   "[{\"name\": \"x\", \"shape\": [%d]}], \"initializers\": ["
                   "{\"name\": \"s\", \"shape\": [], \"data\": [0.25]}, {\"name\": \"p\", "
                   "\"dtype\": \"int8\", \"shape\": [], \"data\": [3]}], \"ops\": [%s], "
                   "\"outputs\": [", N, ops);
  for (int i = 0; i < n; i++)
    {
      g_string_append_printf (model, "%s\"y%d\"", i == 0 ? "" : ", ", i);
      outputs[i] = y[i];
    }
  g_string_append (model, "]}");
  plan = tp_test_plan_on (device, model->str, 1);
  if (plan == NULL)
    return FALSE;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  return TRUE;
}

static void
check (int onnx, float x, float got, double right)
{
  if (isnan (right) ? !isnan (got) : (double) got != right)
    g_error ("%.9g to type %d: %.9g, not %.9g", x, onnx, got, right);
}

/* By Cast, with and without saturate, and by a scale. */
static void
test_reals (gconstpointer device)
{
  float x[N], y[3][N];

  for (int i = 0; i < N_REALS; i++)
    {
      const Reals *type = &reals[i];
      g_autoptr (GString) ops = g_string_new (NULL);

      fill (type, x);
      for (int k = 0; k < 2; k++)
        add_op (ops, "{\"type\": \"Cast\", \"inputs\": [\"x\"], \"outputs\": [\"c%d\"], "
                "\"attrs\": {\"to\": %d, \"saturate\": %d}}", k, type->onnx, k);
      add_op (ops, "{\"type\": \"QuantizeLinear\", \"inputs\": [\"x\", \"s\"], \"outputs\": "
              "[\"c2\"], \"attrs\": {\"output_dtype\": %d}}", type->onnx);
      for (int k = 0; k < 3; k++)
        add_op (ops, "{\"type\": \"Cast\", \"inputs\": [\"c%d\"], \"outputs\": [\"y%d\"], "
                "\"attrs\": {\"to\": 1}}", k, k);
      if (!run (device, ops->str, 3, x, y))
        return;
      for (int k = 0; k < N; k++)
        {
          check (type->onnx, x[k], y[0][k], round_to (type, x[k], FALSE));
          check (type->onnx, x[k], y[1][k], round_to (type, x[k], TRUE));
          check (type->onnx, x[k] * 4, y[2][k], round_to (type, x[k] * 4.0, TRUE));
        }
    }
}

static double
wrap (double x, int low, int n)
{
  double whole = fmod (trunc (x) - low, n);

  return low + (whole < 0 ? whole + n : whole);
}

/* A Cast drops what is above; a QuantizeLinear holds to the range. */
static void
test_integers (gconstpointer device)
{
  static const struct
  {
    int onnx, low, n;
  } types[] = { { 21, 0, 16 }, { 22, -8, 16 }, { 25, 0, 4 }, { 26, -2, 4 } };
  float x[N], y[8][N];
  g_autoptr (GString) ops = g_string_new (NULL);

  for (int i = 0; i < N; i++)
    x[i] = (float) g_test_rand_int_range (-400, 400) / 8;
  for (int i = 0; i < 4; i++)
    {
      int onnx = types[i].onnx;

      add_op (ops, "{\"type\": \"Cast\", \"inputs\": [\"x\"], \"outputs\": [\"c%d\"], "
              "\"attrs\": {\"to\": %d}}", i, onnx);
      add_op (ops, "{\"type\": \"QuantizeLinear\", \"inputs\": [\"x\", \"s\"%s], \"outputs\":"
              " [\"c%d\"], \"attrs\": {\"output_dtype\": %d}}",
              types[i].low < 0 ? ", \"p\"" : "", 4 + i, onnx);
    }
  for (int k = 0; k < 8; k++)
    add_op (ops, "{\"type\": \"Cast\", \"inputs\": [\"c%d\"], \"outputs\": [\"y%d\"], "
            "\"attrs\": {\"to\": 1}}", k, k);
  if (!run (device, ops->str, 8, x, y))
    return;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < N; k++)
      {
        int low = types[i].low, n = types[i].n;
        double quantized = nearbyint (x[k] / 0.25) + (low < 0 ? 3 : 0);

        check (types[i].onnx, x[k], y[i][k], wrap (x[k], low, n));
        check (types[i].onnx, x[k], y[4 + i][k], CLAMP (quantized, low, low + n - 1));
      }
}

int
main (int argc, char **argv)
{
  static const char *const devices[] = { "ref", "cpu", "opencl:0" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *of_reals = g_strdup_printf ("/narrow-types/reals/%s", devices[i]);
      g_autofree char *of_integers
          = g_strdup_printf ("/narrow-types/integers/%s", devices[i]);

      g_test_add_data_func (of_reals, devices[i], test_reals);
      g_test_add_data_func (of_integers, devices[i], test_integers);
    }
  return g_test_run ();
}
