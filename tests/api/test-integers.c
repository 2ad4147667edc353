/* test-integers.c: integers are exact on every device, past 2^53 and where they
 * wrap: `ref`, which computes in double, included. */
#include "plan-on.h"

#include <glib.h>
#include <string.h>
#include <tplan.h>

#define N 6

#define INPUT_OF(NAME, DTYPE, SHAPE)                                          \
  "{\"name\": \"" NAME "\", \"dtype\": \"" DTYPE "\", \"shape\": " SHAPE "}"
#define INPUT(NAME, DTYPE) INPUT_OF (NAME, DTYPE, "[6]")
#define OP(TYPE, INPUTS, OUT, ...)                                            \
  "{\"name\": \"" OUT "\", \"type\": \"" TYPE "\", \"inputs\": [" INPUTS      \
  "], \"outputs\": [\"" OUT "\"]" __VA_ARGS__ "}"

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"wide\", \"opset\": 17,"
      " \"inputs\": [" INPUT ("a", "int64") "," INPUT ("b", "int64") ","
      INPUT ("c", "int32") "," INPUT ("d", "int64") ","
      INPUT ("pick", "int64") ","
      INPUT ("which", "bool") "],"
      " \"outputs\": [\"add\", \"mul\", \"max\", \"less\", \"where\","
      "  \"gather\", \"concat\", \"narrow\", \"mul32\", \"back\", \"rest\"],"
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
      OP ("Sub", "\"add\", \"b\"", "back") ","
      OP ("Mod", "\"a\", \"d\"", "rest", ", \"attrs\": {\"fmod\": 1}") "]}";

typedef struct
{
  gint64 add[N], mul[N], max[N];
  guint8 less[N];
  gint64 where[N], gather[N], concat[2 * N];
  gint32 narrow[N], mul32[N];
  gint64 back[N], rest[N];
} Results;

static const gint64 a[N] = { G_MAXINT64, (G_GINT64_CONSTANT (1) << 53) + 1,
                             -((G_GINT64_CONSTANT (1) << 62) + 3), 7,
                             G_MININT64, 0x123456789abcdef1 };
static const gint64 b[N] = { 1, G_GINT64_CONSTANT (1) << 53, -5, 3, -1,
                             0x123456789abcdef0 };
static const gint32 c[N] = { 65537, -65537, G_MAXINT32, G_MININT32, 46341, 3 };
static const gint64 d[N] = { -10, 10, G_MININT64, 0, 3, G_MININT64 };
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
      want->rest[i] = d[i] == 0 ? 0 : a[i] % d[i];
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
  const void *inputs[] = { a, b, c, d, pick, which };
  void *outputs[] = { got.add, got.mul, got.max, got.less, got.where,
                      got.gather, got.concat, got.narrow, got.mul32,
                      got.back, got.rest };

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
  SAME (rest);
}

/* ---- reductions ---------------------------------------------------------- */

#define ROWS 3
#define ROW 5

#define ROW_OP(TYPE, INPUT, OUT)                                              \
  OP (TYPE, "\"" INPUT "\"", OUT, ", \"attrs\": {\"axes\": [1]}")

static const char row_model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"rows\", \"opset\": 13,"
      " \"inputs\": [" INPUT_OF ("x", "int64", "[3, 5]") ","
      INPUT_OF ("y", "int32", "[3, 5]") "],"
      " \"initializers\": [{\"name\": \"axis\", \"dtype\": \"int64\","
      "   \"shape\": [1], \"data\": [1]}],"
      " \"outputs\": [\"max\", \"min\", \"sum\", \"prod\", \"square\", \"l1\","
      "  \"prod32\", \"sum32\", \"square32\", \"l32\", \"along\", \"before\"],"
      " \"ops\": ["
      ROW_OP ("ReduceMax", "x", "max") ","
      ROW_OP ("ReduceMin", "x", "min") ","
      OP ("ReduceSum", "\"x\", \"axis\"", "sum") ","
      ROW_OP ("ReduceProd", "x", "prod") ","
      ROW_OP ("ReduceSumSquare", "x", "square") ","
      ROW_OP ("ReduceL1", "x", "l1") ","
      ROW_OP ("ReduceProd", "y", "prod32") ","
      ROW_OP ("ReduceSum", "y", "sum32") ","
      ROW_OP ("ReduceSumSquare", "y", "square32") ","
      ROW_OP ("ReduceL1", "y", "l32") ","
      OP ("CumSum", "\"x\", \"axis\"", "along") ","
      OP ("CumSum", "\"x\", \"axis\"", "before",
          ", \"attrs\": {\"exclusive\": 1, \"reverse\": 1}") "]}";

typedef struct
{
  gint64 max[ROWS], min[ROWS], sum[ROWS], prod[ROWS], square[ROWS], l1[ROWS];
  gint32 prod32[ROWS], sum32[ROWS], square32[ROWS], l32[ROWS];
  gint64 along[ROWS][ROW], before[ROWS][ROW];
} RowResults;

static const gint64 x[ROWS][ROW]
    = { { G_MAXINT64, 1, G_MAXINT64 - 1, 3, -7 },
        { G_MININT64, G_MININT64 + 1, -(G_GINT64_CONSTANT (1) << 53) - 1,
          -5, -3 },
        { (G_GINT64_CONSTANT (1) << 53) + 1, 3, 5,
          (G_GINT64_CONSTANT (1) << 53) + 3, -1 } };
static const gint32 y[ROWS][ROW]
    = { { 65537, 65537, 3, -5, 7 },
        { G_MAXINT32, G_MAXINT32, G_MAXINT32, 2, 1 },
        { G_MININT32, -1, G_MININT32, -3, 5 } };

static void
compute_row (int i, RowResults *want)
{
  guint64 sum = 0, prod = 1, square = 0, l1 = 0;
  guint32 sum32 = 0, prod32 = 1, square32 = 0, l32 = 0;

  want->max[i] = want->min[i] = x[i][0];
  for (int k = 0; k < ROW; k++)
    {
      guint64 wide = x[i][k];
      guint32 narrow = y[i][k];

      want->max[i] = MAX (want->max[i], x[i][k]);
      want->min[i] = MIN (want->min[i], x[i][k]);
      want->along[i][k] = sum += wide;
      prod *= wide;
      square += wide * wide;
      l1 += x[i][k] < 0 ? -wide : wide;
      sum32 += narrow;
      prod32 *= narrow;
      square32 += narrow * narrow;
      l32 += y[i][k] < 0 ? -narrow : narrow;
    }
  want->sum[i] = sum;
  want->prod[i] = prod;
  want->square[i] = square;
  want->l1[i] = l1;
  want->prod32[i] = prod32;
  want->sum32[i] = sum32;
  want->square32[i] = square32;
  want->l32[i] = l32;
  for (int k = 0; k < ROW; k++)
    want->before[i][k] = sum - (guint64) want->along[i][k];
}

static void
test_rows (gconstpointer device)
{
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, row_model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = NULL;
  RowResults got = { 0 }, want = { 0 };
  const void *inputs[] = { x, y };
  void *outputs[] = { got.max, got.min, got.sum, got.prod, got.square, got.l1,
                      got.prod32, got.sum32, got.square32, got.l32,
                      got.along, got.before };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < ROWS; i++)
    compute_row (i, &want);
  SAME (max);
  SAME (min);
  SAME (sum);
  SAME (prod);
  SAME (square);
  SAME (l1);
  SAME (prod32);
  SAME (sum32);
  SAME (square32);
  SAME (l32);
  SAME (along);
  SAME (before);
}

/* ---- shifts -------------------------------------------------------------- */

#define SHIFT(TYPE, X, N_SHIFT, DIRECTION, OUT)                               \
  OP (TYPE, "\"" X "\", \"" N_SHIFT "\"", OUT,                                \
      ", \"attrs\": {\"direction\": \"" DIRECTION "\"}")

static const char shift_model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"shifts\", \"opset\": 11,"
      " \"inputs\": [" INPUT ("x", "uint32") "," INPUT ("n", "uint32") ","
      INPUT ("y", "uint8") "," INPUT ("m", "uint8") "],"
      " \"outputs\": [\"left\", \"right\", \"left8\", \"right8\"],"
      " \"ops\": ["
      SHIFT ("BitShift", "x", "n", "LEFT", "left") ","
      SHIFT ("BitShift", "x", "n", "RIGHT", "right") ","
      SHIFT ("BitShift", "y", "m", "LEFT", "left8") ","
      SHIFT ("BitShift", "y", "m", "RIGHT", "right8") "]}";

typedef struct
{
  guint32 left[N], right[N];
  guint8 left8[N], right8[N];
} Shifted;

static void
test_shifts (gconstpointer device)
{
  static const guint32 wide[N] = { G_MAXUINT32, 1, 0x80000001, 77, 5, 12345 };
  static const guint32 far[N] = { 1, 31, 4, 0, 32, 7 };
  static const guint8 byte[N] = { 255, 1, 129, 77, 5, 254 };
  static const guint8 near[N] = { 1, 7, 4, 0, 8, 3 };
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, shift_model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = NULL;
  Shifted got = { 0 }, want = { 0 };
  const void *inputs[] = { wide, far, byte, near };
  void *outputs[] = { got.left, got.right, got.left8, got.right8 };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    {
      want.left[i] = (guint32) ((guint64) wide[i] << far[i]);
      want.right[i] = (guint32) ((guint64) wide[i] >> far[i]);
      want.left8[i] = (guint8) (byte[i] << near[i]);
      want.right8[i] = (guint8) (byte[i] >> near[i]);
    }
  SAME (left);
  SAME (right);
  SAME (left8);
  SAME (right8);
}

/* ---- bits ---------------------------------------------------------------- */

/* As doubles and as floats: their negatives differ by a bit. */
static const char bit_model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"bits\", \"opset\": 26,"
      " \"inputs\": [" INPUT ("x", "int64") "," INPUT ("n", "int32") "],"
      " \"outputs\": [\"wide\", \"narrow\"], \"ops\": ["
      OP ("BitCast", "\"x\"", "a", ", \"attrs\": {\"to\": 11}") ","
      OP ("Neg", "\"a\"", "b", "") ","
      OP ("BitCast", "\"b\"", "wide", ", \"attrs\": {\"to\": 7}") ","
      OP ("BitCast", "\"n\"", "c", ", \"attrs\": {\"to\": 1}") ","
      OP ("Neg", "\"c\"", "d", "") ","
      OP ("BitCast", "\"d\"", "narrow", ", \"attrs\": {\"to\": 6}") "]}";

typedef struct
{
  gint64 wide[N];
  gint32 narrow[N];
} Bits;

static void
test_bits (gconstpointer device)
{
  static const gint64 doubles[N] = { 0, 0x3ff0000000000001, G_MININT64, -0x10000000000001,
                                     0x7fefffffffffffff, 0x0010000000000000 };
  static const gint32 floats[N] = { 0, 0x3f800001, G_MININT32, -0x800001, 0x7f7fffff,
                                    0x00800000 };
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, bit_model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = NULL;
  Bits got = { 0 }, want = { 0 };
  const void *inputs[] = { doubles, floats };
  void *outputs[] = { got.wide, got.narrow };

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    {
      want.wide[i] = doubles[i] ^ G_MININT64;
      want.narrow[i] = floats[i] ^ G_MININT32;
    }
  SAME (wide);
  SAME (narrow);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/integers/each/ref", "ref", test_exact);
  g_test_add_data_func ("/integers/each/cpu", "cpu", test_exact);
  g_test_add_data_func ("/integers/each/opencl", "opencl:0", test_exact);
  g_test_add_data_func ("/integers/rows/ref", "ref", test_rows);
  g_test_add_data_func ("/integers/rows/cpu", "cpu", test_rows);
  g_test_add_data_func ("/integers/rows/opencl", "opencl:0", test_rows);
  g_test_add_data_func ("/integers/bits/ref", "ref", test_bits);
  g_test_add_data_func ("/integers/bits/cpu", "cpu", test_bits);
  g_test_add_data_func ("/integers/bits/opencl", "opencl:0", test_bits);
  g_test_add_data_func ("/integers/shifts/ref", "ref", test_shifts);
  g_test_add_data_func ("/integers/shifts/cpu", "cpu", test_shifts);
  g_test_add_data_func ("/integers/shifts/opencl", "opencl:0", test_shifts);
  return g_test_run ();
}
