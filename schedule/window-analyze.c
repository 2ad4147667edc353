/* window-analyze.c: the axes of a nest that vectors and tiles may run along. */
#include "config.h"

#include "schedule/window-analyze.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"

/* ---- vector axis ------------------------------------------------------- */

/* How many accesses are no vector along @axis; -1: guards or indices forbid
 * it. */
static int
count_misfits (const TpNest *nest, int axis, const gboolean *used,
               gboolean *out_has_fit)
{
  int n = 0;

  *out_has_fit = FALSE;
  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if (!tp_nest_is_plain_along (nest, load, axis))
        return -1;
      n += load->stride[axis] != 0 && load->stride[axis] != 1;
      *out_has_fit |= load->stride[axis] == 1;
    }
  return n;
}

/* Is there so much to compute per point that vectors pay even when they are
 * loaded or stored lane by lane? */
static gboolean
is_heavy (const TpNest *nest)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);

  if (nest->n_stages > 0)
    return TRUE;
  tp_nest_mark_used (nest, nest->result, used);
  for (int i = 0; i <= nest->result; i++)
    if (used[i] && nest->exprs[i].op >= TP_EXPR_POW
        && nest->exprs[i].op <= TP_EXPR_COS
        && nest->exprs[i].op != TP_EXPR_NEG && nest->exprs[i].op != TP_EXPR_ABS)
      return TRUE;
  return FALSE;
}

/* 0: no vectors along @axis; else the more the better. */
static gint64
rate_axis (const TpNest *nest, int axis, const gboolean *used)
{
  gboolean has_fit, heavy = is_heavy (nest);
  int misfits = count_misfits (nest, axis, used, &has_fit);
  gint64 extent = nest->axes[axis].extent;

  if (nest->axes[axis].is_reduce || misfits < 0
      || nest->store.stride[axis] == 0)
    return 0;
  if (nest->store.stride[axis] == 1)
    return misfits == 0 || has_fit || heavy ? G_MAXINT32 + extent : 0;
  return heavy && has_fit && misfits == 0 ? extent : 0;
}

static int
find_vector_axis (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  gint64 best_rate = 0;
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gint64 rate = rate_axis (nest, i, used);

      if (rate <= best_rate)
        continue;
      best = i;
      best_rate = rate;
    }
  return best;
}

/* Does it look where an index says? What finds the place is then shared by the vectors
 * of a step, and neighbours read nothing together. */
static gboolean
has_index (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].index >= 0)
      return TRUE;
  return FALSE;
}

/* ---- tile axis --------------------------------------------------------- */

/* The spatial axis along which neighbours share what they read: the one of the
 * smallest step among those a load with reduce axes walks. */
static int
find_tile_axis (const TpNest *nest, int vaxis)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  gint64 best_step = G_MAXINT64;
  int best = -1;

  for (int i = 0; i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->n_axes; j++)
      {
        gint64 step = ABS (nest->loads[i].stride[j]);

        if (j == vaxis || nest->axes[j].is_reduce || step == 0
            || step >= best_step || nest->store.stride[j] == 0)
          continue;
        best = j;
        best_step = step;
      }
  return best;
}

/* Where along the tile axis guards hold for every point of the window. */
static void
find_interior (TpWindowAnalysis *a)
{
  const TpNest *nest = a->wide.nest;
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int t = a->tile_axis;

  a->tile_lo = 0;
  a->tile_hi = nest->axes[t].extent;
  for (int i = 0; i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &nest->loads[i].guards[j];
        gint64 lo = guard->offset, hi = guard->offset, coef = guard->coef[t];

        if (coef == 0)
          continue;
        for (int axis = 0; axis < nest->n_axes; axis++)
          {
            gint64 last = guard->coef[axis] * (nest->axes[axis].extent - 1);

            lo += axis == t ? 0 : MIN (last, 0);
            hi += axis == t ? 0 : MAX (last, 0);
          }
        if (coef < 0 || hi - lo >= guard->extent)
          a->tile_hi = 0;
        else
          {
            gint64 end = (guard->extent - 1 - hi) / coef + 1;

            a->tile_lo = MAX (a->tile_lo, (MAX (-lo, 0) + coef - 1) / coef);
            a->tile_hi = guard->extent - 1 < hi ? 0 : MIN (a->tile_hi, end);
          }
      }
  if (a->tile_hi <= a->tile_lo)
    a->tile_lo = a->tile_hi = 0;
}

/* ---- analysis ---------------------------------------------------------- */

static void
find_copy_axes (TpWindowAnalysis *a)
{
  const TpNest *nest = a->single.nest;

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->store.stride[i] == 1)
      a->store_axis = i;
    else if (!nest->axes[i].is_reduce && nest->n_loads > 0
             && nest->loads[0].stride[i] == 1)
      a->load_axis = i;
  if (nest->n_stages > 0 || a->store_axis < 0 || a->load_axis < 0)
    a->store_axis = a->load_axis = -1;
}

static gint64
count_points (const TpNest *nest, gboolean is_reduce)
{
  gint64 points = 1;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce == is_reduce)
      points *= nest->axes[i].extent;
  return points;
}

static void
find_vectors (TpWindowAnalysis *a, const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) copy = NULL;
  TpNest *turned;

  a->vaxis = find_vector_axis (nest);
  if (a->vaxis < 0)
    return;
  copy = tp_nest_copy (nest);
  turned = copy;
  tp_build_turn_constants (build, turned, a->vaxis);
  tp_window_plan_init (&a->wide, g_steal_pointer (&copy));
  a->has_index = has_index (turned);
  if (nest->n_stages > 0 && !a->has_index)
    a->tile_axis = find_tile_axis (turned, a->vaxis);
  if (a->tile_axis >= 0)
    find_interior (a);
}

TpWindowAnalysis *
tp_window_analysis_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpWindowAnalysis) a = g_new0 (TpWindowAnalysis, 1);

  a->target = build->target;
  a->vaxis = a->tile_axis = a->load_axis = a->store_axis = -1;
  tp_window_plan_init (&a->single, tp_nest_copy (nest));
  a->n_points = count_points (nest, FALSE);
  a->n_terms = count_points (nest, TRUE)
               * MIN (build->n_own_iterations, G_MAXINT32);
  find_copy_axes (a);
  if (a->target->lanes > 1)
    find_vectors (a, build, nest);
  return g_steal_pointer (&a);
}

void
tp_window_analysis_free (TpWindowAnalysis *a)
{
  if (a == NULL)
    return;
  tp_window_plan_clear (&a->single);
  tp_window_plan_clear (&a->wide);
  g_free (a);
}
