/* contract-analyze.c: is a nest a contraction, and who plays which part? */
#include "config.h"

#include "schedule/contract-analyze.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"

#include <string.h>

#define LEAST_LANES 4         /* of any vector */

void
tp_contract_find_axes (const TpNest *nest, int expr, gboolean *axes)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);

  memset (axes, 0, TP_NEST_MAX_AXES * sizeof *axes);
  for (int i = 0; i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->n_axes; j++)
      {
        const TpAccess *load = &nest->loads[i];

        axes[j] |= load->stride[j] != 0;
        for (int g = 0; g < load->n_guards; g++)
          axes[j] |= load->guards[g].coef[j] != 0;
      }
}

/* The load of @expr that walks most axes. */
static int
find_main_load (const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  int best = -1, best_n = -1;

  for (int i = 0; i < nest->n_loads; i++)
    {
      int n = 0;

      for (int j = 0; j < nest->n_axes; j++)
        n += nest->loads[i].stride[j] != 0;
      if (used[i] && n > best_n)
        {
          best = i;
          best_n = n;
        }
    }
  return best;
}

static gboolean
uses_stage (const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);

  tp_nest_mark_used (nest, expr, used);
  for (int i = 0; i <= expr; i++)
    if (used[i] && nest->exprs[i].op == TP_EXPR_STAGE)
      return TRUE;
  return FALSE;
}

/* The vector axis: in w and the result, not in x. */
static int
find_n_axis (const TpNest *nest, const gboolean *in_x, const gboolean *in_w)
{
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gboolean is_better;

      if (nest->axes[i].is_reduce || in_x[i] || !in_w[i]
          || nest->store.stride[i] == 0)
        continue;
      is_better = best < 0
                  || (nest->store.stride[i] == 1
                      && nest->store.stride[best] != 1)
                  || ((nest->store.stride[i] == 1)
                          == (nest->store.stride[best] == 1)
                      && nest->axes[i].extent > nest->axes[best].extent);
      if (is_better)
        best = i;
    }
  return best;
}

/* Whether @expr may be w. */
static gboolean
may_be_w (const TpNest *nest, int expr, gboolean is_any)
{
  const TpExpr *w = &nest->exprs[expr];
  int load = find_main_load (nest, expr);

  return load >= 0 && (w->op == TP_EXPR_LOAD || is_any)
         && !uses_stage (nest, expr) && nest->loads[load].n_guards == 0
         && nest->loads[load].step == 0;
}

/* Tries the first of @factors as x and the second as w, or the other way around. */
static gboolean
assign (TpContract *c, const TpNest *nest, const int factors[2],
        gboolean is_turned)
{
  gboolean in_x[TP_NEST_MAX_AXES], in_w[TP_NEST_MAX_AXES];
  int x_expr = factors[is_turned], w_expr = factors[!is_turned];

  if (!may_be_w (nest, w_expr, c->is_w_any) || uses_stage (nest, x_expr))
    return FALSE;
  c->x_expr = x_expr;
  c->x_load = find_main_load (nest, x_expr);
  c->w_load = find_main_load (nest, w_expr);
  if (c->x_load < 0 || c->x_load == c->w_load)
    return FALSE;
  tp_contract_find_axes (nest, x_expr, in_x);
  tp_contract_find_axes (nest, w_expr, in_w);
  c->n_axis = find_n_axis (nest, in_x, in_w);
  if (c->n_axis < 0)
    return FALSE;
  c->row_axis = c->col_axis = -1;
  c->n_outer = c->n_k = 0;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      c->k_axes[c->n_k++] = i;
    else if (i != c->n_axis && in_x[i] && !in_w[i]
             && (c->col_axis < 0
                 || nest->store.stride[i] < nest->store.stride[c->col_axis]))
      {
        if (c->row_axis >= 0)
          c->outer[c->n_outer++] = c->row_axis;
        c->row_axis = c->col_axis;
        c->col_axis = i;
      }
    else if (i != c->n_axis && in_x[i] && !in_w[i]
             && (c->row_axis < 0
                 || nest->store.stride[i] < nest->store.stride[c->row_axis]))
      {
        if (c->row_axis >= 0)
          c->outer[c->n_outer++] = c->row_axis;
        c->row_axis = i;
      }
    else if (i != c->n_axis)
      c->outer[c->n_outer++] = i;
  return TRUE;
}

/* How well the roles suit: contiguous vectors first, then wide ones. */
static gint64
rate (const TpContract *c, const TpNest *nest)
{
  gint64 extent = MIN (nest->axes[c->n_axis].extent, 64);

  return nest->store.stride[c->n_axis] == 1 ? 1000 + extent : extent;
}

static gboolean
has_index (const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].index >= 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_sum_of_products (const TpNest *nest)
{
  const TpStage *stage = &nest->stages[0];

  return stage->combiner == TP_COMBINE_SUM
         && nest->exprs[stage->expr].op == TP_EXPR_MUL
         && !nest->exprs[stage->expr].is_integer
         && !has_index (nest, stage->expr)
         && !tp_nest_covers_reduce (nest);
}

static gint64
extent_of (const TpContract *c, int axis)
{
  return axis < 0 ? 1 : c->nest->axes[axis].extent;
}

static void
set_extents (TpContract *c)
{
  c->n_rows = extent_of (c, c->row_axis);
  c->n_cols = extent_of (c, c->col_axis);
  c->n_total = extent_of (c, c->n_axis);
  c->k_total = c->n_outer_points = 1;
  for (int i = 0; i < c->n_k; i++)
    c->k_total *= extent_of (c, c->k_axes[i]);
  for (int i = 0; i < c->n_outer; i++)
    c->n_outer_points *= extent_of (c, c->outer[i]);
}

/* Of both ways to tell the factors the better one. */
static gboolean
find_roles (TpContract *c, const TpNest *nest, const int factors[2])
{
  TpContract other = *c;
  gboolean is_first = assign (c, nest, factors, FALSE);
  gboolean is_second = assign (&other, nest, factors, TRUE);

  if (is_second && (!is_first || rate (&other, nest) > rate (c, nest)))
    *c = other;
  return is_first || is_second;
}

/* A register holds half as many doubles; where that is less than any vector has, a vector
 * takes two. */
static void
set_vectors (TpContract *c)
{
  const TpExpr *x = &c->nest->exprs[c->x_expr];
  gboolean is_split = x->is_double && c->target->lanes < 2 * LEAST_LANES;

  c->dtype = tp_expr_get_dtype (x);
  c->lanes = c->target->lanes;
  c->n_registers = c->target->n_registers;
  if (is_split)
    c->n_registers /= 2;
  else if (x->is_double)
    c->lanes /= 2;
}

static TpContract *
new_of (const TpBuild *build, const TpNest *nest, const int factors[2],
        gboolean is_w_any)
{
  TpContract c = { .is_w_any = is_w_any };

  if (!find_roles (&c, nest, factors))
    return NULL;
  c.target = build->target;
  c.nest = tp_nest_copy (nest);
  set_vectors (&c);
  c.is_w_constant = tp_build_is_constant (build, nest->loads[c.w_load].operand);
  c.is_plain = nest->exprs[c.x_expr].op == TP_EXPR_LOAD
               && nest->loads[c.x_load].n_guards == 0;
  c.takes_long = tp_nest_takes_long (nest, nest->result);
  set_extents (&c);
  return g_memdup2 (&c, sizeof c);
}

static TpContract *
new_product (const TpBuild *build, const TpNest *nest, gboolean is_w_any)
{
  const TpExpr *mul;

  /* packing splits an axis */
  if (nest->n_stages != 1 || nest->n_axes == TP_NEST_MAX_AXES
      || !is_sum_of_products (nest))
    return NULL;
  mul = &nest->exprs[nest->stages[0].expr];
  return new_of (build, nest, (int[]){ mul->a, mul->b }, is_w_any);
}

TpContract *
tp_contract_new (const TpBuild *build, const TpNest *nest)
{
  return new_product (build, nest, FALSE);
}

TpContract *
tp_contract_new_any (const TpBuild *build, const TpNest *nest)
{
  return new_product (build, nest, TRUE);
}

TpContract *
tp_contract_new_of (const TpBuild *build, const TpNest *nest,
                    const int factors[2])
{
  return new_of (build, nest, factors, FALSE);
}

void
tp_contract_order_k (TpContract *c)
{
  const TpAccess *x = &c->nest->loads[c->x_load];

  for (int i = 1; i < c->n_k; i++)
    for (int j = i; j > 0
                    && ABS (x->stride[c->k_axes[j - 1]])
                           < ABS (x->stride[c->k_axes[j]]);
         j--)
      {
        int axis = c->k_axes[j];

        c->k_axes[j] = c->k_axes[j - 1];
        c->k_axes[j - 1] = axis;
      }
}

void
tp_contract_free (TpContract *c)
{
  if (c == NULL)
    return;
  tp_nest_free (c->nest);
  g_free (c);
}
