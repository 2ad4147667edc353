/* test-nan.c: what ops make of NaN and infinity is the same on every device. */
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

/* Sums of what is before have it from there on. */
static void
test_sums (gconstpointer device)
{
  enum { LENGTH = 300 };
  static const char model[]
      = "{\"format\": \"tplan-graph/1\", \"name\": \"sums\", \"opset\": 14,"
        " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
        "   \"shape\": [300]}], \"outputs\": [\"z\"],"
        " \"initializers\": [{\"name\": \"axis\", \"dtype\": \"int64\","
        "   \"shape\": [], \"data\": [0]}],"
        " \"ops\": [{\"name\": \"op\", \"type\": \"CumSum\","
        "   \"inputs\": [\"x\", \"axis\"], \"outputs\": [\"z\"]}]}";
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (TplanSession) session = NULL;
  float x[LENGTH], z[LENGTH];
  const void *inputs[] = { x };
  void *outputs[] = { z };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, NULL);
  g_assert_nonnull (session);
  for (int at = 0; at < LENGTH; at += 13)
    {
      for (int i = 0; i < LENGTH; i++)
        x[i] = i == at ? NAN : (float) (i % 7);
      g_assert_true (tplan_session_run (session, inputs, outputs, NULL));
      for (int i = 0; i < LENGTH; i++)
        g_assert_cmpint (isnan (z[i]) != 0, ==, i >= at);
    }
}

/* Infinity is a number: a finite one is its own remainder, and where it is the
 * greatest of many it is their sum. */
typedef struct
{
  const char *op;             /* type, inputs, and so on */
  const char *second;         /* the other input, or "" */
  float x[4], y[4];           /* of a row; all rows are the same */
  float z[4];
  int n;                      /* results of a row */
} Infinite;

#define MANY 19               /* rows: again more than a vector */

#define MOD "\"type\": \"Mod\", \"inputs\": [\"x\", \"y\"], \"attrs\": {\"fmod\": 1}"
#define SUM_EXP                                                               \
  "\"type\": \"ReduceLogSumExp\", \"inputs\": [\"x\"],"                        \
  " \"attrs\": {\"axes\": [1]}"
#define SOFTMAX "\"type\": \"Softmax\", \"inputs\": [\"x\"]"
#define SECOND ", {\"name\": \"y\", \"dtype\": \"float32\", \"shape\": [19, 4]}"

static const Infinite infinities[] = {
  { MOD, SECOND, { 5.5f, -5.5f, 0.0f, 1e30f },
    { INFINITY, -INFINITY, INFINITY, -INFINITY }, { 5.5f, -5.5f, 0.0f, 1e30f },
    4 },
  { MOD, SECOND, { INFINITY, -INFINITY, INFINITY, NAN },
    { INFINITY, INFINITY, 3.0f, INFINITY }, { NAN, NAN, NAN, NAN }, 4 },
  { MOD, SECOND, { 5.5f, -5.5f, 1.0f, -7.0f }, { NAN, 2.0f, 0.0f, -4.0f },
    { NAN, -1.5f, NAN, -3.0f }, 4 },
  { SUM_EXP, "", { 1.0f, INFINITY, -2.0f, 3.0f }, { 0 }, { INFINITY }, 1 },
  { SUM_EXP, "", { INFINITY, INFINITY, -INFINITY, 3.0f }, { 0 }, { INFINITY },
    1 },
  { SUM_EXP, "", { -INFINITY, -INFINITY, -INFINITY, -INFINITY }, { 0 },
    { -INFINITY }, 1 },
  { SUM_EXP, "", { -INFINITY, 2.0f, -INFINITY, -INFINITY }, { 0 }, { 2.0f },
    1 },
  { SUM_EXP, "", { G_MAXFLOAT, -INFINITY, 0.0f, 1.0f }, { 0 }, { G_MAXFLOAT },
    1 },
  { SUM_EXP, "", { INFINITY, NAN, 0.0f, 1.0f }, { 0 }, { NAN }, 1 },
  { SOFTMAX, "", { INFINITY, 2.0f, 0.0f, 1.0f }, { 0 }, { NAN, NAN, NAN, NAN },
    4 },
};

static void
check_infinite (const char *device, const Infinite *want)
{
  g_autofree char *model = g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"name\": \"infinite\", \"opset\": 14,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "   \"shape\": [19, 4]}%s], \"outputs\": [\"z\"],"
      " \"ops\": [{\"name\": \"op\", \"outputs\": [\"z\"], %s}]}",
      want->second, want->op);
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (TplanSession) session = NULL;
  float x[MANY * 4], y[MANY * 4], z[MANY * 4] = { 0 };
  const void *inputs[] = { x, y };
  void *outputs[] = { z };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, NULL);
  g_assert_nonnull (session);
  for (int i = 0; i < MANY * 4; i++)
    {
      x[i] = want->x[i % 4];
      y[i] = want->y[i % 4];
    }
  g_assert_true (tplan_session_run (session, inputs, outputs, NULL));
  for (int i = 0; i < MANY * want->n; i++)
    {
      float right = want->z[i % want->n];

      if (isnan (right) ? !isnan (z[i]) : z[i] != right)
        g_error ("case %d: element %d is %g, not %g",
                 (int) (want - infinities), i, z[i], right);
    }
}

static void
test_infinite (gconstpointer device)
{
  for (gsize i = 0; i < G_N_ELEMENTS (infinities); i++)
    check_infinite (device, &infinities[i]);
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
      g_autofree char *infinite
          = g_strdup_printf ("/nan/infinite/%s", devices[i]);
      g_autofree char *sums = g_strdup_printf ("/nan/sums/%s", devices[i]);

      g_test_add_data_func (stays, devices[i], test_stays);
      g_test_add_data_func (sums, devices[i], test_sums);
      g_test_add_data_func (windows, devices[i], test_windows);
      g_test_add_data_func (infinite, devices[i], test_infinite);
    }
  return g_test_run ();
}
