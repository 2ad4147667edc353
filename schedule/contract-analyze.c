/* contract-analyze.c: is a nest a contraction, and who plays which part? */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/contract.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule.h"

#include <string.h>

/* Axes that any load of @expr depends on. */
static void
find_axes (const TpNest *nest, int expr, gboolean *axes)
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
  g_autofree gboolean *used = g_new0 (gboolean, nest->n_exprs);

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

/* Tries @x_expr as x and @w_expr as w. */
static gboolean
assign (TpContract *c, const TpNest *nest, int x_expr, int w_expr)
{
  gboolean in_x[TP_NEST_MAX_AXES], in_w[TP_NEST_MAX_AXES];
  const TpExpr *w = &nest->exprs[w_expr];

  if (w->op != TP_EXPR_LOAD || nest->loads[w->index].n_guards > 0
      || nest->loads[w->index].step != 0
      || uses_stage (nest, x_expr))
    return FALSE;
  c->x_expr = x_expr;
  c->x_load = find_main_load (nest, x_expr);
  c->w_load = w->index;
  if (c->x_load < 0 || c->x_load == c->w_load)
    return FALSE;
  find_axes (nest, x_expr, in_x);
  find_axes (nest, w_expr, in_w);
  c->n_axis = find_n_axis (nest, in_x, in_w);
  if (c->n_axis < 0)
    return FALSE;
  c->rows.axis = c->cols.axis = -1;
  c->n_outer = c->n_k = 0;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      c->k_axes[c->n_k++] = i;
    else if (i != c->n_axis && in_x[i] && !in_w[i]
             && (c->cols.axis < 0
                 || nest->store.stride[i] < nest->store.stride[c->cols.axis]))
      {
        if (c->rows.axis >= 0)
          c->outer[c->n_outer++] = c->rows.axis;
        c->rows.axis = c->cols.axis;
        c->cols.axis = i;
      }
    else if (i != c->n_axis && in_x[i] && !in_w[i]
             && (c->rows.axis < 0
                 || nest->store.stride[i] < nest->store.stride[c->rows.axis]))
      {
        if (c->rows.axis >= 0)
          c->outer[c->n_outer++] = c->rows.axis;
        c->rows.axis = i;
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

static void
set_span (TpContractSpan *span, const TpNest *nest)
{
  span->extent = span->axis < 0 ? 1 : nest->axes[span->axis].extent;
  span->tile = span->block = span->n_blocks = 1;
}

gboolean
tp_contract_analyze (TpContract *c, const TpNest *nest, const TpTarget *target)
{
  TpContract other = { 0 };
  const TpExpr *mul = NULL;
  gboolean is_first, is_second;

  memset (c, 0, sizeof *c);
  if (nest->n_stages != 1 || nest->n_axes == TP_NEST_MAX_AXES
      || !is_sum_of_products (nest))
    return FALSE;             /* packing splits an axis */
  mul = &nest->exprs[nest->stages[0].expr];
  is_first = assign (c, nest, mul->a, mul->b);
  is_second = assign (&other, nest, mul->b, mul->a);
  if (!is_first && !is_second)
    return FALSE;
  if (!is_first || (is_second && rate (&other, nest) > rate (c, nest)))
    *c = other;
  c->nest = tp_nest_copy (nest);
  set_span (&c->rows, nest);
  set_span (&c->cols, nest);
  c->n_total = nest->axes[c->n_axis].extent;
  c->k_total = 1;
  for (int i = 0; i < c->n_k; i++)
    c->k_total *= nest->axes[c->k_axes[i]].extent;
  c->lanes = target->lanes;
  while (c->lanes > 4 && c->lanes / 2 >= c->n_total)
    c->lanes /= 2;
  return TRUE;
}

void
tp_contract_clear (TpContract *c)
{
  g_clear_pointer (&c->nest, tp_nest_free);
}

/* ---- loops over K ------------------------------------------------------ */

void
tp_contract_merge_loops (TpContract *c)
{
  const TpAccess *w = &c->nest->loads[c->w_load];

  c->n_loops = 0;
  for (int i = 0; i < c->n_k; i++)
    {
      int axis = c->k_axes[i];
      TpContractLoop loop = { c->nest->axes[axis].extent,
                              c->nest->loads[c->x_load].stride[axis],
                              w->stride[axis] };
      TpContractLoop *last = &c->loops[MAX (c->n_loops - 1, 0)];

      if (c->is_staged)
        {
          loop.x = 0;
          for (int d = 0; d < c->n_dims; d++)
            loop.x += c->dims[d].coef[axis] * c->dims[d].pitch;
        }
      if (c->n_loops > 0 && last->x == loop.x * loop.extent
          && last->w == loop.w * loop.extent)
        *last = (TpContractLoop) { last->extent * loop.extent, loop.x, loop.w };
      else
        c->loops[c->n_loops++] = loop;
    }
}

/* ---- packing w --------------------------------------------------------- */

/* The copy of w into panels: [outer axes of w][panel][K][panel width]; the
 * panels from @first on, @n of them, @width wide. Sets the strides of @c's own
 * w load to those of the copy when @packed is given. */
static TpNest *
new_pack_nest (const TpContract *c, gint64 first, gint64 n, gint64 width,
               TpAccess *packed)
{
  const TpAccess *w = &c->nest->loads[c->w_load];
  const TpAxis *axes = c->nest->axes;
  gint64 nr = (gint64) c->lanes * c->vectors, step = w->stride[c->n_axis];
  gint64 n_panels = (c->n_total + nr - 1) / nr, size = nr;
  TpNest *nest = tp_nest_new ();
  TpAccess *load = tp_nest_add_load (nest, w->operand);
  int order[TP_NEST_MAX_AXES], n_order = 0, at;

  for (int i = c->n_k - 1; i >= 0; i--)
    order[n_order++] = c->k_axes[i];
  for (int i = 0; i < c->n_outer; i++)
    if (w->stride[c->outer[i]] != 0)
      order[n_order++] = c->outer[i];
  load->offset = w->offset + first * nr * step;
  nest->store.offset = first * nr * c->k_total;
  for (int i = 0; i < n_order; i++)
    {
      if (i == c->n_k)
        size *= n_panels;
      at = tp_nest_add_axis (nest, axes[order[i]].extent, FALSE);
      load->stride[at] = w->stride[order[i]];
      nest->store.stride[at] = size;
      if (packed != NULL)
        packed->stride[order[i]] = size;
      size *= axes[order[i]].extent;
    }
  at = tp_nest_add_axis (nest, n, FALSE);
  load->stride[at] = nr * step;
  nest->store.stride[at] = nr * c->k_total;
  at = tp_nest_add_axis (nest, width, FALSE);
  load->stride[at] = step;
  nest->store.stride[at] = 1;
  nest->result = tp_nest_load (nest, 0);
  return nest;
}

static gint64
count_packed (const TpContract *c)
{
  gint64 nr = (gint64) c->lanes * c->vectors;
  gint64 n = (c->n_total + nr - 1) / nr * nr * c->k_total;

  for (int i = 0; i < c->n_outer; i++)
    if (c->nest->loads[c->w_load].stride[c->outer[i]] != 0)
      n *= c->nest->axes[c->outer[i]].extent;
  return n;
}

/* One nest for all panels: the last one is cut short by a guard. */
static TpNest *
new_constant_pack (const TpContract *c, TpAccess *packed)
{
  gint64 nr = (gint64) c->lanes * c->vectors;
  TpNest *nest = new_pack_nest (c, 0, (c->n_total + nr - 1) / nr, nr, packed);
  TpGuard *guard = &nest->loads[0].guards[0];

  if (c->n_total % nr != 0)
    {
      nest->loads[0].n_guards = 1;
      guard->coef[nest->n_axes - 2] = nr;
      guard->coef[nest->n_axes - 1] = 1;
      guard->extent = c->n_total;
    }
  return nest;
}

/* Steps that pack w when the program runs. What lies past N is left as it is:
 * it meets only lanes that are never stored. */
static int
add_pack_steps (const TpContract *c, TpBuild *build, TpAccess *packed)
{
  gint64 nr = (gint64) c->lanes * c->vectors, n_full = c->n_total / nr;
  int workspace = tp_build_add_workspace (build, TP_DTYPE_FLOAT32,
                                          count_packed (c));

  if (n_full > 0)
    {
      g_autoptr (TpNest) full = new_pack_nest (c, 0, n_full, nr, packed);

      full->store.operand = workspace;
      tp_schedule_nest (build, full);
    }
  if (c->n_total % nr != 0)
    {
      g_autoptr (TpNest) rest = new_pack_nest (c, n_full, 1, c->n_total % nr,
                                               packed);

      rest->store.operand = workspace;
      tp_schedule_nest (build, rest);
    }
  return workspace;
}

/* Few rows do not pay for packing: w is read where it is if its rows are
 * contiguous. */
static gboolean
is_packing_worthwhile (const TpContract *c, const TpBuild *build)
{
  const TpAccess *w = &c->nest->loads[c->w_load];

  return tp_build_is_constant (build, w->operand) || w->stride[c->n_axis] != 1
         || c->rows.extent * c->cols.extent > 32;
}

void
tp_contract_pack (TpContract *c, TpBuild *build)
{
  TpAccess *w = &c->nest->loads[c->w_load];
  gint64 nr = (gint64) c->lanes * c->vectors;
  TpAccess packed = *w;

  c->w_panel = nr;
  c->is_packed = FALSE;
  if (!is_packing_worthwhile (c, build))
    return;
  if (tp_build_is_constant (build, w->operand))
    {
      TpNest *nest = new_constant_pack (c, &packed);

      packed.operand = tp_build_add_pack (build, w->operand, count_packed (c),
                                          nest);
    }
  else
    packed.operand = add_pack_steps (c, build, &packed);
  packed.offset = 0;
  packed.stride[c->n_axis] = 1;
  *w = packed;
  c->w_panel = nr * c->k_total;
  c->is_packed = TRUE;
}
