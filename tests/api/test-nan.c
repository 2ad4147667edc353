/* test-nan.c: what ops make of NaN is the same on every device. */
#include "plan-on.h"

#include <glib.h>
#include <math.h>
#include <tplan.h>

#define ROWS 3
#define N 21                  /* more than a vector, and no whole number of them */

typedef struct
{
  const char *type;
  const char *attrs;
  gboolean reduces;           /* rows to one number each */
} Op;

static const Op ops[] = {
  { "Relu", "", FALSE },
  { "Sign", "", FALSE },
  { "Clip", "\"min\": -0.5, \"max\": 0.5", FALSE },
  { "HardSigmoid", "", FALSE },
  { "HardSwish", "", FALSE },
  { "Softplus", "", FALSE },
  { "LeakyRelu", "", FALSE },
  { "Celu", "", FALSE },
  { "Abs", "", FALSE },
  { "Max", "", FALSE },
  { "Min", "", FALSE },
  { "Softmax", "", FALSE },
  { "ReduceMax", "\"axes\": [1]", TRUE },
  { "ReduceMin", "\"axes\": [1]", TRUE },
  { "ReduceLogSumExp", "\"axes\": [1]", TRUE },
};

/* Of one op on x, which Max and Min compare with a constant y. */
static char *
make_model (const Op *op, gboolean is_swapped)
{
  gboolean is_binary = op->type[0] == 'M';
  int opset = g_str_equal (op->type, "Clip") ? 10 : 14;
  const char *names = !is_binary   ? "\"x\""
                      : is_swapped ? "\"y\", \"x\""
                                   : "\"x\", \"y\"";

  return g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"name\": \"nan\", \"opset\": %d,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "   \"shape\": [3, 21]}], \"outputs\": [\"z\"],"
      " \"initializers\": [{\"name\": \"y\", \"dtype\": \"float32\","
      "   \"shape\": [21], \"random\": {\"seed\": 5, \"std\": 1}}],"
      " \"ops\": [{\"name\": \"op\", \"type\": \"%s\", \"inputs\": [%s],"
      "   \"outputs\": [\"z\"], \"attrs\": {%s}}]}",
      opset, op->type, names, op->attrs);
}

/* NaN at @at of every row but the last; Softmax and reductions make all of what
 * they see NaN. */
static void
check_run (TplanSession *session, const Op *op, int at)
{
  float x[ROWS * N], z[ROWS * N];
  const void *inputs[] = { x };
  void *outputs[] = { z };
  g_autoptr (GError) error = NULL;
  gboolean is_whole = op->reduces || g_str_equal (op->type, "Softmax");
  int n = op->reduces ? 1 : N;

  for (int i = 0; i < ROWS * N; i++)
    x[i] = i % N == at && i / N < ROWS - 1 ? NAN : (float) (i % 7) - 3.0f;
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < ROWS * n; i++)
    {
      gboolean is_nan = i / n < ROWS - 1 && (is_whole || i % n == at);

      if (is_nan != (isnan (z[i]) != 0))
        g_error ("%s, NaN at %d: element %d is %g", op->type, at, i, z[i]);
    }
}

static void
check_op (const char *device, const Op *op, gboolean is_swapped)
{
  g_autofree char *model = make_model (op, is_swapped);
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = NULL;

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  for (int at = 0; at < N; at++)
    check_run (session, op, at);
}

static void
test_stays (gconstpointer device)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    for (int is_swapped = 0; is_swapped < 2; is_swapped++)
      check_op (device, &ops[i], is_swapped);
}

/* Windows pass over NaN: their maximum is that of the numbers. */
static void
test_windows (gconstpointer device)
{
  static const char model[]
      = "{\"format\": \"tplan-graph/1\", \"name\": \"pool\", \"opset\": 14,"
        " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
        "   \"shape\": [1, 1, 21]}], \"outputs\": [\"z\"],"
        " \"ops\": [{\"name\": \"op\", \"type\": \"MaxPool\","
        "   \"inputs\": [\"x\"], \"outputs\": [\"z\"],"
        "   \"attrs\": {\"kernel_shape\": [3]}}]}";
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (TplanSession) session = NULL;
  float x[N], z[N - 2];
  const void *inputs[] = { x };
  void *outputs[] = { z };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, NULL);
  g_assert_nonnull (session);
  for (int at = 0; at < N; at++)
    {
      for (int i = 0; i < N; i++)
        x[i] = i == at ? NAN : (float) (i % 7);
      g_assert_true (tplan_session_run (session, inputs, outputs, NULL));
      for (int i = 0; i < N - 2; i++)
        g_assert_cmpfloat (z[i], ==, fmaxf (fmaxf (x[i], x[i + 1]), x[i + 2]));
    }
}

int
main (int argc, char **argv)
{
  static const char *const devices[] = { "ref", "cpu", "opencl:0" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *stays = g_strdup_printf ("/nan/stays/%s", devices[i]);
      g_autofree char *windows
          = g_strdup_printf ("/nan/windows/%s", devices[i]);

      g_test_add_data_func (stays, devices[i], test_stays);
      g_test_add_data_func (windows, devices[i], test_windows);
    }
  return g_test_run ();
}
