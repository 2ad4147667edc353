/* typed-nests.c: nests over memory of every type, by chance. */
#include "config.h"

#include "typed-nests.h"

#include <math.h>

#define MAX_VALUES 40

/* A nest being made; leaves are exact in float32, so that what jumps (less,
 * floor, ...) jumps at the same place in every arithmetic. */
typedef struct
{
  GRand *rand;
  TpLowered *lowered;
  TpNest *nest;
  int leaves[MAX_VALUES];
  int n_leaves;
  int values[MAX_VALUES];     /* expressions so far, leaves included */
  int n_values;
} Maker;

static int
pick (Maker *maker, int n)
{
  return g_rand_int_range (maker->rand, 0, n);
}

static TpDtype
pick_dtype (Maker *maker)
{
  static const TpDtype dtypes[] = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_INT64,
                                    TPLAN_DTYPE_INT32, TPLAN_DTYPE_UINT8,
                                    TPLAN_DTYPE_BOOL, TPLAN_DTYPE_FLOAT16,
                                    TPLAN_DTYPE_BFLOAT16, TPLAN_DTYPE_INT8,
                                    TPLAN_DTYPE_INT16, TPLAN_DTYPE_UINT16,
                                    TPLAN_DTYPE_UINT32, TPLAN_DTYPE_FLOAT64 };

  return dtypes[pick (maker, G_N_ELEMENTS (dtypes))];
}

int
add_typed_operand (TpLowered *lowered, TpDtype dtype, gint64 n)
{
  return tp_lowered_add_operand (
      lowered, &(TpOperand) { .tensor = -1, .dtype = dtype, .n_elements = n });
}

/* Any expression of the class; a constant when there is none. */
static int
find_value (Maker *maker, const int *values, int n, gboolean is_integer)
{
  for (int i = 0; i < 20; i++)
    {
      int value = values[pick (maker, n)];

      if (maker->nest->exprs[value].is_integer == is_integer)
        return value;
    }
  return is_integer ? tp_nest_const_integer (maker->nest, pick (maker, 7) - 3)
                    : tp_nest_const (maker->nest, pick (maker, 9) * 0.5 - 2.0);
}

static int
any_value (Maker *maker, gboolean is_integer)
{
  return find_value (maker, maker->values, maker->n_values, is_integer);
}

static int
any_leaf (Maker *maker, gboolean is_integer)
{
  return find_value (maker, maker->leaves, maker->n_leaves, is_integer);
}

/* ---- accesses ---------------------------------------------------------- */

/* Walks some of the axes densely, in any order; returns the elements walked. */
static gint64
set_strides (Maker *maker, TpAccess *access, gboolean is_store)
{
  TpNest *nest = maker->nest;
  gint64 n = 1;
  int first = pick (maker, nest->n_axes);

  for (int i = 0; i < nest->n_axes; i++)
    {
      int axis = (first + i) % nest->n_axes;

      if (is_store ? nest->axes[axis].is_reduce : pick (maker, 4) == 0)
        continue;
      access->stride[axis] = n;
      n *= nest->axes[axis].extent;
    }
  return n;
}

/* The first axis is cut short at both ends. */
static void
add_guard (Maker *maker, TpAccess *load)
{
  if (load->stride[0] == 0)
    return;
  load->n_guards = 1;
  load->guards[0] = (TpGuard) { .coef = { 1 },
                                .offset = -1,
                                .extent = maker->nest->axes[0].extent };
  load->offset -= load->stride[0];
  load->fill = pick (maker, 2) ? -2.5 : 3.0;
}

static void
add_load (Maker *maker)
{
  TpNest *nest = maker->nest;
  int index = any_leaf (maker, TRUE), load;
  gboolean is_iota = pick (maker, 5) == 0;
  TpDtype dtype = is_iota ? TPLAN_DTYPE_INT64 : pick_dtype (maker);
  TpAccess *access = tp_nest_add_load (nest, 0);
  gint64 n = set_strides (maker, access, FALSE);

  access->dtype = dtype;
  if (pick (maker, 3) == 0)
    add_guard (maker, access);
  if (maker->n_leaves > 0 && pick (maker, 3) == 0)
    {
      if (pick (maker, 2))
        index = tp_nest_binary (nest, TP_EXPR_ADD, index,
                                tp_nest_const_integer (nest, pick (maker, 3)));
      access->index = index;
      access->index_extent = 1 + pick (maker, 9);
      access->index_stride = n;
      access->fill = 4;
      n *= access->index_extent;
    }
  access->operand = is_iota ? tp_lowered_add_iota (maker->lowered, n)
                            : add_typed_operand (maker->lowered, dtype, n);
  load = tp_nest_load (nest, nest->n_loads - 1);
  maker->leaves[maker->n_leaves++] = load;
  maker->values[maker->n_values++] = load;
}

/* ---- expressions ------------------------------------------------------- */

static int
add_real (Maker *maker)
{
  static const TpExprOp sums[] = { TP_EXPR_ADD, TP_EXPR_SUB, TP_EXPR_MUL,
                                   TP_EXPR_MIN, TP_EXPR_MAX };
  static const TpExprOp jumps[] = { TP_EXPR_LESS, TP_EXPR_EQUAL,
                                    TP_EXPR_MOD };
  static const TpExprOp rounds[] = { TP_EXPR_FLOOR, TP_EXPR_ROUND,
                                     TP_EXPR_IS_NAN, TP_EXPR_ABS };
  static const TpExprOp smooth[] = { TP_EXPR_TANH, TP_EXPR_SIGMOID,
                                     TP_EXPR_NEG, TP_EXPR_ERF,
                                     TP_EXPR_SIN, TP_EXPR_COS };
  TpNest *nest = maker->nest;

  switch (pick (maker, 6))
    {
    case 0:
      return tp_nest_binary (nest, jumps[pick (maker, 3)],
                             any_leaf (maker, FALSE), any_leaf (maker, FALSE));
    case 1:
      return tp_nest_unary (nest, rounds[pick (maker, 4)],
                            any_leaf (maker, FALSE));
    case 2:
      return tp_nest_unary (nest, smooth[pick (maker, 6)],
                            any_value (maker, FALSE));
    case 3:
      return tp_nest_convert (nest, any_leaf (maker, pick (maker, 2)),
                              pick (maker, 2) ? TPLAN_DTYPE_FLOAT64
                                              : TPLAN_DTYPE_FLOAT32);
    case 4:
      return tp_nest_select (nest, any_leaf (maker, pick (maker, 2)),
                             any_value (maker, FALSE),
                             any_value (maker, FALSE));
    default:
      return tp_nest_binary (nest, sums[pick (maker, 5)],
                             any_value (maker, FALSE),
                             any_value (maker, FALSE));
    }
}

static int
add_integer (Maker *maker)
{
  static const TpExprOp ops[] = { TP_EXPR_ADD, TP_EXPR_SUB, TP_EXPR_MUL,
                                  TP_EXPR_DIV, TP_EXPR_MOD, TP_EXPR_MIN,
                                  TP_EXPR_MAX, TP_EXPR_LESS, TP_EXPR_EQUAL,
                                  TP_EXPR_AND };
  TpNest *nest = maker->nest;
  int scaled;

  switch (pick (maker, 5))
    {
    case 0:
      scaled = tp_nest_binary (nest, TP_EXPR_MUL, any_leaf (maker, FALSE),
                               tp_nest_const (nest, 8.0));
      return tp_nest_unary (nest, TP_EXPR_TO_INTEGER, scaled);
    case 1:
      return tp_nest_unary (nest, pick (maker, 2) ? TP_EXPR_NEG : TP_EXPR_ABS,
                            any_value (maker, TRUE));
    case 2:
      return tp_nest_select (nest, any_leaf (maker, pick (maker, 2)),
                             any_value (maker, TRUE), any_value (maker, TRUE));
    default:
      return tp_nest_binary (nest, ops[pick (maker, G_N_ELEMENTS (ops))],
                             any_value (maker, TRUE), any_value (maker, TRUE));
    }
}

static void
add_values (Maker *maker, int n)
{
  for (int i = 0; i < n; i++)
    {
      int value = pick (maker, 2) ? add_real (maker) : add_integer (maker);

      maker->values[maker->n_values++] = value;
    }
}

/* Sums of what is exact, or close to it. */
static void
add_stage (Maker *maker)
{
  gboolean is_integer = pick (maker, 2);
  int n = is_integer ? 4 : 3; /* no products of reals: they vanish */
  int stage = tp_nest_add_stage (maker->nest, pick (maker, n),
                                 any_value (maker, is_integer));

  maker->values[maker->n_values++] = tp_nest_stage (maker->nest, stage);
}

/* No two points store in one place, wherever the index leads. Returns what the whole
 * takes, of @n elements in each place. */
static gint64
add_store_index (Maker *maker, gint64 n)
{
  TpAccess *store = &maker->nest->store;

  if (maker->nest->n_stages > 0 || pick (maker, 3) != 0)
    return n;
  store->index = any_leaf (maker, TRUE);
  store->index_extent = 1 + pick (maker, 9);
  store->index_stride = n;
  return n * store->index_extent;
}

static void
finish (Maker *maker)
{
  static const TpDtype integers[] = { TPLAN_DTYPE_INT64, TPLAN_DTYPE_INT32,
                                      TPLAN_DTYPE_UINT8, TPLAN_DTYPE_BOOL,
                                      TPLAN_DTYPE_INT8,  TPLAN_DTYPE_INT16,
                                      TPLAN_DTYPE_UINT16,
                                      TPLAN_DTYPE_UINT32 };
  static const TpDtype reals[] = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_FLOAT16,
                                   TPLAN_DTYPE_BFLOAT16,
                                   TPLAN_DTYPE_FLOAT64 };
  TpNest *nest = maker->nest;
  gint64 n = add_store_index (maker,
                              set_strides (maker, &nest->store, TRUE));
  int result = maker->values[maker->n_values - 1];

  nest->store.dtype = nest->exprs[result].is_integer
                          ? integers[pick (maker, 4)]
                          : reals[pick (maker, G_N_ELEMENTS (reals))];
  nest->result = tp_nest_convert (nest, result, nest->store.dtype);
  nest->store.operand = add_typed_operand (maker->lowered, nest->store.dtype,
                                           n);
}

static void
add_axes (Maker *maker, gboolean has_reduce)
{
  int n = 1 + pick (maker, 3);

  for (int i = 0; i < n; i++)
    tp_nest_add_axis (maker->nest, 1 + pick (maker, i == 0 ? 40 : 12), FALSE);
  if (has_reduce)
    tp_nest_add_axis (maker->nest, 2 + pick (maker, 30), TRUE);
}

TpLowered *
new_random_typed (const void *seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));
  Maker maker = { .rand = rand, .lowered = tp_lowered_new (),
                  .nest = tp_nest_new () };
  gboolean has_reduce = pick (&maker, 3) == 0;

  tp_lowered_take_nest (maker.lowered, maker.nest);
  add_axes (&maker, has_reduce);
  maker.leaves[maker.n_leaves++] = tp_nest_const_integer (maker.nest, 2);
  maker.values[maker.n_values++] = maker.leaves[0];
  for (int i = 0; i < 4; i++)
    add_load (&maker);
  add_values (&maker, 4);
  if (has_reduce)
    {
      add_stage (&maker);
      add_values (&maker, 1);
    }
  else
    add_values (&maker, 3);
  finish (&maker);
  return maker.lowered;
}

/* ---- several outputs, through scratch ---------------------------------- */

/* y[i] of @to = @from[i] * 3, as wide as @to is. */
static TpNest *
new_triple (const TpLowered *lowered, int from, int to, gint64 n)
{
  TpNest *nest = tp_nest_new ();
  TpAccess *load = tp_nest_add_load (nest, from);

  tp_nest_add_axis (nest, n, FALSE);
  load->dtype = lowered->operands[from].dtype;
  load->stride[0] = 1;
  nest->store.operand = to;
  nest->store.dtype = lowered->operands[to].dtype;
  nest->store.stride[0] = 1;
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                 tp_nest_const (nest, 3.0));
  return nest;
}

TpLowered *
new_scratch_program (void)
{
  const gint64 n = 37;
  TpLowered *lowered = tp_lowered_new ();
  int x = add_typed_operand (lowered, TPLAN_DTYPE_INT64, n);
  int scratch = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_INT32, n);
  int y = add_typed_operand (lowered, TPLAN_DTYPE_UINT8, n);
  int z = add_typed_operand (lowered, TPLAN_DTYPE_INT64, n);

  tp_lowered_take_nest (lowered, new_triple (lowered, x, scratch, n));
  tp_lowered_take_nest (lowered, new_triple (lowered, scratch, y, n));
  tp_lowered_take_nest (lowered, new_triple (lowered, scratch, z, n));
  return lowered;
}

/* ---- order statistics ---------------------------------------------------- */

static void
add_epilogue (TpLowered *lowered, TpNest *nest, gint64 k)
{
  TpAccess *load = tp_nest_add_load (
      nest, add_typed_operand (lowered, TPLAN_DTYPE_INT64, k));

  load->dtype = TPLAN_DTYPE_INT64;
  load->stride[1] = 1;
  nest->result = tp_nest_binary (
      nest, TP_EXPR_ADD,
      tp_nest_binary (nest, TP_EXPR_MUL, nest->result,
                      tp_nest_const_integer (nest, 3)),
      tp_nest_load (nest, 1));
}

static int
make_coarse (TpNest *nest, int x, gboolean is_integer)
{
  if (is_integer)
    return tp_nest_binary (nest, TP_EXPR_MOD, x, tp_nest_const_integer (nest, 5));
  return tp_nest_unary (nest, TP_EXPR_ROUND,
                        tp_nest_binary (nest, TP_EXPR_MUL, x,
                                        tp_nest_const (nest, 2.0)));
}

TpLowered *
new_places (gconstpointer data)
{
  PlaceCase c = *(const PlaceCase *) data;
  TpDtype dtype = c.is_integer ? TPLAN_DTYPE_INT64 : TPLAN_DTYPE_FLOAT32;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  TpAccess *load;
  int x;

  c.k = MIN (c.k, c.cols);
  tp_nest_add_axis (nest, c.rows, FALSE);
  tp_nest_add_axis (nest, c.k, FALSE);
  nest->axes[1].is_rank = TRUE;
  tp_nest_add_axis (nest, c.cols, TRUE);
  load = tp_nest_add_load (nest,
                           add_typed_operand (lowered, dtype, c.rows * c.cols));
  load->dtype = dtype;
  load->stride[0] = c.is_turned ? 1 : c.cols;
  load->stride[2] = c.is_turned ? c.rows : 1;
  x = tp_nest_load (nest, 0);
  if (c.has_ties)
    x = make_coarse (nest, x, c.is_integer);
  nest->result = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_PLACE, x));
  if (c.has_epilogue)
    add_epilogue (lowered, nest, c.k);
  nest->store.operand
      = add_typed_operand (lowered, TPLAN_DTYPE_INT64, c.rows * c.k);
  nest->store.dtype = TPLAN_DTYPE_INT64;
  nest->store.stride[0] = c.k;
  nest->store.stride[1] = 1;
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}
