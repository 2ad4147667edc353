/* byte-nests.c: see byte-nests.h. */
#include "config.h"

#include "byte-nests.h"

#include "draws.h"

/* One of the factors: load 0 or 1. */
typedef struct
{
  TpLowered *lowered;
  TpNest *nest;
  const ByteCase *c;
  int load;
  TpDtype dtype;
} Maker;

static int
convert (const Maker *maker, int expr)
{
  return maker->c->is_real
             ? tp_nest_unary (maker->nest, TP_EXPR_TO_REAL, expr)
             : expr;
}

/* The axis of @maker's factor alone that is not summed over; -1: none. */
static int
find_own_axis (const Maker *maker)
{
  const TpNest *nest = maker->nest;

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->loads[maker->load].stride[i] != 0
        && nest->loads[!maker->load].stride[i] == 0)
      return i;
  return -1;
}

/* -1: it is 0. */
static int
add_zero (const Maker *maker, ZeroKind kind)
{
  const TpDtypeRow *row = tp_dtype_get (maker->dtype);
  int axis = find_own_axis (maker), operand;
  gint64 n = kind == ZERO_OF_AXIS && axis >= 0 ? maker->nest->axes[axis].extent
                                               : 1;
  TpAccess *load;

  if (kind == ZERO_NONE)
    return -1;
  if (kind == ZERO_NUMBER)
    {
      gint64 number = any_of (row->low, row->high);

      return maker->c->is_real ? tp_nest_const (maker->nest, (double) number)
                               : tp_nest_const_integer (maker->nest, number);
    }
  operand = tp_lowered_add_operand (
      maker->lowered, &(TpOperand){ .tensor = -1, .dtype = maker->dtype,
                                    .n_elements = n,
                                    .is_constant = any_of (0, 1) });
  load = tp_nest_add_load (maker->nest, operand);
  load->dtype = maker->dtype;
  if (n > 1)
    load->stride[axis] = 1;
  return convert (maker,
                  tp_nest_load (maker->nest, maker->nest->n_loads - 1));
}

static int
make_factor (const Maker *maker, ZeroKind kind)
{
  TpNest *nest = maker->nest;
  gboolean is_guarded = nest->loads[maker->load].n_guards > 0;
  int value, zero, other;

  nest->loads[maker->load].dtype = maker->dtype;
  value = convert (maker, tp_nest_load (nest, maker->load));
  zero = add_zero (maker, is_guarded && kind == ZERO_OF_AXIS ? ZERO_LOADED
                                                             : kind);
  if (zero < 0)
    return value;
  value = tp_nest_binary (nest, TP_EXPR_SUB, value, zero);
  other = maker->c->is_real ? tp_nest_const (nest, 0.0)
                            : tp_nest_const_integer (nest, 0);
  return is_guarded ? tp_nest_select (nest, tp_nest_inside (nest, maker->load),
                                      value, other)
                    : value;
}

/* Whatever is added up. */
static gboolean
is_small (const TpNest *nest)
{
  gint64 n = 255 * 255;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      n *= nest->axes[i].extent;
  return n <= 1 << 24;
}

/* As QLinearConv has it. */
static int
quantize (TpNest *nest, int sum)
{
  if (nest->exprs[sum].is_integer)
    sum = tp_nest_unary (nest, TP_EXPR_TO_REAL, sum);
  sum = tp_nest_binary (nest, TP_EXPR_MUL, sum, tp_nest_const (nest, 0x1p-10));
  sum = tp_nest_unary (nest, TP_EXPR_ROUND, sum);
  sum = tp_nest_binary (nest, TP_EXPR_MAX, sum, tp_nest_const (nest, 0.0));
  sum = tp_nest_binary (nest, TP_EXPR_MIN, sum, tp_nest_const (nest, 255.0));
  return tp_nest_unary (nest, TP_EXPR_TO_INTEGER, sum);
}

TpLowered *
make_bytes (TpLowered *lowered, const ByteCase *c)
{
  TpNest *nest = lowered->nests[0];
  Maker x = { lowered, nest, c, 0, c->x }, w = { lowered, nest, c, 1, c->w };
  int factors[2], sum;

  nest->n_exprs = nest->n_stages = 0;
  lowered->operands[nest->loads[0].operand].dtype = c->x;
  lowered->operands[nest->loads[1].operand].dtype = c->w;
  factors[0] = make_factor (&x, c->x_zero);
  factors[1] = make_factor (&w, c->w_zero);
  sum = tp_nest_binary (nest, TP_EXPR_MUL, factors[0], factors[1]);
  sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, sum));
  nest->stages[0].is_small = !c->is_real && is_small (nest) && any_of (0, 3);
  nest->store.dtype = c->is_quantized ? TPLAN_DTYPE_UINT8 : TPLAN_DTYPE_INT32;
  if (c->is_quantized)
    sum = quantize (nest, sum);
  else if (!nest->exprs[sum].is_integer)
    sum = tp_nest_unary (nest, TP_EXPR_TO_INTEGER, sum);
  nest->result = sum;
  lowered->operands[nest->store.operand].dtype = nest->store.dtype;
  return lowered;
}

TpLowered *
draw_bytes (void)
{
  static const TpDtype bytes[] = { TPLAN_DTYPE_UINT8, TPLAN_DTYPE_INT8 };
  ByteCase c = { bytes[any_of (0, 1)], bytes[any_of (0, 1)],
                 any_of (0, N_ZEROS - 1), any_of (0, N_ZEROS - 1),
                 any_of (0, 1), any_of (0, 1) };
  MatmulCase matmul = { any_of (1, 2), any_of (2, 20), any_of (2, 70),
                        any_of (2, 50), .trans_b = any_of (0, 1),
                        .is_w_constant = TRUE };
  gint64 groups = any_of (1, 2), stride = any_of (1, 2);
  ConvCase conv = { 1, groups * any_of (2, 9), any_of (5, 9), any_of (5, 9),
                    groups * any_of (2, 37), any_of (stride, 3),
                    any_of (stride, 3), stride, any_of (0, 1), 1, groups,
                    .is_row_major = any_of (0, 1) };

  if (c.x_zero == ZERO_OF_AXIS) /* what pads K is one for all */
    {
      matmul.k *= 4;
      conv.c *= 4;
    }

  return make_bytes (any_of (0, 1) ? new_conv (&conv) : new_matmul (&matmul),
                     &c);
}
