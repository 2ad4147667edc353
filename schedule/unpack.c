/* unpack.c: is a nest a sum over what is made of packed constants? */
#include "config.h"

#include "schedule/unpack.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/contract-analyze.h"
#include "schedule/nest-canon.h"
#include "schedule/panels.h"
#include "schedule/unpack-dots.h"

/* ---- terms ------------------------------------------------------------- */

static gboolean
add_term (TpUnpack *self, const TpUnpackTerm *term)
{
  if (self->n_terms == TP_UNPACK_MAX_TERMS)
    return FALSE;
  self->terms[self->n_terms++] = *term;
  return TRUE;
}

/* Takes the last term apart: TRUE, there are others for it. */
static gboolean
expand_last (TpUnpack *self, gboolean *out_is_full)
{
  TpUnpackTerm *last = &self->terms[self->n_terms - 1];
  const TpExpr *e = &self->nest->exprs[last->a];
  gboolean is_negative = last->is_negative;

  if (last->b >= 0 || e->is_integer)
    return FALSE;
  switch (e->op)
    {
    case TP_EXPR_MUL:
      last->a = e->a;
      last->b = e->b;
      return FALSE;
    case TP_EXPR_NEG:
      *last = (TpUnpackTerm){ e->a, -1, !is_negative };
      return TRUE;
    case TP_EXPR_ADD:
    case TP_EXPR_SUB:
      *last = (TpUnpackTerm){ e->b, -1,
                              is_negative != (e->op == TP_EXPR_SUB) };
      *out_is_full = !add_term (self, &(TpUnpackTerm){ e->a, -1, is_negative });
      return !*out_is_full;
    default:
      return FALSE;
    }
}

/* The terms of @sum; each that is done goes to the front of what is open. FALSE: there
 * are too many. */
static gboolean
find_terms (TpUnpack *self, int sum)
{
  TpUnpackTerm done[TP_UNPACK_MAX_TERMS];
  gboolean is_full = FALSE;
  int n = 0;

  add_term (self, &(TpUnpackTerm){ sum, -1, FALSE });
  while (self->n_terms > 0)
    {
      while (expand_last (self, &is_full))
        ;
      if (is_full || n == TP_UNPACK_MAX_TERMS)
        return FALSE;
      done[n++] = self->terms[--self->n_terms];
    }
  for (int i = 0; i < n; i++)
    add_term (self, &done[i]);
  return TRUE;
}

/* ---- the factor -------------------------------------------------------- */

/* Reduce axes: those that @factor, or -1, walks come first. */
static void
order_loops (TpUnpack *self, int factor)
{
  gboolean walked[TP_NEST_MAX_AXES] = { FALSE };

  if (factor >= 0)
    tp_contract_find_axes (self->nest, factor, walked);
  self->n_loops = 0;
  for (int is_rest = 0; is_rest < 2; is_rest++)
    {
      for (int i = 0; i < self->nest->n_axes; i++)
        if (self->nest->axes[i].is_reduce && walked[i] == !is_rest)
          self->loops[self->n_loops++] = i;
      if (!is_rest)
        self->n_walked = self->n_loops;
    }
}

/* The factor of @expr that some reduce axis does not walk, and the sum of the rest. */
static int
find_factor (TpUnpack *self, int expr)
{
  const TpExpr *e = &self->nest->exprs[expr];

  for (int i = 0; i < 2 && e->op == TP_EXPR_MUL && !e->is_integer; i++)
    {
      self->factor = i == 0 ? e->b : e->a;
      order_loops (self, self->factor);
      if (self->n_walked < self->n_loops)
        return i == 0 ? e->a : e->b;
    }
  self->factor = -1;
  order_loops (self, -1);
  return expr;
}

/* ---- axes -------------------------------------------------------------- */

/* The axis of columns: neighbours in the result, which a packed constant walks. */
static int
find_n_axis (const TpBuild *build, const TpNest *nest)
{
  int expr = nest->stages[0].expr;
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  int axis = 0;

  while (axis < nest->n_axes
         && (nest->store.stride[axis] != 1 || nest->axes[axis].is_reduce))
    axis++;
  if (axis == nest->n_axes || !tp_panels_fit (build, nest, expr, axis))
    return -1;
  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].stride[axis] != 0
        && tp_dtype_is_integer (nest->loads[i].dtype))
      return axis;
  return -1;
}

/* Whether @axis is one of rows: what is read along the columns is the same for all. */
static gboolean
is_row_axis (const TpUnpack *self, int axis)
{
  const TpNest *nest = self->nest;
  g_autofree gboolean *used
      = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].stride[self->n_axis] != 0
        && nest->loads[i].stride[axis] != 0)
      return FALSE;
  return TRUE;
}

/* Of several axes of rows the longest is tiled. */
static void
find_roles (TpUnpack *self)
{
  const TpNest *nest = self->nest;

  self->row_axis = -1;
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && i != self->n_axis && is_row_axis (self, i)
        && (self->row_axis < 0
            || nest->axes[i].extent > nest->axes[self->row_axis].extent))
      self->row_axis = i;
  self->n_outer_points = 1;
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && i != self->n_axis && i != self->row_axis)
      {
        self->outer[self->n_outer++] = i;
        self->n_outer_points *= nest->axes[i].extent;
      }
  self->n_rows = self->row_axis < 0 ? 1 : nest->axes[self->row_axis].extent;
  self->n_total = nest->axes[self->n_axis].extent;
}

/* Products of integers alone are for others: dot products of bytes. */
static gboolean
has_real (const TpNest *nest)
{
  g_autofree gboolean *used
      = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && !tp_dtype_is_integer (nest->loads[i].dtype))
      return TRUE;
  return FALSE;
}

static gboolean
has_index (const TpNest *nest)
{
  g_autofree gboolean *used
      = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].index >= 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_sum (const TpNest *nest)
{
  return nest->n_stages == 1 && nest->stages[0].combiner == TP_COMBINE_SUM
         && !nest->exprs[nest->stages[0].expr].is_integer
         && !tp_nest_covers_reduce (nest) && !has_index (nest)
         && has_real (nest)
         && nest->n_axes < TP_NEST_MAX_AXES; /* cutting takes one */
}

TpUnpack *
tp_unpack_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpUnpack) self = NULL;
  int n_axis = is_sum (nest) ? find_n_axis (build, nest) : -1;

  if (n_axis < 0)
    return NULL;
  self = tp_new0 (TpUnpack, 1);
  self->target = build->target;
  self->nest = tp_nest_copy (nest);
  self->n_axis = n_axis;
  find_roles (self);
  if (!find_terms (self, find_factor (self, nest->stages[0].expr)))
    return NULL;
  tp_unpack_dots_find (self);
  return g_steal_pointer (&self);
}

void
tp_unpack_free (TpUnpack *unpack)
{
  if (unpack == NULL)
    return;
  tp_nest_free (unpack->nest);
  g_free (unpack);
}
