/* window-analyze.c: axes, tile and groups of the window schedule. */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/nest-canon.h"
#include "schedule/window.h"

#include <string.h>

/* ---- choosing: vector axis --------------------------------------------- */

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
      if (tp_nest_index_walks (nest, load, axis))
        return -1;
      n += load->stride[axis] != 0 && load->stride[axis] != 1;
      *out_has_fit |= load->stride[axis] == 1;
      for (int j = 0; j < load->n_guards; j++)
        if (load->guards[j].coef[axis] != 0)
          return -1;
    }
  return n;
}

/* Is there so much to compute per point that vectors pay even when they are
 * loaded or stored lane by lane? */
static gboolean
is_heavy (const TpNest *nest)
{
  g_autofree gboolean *used = g_new0 (gboolean, nest->n_exprs);

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

/* ---- choosing: tile ---------------------------------------------------- */

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
find_interior (const TpNest *nest, TpGrid *grid)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int t = grid->tile_axis;

  grid->tile_lo = 0;
  grid->tile_hi = nest->axes[t].extent;
  for (int i = 0; i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &nest->loads[i].guards[j];
        gint64 lo = guard->offset, hi = guard->offset, coef = guard->coef[t];

        if (coef == 0)
          continue;
        for (int a = 0; a < nest->n_axes; a++)
          {
            gint64 last = guard->coef[a] * (nest->axes[a].extent - 1);

            lo += a == t ? 0 : MIN (last, 0);
            hi += a == t ? 0 : MAX (last, 0);
          }
        if (coef < 0 || hi - lo >= guard->extent)
          grid->tile_hi = 0;
        else
          {
            gint64 end = (guard->extent - 1 - hi) / coef + 1;

            grid->tile_lo = MAX (grid->tile_lo,
                                 (MAX (-lo, 0) + coef - 1) / coef);
            grid->tile_hi = guard->extent - 1 < hi
                                ? 0 : MIN (grid->tile_hi, end);
          }
      }
  if (grid->tile_hi <= grid->tile_lo)
    grid->tile_lo = grid->tile_hi = 0;
}

static void
choose_tile (const TpNest *nest, const TpTarget *target, TpGrid *grid)
{
  int most = target->n_registers >= 32 ? 8 : 4, t;
  gint64 vectors = nest->axes[grid->vaxis].extent / grid->lanes, extent;

  t = find_tile_axis (nest, grid->vaxis);
  if (t < 0)
    {
      grid->unroll = CLAMP (vectors, 1, 4);
      return;
    }
  grid->tile_axis = t;
  find_interior (nest, grid);
  extent = nest->axes[t].extent;
  if (extent < 2 * most)      /* one fixed tile */
    {
      grid->tile = extent;
      grid->tile_lo = grid->tile_hi = 0;
    }
  else if (grid->tile_lo <= most && extent - grid->tile_hi <= most)
    grid->tile = most;
  else
    grid->tile_axis = -1;     /* mostly border */
}

/* The tile axis goes just outside the vector axis. */
static void
order_axes (TpGrid *grid)
{
  int n = 0, order[TP_NEST_MAX_AXES];

  for (int i = 0; i < grid->n; i++)
    if (grid->order[i] != grid->vaxis && grid->order[i] != grid->tile_axis)
      order[n++] = grid->order[i];
  if (grid->tile_axis >= 0)
    order[n++] = grid->tile_axis;
  if (grid->vaxis >= 0)
    order[n++] = grid->vaxis;
  memcpy (grid->order, order, n * sizeof order[0]);
}

/* ---- choosing: loops --------------------------------------------------- */

/* Reduce axes by falling stride of the first load that has them; the last ones
 * are unrolled while the body stays small. */
static void
plan_reduce (TpWindow *window)
{
  const TpNest *nest = window->nest;
  const TpGrid *grid = &window->grid;
  gint64 strides[TP_NEST_MAX_AXES] = { 0 };
  gint64 size = (gint64) grid->tile * grid->unroll;

  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = window->n;

      if (!nest->axes[i].is_reduce)
        continue;
      for (int j = 0; j < nest->n_loads && strides[i] == 0; j++)
        strides[i] = ABS (nest->loads[j].stride[i]);
      for (; at > 0 && strides[window->axes[at - 1]] < strides[i]; at--)
        window->axes[at] = window->axes[at - 1];
      window->axes[at] = i;
      window->n++;
    }
  for (int i = window->n - 1; i >= 0; i--)
    {
      size *= nest->axes[window->axes[i]].extent;
      if (size > 56 || grid->lanes == 1)
        break;
      window->is_unrolled[i] = TRUE;
    }
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
choose_groups (const TpBuild *build, const TpNest *nest, TpGrid *grid)
{
  gint64 points = count_points (nest, FALSE), work = points, groups;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      work *= nest->axes[i].extent;
  groups = CLAMP (work / 16384, 1, 16 * build->target->n_units);
  grid->group_points = (points + groups - 1) / groups;
}

/* Copies that turn an array over: both contiguous axes are cut into blocks, so
 * that lines of both sides are used while they are in the cache. */
static void
block_transpose (TpNest *nest)
{
  int store_axis = -1, load_axis = -1;
  int axes[2];

  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce && nest->store.stride[i] == 1)
      store_axis = i;
    else if (!nest->axes[i].is_reduce && nest->n_loads > 0
             && nest->loads[0].stride[i] == 1)
      load_axis = i;
  axes[0] = load_axis;
  axes[1] = store_axis;
  for (int i = 0; i < 2 && store_axis >= 0 && load_axis >= 0; i++)
    for (int block = 32; block >= 8; block--)
      if (nest->axes[axes[i]].extent > 32
          && nest->axes[axes[i]].extent % block == 0)
        tp_nest_split_axis (nest, axes[i], block);
}

/* Blocks before what is within them. */
static void
order_blocks (TpGrid *grid, int n_axes)
{
  int n = 0, order[TP_NEST_MAX_AXES];

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < grid->n; i++)
      if ((grid->order[i] >= n_axes) == (pass == 0))
        order[n++] = grid->order[i];
  memcpy (grid->order, order, n * sizeof order[0]);
}

static void
choose_vector (TpBuild *build, TpNest *nest, TpGrid *grid)
{
  const TpTarget *target = build->target;
  gint64 extent;

  grid->lanes = target->lanes;
  extent = nest->axes[grid->vaxis].extent;
  while (grid->lanes > 4 && grid->lanes / 2 >= extent)
    grid->lanes /= 2;
  tp_build_pack_constants (build, nest, grid->vaxis);
  if (nest->n_stages > 0)
    choose_tile (nest, target, grid);
  else if (extent >= 16 * grid->lanes)
    grid->unroll = nest->n_exprs <= 4 ? 4 : 2;
}

void
tp_window_choose (TpWindow *window, TpBuild *build, const TpNest *nest)
{
  const TpTarget *target = build->target;
  TpNest *copy = tp_nest_copy (nest);
  TpGrid *grid = &window->grid;

  *window = (TpWindow) { .nest = copy };
  tp_grid_init (grid, copy);
  if (target->lanes > 1 && target->local_size == 1)
    grid->vaxis = find_vector_axis (copy);
  if (grid->vaxis >= 0)
    choose_vector (build, copy, grid);
  else if (copy->n_stages == 0 && target->local_size == 1)
    {
      block_transpose (copy);
      tp_grid_init (grid, copy);
    }
  order_axes (grid);
  if (copy->n_axes > nest->n_axes)
    order_blocks (grid, nest->n_axes);
  plan_reduce (window);
  choose_groups (build, copy, grid);
}

void
tp_window_clear (TpWindow *window)
{
  g_clear_pointer (&window->nest, tp_nest_free);
}
