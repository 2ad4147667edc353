/* Schedules against the oracle, through the interpreter: small shapes, every
 * kind of target. */
#include "config.h"

#include "recurrence-nests.h"
#include "typed-nests.h"

#include <string.h>

static const TpTarget *const targets[]
    = { &target_avx512, &target_avx2, &target_sse, &target_scalar, &target_gpu };

static gint64
any_of (gint64 lo, gint64 hi)
{
  return g_test_rand_int_range (lo, hi + 1);
}

static void
check_everywhere (TpLowered *(*make) (const void *), const void *data)
{
  TpTarget copies[G_N_ELEMENTS (targets)];

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    copies[i] = *targets[i];
  check_targets (make (data), copies, G_N_ELEMENTS (targets), run_by_interpreter);
}

/* ---- contractions ------------------------------------------------------ */

static TpLowered *
make_matmul (const void *data)
{
  return new_matmul (data);
}

static void
test_matmul (void)
{
  static const MatmulCase cases[] = {
    { 1, 5, 7, 3, .is_w_constant = TRUE },
    { 1, 33, 40, 17, .is_w_constant = TRUE, .has_bias = TRUE },
    { 1, 15, 65, 32, .has_bias = TRUE },
    { 3, 9, 20, 12, .trans_a = FALSE },
    { 2, 12, 33, 8, .trans_b = TRUE },
    { 2, 12, 33, 8, .trans_a = TRUE },
    { 1, 20, 6, 9, .trans_out = TRUE, .is_w_constant = TRUE },
    { 1, 1, 130, 37, .is_w_constant = TRUE, .has_bias = TRUE },
    { 1, 1, 50, 40, .trans_b = TRUE },
    { 1, 1, 50, 40, .trans_a = FALSE },
    { 1, 40, 1, 40, .is_w_constant = TRUE },
    { 1, 40, 1, 40, .trans_a = TRUE },
    { 1, 1, 1, 40, .trans_a = FALSE },
    { 1, 6, 6, 1, .trans_a = FALSE },
    { 4, 1, 8, 16, .is_w_constant = TRUE },
    { 1, 30, 128, 5, .trans_a = TRUE, .is_w_constant = TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_everywhere (make_matmul, &cases[i]);
}

static void
test_random_matmul (void)
{
  for (int i = 0; i < 25; i++)
    {
      MatmulCase c = { any_of (1, 3), any_of (1, 40), any_of (1, 70),
                       any_of (1, 20), g_test_rand_bit (), g_test_rand_bit (),
                       any_of (0, 3) == 0, g_test_rand_bit (),
                       g_test_rand_bit (), g_test_rand_bit () };

      check_everywhere (make_matmul, &c);
    }
}

/* Rows a multiple of a page apart are staged. */
static void
test_aliased_matmul (void)
{
  MatmulCase c = { 1, 20, 80, 1024, .is_w_constant = TRUE };

  c.n = 140;
  check_lowered (new_matmul (&c), &target_avx512, run_by_interpreter);
}

static TpLowered *
make_conv (const void *data)
{
  return new_conv (data);
}

static void
test_conv (void)
{
  static const ConvCase cases[] = {
    { 1, 8, 7, 7, 16, 3, 3, 1, 1, 1, 1, .has_prologue = FALSE },
    { 1, 8, 7, 7, 16, 3, 3, 1, 1, 1, 1, .has_prologue = TRUE,
      .has_epilogue = TRUE },
    { 2, 5, 9, 8, 20, 3, 3, 2, 1, 1, 1, .has_epilogue = TRUE },
    { 1, 16, 6, 6, 40, 1, 1, 1, 0, 1, 1, .has_prologue = TRUE },
    { 2, 16, 6, 6, 40, 1, 1, 1, 0, 1, 1, .has_epilogue = TRUE },
    { 1, 16, 7, 7, 24, 1, 1, 2, 0, 1, 1, .has_prologue = FALSE },
    { 1, 16, 7, 7, 24, 1, 1, 2, 0, 1, 1, .has_prologue = TRUE },
    { 1, 3, 15, 15, 18, 7, 7, 2, 3, 1, 1, .has_prologue = FALSE },
    { 1, 4, 8, 8, 6, 3, 3, 1, 2, 2, 1, .has_prologue = FALSE },
    { 1, 4, 8, 8, 6, 3, 3, 1, 0, 1, 1, .has_prologue = TRUE },
    { 1, 12, 6, 6, 24, 3, 3, 1, 1, 1, 3, .has_prologue = TRUE },
    { 1, 20, 8, 9, 20, 3, 3, 1, 1, 1, 20, .has_epilogue = TRUE },
    { 1, 20, 8, 9, 20, 3, 3, 2, 1, 1, 20, .has_prologue = FALSE },
    { 1, 4, 1, 12, 8, 1, 3, 1, 0, 1, 1, .has_prologue = FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ConvCase c = cases[i];

      check_everywhere (make_conv, &c);
      c.is_row_major = TRUE;
      check_everywhere (make_conv, &c);
      c.is_out_row_major = TRUE;
      check_everywhere (make_conv, &c);
    }
}

static ConvCase
random_case (void)
{
  ConvCase c = { any_of (1, 2), any_of (1, 12), any_of (3, 12), any_of (3, 12),
                 any_of (1, 40), any_of (1, 3), any_of (1, 3), any_of (1, 2),
                 any_of (0, 1), any_of (1, 2), 1, any_of (0, 2) == 0,
                 any_of (0, 2) == 0, g_test_rand_bit (), g_test_rand_bit () };

  if (c.dilation == 2 && c.stride == 2)
    c.stride = 1;
  if (c.dilation == 2)
    c.h = c.w = any_of (6, 9);
  return c;
}

static void
test_random_conv (void)
{
  for (int i = 0; i < 25; i++)
    {
      ConvCase c = random_case ();

      if (any_of (0, 3) == 0)
        {
          c.groups = any_of (1, 3);
          c.c *= c.groups;
          c.o *= c.groups;
        }
      check_everywhere (make_conv, &c);
    }
}

/* ---- windows ----------------------------------------------------------- */

static TpLowered *
make_max_pool (const void *data)
{
  return new_pool (data, TRUE);
}

static TpLowered *
make_mean_pool (const void *data)
{
  return new_pool (data, FALSE);
}

/* A mean over rows that are written with another axis contiguous: the tile is
 * a whole row, and only its last points reach over the border. */
static TpLowered *
make_row_mean (const void *data)
{
  TpLowered *lowered = tp_lowered_new ();
  int x = add_operand (lowered, 3 * 7 * 17, FALSE);
  int y = add_operand (lowered, 3 * 7 * 15, FALSE);
  TpNest *nest = tp_nest_new ();
  TpAccess *load;
  int sum, n;

  tp_nest_add_axis (nest, 21, FALSE);
  tp_nest_add_axis (nest, 15, FALSE);
  tp_nest_add_axis (nest, 4, TRUE);
  load = tp_nest_add_load (nest, x);
  load->stride[0] = 17;
  load->stride[1] = load->stride[2] = 1;
  load->n_guards = 1;
  load->guards[0].coef[1] = load->guards[0].coef[2] = 1;
  load->guards[0].extent = 17;
  sum = tp_nest_add_stage (nest, TP_COMBINE_SUM, tp_nest_load (nest, 0));
  n = tp_nest_add_stage (nest, TP_COMBINE_SUM, tp_nest_inside (nest, 0));
  nest->result = tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_stage (nest, sum),
                                 tp_nest_stage (nest, n));
  nest->store.operand = y;
  nest->store.stride[0] = 1;
  nest->store.stride[1] = 21;
  lowered->operands[y].is_output = TRUE;
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

static void
test_border_tile (void)
{
  check_everywhere (make_row_mean, NULL);
}

static void
test_random_pool (void)
{
  for (int i = 0; i < 25; i++)
    {
      ConvCase c = random_case ();

      c.o = c.c = any_of (1, 40);
      c.is_out_row_major = c.is_row_major;
      check_everywhere (make_max_pool, &c);
      check_everywhere (make_mean_pool, &c);
      c.kh = c.h;
      c.kw = c.w;
      c.pad = 0;
      c.dilation = 1;
      check_everywhere (make_mean_pool, &c);
      if (c.c * c.h * c.w > 1500)
        continue;
      c.groups = c.c;
      c.kh = c.kw = any_of (2, 3);
      c.pad = any_of (0, 1);
      c.has_prologue = g_test_rand_bit ();
      check_everywhere (make_conv, &c);
    }
}

/* ---- maps and reductions ----------------------------------------------- */

#define MAX_RANK 4

typedef struct
{
  int rank;
  gint64 dims[MAX_RANK];
  gboolean is_reduced[MAX_RANK];
  int n_loads;
  int order[4][MAX_RANK];     /* memory order of each operand; the last is out */
  gboolean is_broadcast[4][MAX_RANK];
  int flavor;
} MapCase;

/* Strides of a dense array whose axes lie in memory in @order. */
static gint64
dense (const MapCase *c, int operand, gboolean is_out, gint64 *out)
{
  gint64 n = 1;

  memset (out, 0, TP_NEST_MAX_AXES * sizeof *out);
  for (int i = c->rank - 1; i >= 0; i--)
    {
      int axis = c->order[operand][i];

      if (is_out ? c->is_reduced[axis] : c->is_broadcast[operand][axis])
        continue;
      out[axis] = n;
      n *= c->dims[axis];
    }
  return n;
}

static MapCase
random_map (gboolean reduces)
{
  MapCase c = { .rank = any_of (1, MAX_RANK), .n_loads = any_of (1, 3),
                .flavor = any_of (0, 8) };
  int large = any_of (0, c.rank - 1);

  for (int i = 0; i < c.rank; i++)
    {
      c.dims[i] = i == large ? any_of (1, 200) : any_of (1, 9);
      c.is_reduced[i] = reduces && (g_test_rand_bit () || i == 0);
    }
  for (int i = 0; i < 4; i++)
    {
      int shift = any_of (0, 3) == 0 ? any_of (0, c.rank - 1) : 0;

      for (int j = 0; j < c.rank; j++)
        {
          c.order[i][j] = (j + shift) % c.rank;
          c.is_broadcast[i][j] = i > 0 && any_of (0, 3) == 0;
        }
    }
  return c;
}

static int
add_inputs (TpLowered *lowered, TpNest *nest, const MapCase *c)
{
  int value = -1;

  for (int i = 0; i < c->n_loads; i++)
    {
      gint64 strides[TP_NEST_MAX_AXES];
      gint64 n = dense (c, i, FALSE, strides);
      int operand = add_operand (lowered, n, i == 2), x;

      memcpy (tp_nest_add_load (nest, operand)->stride, strides,
              sizeof strides);
      x = tp_nest_load (nest, i);
      value = value < 0 ? x
                        : tp_nest_binary (nest, i == 1 ? TP_EXPR_MUL
                                                       : TP_EXPR_ADD,
                                          value, x);
    }
  return value;
}

static int
add_flavor (TpNest *nest, int x, int flavor)
{
  static const TpExprOp ops[] = { TP_EXPR_NEG, TP_EXPR_ABS, TP_EXPR_EXP,
                                  TP_EXPR_TANH, TP_EXPR_ERF, TP_EXPR_SIGMOID,
                                  TP_EXPR_FLOOR };
  int half = tp_nest_const (nest, 0.5);

  if (flavor < (int) G_N_ELEMENTS (ops))
    return tp_nest_unary (nest, ops[flavor], x);
  if (flavor == 7)
    return tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_LESS, x, half),
                           x, half);
  x = tp_nest_binary (nest, TP_EXPR_ADD, tp_nest_unary (nest, TP_EXPR_ABS, x),
                      half);
  return tp_nest_binary (nest, TP_EXPR_POW, tp_nest_unary (nest, TP_EXPR_LOG,
                                                           x),
                         tp_nest_const (nest, 2.0));
}

static TpLowered *
make_map (const void *data)
{
  const MapCase *c = data;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  gint64 strides[TP_NEST_MAX_AXES], n;

  for (int i = 0; i < c->rank; i++)
    tp_nest_add_axis (nest, c->dims[i], FALSE);
  nest->result = add_flavor (nest, add_inputs (lowered, nest, c), c->flavor);
  n = dense (c, 3, TRUE, strides);
  memcpy (nest->store.stride, strides, sizeof strides);
  nest->store.operand = add_operand (lowered, n, FALSE);
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

static TpLowered *
make_reduction (const void *data)
{
  const MapCase *c = data;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  gint64 strides[TP_NEST_MAX_AXES], n;
  int x;

  for (int i = 0; i < c->rank; i++)
    tp_nest_add_axis (nest, c->dims[i], c->is_reduced[i]);
  x = add_inputs (lowered, nest, c);
  x = tp_nest_add_stage (nest, c->flavor % 4 == 3 ? TP_COMBINE_MIN
                                                  : c->flavor % 4,
                         x);
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_stage (nest, x),
                                 tp_nest_const (nest, 0.25));
  n = dense (c, 3, TRUE, strides);
  memcpy (nest->store.stride, strides, sizeof strides);
  nest->store.operand = add_operand (lowered, n, FALSE);
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

static TpLowered *
make_softmax (const void *data)
{
  MapCase c = *(const MapCase *) data;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  int x, max, sum, difference;

  for (int i = 0; i < c.rank; i++)
    tp_nest_add_axis (nest, c.dims[i], c.is_reduced[i]);
  c.n_loads = 1;
  x = add_inputs (lowered, nest, &c);
  max = tp_nest_add_stage (nest, TP_COMBINE_MAX, x);
  difference = tp_nest_binary (nest, TP_EXPR_SUB, x,
                               tp_nest_stage (nest, max));
  x = tp_nest_unary (nest, TP_EXPR_EXP, difference);
  sum = tp_nest_add_stage (nest, TP_COMBINE_SUM, x);
  nest->result = tp_nest_binary (nest, TP_EXPR_DIV, x,
                                 tp_nest_stage (nest, sum));
  nest->store = nest->loads[0];
  nest->store.operand = add_operand (lowered, lowered->operands[0].n_elements,
                                     FALSE);
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

static void
test_random_map (void)
{
  for (int i = 0; i < 60; i++)
    {
      MapCase c = random_map (FALSE);

      check_everywhere (make_map, &c);
    }
}

static void
test_random_reduction (void)
{
  for (int i = 0; i < 60; i++)
    {
      MapCase c = random_map (TRUE);

      check_everywhere (make_reduction, &c);
      check_everywhere (make_softmax, &c);
    }
}

/* Padding: guards along every axis, and a fill. */
static TpLowered *
make_pad (const void *data)
{
  const gint64 *pads = data;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  TpAccess *load = NULL;
  gint64 dims[] = { 4, 6, 21 }, n = 1, m = 1;
  int x = add_operand (lowered, 4 * 6 * 21, FALSE), out;

  for (int i = 0; i < 3; i++)
    tp_nest_add_axis (nest, dims[i] + 2 * pads[i], FALSE);
  load = tp_nest_add_load (nest, x);
  load->fill = 1.5;
  load->n_guards = 3;
  for (int i = 2; i >= 0; i--)
    {
      load->stride[i] = n;
      load->offset -= pads[i] * n;
      load->guards[i].coef[i] = 1;
      load->guards[i].offset = -pads[i];
      load->guards[i].extent = dims[i];
      nest->store.stride[i] = m;
      n *= dims[i];
      m *= dims[i] + 2 * pads[i];
    }
  out = add_operand (lowered, m, FALSE);
  nest->store.operand = out;
  nest->result = tp_nest_load (nest, 0);
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

static void
test_pad (void)
{
  static const gint64 cases[][3] = { { 0, 0, 2 }, { 1, 2, 0 }, { 1, 1, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_everywhere (make_pad, cases[i]);
}

/* Parts of one array, as Concat has them: one kernel for many, of any kind. */
static TpLowered *
make_concat (const void *data)
{
  const int *n = data;
  TpLowered *lowered = tp_lowered_new ();
  gint64 widths[40], total = 0;
  int out;

  for (int i = 0; i < *n; i++)
    total += widths[i] = any_of (1, 40);
  out = add_operand (lowered, 6 * total, FALSE);
  for (int i = 0, at = 0; i < *n; at += widths[i++])
    {
      TpNest *nest = tp_nest_new ();
      TpAccess *load;

      tp_nest_add_axis (nest, 6, FALSE);
      tp_nest_add_axis (nest, widths[i], FALSE);
      load = tp_nest_add_load (nest, add_operand (lowered, 6 * widths[i],
                                                  FALSE));
      load->stride[0] = i % 3 == 0 ? 1 : widths[i];
      load->stride[1] = i % 3 == 0 ? 6 : 1;
      nest->store = (TpAccess) { .operand = out, .offset = at, .index = -1 };
      nest->store.stride[0] = total;
      nest->store.stride[1] = 1;
      nest->result = tp_nest_unary (nest, TP_EXPR_NEG, tp_nest_load (nest, 0));
      tp_lowered_take_nest (lowered, nest);
    }
  return lowered;
}

static void
test_concat (void)
{
  static const int cases[] = { 1, 2, 5, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_everywhere (make_concat, &cases[i]);
}

/* Equal work has equal names; names are C identifiers. */
static void
test_names (void)
{
  MatmulCase c = { 1, 20, 40, 16, .is_w_constant = TRUE };
  g_autoptr (TpLowered) a = new_matmul (&c);
  g_autoptr (TpLowered) b = new_matmul (&c);
  g_autoptr (TpProgram) p = tp_program_new (a, &target_avx2, NULL, NULL);
  g_autoptr (TpProgram) q = tp_program_new (b, &target_avx2, NULL, NULL);
  g_autoptr (TpProgram) r = tp_program_new (b, &target_avx512, NULL, NULL);

  g_assert_cmpstr (p->steps[0].kernel->name, ==, q->steps[0].kernel->name);
  g_assert_cmpstr (p->steps[0].kernel->name, !=, r->steps[0].kernel->name);
  g_assert_cmpuint (strlen (tp_codegen_get_id ()), ==, 16);
}

/* A device without float64 takes no nest that has such, if only between others. */
static void
test_dtype (void)
{
  g_autoptr (TpLowered) lowered = tp_lowered_new ();
  g_autoptr (TpProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  TpNest *nest = tp_nest_new ();
  TpTarget target = target_avx2;
  int x;

  tp_lowered_take_nest (lowered, nest);
  add_typed_operand (lowered, TPLAN_DTYPE_FLOAT32, 16);
  tp_nest_add_axis (nest, 8, FALSE);
  tp_nest_add_load (nest, 0)->stride[0] = 1;
  x = tp_nest_convert (nest, tp_nest_load (nest, 0), TPLAN_DTYPE_FLOAT64);
  nest->result = tp_nest_convert (nest, x, TPLAN_DTYPE_FLOAT32);
  nest->store = (TpAccess){ .offset = 8, .stride = { 1 }, .index = -1 };
  program = tp_program_new (lowered, &target, NULL, NULL);
  g_assert_nonnull (program);
  target.has_float64 = FALSE;
  g_assert_null (tp_program_new (lowered, &target, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
}

/* ---- types ------------------------------------------------------------- */

static TpLowered *
make_scratch (const void *data)
{
  return new_scratch_program ();
}

static void
test_typed (void)
{
  check_everywhere (make_scratch, NULL);
  for (int i = 0; i < 400 && !g_test_failed (); i++)
    check_everywhere (new_random_typed, GUINT_TO_POINTER (g_test_rand_int_range (
                                            0, G_MAXINT32)));
}

static void
test_recurrence (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    check_recurrences (targets[i], run_by_interpreter);
  check_everywhere (new_matrix_recurrence, GINT_TO_POINTER (5));
  check_everywhere (new_matrix_recurrence, GINT_TO_POINTER (40));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/matmul", test_matmul);
  g_test_add_func ("/schedule/random-matmul", test_random_matmul);
  g_test_add_func ("/schedule/aliased-matmul", test_aliased_matmul);
  g_test_add_func ("/schedule/conv", test_conv);
  g_test_add_func ("/schedule/random-conv", test_random_conv);
  g_test_add_func ("/schedule/random-pool", test_random_pool);
  g_test_add_func ("/schedule/border-tile", test_border_tile);
  g_test_add_func ("/schedule/random-map", test_random_map);
  g_test_add_func ("/schedule/random-reduction", test_random_reduction);
  g_test_add_func ("/schedule/pad", test_pad);
  g_test_add_func ("/schedule/concat", test_concat);
  g_test_add_func ("/schedule/names", test_names);
  g_test_add_func ("/schedule/dtype", test_dtype);
  g_test_add_func ("/schedule/typed", test_typed);
  g_test_add_func ("/schedule/recurrence", test_recurrence);
  return g_test_run ();
}
