/* test-integers.c: integers are exact on every device, past 2^53 and where they
 * wrap: `ref`, which computes in double, included. */
#include "plan-on.h"

#include <glib.h>
#include <string.h>
#include <tplan.h>

#define N 6

#define INPUT(NAME, DTYPE)                                                    \
  "{\"name\": \"" NAME "\", \"dtype\": \"" DTYPE "\", \"shape\": [6]}"
#define OP(TYPE, INPUTS, OUT, ...)                                            \
  "{\"name\": \"" OUT "\", \"type\": \"" TYPE "\", \"inputs\": [" INPUTS      \
  "], \"outputs\": [\"" OUT "\"]" __VA_ARGS__ "}"

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"wide\", \"opset\": 17,"
      " \"inputs\": [" INPUT ("a", "int64") "," INPUT ("b", "int64") ","
      INPUT ("c", "int32") "," INPUT ("pick", "int64") ","
      INPUT ("which", "bool") "],"
      " \"outputs\": [\"add\", \"mul\", \"max\", \"less\", \"where\","
      "  \"gather\", \"concat\", \"narrow\", \"mul32\", \"back\"],"
      " \"ops\": ["
      OP ("Add", "\"a\", \"b\"", "add") ","
      OP ("Mul", "\"a\", \"b\"", "mul") ","
      OP ("Max", "\"a\", \"b\"", "max") ","
      OP ("Less", "\"a\", \"b\"", "less") ","
      OP ("Where", "\"which\", \"a\", \"b\"", "where") ","
      OP ("Gather", "\"a\", \"pick\"", "gather") ","
      OP ("Concat", "\"a\", \"b\"", "concat", ", \"attrs\": {\"axis\": 0}") ","
      OP ("Cast", "\"a\"", "narrow", ", \"attrs\": {\"to\": 6}") ","
      OP ("Mul", "\"c\", \"c\"", "mul32") ","
      OP ("Sub", "\"add\", \"b\"", "back") "]}";

typedef struct
{
  gint64 add[N], mul[N], max[N];
  guint8 less[N];
  gint64 where[N], gather[N], concat[2 * N];
  gint32 narrow[N], mul32[N];
  gint64 back[N];
} Results;

static const gint64 a[N] = { G_MAXINT64, (G_GINT64_CONSTANT (1) << 53) + 1,
                             -((G_GINT64_CONSTANT (1) << 62) + 3), 7,
                             G_MININT64, 0x123456789abcdef1 };
static const gint64 b[N] = { 1, G_GINT64_CONSTANT (1) << 53, -5, 3, -1,
                             0x123456789abcdef0 };
static const gint32 c[N] = { 65537, -65537, G_MAXINT32, G_MININT32, 46341, 3 };
static const gint64 pick[N] = { 5, 1, 0, -1, 4, 2 };
static const guint8 which[N] = { 1, 0, 1, 1, 0, 1 };

/* Wrapping, as two's complement has it. */
static void
compute (Results *want)
{
  for (int i = 0; i < N; i++)
    {
      want->add[i] = (gint64) ((guint64) a[i] + (guint64) b[i]);
      want->mul[i] = (gint64) ((guint64) a[i] * (guint64) b[i]);
      want->max[i] = MAX (a[i], b[i]);
      want->less[i] = a[i] < b[i];
      want->where[i] = which[i] ? a[i] : b[i];
      want->gather[i] = a[pick[i] < 0 ? pick[i] + N : pick[i]];
      want->concat[i] = a[i];
      want->concat[N + i] = b[i];
      want->narrow[i] = (gint32) (guint32) (guint64) a[i];
      want->mul32[i] = (gint32) ((guint32) c[i] * (guint32) c[i]);
      want->back[i] = a[i];
    }
}

#define SAME(FIELD)                                                           \
  g_assert_cmpmem (got.FIELD, sizeof got.FIELD, want.FIELD, sizeof want.FIELD)

static void
test_exact (gconstpointer device)
{
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = NULL;
  Results got = { 0 }, want = { 0 };
  const void *inputs[] = { a, b, c, pick, which };
  void *outputs[] = { got.add, got.mul, got.max, got.less, got.where,
                      got.gather, got.concat, got.narrow, got.mul32,
                      got.back };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  compute (&want);
  SAME (add);
  SAME (mul);
  SAME (max);
  SAME (less);
  SAME (where);
  SAME (gather);
  SAME (concat);
  SAME (narrow);
  SAME (mul32);
  SAME (back);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/integers/ref", "ref", test_exact);
  g_test_add_data_func ("/integers/cpu", "cpu", test_exact);
  g_test_add_data_func ("/integers/opencl", "opencl:0", test_exact);
  return g_test_run ();
}
