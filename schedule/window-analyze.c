/* window-analyze.c: the axes of a nest that vectors and tiles may run along. */
#include "config.h"

#include "schedule/window-analyze.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"
#include "schedule/weave.h"

#define LEAST_ROW 8           /* of points that are worth finding one by one */

/* ---- borders ----------------------------------------------------------- */

/* Points of an axis. */
typedef struct
{
  gint64 lo, hi;
} Interior;

/* Where along @axis @guard holds, whatever the other axes are. */
static void
cut_interior (const TpNest *nest, const TpGuard *guard, int axis, Interior *cut)
{
  gint64 lo = guard->offset, hi = guard->offset, coef = guard->coef[axis];

  if (coef == 0)
    return;
  for (int i = 0; i < nest->n_axes; i++)
    {
      gint64 last = guard->coef[i] * (nest->axes[i].extent - 1);

      lo += i == axis ? 0 : MIN (last, 0);
      hi += i == axis ? 0 : MAX (last, 0);
    }
  if (coef < 0 || hi - lo >= guard->extent)
    cut->hi = 0;
  else
    {
      gint64 end = (guard->extent - 1 - hi) / coef + 1;

      cut->lo = MAX (cut->lo, (MAX (-lo, 0) + coef - 1) / coef);
      cut->hi = guard->extent - 1 < hi ? 0 : MIN (cut->hi, end);
    }
}

/* Loads whose values are wanted, not only whether guards hold, in which lanes may
 * differ. */
static gboolean *
find_loaded (const TpNest *nest)
{
  g_autofree gboolean *loaded = tp_new0 (gboolean, nest->n_loads + 1);
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_exprs; i++)
    if (nest->exprs[i].op == TP_EXPR_LOAD)
      loaded[nest->exprs[i].index] = used[nest->exprs[i].index];
  return g_steal_pointer (&loaded);
}

/* Where guards hold for every point of the window; empty: { 0, 0 }. */
static Interior
find_interior (const TpNest *nest, int axis)
{
  g_autofree gboolean *used = find_loaded (nest);
  Interior cut = { 0, nest->axes[axis].extent };

  for (int i = 0; i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->loads[i].n_guards; j++)
      cut_interior (nest, &nest->loads[i].guards[j], axis, &cut);
  return cut.hi <= cut.lo ? (Interior) { 0, 0 } : cut;
}

/* ---- vector axis ------------------------------------------------------- */

/* What accesses are along an axis. */
typedef struct
{
  int n_misfits;              /* no vector */
  gboolean has_fit;
  gboolean is_looked_up;      /* some index is computed */
  gboolean is_gathered;       /* and walks it */
} Fit;

/* Where an index is computed, that being done for all lanes at once pays for lanes that
 * are then loaded, and stored, one by one. */
static Fit
find_fit (const TpNest *nest, int axis, const gboolean *used)
{
  Fit fit = { 0 };

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];
      gboolean walks = tp_nest_index_walks (nest, load, axis);
      gboolean is_computed
          = load->index >= 0 && nest->exprs[load->index].op != TP_EXPR_LOAD;
      gint64 stride = load->stride[axis];
      gboolean is_fit = stride == 1 || tp_weave_is_for (stride);

      if (!used[i])
        continue;
      fit.n_misfits += walks || (stride != 0 && !is_fit);
      fit.has_fit |= is_fit;
      fit.is_looked_up |= is_computed;
      fit.is_gathered |= is_computed && walks;
    }
  return fit;
}

/* Beside points at a border, which run alone, are there vectors? */
static gboolean
has_vectors (const TpNest *nest, int axis)
{
  Interior interior = find_interior (nest, axis);
  gint64 n = interior.hi - interior.lo, extent = nest->axes[axis].extent;

  return n == extent || (n >= LEAST_ROW && n >= extent / 2);
}

/* Is there so much to compute per point that vectors pay even when they are
 * loaded or stored lane by lane? */
static gboolean
takes_much (const TpNest *nest)
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

/* The axis whose points vectors along @vaxis are woven with when they are stored; -1. */
static int
find_woven (const TpNest *nest, int vaxis)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (tp_weave_is_stored (nest, vaxis, i))
      return i;
  return -1;
}

/* 0: no vectors along @axis; else the more the better. Short rows are worse than many
 * points whose place is computed. */
static gint64
rate_axis (const TpNest *nest, int axis, const gboolean *used)
{
  gboolean is_heavy = takes_much (nest);
  gint64 extent = nest->axes[axis].extent, stride = nest->store.stride[axis];
  gboolean is_woven = find_woven (nest, axis) >= 0;
  Fit fit = find_fit (nest, axis, used);

  if (nest->axes[axis].is_reduce || stride == 0 || !has_vectors (nest, axis))
    return 0;
  if ((stride == 1 || is_woven)
      && (extent >= LEAST_ROW || (!fit.is_looked_up && nest->n_stages == 0)))
    extent += G_MAXINT32;
  if (fit.is_gathered)
    return extent;
  if (stride == 1 || is_woven)
    return fit.n_misfits == 0 || fit.has_fit || is_heavy ? extent : 0;
  return is_heavy && fit.has_fit && fit.n_misfits == 0 ? extent : 0;
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

/* Is @axis one along which elements lie that one index leads to: is it walked by what
 * is looked up, and by no index? */
static gboolean
shares_index (const TpNest *nest, int axis, const gboolean *used)
{
  gboolean is_walked = FALSE;

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if (!tp_nest_is_plain_along (nest, load, axis))
        return FALSE;
      is_walked |= load->index >= 0 && load->stride[axis] != 0;
    }
  return is_walked && !nest->axes[axis].is_reduce && nest->store.stride[axis] != 0;
}

/* Where to look is found once for all that is found there: for vectors of a step if
 * they run along that, or else for its tile. */
static void
find_shared (TpWindowAnalysis *a, const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  a->shares_index = shares_index (nest, a->vaxis, used);
  for (int i = 0; i < nest->n_axes && !a->shares_index && a->tile_axis < 0; i++)
    if (shares_index (nest, i, used))
      a->tile_axis = i;
}

static gboolean
has_index (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].index >= 0)
      return TRUE;
  return FALSE;
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
  Interior interior;
  TpNest *turned;

  a->vaxis = find_vector_axis (nest);
  if (a->vaxis < 0)
    return;
  copy = tp_nest_copy (nest);
  turned = copy;
  tp_build_turn_constants (build, turned, a->vaxis);
  tp_window_plan_init (&a->wide, g_steal_pointer (&copy));
  if (has_index (turned))
    find_shared (a, turned);
  else if (find_woven (turned, a->vaxis) >= 0)
    a->tile_axis = find_woven (turned, a->vaxis);
  else if (nest->n_stages > 0)
    a->tile_axis = find_tile_axis (turned, a->vaxis);
  interior = find_interior (turned, a->vaxis);
  a->n_before = interior.lo;
  a->n_after = turned->axes[a->vaxis].extent - interior.hi;
  if (a->tile_axis < 0)
    return;
  interior = find_interior (turned, a->tile_axis);
  a->tile_lo = interior.lo;
  a->tile_hi = interior.hi;
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
  a->is_repeated = build->n_own_iterations > 1;
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
