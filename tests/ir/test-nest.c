/* test-nest.c: building, checking, printing, counting and running nests. */
#include "config.h"

#include "nest/nest-check.h"
#include "nest/nest-eval.h"
#include "nest/nest-expr.h"
#include "nest/nest-text.h"
#include "nest/nest-work.h"
#include "nest/nest.h"

#include <math.h>
#include <string.h>

static void
add_operand (TpLowered *lowered, gint64 n)
{
  tp_lowered_add_operand (
      lowered,
      &(TpOperand){
          .tensor = -1, .dtype = TPLAN_DTYPE_FLOAT32, .n_elements = n });
}

/* y[i] = max (x[i], 0) over @n; the nest is borrowed from the result. */
static TpLowered *
new_relu (gint64 n, TpNest **out_nest)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();

  add_operand (lowered, n);
  add_operand (lowered, n);
  tp_nest_add_axis (nest, n, FALSE);
  tp_nest_add_load (nest, 0)->stride[0] = 1;
  nest->store.operand = 1;
  nest->store.stride[0] = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_load (nest, 0),
                                 tp_nest_const (nest, 0.0));
  tp_lowered_take_nest (lowered, nest);
  *out_nest = nest;
  return lowered;
}

/* ---- text --------------------------------------------------------------- */

static void
test_text (void)
{
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_relu (5, &nest);
  g_autofree char *text = tp_lowered_to_text (lowered);

  g_assert_cmpstr (text, ==,
                   "@0 float32 5\n"
                   "@1 float32 5\n"
                   "nest 5\n"
                   "  l0 = @0[0+1i0]\n"
                   "  e0 = load l0\n"
                   "  e1 = const 0\n"
                   "  e2 = max e0 e1\n"
                   "  @1[0+1i0] = e2\n");
}

/* Dead expressions and loads, and the order of building, do not show. */
static void
test_text_canonical (void)
{
  TpNest *nest = NULL;
  TpNest *other = NULL;
  g_autoptr (TpLowered) a = new_relu (5, &nest);
  g_autoptr (TpLowered) b = new_relu (5, &other);
  g_autofree char *text = tp_lowered_to_text (a);
  g_autofree char *same = NULL;
  g_autofree char *different = NULL;
  int zero = 0;

  g_free (g_steal_pointer (&other->exprs));
  other->n_exprs = 0;
  tp_nest_add_load (other, 1);
  tp_nest_unary (other, TP_EXPR_EXP, tp_nest_load (other, 1));
  zero = tp_nest_const (other, 0.0);
  other->result =
      tp_nest_binary (other, TP_EXPR_MAX, tp_nest_load (other, 0), zero);
  same = tp_lowered_to_text (b);
  g_assert_cmpstr (text, ==, same);
  other->result =
      tp_nest_binary (other, TP_EXPR_MAX, zero, tp_nest_load (other, 0));
  different = tp_lowered_to_text (b);
  g_assert_cmpstr (text, !=, different);
}

static void
test_share (void)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  int a = 0;

  tp_nest_add_load (nest, 0);
  a = tp_nest_load (nest, 0);
  g_assert_cmpint (tp_nest_load (nest, 0), ==, a);
  g_assert_cmpint (tp_nest_const (nest, 1.0), ==, tp_nest_const (nest, 1.0));
  g_assert_cmpint (tp_nest_const (nest, 0.0), !=, tp_nest_const (nest, -0.0));
  g_assert_cmpint (tp_nest_const (nest, NAN), ==, tp_nest_const (nest, NAN));
  g_assert_cmpint (tp_nest_binary (nest, TP_EXPR_ADD, a, a), ==,
                   tp_nest_binary (nest, TP_EXPR_ADD, a, a));
}

/* A deep chain neither overflows the stack nor takes long. */
static void
test_deep (void)
{
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_relu (2, &nest);
  g_autofree char *text = NULL;

  for (int i = 0; i < 3000; i++)
    nest->result = tp_nest_unary (nest, TP_EXPR_NEG, nest->result);
  text = tp_lowered_to_text (lowered);
  g_assert_nonnull (strstr (text, "e3002 = neg e3001"));
}

/* ---- check -------------------------------------------------------------- */

static void
spoil_nothing (TpLowered *lowered, TpNest *nest)
{
}

static void
spoil_extent (TpLowered *lowered, TpNest *nest)
{
  nest->axes[0].extent = 6;
}

static void
spoil_zero (TpLowered *lowered, TpNest *nest)
{
  nest->axes[0].extent = 0;
}

static void
spoil_offset (TpLowered *lowered, TpNest *nest)
{
  nest->loads[0].offset = -1;
}

static void
spoil_store (TpLowered *lowered, TpNest *nest)
{
  nest->store.stride[0] = 2;
}

static void
spoil_operand (TpLowered *lowered, TpNest *nest)
{
  nest->loads[0].operand = 2;
}

static void
spoil_overflow (TpLowered *lowered, TpNest *nest)
{
  nest->axes[0].extent = G_MAXINT64;
  nest->loads[0].stride[0] = G_MAXINT64;
  nest->store.stride[0] = G_MININT64;
}

static void
spoil_order (TpLowered *lowered, TpNest *nest)
{
  nest->exprs[nest->result].a = nest->result;
}

static void
spoil_result (TpLowered *lowered, TpNest *nest)
{
  nest->result = nest->n_exprs;
}

static void
spoil_stage (TpLowered *lowered, TpNest *nest)
{
  int stage = tp_nest_add_stage (nest, TP_COMBINE_SUM, nest->result);

  nest->stages[stage].expr = tp_nest_stage (nest, stage);
}

static void
spoil_guard (TpLowered *lowered, TpNest *nest)
{
  TpAccess *load = &nest->loads[0];

  load->offset = -2; /* the guard lets -1 through */
  load->n_guards = 1;
  load->guards[0].coef[0] = 1;
  load->guards[0].offset = -1;
  load->guards[0].extent = 5;
}

static void
mend_guard (TpLowered *lowered, TpNest *nest)
{
  spoil_guard (lowered, nest);
  nest->loads[0].guards[0].offset = -2;
}

static const struct
{
  const char *name;
  void (*spoil) (TpLowered *lowered, TpNest *nest);
  const char *message; /* NULL: it is right */
} checks[] = {
  { "right", spoil_nothing, NULL },
  { "guarded", mend_guard, NULL },
  { "extent", spoil_extent, "operand 0 is reached at 0..5 of 5" },
  { "zero", spoil_zero, "axis 0 has extent 0" },
  { "offset", spoil_offset, "operand 0 is reached at -1..3 of 5" },
  { "store", spoil_store, "operand 1 is reached at 0..8 of 5" },
  { "operand", spoil_operand, "operand 2 of 2" },
  { "overflow", spoil_overflow,
    "operand 0 is reached at 0..9223372036854775807 of 5" },
  { "order", spoil_order, "expression 2 uses 2" },
  { "result", spoil_result, "result is expression 3 of 3" },
  { "stage", spoil_stage, "stage 0 uses stage 0" },
  { "guard", spoil_guard, "operand 0 is reached at -1..2 of 5" },
};

static void
test_check (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (checks); i++)
    {
      g_autoptr (GError) error = NULL;
      TpNest *nest = NULL;
      g_autoptr (TpLowered) lowered = new_relu (5, &nest);
      gboolean is_right = FALSE;

      checks[i].spoil (lowered, nest);
      is_right = tp_lowered_check (lowered, &error);
      g_test_message ("%s: %s", checks[i].name,
                      error == NULL ? "right" : error->message);
      g_assert_cmpint (is_right, ==, checks[i].message == NULL);
      if (!is_right)
        g_assert_nonnull (strstr (error->message, checks[i].message));
    }
}

/* ---- check against enumeration ------------------------------------------ */

static void
random_access (TpAccess *access, int n_axes)
{
  access->offset = g_test_rand_int_range (-6, 7);
  access->n_guards = g_test_rand_int_range (0, 3);
  for (int i = 0; i < n_axes; i++)
    access->stride[i] = g_test_rand_int_range (-3, 4);
  for (int k = 0; k < access->n_guards; k++)
    {
      access->guards[k].offset = g_test_rand_int_range (-3, 4);
      access->guards[k].extent = g_test_rand_int_range (1, 6);
      for (int i = 0; i < n_axes; i++)
        access->guards[k].coef[i] = g_test_rand_int_range (-2, 3);
    }
}

static gint64
affine_at (const gint64 *stride, gint64 offset, const gint64 *at, int n)
{
  for (int i = 0; i < n; i++)
    offset += stride[i] * at[i];
  return offset;
}

/* Whether some point that passes the guards leaves [0, n). */
static gboolean
leaves_bounds (const TpNest *nest, const TpAccess *access, gint64 n)
{
  gint64 at[TP_NEST_MAX_AXES] = { 0 };
  int k = 0;

  do
    {
      gboolean holds = TRUE;
      gint64 index =
          affine_at (access->stride, access->offset, at, nest->n_axes);

      for (int i = 0; i < access->n_guards; i++)
        {
          gint64 g = affine_at (access->guards[i].coef,
                                access->guards[i].offset, at, nest->n_axes);

          holds = holds && g >= 0 && g < access->guards[i].extent;
        }
      if (holds && (index < 0 || index >= n))
        return TRUE;
      for (k = nest->n_axes - 1; k >= 0; k--)
        {
          if (++at[k] < nest->axes[k].extent)
            break;
          at[k] = 0;
        }
    }
  while (k >= 0);
  return FALSE;
}

static void
test_check_random (void)
{
  int n_accepted = 0;

  for (int round = 0; round < 20000; round++)
    {
      g_autoptr (TpLowered) lowered = tp_lowered_new ();
      TpNest *nest = tp_nest_new ();

      add_operand (lowered, 12);
      tp_lowered_take_nest (lowered, nest);
      for (int i = 0; i < 3; i++)
        tp_nest_add_axis (nest, g_test_rand_int_range (1, 4), i == 2);
      random_access (tp_nest_add_load (nest, 0), nest->n_axes);
      nest->result = tp_nest_load (nest, 0);
      if (!tp_lowered_check (lowered, NULL))
        continue;
      n_accepted++;
      g_assert_false (leaves_bounds (nest, &nest->loads[0], 12));
    }
  g_test_message ("%d accepted", n_accepted);
  g_assert_cmpint (n_accepted, >, 500);
}

/* ---- work --------------------------------------------------------------- */

static void
test_work_saturates (void)
{
  TpNest *nest = NULL;
  g_autoptr (TpLowered) lowered = new_relu (5, &nest);
  TpWork work;

  nest->axes[0].extent = G_MAXINT64 / 2;
  nest->loads[0].stride[tp_nest_add_axis (nest, G_MAXINT64 / 2, FALSE)] = 1;
  lowered->operands[0].n_elements = G_MAXINT64;
  tp_lowered_count_work (lowered, &work);
  g_assert_cmpint (work.flops, ==, G_MAXINT64);
  g_assert_cmpint (work.n_points, ==, G_MAXINT64);
  g_assert_cmpint (work.read_bytes, ==, G_MAXINT64);
  g_assert_cmpint (work.written_bytes, ==, 20);
}

/* ---- running ------------------------------------------------------------ */

/* The value of one operation on reals. */
static double
apply (TpExprOp op, double a, double b, double c)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  TpScalar values[4] = { { a }, { b }, { c }, { 0 } };
  int args[3];
  int expr = -1;

  args[0] = tp_nest_const (nest, 1.25);
  args[1] = tp_nest_const (nest, 2.25);
  args[2] = tp_nest_const (nest, 3.25);
  if (tp_expr_arity (op) == 3)
    expr = tp_nest_select (nest, args[0], args[1], args[2]);
  else if (tp_expr_arity (op) == 2)
    expr = tp_nest_binary (nest, op, args[0], args[1]);
  else
    expr = tp_nest_unary (nest, op, args[0]);
  g_assert_false (nest->exprs[expr].is_integer);
  return tp_expr_apply (nest, expr, values).real;
}

static void
test_eval_expr (void)
{
  static const struct
  {
    TpExprOp op;
    double a, b, c, want;
  } rows[] = {
    { TP_EXPR_ADD, 1, 2, 0, 3 },    { TP_EXPR_SUB, 1, 2, 0, -1 },
    { TP_EXPR_MUL, 3, 2, 0, 6 },    { TP_EXPR_DIV, 3, 2, 0, 1.5 },
    { TP_EXPR_MIN, 3, 2, 0, 2 },    { TP_EXPR_MAX, 3, 2, 0, 3 },
    { TP_EXPR_MIN, NAN, 2, 0, 2 },  { TP_EXPR_MAX, NAN, 2, 0, 2 },
    { TP_EXPR_POW, 3, 2, 0, 9 },    { TP_EXPR_NEG, 3, 0, 0, -3 },
    { TP_EXPR_ABS, -3, 0, 0, 3 },   { TP_EXPR_EXP, 0, 0, 0, 1 },
    { TP_EXPR_LOG, 1, 0, 0, 0 },    { TP_EXPR_TANH, 0, 0, 0, 0 },
    { TP_EXPR_ERF, 0, 0, 0, 0 },    { TP_EXPR_SIGMOID, 0, 0, 0, 0.5 },
    { TP_EXPR_SQRT, 9, 0, 0, 3 },   { TP_EXPR_FLOOR, -1.5, 0, 0, -2 },
    { TP_EXPR_LESS, 1, 2, 0, 1 },   { TP_EXPR_LESS, 2, 2, 0, 0 },
    { TP_EXPR_LESS, NAN, 2, 0, 0 }, { TP_EXPR_EQUAL, 2, 2, 0, 1 },
    { TP_EXPR_SELECT, 1, 5, 6, 5 }, { TP_EXPR_SELECT, 0, 5, 6, 6 },
    { TP_EXPR_ROUND, 2.5, 0, 0, 2 }, { TP_EXPR_ROUND, -3.5, 0, 0, -4 },
    { TP_EXPR_MOD, 5.5, 2, 0, 1.5 }, { TP_EXPR_MOD, -5.5, 2, 0, 0.5 },
    { TP_EXPR_MOD, 5.5, -2, 0, -0.5 }, { TP_EXPR_IS_NAN, 1, 0, 0, 0 },
    { TP_EXPR_IS_NAN, NAN, 0, 0, 1 }, { TP_EXPR_SIN, 0, 0, 0, 0 },
    { TP_EXPR_COS, 0, 0, 0, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpfloat (apply (rows[i].op, rows[i].a, rows[i].b, rows[i].c), ==,
                       rows[i].want);
  g_assert_true (isnan (apply (TP_EXPR_MAX, 2, NAN, 0)));
}

/* Row sums over a guarded window, and how many points it had. */
static void
test_eval_window (void)
{
  double x[5] = { 1, 2, 3, 4, 5 };
  double y[5] = { 0 };
  double *buffers[] = { x, y };
  const double want[5] = { 1.5, 2, 3, 4, 4.5 };
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  TpAccess *load = NULL;
  int sum = 0;
  int n = 0;

  add_operand (lowered, 5);
  add_operand (lowered, 5);
  tp_lowered_take_nest (lowered, nest);
  tp_nest_add_axis (nest, 5, FALSE);
  tp_nest_add_axis (nest, 3, TRUE);
  load = tp_nest_add_load (nest, 0);
  load->stride[0] = load->stride[1] = 1;
  load->offset = -1;
  load->n_guards = 1;
  load->guards[0] = (TpGuard){ { 1, 1 }, -1, 5 };
  sum = tp_nest_add_stage (nest, TP_COMBINE_SUM, tp_nest_load (nest, 0));
  n = tp_nest_add_stage (nest, TP_COMBINE_SUM, tp_nest_inside (nest, 0));
  nest->store.operand = 1;
  nest->store.stride[0] = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_stage (nest, sum),
                                 tp_nest_stage (nest, n));
  g_assert_true (tp_lowered_check (lowered, NULL));
  tp_lowered_eval (lowered, buffers);
  g_assert_cmpmem (y, sizeof y, want, sizeof want);
}

static void
test_eval_combiners (void)
{
  static const double want[] = { [TP_COMBINE_SUM] = -2,
                                 [TP_COMBINE_MAX] = 3,
                                 [TP_COMBINE_MIN] = -4,
                                 [TP_COMBINE_PROD] = 12 };

  for (int combiner = 0; combiner < 4; combiner++)
    {
      double x[3] = { -1, 3, -4 };
      double y = 0;
      double *buffers[] = { x, &y };
      g_autoptr (TpLowered) lowered = tp_lowered_new ();
      TpNest *nest = tp_nest_new ();

      add_operand (lowered, 3);
      add_operand (lowered, 1);
      tp_lowered_take_nest (lowered, nest);
      tp_nest_add_axis (nest, 3, TRUE);
      tp_nest_add_load (nest, 0)->stride[0] = 1;
      tp_nest_add_stage (nest, combiner, tp_nest_load (nest, 0));
      nest->store.operand = 1;
      nest->result = tp_nest_stage (nest, 0);
      tp_lowered_eval (lowered, buffers);
      g_assert_cmpfloat (y, ==, want[combiner]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nest/text", test_text);
  g_test_add_func ("/nest/text-canonical", test_text_canonical);
  g_test_add_func ("/nest/share", test_share);
  g_test_add_func ("/nest/deep", test_deep);
  g_test_add_func ("/nest/check", test_check);
  g_test_add_func ("/nest/check-random", test_check_random);
  g_test_add_func ("/nest/work-saturates", test_work_saturates);
  g_test_add_func ("/nest/eval-expr", test_eval_expr);
  g_test_add_func ("/nest/eval-window", test_eval_window);
  g_test_add_func ("/nest/eval-combiners", test_eval_combiners);
  return g_test_run ();
}
