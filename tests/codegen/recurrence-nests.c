/* recurrence-nests.c: see recurrence-nests.h. */
#include "config.h"

#include "recurrence-nests.h"

#include "typed-nests.h"

#include <math.h>

#define STEPS 20

/* A nest over @n points that stores into @to. */
static TpNest *
new_row (TpLowered *lowered, int to, gint64 n)
{
  TpNest *nest = tp_nest_new ();

  tp_lowered_take_nest (lowered, nest);
  tp_nest_add_axis (nest, n, FALSE);
  nest->store.operand = to;
  nest->store.dtype = lowered->operands[to].dtype;
  nest->store.stride[0] = 1;
  return nest;
}

/* The row of @operand that moves on by @step each time. */
static int
load_row (TpNest *nest, int operand, gint64 step)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->stride[0] = 1;
  load->step = step;
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* y[t], backwards: h. */
static void
add_output (TpLowered *lowered, int h, int y, gint64 n)
{
  TpNest *nest = new_row (lowered, y, n);

  nest->store.offset = (STEPS - 1) * n;
  nest->store.step = -n;
  nest->result = load_row (nest, h, 0);
}

/* h = 0; STEPS times: h = tanh (a * x[t] + b * h), in place; y as above. */
static TpLowered *
new_recurrence (gint64 n)
{
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, STEPS * n, FALSE);
  int a = add_operand (lowered, n, TRUE);
  int b = add_operand (lowered, n, FALSE);
  int h = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, n);
  int y = add_operand (lowered, STEPS * n, FALSE), sum;
  TpNest *nest = new_row (lowered, h, n);

  nest->result = tp_nest_const (nest, 0.0);
  nest = new_row (lowered, h, n);
  sum = tp_nest_binary (nest, TP_EXPR_MUL, load_row (nest, a, 0),
                        load_row (nest, x, n));
  sum = tp_nest_binary (nest, TP_EXPR_ADD, sum,
                        tp_nest_binary (nest, TP_EXPR_MUL,
                                        load_row (nest, b, 0),
                                        load_row (nest, h, 0)));
  nest->result = tp_nest_unary (nest, TP_EXPR_TANH, sum);
  add_output (lowered, h, y, n);
  lowered->n_iterations = STEPS;
  lowered->first_repeated = 1;
  return lowered;
}

TpLowered *
new_matrix_recurrence (const void *data)
{
  const gint64 n = GPOINTER_TO_INT (data);
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, STEPS * n, FALSE);
  int r = add_operand (lowered, n * n, TRUE);
  int h = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, n);
  int g = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, n);
  int y = add_operand (lowered, STEPS * n, FALSE), sum;
  TpNest *nest = new_row (lowered, h, n);

  nest->result = tp_nest_const (nest, 0.5);
  nest = new_row (lowered, g, n);
  tp_nest_add_axis (nest, n, TRUE);
  tp_nest_add_load (nest, h)->stride[1] = 1;
  tp_nest_add_load (nest, r)->stride[1] = n;
  nest->loads[1].stride[0] = 1;
  sum = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                        tp_nest_load (nest, 1));
  sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, sum));
  sum = tp_nest_binary (nest, TP_EXPR_MUL, sum, tp_nest_const (nest, 0.05));
  sum = tp_nest_binary (nest, TP_EXPR_ADD, sum, load_row (nest, x, n));
  nest->result = tp_nest_unary (nest, TP_EXPR_TANH, sum);
  nest = new_row (lowered, h, n);
  nest->result = load_row (nest, g, 0);
  add_output (lowered, g, y, n);
  lowered->n_iterations = STEPS;
  lowered->first_repeated = 1;
  return lowered;
}

typedef struct
{
  gint64 n;                   /* in a row */
  gint64 row_step;            /* from one row to the next */
  gboolean is_turned;         /* elements of a row are rows apart */
  gboolean is_apart;
} ScatterCase;

static TpLowered *
new_scatter_recurrence (const ScatterCase *c)
{
  enum { ROWS = 4 };
  gint64 inner = c->is_turned ? ROWS : 1;
  gint64 size = (ROWS - 1) * c->row_step + (c->n - 1) * inner + 1;
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, size, FALSE);
  int index = add_typed_operand (lowered, TPLAN_DTYPE_INT64, STEPS);
  int u = add_operand (lowered, STEPS * c->n, FALSE);
  int y = add_operand (lowered, size, FALSE), update;
  TpNest *nest = new_row (lowered, y, size);
  TpAccess *load;

  nest->result = load_row (nest, x, 0);
  nest = new_row (lowered, y, c->n);
  load = tp_nest_add_load (nest, index);
  load->dtype = TPLAN_DTYPE_INT64;
  load->step = 1;
  nest->store.stride[0] = inner;
  nest->store.index = tp_nest_load (nest, 0);
  nest->store.index_stride = c->row_step;
  nest->store.index_extent = ROWS;
  update = load_row (nest, u, c->n);
  *tp_nest_add_load (nest, y) = nest->store;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 2), update);
  lowered->n_iterations = STEPS;
  lowered->first_repeated = 1;
  return lowered;
}

static void
check_recurrence (const TpTarget *target, RunFunc run)
{
  enum { N = 37 };
  g_autoptr (TpLowered) lowered = new_recurrence (N);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpProgram) program
      = tp_program_new (lowered, target, NULL, &error);
  float x[STEPS * N], a[N], b[N], y[STEPS * N], h[N] = { 0 };
  void *operands[] = { x, a, b, NULL, y };

  g_assert_no_error (error);
  for (int i = 0; i < STEPS * N; i++)
    x[i] = (float) g_test_rand_double_range (-1.0, 1.0);
  for (int i = 0; i < N; i++)
    {
      a[i] = (float) g_test_rand_double_range (-1.0, 1.0);
      b[i] = (float) g_test_rand_double_range (-1.0, 1.0);
    }
  run (program, operands, &error);
  g_assert_no_error (error);
  for (int t = 0; t < STEPS; t++)
    for (int i = 0; i < N; i++)
      {
        h[i] = tanhf (a[i] * x[t * N + i] + b[i] * h[i]);
        g_assert_cmpfloat_with_epsilon (y[(STEPS - 1 - t) * N + i], h[i], 1e-5);
      }
}

static void
check_scatters (const TpTarget *target, RunFunc run)
{
  static const ScatterCase cases[] = {
    { 1, 1, FALSE, TRUE },    { 9, 9, FALSE, TRUE },  { 40, 41, FALSE, TRUE },
    { 9, 8, FALSE, FALSE },   { 40, 1, FALSE, FALSE }, { 5, 1, TRUE, TRUE },
    { 33, 2, TRUE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered = new_scatter_recurrence (&cases[i]);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, target, NULL, NULL);

      g_assert_cmpint (program->n_iterations, ==,
                       cases[i].is_apart ? 1 : lowered->n_iterations);
      check_lowered (g_steal_pointer (&lowered), target, run);
    }
}

/* Rows @step apart, each the sum of x and of the one before, from the last one on where
 * @step is negative. */
static TpLowered *
new_prefix (gint64 n, gint64 step)
{
  gint64 size = STEPS * ABS (step) + n;
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, size, FALSE), y = add_operand (lowered, size, FALSE);
  TpNest *nest = new_row (lowered, y, size);
  TpAccess *load;

  nest->result = load_row (nest, x, 0);
  nest = new_row (lowered, y, n);
  nest->store.step = step;
  nest->store.offset = step < 0 ? (STEPS - 1) * -step : step;
  load = tp_nest_add_load (nest, x);
  *load = nest->store;
  load->operand = x;
  load = tp_nest_add_load (nest, y);
  *load = nest->store;
  load->offset -= step;
  nest->result = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_load (nest, 0),
                                 tp_nest_load (nest, 1));
  lowered->n_iterations = STEPS;
  lowered->first_repeated = 1;
  return lowered;
}

static void
check_prefixes (const TpTarget *target, RunFunc run)
{
  static const struct
  {
    gint64 n, step;
    gboolean is_apart;
  } cases[] = { { 1, 1, TRUE },   { 9, 9, TRUE },     { 40, -41, TRUE }, { 100, 100, TRUE },
                { 9, 8, FALSE },  { 40, -1, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpLowered) lowered = new_prefix (cases[i].n, cases[i].step);
      g_autoptr (TpProgram) program
          = tp_program_new (lowered, target, NULL, NULL);

      g_assert_cmpint (program->n_iterations, ==,
                       cases[i].is_apart ? 1 : lowered->n_iterations);
      if (cases[i].is_apart)
        check_lowered (g_steal_pointer (&lowered), target, run);
    }
}

void
check_recurrences (const TpTarget *target, RunFunc run)
{
  check_recurrence (target, run);
  check_scatters (target, run);
  check_prefixes (target, run);
}
