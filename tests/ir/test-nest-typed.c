/* test-nest-typed.c: integers, indexed loads, scratch and iterations. */
#include "config.h"

#include "nest/nest-check.h"
#include "nest/nest-eval.h"
#include "nest/nest-expr.h"
#include "nest/nest-fuse.h"
#include "nest/nest-text.h"
#include "nest/nest-work.h"
#include "nest/nest.h"

#include <math.h>
#include <string.h>

static int
add_operand (TpLowered *lowered, TpDtype dtype, gint64 n)
{
  return tp_lowered_add_operand (
      lowered, &(TpOperand){ .tensor = -1, .dtype = dtype, .n_elements = n });
}

/* A load of @operand that walks axis 0 by @stride. */
static TpAccess *
add_load (TpNest *nest, const TpLowered *lowered, int operand, gint64 stride)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = lowered->operands[operand].dtype;
  load->stride[0] = stride;
  return load;
}

static void
set_store (TpNest *nest, const TpLowered *lowered, int operand, gint64 stride)
{
  nest->store.operand = operand;
  nest->store.dtype = lowered->operands[operand].dtype;
  nest->store.stride[0] = stride;
}

static void
assert_refused (const TpLowered *lowered, const char *what)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (tp_lowered_check (lowered, &error));
  g_assert_nonnull (strstr (error->message, what));
}

/* ---- integers ----------------------------------------------------------- */

static gint64
apply (TpExprOp op, gint64 a, gint64 b)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  TpScalar values[3] = { { .integer = a }, { .integer = b }, { .integer = 0 } };
  int x = tp_nest_const_integer (nest, 1);
  int y = tp_nest_const_integer (nest, 2);
  int expr = tp_expr_arity (op) == 1 ? tp_nest_unary (nest, op, x)
                                     : tp_nest_binary (nest, op, x, y);

  g_assert_true (nest->exprs[expr].is_integer);
  return tp_expr_apply (nest, expr, values).integer;
}

static void
test_integers (void)
{
  static const struct
  {
    TpExprOp op;
    gint64 a, b, want;
  } rows[] = {
    { TP_EXPR_ADD, G_MAXINT64, 1, G_MININT64 },
    { TP_EXPR_SUB, 1, 3, -2 },
    { TP_EXPR_MUL, (G_GINT64_CONSTANT (1) << 53) + 1, 3,
      3 * ((G_GINT64_CONSTANT (1) << 53) + 1) },
    { TP_EXPR_DIV, -7, 2, -3 },
    { TP_EXPR_DIV, 7, 0, 0 },
    { TP_EXPR_DIV, G_MININT64, -1, G_MININT64 },
    { TP_EXPR_MOD, -7, 3, 2 },
    { TP_EXPR_MOD, 7, -3, -2 },
    { TP_EXPR_MOD, -6, 3, 0 },
    { TP_EXPR_MOD, 7, 0, 0 },
    { TP_EXPR_MOD, G_MININT64, -1, 0 },
    { TP_EXPR_MIN, -1, 2, -1 },
    { TP_EXPR_MAX, -1, 2, 2 },
    { TP_EXPR_NEG, 5, 0, -5 },
    { TP_EXPR_ABS, -5, 0, 5 },
    { TP_EXPR_LESS, -1, 0, 1 },
    { TP_EXPR_LESS, 0, 0, 0 },
    { TP_EXPR_EQUAL, 3, 3, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (apply (rows[i].op, rows[i].a, rows[i].b), ==,
                     rows[i].want);
}

/* What memory of a type makes of 1000 * x. */
static void
test_store_wraps (void)
{
  static const struct
  {
    TpDtype dtype;
    double want[3];
  } rows[] = {
    { TPLAN_DTYPE_INT64, { 0, -3000, 1e12 } },
    { TPLAN_DTYPE_INT32, { 0, -3000, -727379968 } },
    { TPLAN_DTYPE_UINT8, { 0, 72, 0 } },
    { TPLAN_DTYPE_BOOL, { 0, 1, 1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      double x[3] = { 0, -3, 1e9 };
      double y[3] = { -1, -1, -1 };
      double *buffers[] = { x, y };
      g_autoptr (TpLowered) lowered = tp_lowered_new ();
      TpNest *nest = tp_nest_new ();

      tp_lowered_take_nest (lowered, nest);
      add_operand (lowered, TPLAN_DTYPE_INT64, 3);
      add_operand (lowered, rows[i].dtype, 3);
      tp_nest_add_axis (nest, 3, FALSE);
      add_load (nest, lowered, 0, 1);
      set_store (nest, lowered, 1, 1);
      nest->result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                     tp_nest_const (nest, 1000.0));
      g_assert_true (tp_lowered_check (lowered, NULL));
      tp_lowered_eval (lowered, buffers);
      g_assert_cmpmem (y, sizeof y, rows[i].want, sizeof rows[i].want);
    }
}

/* Integer stages: 9 bits more than a double has. */
static void
test_integer_stage (void)
{
  double x[2] = { 0x1p61, -0x1p61 };
  double y[1] = { -1 };
  double *buffers[] = { x, y };
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  int term = -1;

  tp_lowered_take_nest (lowered, nest);
  add_operand (lowered, TPLAN_DTYPE_INT64, 2);
  add_operand (lowered, TPLAN_DTYPE_INT64, 1);
  tp_nest_add_axis (nest, 2, TRUE);
  add_load (nest, lowered, 0, 1);
  set_store (nest, lowered, 1, 0);
  term = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 0),
                         tp_nest_const_integer (nest, 1));
  nest->result = tp_nest_stage (
      nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, term));
  g_assert_true (nest->exprs[nest->result].is_integer);
  g_assert_true (tp_lowered_check (lowered, NULL));
  tp_lowered_eval (lowered, buffers);
  g_assert_cmpfloat (y[0], ==, 2);
}

static void
test_classes (void)
{
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  int x = 0;
  int n = 0;

  tp_lowered_take_nest (lowered, nest);
  add_operand (lowered, TPLAN_DTYPE_FLOAT32, 1);
  add_operand (lowered, TPLAN_DTYPE_INT32, 1);
  add_load (nest, lowered, 0, 0);
  add_load (nest, lowered, 1, 0);
  set_store (nest, lowered, 0, 0);
  x = tp_nest_load (nest, 0);
  n = tp_nest_load (nest, 1);
  nest->result = n;
  assert_refused (lowered, "cannot store integers as float32");
  nest->result = tp_nest_convert (nest, n, TPLAN_DTYPE_FLOAT32);
  g_assert_true (tp_lowered_check (lowered, NULL));
  nest->loads[1].dtype = TPLAN_DTYPE_INT64;
  assert_refused (lowered, "operand 1 is int32, reached as int64");
  nest->loads[1].dtype = TPLAN_DTYPE_INT32;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, x, n);
  assert_refused (lowered, "no add of integers with reals");
  nest->exprs[nest->result].op = TP_EXPR_POW;
  assert_refused (lowered, "no pow of integers");
  nest->exprs[nest->result].op = TP_EXPR_TO_REAL;
  assert_refused (lowered, "no to_real of reals");
}

/* ---- indexed loads ------------------------------------------------------ */

/* y[i][j] = table[index[i]][j] + 1 for a table of 3 rows of 2. */
static TpLowered *
new_gather (TpNest **out_nest)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  TpAccess *table = NULL;

  tp_lowered_take_nest (lowered, nest);
  add_operand (lowered, TPLAN_DTYPE_FLOAT32, 6);
  add_operand (lowered, TPLAN_DTYPE_INT32, 5);
  add_operand (lowered, TPLAN_DTYPE_FLOAT32, 10);
  tp_nest_add_axis (nest, 5, FALSE);
  tp_nest_add_axis (nest, 2, FALSE);
  add_load (nest, lowered, 1, 1);
  table = add_load (nest, lowered, 0, 0);
  table->stride[1] = 1;
  table->index = tp_nest_load (nest, 0);
  table->index_stride = 2;
  table->index_extent = 3;
  table->fill = -7;
  set_store (nest, lowered, 2, 2);
  nest->store.stride[1] = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 1),
                                 tp_nest_const (nest, 1));
  *out_nest = nest;
  return lowered;
}

static void
test_gather (void)
{
  double table[6] = { 10, 11, 20, 21, 30, 31 };
  double index[5] = { 2, -3, 3, -4, 1 };
  double y[10] = { 0 };
  double want[10] = { 31, 32, 11, 12, -6, -6, -6, -6, 21, 22 };
  double *buffers[] = { table, index, y };
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_gather (&nest);
  g_autofree char *text = tp_lowered_to_text (lowered);
  TpWork work;

  g_assert_true (tp_lowered_check (lowered, NULL));
  tp_lowered_eval (lowered, buffers);
  g_assert_cmpmem (y, sizeof y, want, sizeof want);
  g_assert_nonnull (strstr (text, "  l0 = @1[0+1i0]\n  e0 = load l0\n"
                                  "  l1 = @0[0+1i1+2*e0<3] else -7\n"));
  tp_lowered_count_work (lowered, &work);
  g_assert_cmpint (work.read_bytes, ==, 6 * 4 + 5 * 4);
  g_assert_cmpint (work.flops, ==, 10);
}

static void
test_gather_check (void)
{
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_gather (&nest);
  int stage = tp_nest_add_stage (nest, TP_COMBINE_SUM, nest->loads[1].index);

  nest->loads[1].index_extent = 4;
  assert_refused (lowered, "operand 0 is reached at 0..7 of 6 elements");
  nest->loads[1].index_extent = 3;
  nest->loads[1].index = nest->result;
  assert_refused (lowered, "as its index");
  nest->loads[1].index = tp_nest_stage (nest, stage);
  assert_refused (lowered, "expression"); /* after the load */
  nest->loads[1].index = -1;
  g_assert_true (tp_lowered_check (lowered, NULL));
  nest->store.n_guards = 1;
  assert_refused (lowered, "the store has guards");
}

/* y[j, index[i]] = x[i, j]: what leads outside is stored nowhere. */
static TpLowered *
new_scatter (TpNest **out_nest)
{
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, TPLAN_DTYPE_FLOAT32, 8);
  int index = add_operand (lowered, TPLAN_DTYPE_INT64, 4);
  int y = add_operand (lowered, TPLAN_DTYPE_FLOAT32, 6);
  TpNest *nest = *out_nest = tp_nest_new ();

  tp_lowered_take_nest (lowered, nest);
  tp_nest_add_axis (nest, 4, FALSE);
  tp_nest_add_axis (nest, 2, FALSE);
  set_store (nest, lowered, y, 0);
  nest->store.stride[1] = 3;
  add_load (nest, lowered, x, 2)->stride[1] = 1;
  add_load (nest, lowered, index, 1);
  nest->result = tp_nest_load (nest, 0);
  nest->store.index = tp_nest_load (nest, 1);
  nest->store.index_stride = 1;
  nest->store.index_extent = 3;
  return lowered;
}

static void
test_scatter (void)
{
  double x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  double index[4] = { 2, -3, 3, -4 };
  double y[6] = { -1, -2, -3, -4, -5, -6 };
  double want[6] = { 3, -2, 1, 4, -5, 2 };
  double *buffers[] = { x, index, y };
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_scatter (&nest);
  g_autofree char *text = tp_lowered_to_text (lowered);
  TpWork work;

  g_assert_true (tp_lowered_check (lowered, NULL));
  tp_lowered_eval (lowered, buffers);
  g_assert_cmpmem (y, sizeof y, want, sizeof want);
  g_assert_nonnull (strstr (text, "  @2[0+3i1+1*e1<3] = e0\n"));
  tp_lowered_count_work (lowered, &work);
  g_assert_cmpint (work.written_bytes, ==, 6 * 4);
  nest->store.index_extent = 4;
  assert_refused (lowered, "operand 2 is reached at 0..6 of 6 elements");
  nest->store.index_extent = 3;
  nest->store.index = nest->result;
  assert_refused (lowered, "as its index");
  nest->store.index = 1;
  tp_nest_add_stage (nest, TP_COMBINE_SUM, nest->result);
  assert_refused (lowered, "the store has an index");
}

/* A map before or behind such a nest is none with it. */
static void
test_scatter_alone (void)
{
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_scatter (&nest);
  g_autoptr (TpNest) map = tp_nest_new ();

  tp_nest_add_axis (map, 6, FALSE);
  set_store (map, lowered, 0, 1);
  add_load (map, lowered, 2, 1);
  map->result = tp_nest_load (map, 0);
  g_assert_null (tp_nest_fuse (nest, map, 2));
  map->axes[0].extent = 8;
  g_assert_null (tp_nest_fuse_prologue (map, nest, 0));
  g_assert_null (tp_nest_fuse (map, nest, 0));
}

/* ---- iterations --------------------------------------------------------- */

/* h = start; repeated: h = h * 2 + x[t]; y[t] = h, backwards. */
static TpLowered *
new_recurrence (gint64 n)
{
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, TPLAN_DTYPE_FLOAT32, n);
  int h = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, 1);
  int y = add_operand (lowered, TPLAN_DTYPE_FLOAT32, n);

  for (int i = 0; i < 3; i++)
    {
      TpNest *nest = tp_nest_new ();

      tp_lowered_take_nest (lowered, nest);
      tp_nest_add_axis (nest, 1, FALSE);
      set_store (nest, lowered, i == 2 ? y : h, 0);
      if (i == 0)
        nest->result = tp_nest_const (nest, 1.0);
      else
        add_load (nest, lowered, h, 0);
      if (i == 1)
        {
          add_load (nest, lowered, x, 0)->step = 1;
          nest->result = tp_nest_binary (
              nest, TP_EXPR_ADD,
              tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                              tp_nest_const (nest, 2.0)),
              tp_nest_load (nest, 1));
        }
      if (i == 2)
        nest->result = tp_nest_load (nest, 0);
    }
  lowered->nests[2]->store.offset = n - 1;
  lowered->nests[2]->store.step = -1;
  lowered->n_iterations = n;
  lowered->first_repeated = 1;
  return lowered;
}

static void
test_iterations (void)
{
  double x[5] = { 1, 0, -1, 3, 2 };
  double h = NAN;
  double y[5] = { NAN, NAN, NAN, NAN, NAN };
  double want[5];
  double *buffers[] = { x, &h, y };
  double state = 1;
  g_autoptr (TpLowered) lowered = new_recurrence (5);
  g_autofree char *text = tp_lowered_to_text (lowered);
  TpWork work;

  for (int t = 0; t < 5; t++)
    want[4 - t] = state = state * 2 + x[t];
  g_assert_true (tp_lowered_check (lowered, NULL));
  tp_lowered_eval (lowered, buffers);
  g_assert_cmpmem (y, sizeof y, want, sizeof want);
  g_assert_nonnull (strstr (text, "@1 float32 1 scratch\n"));
  g_assert_nonnull (strstr (text, "repeat 5\n"));
  g_assert_nonnull (strstr (text, "@0[0+1t]"));
  tp_lowered_count_work (lowered, &work);
  g_assert_cmpint (work.flops, ==, 2 * 5);
  g_assert_cmpint (work.read_bytes, ==, 5 * 4);
  g_assert_cmpint (work.written_bytes, ==, 5 * 4);
}

static void
test_iterations_check (void)
{
  g_autoptr (TpLowered) lowered = new_recurrence (5);

  lowered->n_iterations = 6;
  assert_refused (lowered, "operand 0 is reached at 0..5 of 5 elements");
  lowered->n_iterations = 0;
  assert_refused (lowered, "0 iterations");
  lowered->n_iterations = 5;
  lowered->first_repeated = 4;
  assert_refused (lowered, "from nest 4 of 3");
  lowered->first_repeated = 2;
  g_assert_true (tp_lowered_check (lowered, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nest-typed/integers", test_integers);
  g_test_add_func ("/nest-typed/store-wraps", test_store_wraps);
  g_test_add_func ("/nest-typed/integer-stage", test_integer_stage);
  g_test_add_func ("/nest-typed/classes", test_classes);
  g_test_add_func ("/nest-typed/gather", test_gather);
  g_test_add_func ("/nest-typed/gather-check", test_gather_check);
  g_test_add_func ("/nest-typed/scatter", test_scatter);
  g_test_add_func ("/nest-typed/scatter-alone", test_scatter_alone);
  g_test_add_func ("/nest-typed/iterations", test_iterations);
  g_test_add_func ("/nest-typed/iterations-check", test_iterations_check);
  return g_test_run ();
}
