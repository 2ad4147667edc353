/* contract-bytes.c: which nests are contractions of bytes. */
#include "config.h"

#include "schedule/contract-bytes.h"

#include "nest/nest-expr.h"
#include "schedule/contract-analyze.h"
#include "schedule/contract-dims.h"

#define FOUR 4
#define FLIP 0x80             /* makes the other sign of a byte */

/* ---- factors ----------------------------------------------------------- */

/* value - zero, or 0 outside of the guards of the value, a load of bytes. */
typedef struct
{
  int value;                  /* expression */
  TpContractZero zero;
  gboolean is_inside_asked;
} Factor;

static const TpAccess *
get_load (const TpNest *nest, int expr)
{
  return &nest->loads[nest->exprs[expr].index];
}

static gboolean
is_byte (TpDtype dtype)
{
  return dtype == TPLAN_DTYPE_INT8 || dtype == TPLAN_DTYPE_UINT8;
}

static gboolean
is_byte_load (const TpNest *nest, int expr)
{
  return nest->exprs[expr].op == TP_EXPR_LOAD
         && is_byte (get_load (nest, expr)->dtype)
         && get_load (nest, expr)->index < 0;
}

/* What is converted to a real, if @expr is. */
static int
skip_conversion (const TpNest *nest, int expr)
{
  return nest->exprs[expr].op == TP_EXPR_TO_REAL ? nest->exprs[expr].a : expr;
}

static gboolean
get_number (const TpExpr *expr, gint64 *out)
{
  *out = expr->is_integer ? expr->integer : (gint64) CLAMP (expr->value, -1e9, 1e9);
  return expr->op == TP_EXPR_CONST
         && (expr->is_integer || expr->value == (double) *out);
}

static gboolean
is_of (TpDtype dtype, gint64 number)
{
  return number >= tp_dtype_get (dtype)->low
         && number <= tp_dtype_get (dtype)->high;
}

/* A zero point is a byte, the same for all that is added up. */
static gboolean
find_zero (const TpNest *nest, int expr, TpContractZero *zero)
{
  const TpAccess *load;

  *zero = (TpContractZero){ -1, 0 };
  expr = skip_conversion (nest, expr);
  if (get_number (&nest->exprs[expr], &zero->number))
    return TRUE;
  zero->number = 0;
  if (!is_byte_load (nest, expr))
    return FALSE;
  load = get_load (nest, expr);
  zero->expr = expr;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && load->stride[i] != 0)
      return FALSE;
  return load->n_guards == 0 && load->step == 0;
}

static gboolean
find_factor (const TpNest *nest, int expr, Factor *factor)
{
  const TpExpr *e = &nest->exprs[expr];
  int asked = -1;
  gint64 other;

  factor->zero = (TpContractZero){ -1, 0 };
  if (e->op == TP_EXPR_SELECT && nest->exprs[e->a].op == TP_EXPR_INSIDE
      && get_number (&nest->exprs[e->c], &other) && other == 0)
    {
      asked = nest->exprs[e->a].index;
      expr = e->b;
    }
  expr = skip_conversion (nest, expr);
  e = &nest->exprs[expr];
  if (e->op == TP_EXPR_SUB)
    {
      if (!find_zero (nest, e->b, &factor->zero))
        return FALSE;
      expr = skip_conversion (nest, e->a);
    }
  factor->value = expr;
  factor->is_inside_asked = asked >= 0;
  return is_byte_load (nest, expr)
         && (asked < 0 || asked == nest->exprs[expr].index)
         && is_of (get_load (nest, expr)->dtype, factor->zero.number);
}

static gboolean
is_none (const TpContractZero *zero)
{
  return zero->expr < 0 && zero->number == 0;
}

/* ---- is it one? -------------------------------------------------------- */

/* How far a value may be from its zero point. */
static gint64
reach_of (const TpNest *nest, const Factor *factor)
{
  const TpDtypeRow *row = tp_dtype_get (get_load (nest, factor->value)->dtype);

  if (factor->zero.expr >= 0)
    return row->high - row->low;
  return MAX (row->high - factor->zero.number, factor->zero.number - row->low);
}

/* Outside of its guards, and past the end of K where it is summed up, x counts as its zero
 * point, which is then one for all. */
static gboolean
is_padding_right (const TpContract *c, const Factor *x)
{
  const TpNest *nest = c->nest;
  const TpAccess *load = get_load (nest, x->value);
  const TpAccess *zero = x->zero.expr < 0 ? NULL
                                          : get_load (nest, x->zero.expr);
  gboolean is_padded
      = tp_contract_bytes_is_padded (c) && tp_contract_bytes_sums_x (c);

  if (load->n_guards == 0 && !is_padded)
    return TRUE;
  for (int i = 0; zero != NULL && i < nest->n_axes; i++)
    if (zero->stride[i] != 0)
      return FALSE;
  return load->n_guards == 0 || x->is_inside_asked
         || (is_none (&x->zero) && load->fill == 0.0);
}

/* The dimension of staged x that is @axis, a reduce axis, and nothing else; -1: none. */
static int
find_own_dim (const TpContract *c, int axis)
{
  for (int d = 0; c->is_stageable && d < c->n_dims; d++)
    {
      int n = 0;

      for (int i = 0; i < c->nest->n_axes; i++)
        n += c->dims[d].coef[i] != 0;
      if (n == 1 && c->dims[d].coef[axis] == 1)
        return d;
    }
  return -1;
}

/* How good @axis is as the one whose elements lie together: x may be read where it is, or
 * it is staged with little padding; < 0: not at all. */
static gint64
rate_last (const TpContract *c, int axis)
{
  gint64 extent = c->nest->axes[axis].extent;
  gboolean is_close = c->nest->loads[c->x_load].stride[axis] == 1;

  if (find_own_dim (c, axis) < 0
      && !(is_close && c->is_plain && extent % FOUR == 0))
    return -1;
  return is_close ? G_MAXINT64 : extent;
}

static void
move_last (TpContract *c, int k, int d)
{
  int axis = c->k_axes[k];
  TpStageDim dim = c->dims[MAX (d, 0)];

  for (; k + 1 < c->n_k; k++)
    c->k_axes[k] = c->k_axes[k + 1];
  c->k_axes[k] = axis;
  for (; d >= 0 && d + 1 < c->n_dims; d++)
    c->dims[d] = c->dims[d + 1];
  if (d >= 0)
    c->dims[d] = dim;
}

/* The axis of K that is taken by fours comes last, and of staged x too. */
static gboolean
order_axes (TpContract *c)
{
  gint64 best_rate = -1;
  int best = 0, axis, d;

  tp_contract_order_k (c);
  c->is_stageable = tp_contract_find_dims (c);
  for (int i = 0; i < c->n_k; i++)
    if (rate_last (c, c->k_axes[i]) >= best_rate)
      {
        best = i;
        best_rate = rate_last (c, c->k_axes[i]);
      }
  if (best_rate < 0)
    return FALSE;
  axis = c->k_axes[best];
  d = find_own_dim (c, axis);
  c->is_stageable = d >= 0;
  c->is_plain = c->is_plain && c->nest->loads[c->x_load].stride[axis] == 1
                && c->nest->axes[axis].extent % FOUR == 0;
  move_last (c, best, d);
  return TRUE;
}

static void
set_steps (TpContract *c)
{
  gint64 last = c->nest->axes[c->k_axes[c->n_k - 1]].extent;

  c->k_total = c->k_total / last * ((last + FOUR - 1) / FOUR);
}

/* Zero points as dot products see them. */
static void
set_zeros (TpContract *c, const Factor *x, const Factor *w)
{
  c->x_zero = x->zero;
  c->w_zero = w->zero;
  if (tp_contract_bytes_moves_x (c))
    c->x_zero.number += FLIP;
  if (c->nest->loads[c->w_load].dtype == TPLAN_DTYPE_UINT8)
    c->w_zero.number -= FLIP;
}

/* No sum wraps. */
static gboolean
is_small (const TpContract *c, const Factor *x, const Factor *w)
{
  return FOUR * c->k_total
         <= G_MAXINT32 / (reach_of (c->nest, x) * reach_of (c->nest, w));
}

TpContract *
tp_contract_bytes_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpContract) c = NULL;
  Factor factors[2], *x, *w;
  const TpExpr *mul;

  /* packing splits two axes */
  if (nest->n_stages != 1 || nest->n_axes + 2 > TP_NEST_MAX_AXES
      || nest->stages[0].combiner != TP_COMBINE_SUM
      || tp_nest_covers_reduce (nest))
    return NULL;
  mul = &nest->exprs[nest->stages[0].expr];
  if (mul->op != TP_EXPR_MUL || mul->is_double
      || !find_factor (nest, mul->a, &factors[0])
      || !find_factor (nest, mul->b, &factors[1]))
    return NULL;
  c = tp_contract_new_of (build, nest,
                          (int[]){ factors[0].value, factors[1].value });
  if (c == NULL || !c->is_w_constant || !order_axes (c))
    return NULL;
  x = &factors[c->x_expr != factors[0].value];
  w = &factors[c->x_expr == factors[0].value];
  c->is_bytes = TRUE;
  c->dtype = TPLAN_DTYPE_UINT8;
  c->takes_long = FALSE;
  set_steps (c);
  set_zeros (c, x, w);
  if (!is_small (c, x, w) || !is_padding_right (c, x))
    return NULL;
  return g_steal_pointer (&c);
}

gint64
tp_contract_bytes_get_step (const TpContract *c, int axis)
{
  return c->is_bytes && axis == c->k_axes[c->n_k - 1] ? FOUR : 1;
}

gboolean
tp_contract_bytes_sums_x (const TpContract *c)
{
  return c->is_bytes && !is_none (&c->w_zero);
}

gboolean
tp_contract_bytes_moves_x (const TpContract *c)
{
  return c->is_bytes && c->nest->loads[c->x_load].dtype == TPLAN_DTYPE_INT8;
}

int
tp_contract_bytes_count_numbers (const TpContract *c)
{
  return (tp_contract_bytes_moves_x (c) && c->is_plain)
         + tp_contract_bytes_sums_x (c);
}

gboolean
tp_contract_bytes_is_padded (const TpContract *c)
{
  return c->is_bytes
         && c->nest->axes[c->k_axes[c->n_k - 1]].extent % FOUR != 0;
}
