/* plane-analyze.c: is a nest a window that slides over planes in rows? */
#include "config.h"

#include "schedule/plane-analyze.h"

#include "ir/types.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"

/* ---- what is staged ---------------------------------------------------- */

/* The one load of @expr that walks @axis; -1: none, or several. */
static int
find_walker (const TpNest *nest, int expr, int axis)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  int found = -1;

  for (int i = 0; i < nest->n_loads; i++)
    {
      if (!used[i] || nest->loads[i].stride[axis] == 0)
        continue;
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}

/* Whether @expr is made of one load in rows along @axis, and of what is the same
 * along it. */
static gboolean
try_staged (TpPlane *plane, const TpNest *nest, int expr, int axis)
{
  int load = find_walker (nest, expr, axis);

  if (load < 0 || nest->exprs[expr].is_integer
      || nest->loads[load].index >= 0
      || tp_dtype_is_integer (nest->loads[load].dtype)
      || nest->loads[load].stride[axis] <= 0)
    return FALSE;
  plane->x_load = load;
  plane->x_expr = expr;
  return nest->loads[load].n_guards == 0
         || tp_nest_find_outside (nest, expr, &plane->fill);
}

/* A factor of a product, or all of what is combined. */
static gboolean
find_staged (TpPlane *plane, const TpNest *nest, int axis)
{
  const TpStage *stage = &nest->stages[0];
  const TpExpr *expr = &nest->exprs[stage->expr];

  if (expr->op == TP_EXPR_MUL && stage->combiner == TP_COMBINE_SUM
      && (try_staged (plane, nest, expr->a, axis)
          || try_staged (plane, nest, expr->b, axis)))
    return TRUE;
  return try_staged (plane, nest, stage->expr, axis);
}

/* All other loads are the same along the vectors, or contiguous ones of the
 * result. */
static gboolean
others_fit (const TpPlane *plane, const TpNest *nest, int axis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  g_autofree gboolean *in_stage
      = tp_nest_find_loads_of (nest, nest->stages[0].expr);

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i] || i == plane->x_load)
        continue;
      if (load->n_guards > 0 || tp_nest_index_walks (nest, load, axis)
          || load->stride[axis] < 0 || load->stride[axis] > !in_stage[i])
        return FALSE;
    }
  return TRUE;
}

/* ---- dimensions -------------------------------------------------------- */

static gboolean
share_guard (const TpAccess *access, int a, int b)
{
  for (int i = 0; i < access->n_guards; i++)
    if (access->guards[i].coef[a] != 0 && access->guards[i].coef[b] != 0)
      return TRUE;
  return FALSE;
}

gint64
tp_plane_dim_span (const TpPlaneDim *dim, gint64 n_out)
{
  return (n_out - 1) * dim->step + (dim->n_taps - 1) * dim->reach + 1;
}

static void
set_carrier (TpPlaneDim *dim)
{
  if (dim->tap >= 0 && dim->reach == 1)
    dim->carrier = dim->tap;
  if (dim->out >= 0 && dim->step == 1)
    dim->carrier = dim->out;
}

/* @dim along @out and @tap. FALSE: neither walks it a unit at a time. */
static gboolean
dim_init (TpPlaneDim *dim, const TpNest *nest, const TpAccess *x, int out,
          int tap)
{
  gint64 step = out < 0 ? 0 : x->stride[out];
  gint64 reach = tap < 0 ? 0 : x->stride[tap];
  gint64 unit = MAX (tp_gcd (step, reach), 1);

  *dim = (TpPlaneDim) { .out = out, .tap = tap, .carrier = -1,
                        .n_out = out < 0 ? 1 : nest->axes[out].extent,
                        .n_taps = tap < 0 ? 1 : nest->axes[tap].extent,
                        .step = step / unit, .reach = reach / unit };
  dim->hi = tp_plane_dim_span (dim, dim->n_out);
  set_carrier (dim);
  return step >= 0 && reach >= 0 && dim->step <= TP_PLANE_MAX_STEP
         && (dim->carrier >= 0 || (out < 0 && tap < 0));
}

/* Narrows @dim to what @guard lets pass; FALSE: it asks for something else. */
static gboolean
bound (TpPlaneDim *dim, const TpNest *nest, const TpGuard *guard)
{
  gint64 scale = dim->carrier < 0 ? 0 : guard->coef[dim->carrier], lo, hi;

  for (int i = 0; i < nest->n_axes; i++)
    if (guard->coef[i] != (i == dim->out ? scale * dim->step
                           : i == dim->tap ? scale * dim->reach : 0))
      return FALSE;
  if (scale <= 0)
    return FALSE;
  lo = guard->offset >= 0 ? 0 : (-guard->offset + scale - 1) / scale;
  hi = guard->extent - 1 - guard->offset;
  hi = hi < 0 ? 0 : hi / scale + 1;
  dim->lo = MAX (dim->lo, lo);
  dim->hi = MIN (dim->hi, hi);
  return TRUE;
}

/* What guards let pass: at least one unit each way. */
static gboolean
bound_all (TpPlane *plane, const TpNest *nest)
{
  const TpAccess *x = &nest->loads[plane->x_load];

  for (int i = 0; i < x->n_guards; i++)
    if (!bound (&plane->rows, nest, &x->guards[i])
        && !bound (&plane->cols, nest, &x->guards[i]))
      return FALSE;
  return plane->rows.lo < plane->rows.hi && plane->cols.lo < plane->cols.hi;
}

/* All else that is staged is the same for the whole plane. */
static gboolean
is_same_for_plane (const TpPlane *plane, const TpNest *nest)
{
  const int axes[] = { plane->rows.out, plane->rows.tap, plane->cols.out,
                       plane->cols.tap };
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, plane->x_expr);

  for (int i = 0; i < nest->n_loads; i++)
    for (guint k = 0; k < G_N_ELEMENTS (axes); k++)
      if (used[i] && i != plane->x_load && axes[k] >= 0
          && (nest->loads[i].stride[axes[k]] != 0
              || nest->loads[i].index >= 0))
        return FALSE;
  return TRUE;
}

/* ---- axes -------------------------------------------------------------- */

/* The reduce axis that walks columns as @out does: the one of the smallest step,
 * if that leads no further than to other columns. */
static int
find_column_tap (const TpNest *nest, const TpAccess *x, int out)
{
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && x->stride[i] > 0
        && (best < 0 || x->stride[i] < x->stride[best]))
      best = i;
  if (best >= 0 && !share_guard (x, best, out)
      && x->stride[best] > (nest->axes[out].extent - 1) * x->stride[out])
    return -1;
  return best;
}

/* The spatial axis that walks rows as @tap does. */
static int
find_row_out (const TpNest *nest, const TpAccess *x, int tap, int column)
{
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && i != column && x->stride[i] > 0)
      {
        if (share_guard (x, i, tap))
          return i;
        if (best < 0 || x->stride[i] < x->stride[best])
          best = i;
      }
  return best;
}

static gboolean
find_dims (TpPlane *plane, const TpNest *nest, int column)
{
  const TpAccess *x = &nest->loads[plane->x_load];
  int tap = find_column_tap (nest, x, column), row_tap = -1, row_out = -1;

  if (tap < 0)
    return FALSE;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && i != tap)
      {
        if (row_tap >= 0)
          return FALSE;
        row_tap = i;
      }
  if (row_tap >= 0)
    row_out = find_row_out (nest, x, row_tap, column);
  return dim_init (&plane->cols, nest, x, column, tap)
         && dim_init (&plane->rows, nest, x, row_out, row_tap)
         && x->stride[plane->cols.carrier] == 1 && bound_all (plane, nest)
         && is_same_for_plane (plane, nest);
}

static void
find_outer (TpPlane *plane, const TpNest *nest)
{
  plane->n_planes = 1;
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && i != plane->cols.out
        && i != plane->rows.out)
      {
        plane->outer[plane->n_outer++] = i;
        plane->n_planes *= nest->axes[i].extent;
      }
}

static int
find_column (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->store.stride[i] == 1
        && nest->axes[i].extent >= 4)
      return i;
  return -1;
}

TpPlane *
tp_plane_new (const TpBuild *build, const TpNest *nest)
{
  TpPlane plane = { .target = build->target, .is_rival = build->is_rival };
  int column = find_column (nest);

  if (column < 0 || nest->n_stages != 1 || tp_nest_covers_reduce (nest)
      || nest->exprs[nest->stages[0].expr].is_integer
      || tp_dtype_is_integer (nest->store.dtype)
      || !find_staged (&plane, nest, column)
      || !others_fit (&plane, nest, column)
      || !find_dims (&plane, nest, column))
    return NULL;
  find_outer (&plane, nest);
  plane.nest = tp_nest_copy (nest);
  return g_memdup2 (&plane, sizeof plane);
}

void
tp_plane_free (TpPlane *plane)
{
  if (plane == NULL)
    return;
  tp_nest_free (plane->nest);
  g_free (plane);
}
