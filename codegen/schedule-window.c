/* schedule-window.c: vectors along a contiguous spatial axis, and for windows
 * (depthwise convolutions, pools) several points of a row at once, so that a
 * weight loaded is used several times. Without reduce axes this is the
 * pointwise and move schedule; with one lane it is the generic one, which fits
 * every nest and, one point per work-item, every GPU. */
#include "config.h"

#include "codegen/schedule.h"

#include <float.h>
#include <string.h>

#define MAX_POINTS 16

typedef struct
{
  int n;                      /* reduce axes, outer to inner */
  int axes[TP_NEST_MAX_AXES];
  gboolean is_unrolled[TP_NEST_MAX_AXES];
} WindowPlan;

/* One stage while it is emitted. */
typedef struct
{
  TpEmit *emit;
  const WindowPlan *plan;
  const TpGrid *grid;
  const TpStage *stage;
  int tile, vectors;
  int n_done;                 /* stages already known */
  const TpValue *values;      /* theirs, by stage and point */
  gboolean is_clamped;        /* loops skip what guards exclude */
  TpValue acc[MAX_POINTS];
} WindowState;

typedef struct
{
  const WindowPlan *plan;
  const TpGrid *grid;
} WindowData;

/* ---- points of the tile ------------------------------------------------ */

static void
set_point (TpEmit *e, const TpGrid *grid, int vectors, int point)
{
  if (grid->tile_axis >= 0)
    e->axes[grid->tile_axis].delta = point / vectors;
  if (grid->vaxis >= 0)
    e->axes[grid->vaxis].delta = (gint64) (point % vectors) * grid->lanes;
}

/* ---- bounds of reduce loops -------------------------------------------- */

/* The only reduce axis in @guard; -1: none or several, or not one that a loop
 * bound can express for all points of the tile. */
static int
guard_axis (const WindowState *state, const TpGuard *guard)
{
  const TpEmit *e = state->emit;
  int found = -1;

  for (int i = 0; i < e->nest->n_axes; i++)
    {
      if (guard->coef[i] == 0)
        continue;
      if (i == e->vaxis || (i == state->grid->tile_axis && state->tile > 1))
        return -1;
      if (!e->nest->axes[i].is_reduce)
        continue;
      if (found >= 0 || guard->coef[i] < 0)
        return -1;
      found = i;
    }
  return found;
}

static void
set_reduce_ranges (TpEmit *e)
{
  for (int i = 0; i < e->nest->n_axes; i++)
    if (e->nest->axes[i].is_reduce)
      tp_emit_set_axis (e, i, -1, 0, e->nest->axes[i].extent - 1);
}

/* Can the loops skip the points outside: do these not count, and are they
 * bounded one axis at a time? */
static gboolean
can_clamp (const WindowState *state)
{
  TpEmit *e = state->emit;
  g_autofree gboolean *used = tp_nest_find_loads_of (e->nest,
                                                     state->stage->expr);
  double outside, identity = tp_combiner_identity (state->stage->combiner);

  if (!tp_nest_find_outside (e->nest, state->stage->expr, &outside)
      || CLAMP (outside, -FLT_MAX, FLT_MAX)
             != CLAMP (identity, -FLT_MAX, FLT_MAX))
    return FALSE;
  set_reduce_ranges (e);
  for (int i = 0; i < e->nest->n_loads; i++)
    for (int j = 0; used[i] && j < e->nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &e->nest->loads[i].guards[j];

        if (!tp_emit_guard_holds (e, guard) && guard_axis (state, guard) < 0)
          return FALSE;
      }
  return TRUE;
}

/* Narrows [first, end) of reduce axis @axis to where @guard holds:
 * 0 <= base + coef * axis < extent. */
static void
narrow (TpEmit *e, const TpGuard *guard, int axis, TpValue *first, TpValue *end)
{
  TpKernel *k = e->kernel;
  gint64 coef = guard->coef[axis];
  TpPosition saved = e->axes[axis];
  TpValue base, lo, hi, divisor = tp_k_index (k, coef);

  tp_emit_clear_axis (e, axis);
  base = tp_emit_guard_value (e, guard);
  e->axes[axis] = saved;
  lo = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, coef - 1), base);
  lo = tp_k_binary (k, TP_I_IDIV, tp_emit_max_const (e, lo, 0), divisor);
  hi = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, guard->extent + coef - 1),
                    base);
  hi = tp_k_binary (k, TP_I_IDIV, tp_emit_max_const (e, hi, 0), divisor);
  *first = tp_k_binary (k, TP_I_IMAX, *first, lo);
  *end = tp_k_binary (k, TP_I_IMIN, *end, hi);
}

/* Bounds of the loop over @axis; TRUE when they are the constant ones. */
static gboolean
find_bounds (const WindowState *state, int axis, TpValue *first, TpValue *end)
{
  TpEmit *e = state->emit;
  const TpNest *nest = e->nest;
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, state->stage->expr);
  const TpGuard *last = NULL;

  *first = tp_k_index (e->kernel, 0);
  *end = tp_k_index (e->kernel, nest->axes[axis].extent);
  for (int i = 0; state->is_clamped && i < nest->n_loads; i++)
    for (int j = 0; used[i] && j < nest->loads[i].n_guards; j++)
      {
        const TpGuard *guard = &nest->loads[i].guards[j];

        if (tp_emit_guard_holds (e, guard) || guard_axis (state, guard) != axis)
          continue;
        narrow (e, guard, axis, first, end);
        last = guard;
      }
  return last == NULL;
}

/* ---- stages ------------------------------------------------------------ */

static void
accumulate (WindowState *state)
{
  TpEmit *e = state->emit;
  int n = state->tile * state->vectors;

  e->assume_inside = state->is_clamped;
  for (int i = 0; i < n; i++)
    {
      set_point (e, state->grid, state->vectors, i);
      for (int j = 0; j < state->n_done; j++)
        e->stages[j] = state->values[j * n + i];
      state->acc[i] = tp_emit_accumulate (e, state->stage->combiner,
                                          state->acc[i], state->stage->expr);
    }
  e->assume_inside = FALSE;
  set_point (e, state->grid, 1, 0);
}

static void
emit_reduce_level (WindowState *state, int level)
{
  TpEmit *e = state->emit;
  int axis = level < state->plan->n ? state->plan->axes[level] : -1;
  gint64 extent = axis < 0 ? 0 : e->nest->axes[axis].extent;
  int n = state->tile * state->vectors;
  TpValue first, end;

  if (axis < 0)
    {
      accumulate (state);
      return;
    }
  tp_emit_set_axis (e, axis, -1, 0, extent - 1);
  if (find_bounds (state, axis, &first, &end)
      && state->plan->is_unrolled[level])
    {
      for (gint64 i = 0; i < extent; i++)
        {
          tp_emit_set_axis (e, axis, -1, 0, 0);
          e->axes[axis].delta = i;
          emit_reduce_level (state, level + 1);
        }
    }
  else
    {
      tp_emit_set_axis (e, axis, tp_emit_for (e, first, end, 1), 0, extent - 1);
      for (int i = 0; i < n; i++)
        state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
      emit_reduce_level (state, level + 1);
      tp_emit_end_for (e, state->acc, n, state->acc);
    }
  tp_emit_set_axis (e, axis, -1, 0, extent - 1);
}

static void
emit_stage (WindowState *state)
{
  TpEmit *e = state->emit;
  TpValue start = tp_k_f32 (e->kernel, e->lanes,
                            (float) tp_combiner_identity (
                                state->stage->combiner));

  for (int i = 0; i < state->tile * state->vectors; i++)
    state->acc[i] = start;
  set_reduce_ranges (e);
  state->is_clamped = can_clamp (state);
  emit_reduce_level (state, 0);
  for (int i = 0; i < state->plan->n; i++)
    tp_emit_clear_axis (e, state->plan->axes[i]);
}

/* ---- result ------------------------------------------------------------ */

static void
emit_result (TpEmit *e, const TpGrid *grid, const TpValue *values, int tile,
             int vectors)
{
  int n = tile * vectors;

  for (int i = 0; i < n; i++)
    {
      set_point (e, grid, vectors, i);
      for (int j = 0; j < e->nest->n_stages; j++)
        e->stages[j] = values[j * n + i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  set_point (e, grid, 1, 0);
}

static void
emit_body (TpEmit *e, int tile, int vectors, void *data)
{
  const WindowData *window = data;
  const WindowPlan *plan = window->plan;
  const TpNest *nest = e->nest;
  int n = tile * vectors;
  g_autofree TpValue *values = g_new (TpValue, n * nest->n_stages + 1);
  WindowState state = { .emit = e, .plan = plan, .grid = window->grid,
                        .tile = tile, .vectors = vectors, .values = values };

  for (int i = 0; i < nest->n_stages; i++)
    {
      state.stage = &nest->stages[i];
      state.n_done = i;
      emit_stage (&state);
      memcpy (&values[i * n], state.acc, n * sizeof (TpValue));
    }
  for (int i = 0; i < plan->n; i++)
    if (nest->store.stride[plan->axes[i]] != 0)
      {
        gint64 extent = nest->axes[plan->axes[i]].extent;

        tp_emit_set_axis (e, plan->axes[i],
                          tp_emit_for_const (e, 0, extent, 1), 0, extent - 1);
      }
  emit_result (e, window->grid, values, tile, vectors);
  for (int i = plan->n - 1; i >= 0; i--)
    if (nest->store.stride[plan->axes[i]] != 0)
      {
        tp_emit_end_for (e, NULL, 0, NULL);
        tp_emit_clear_axis (e, plan->axes[i]);
      }
}

/* ---- choosing: vector axis --------------------------------------------- */

/* How many accesses are no vector along @axis; -1: guards forbid it. */
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
      n += load->stride[axis] != 0 && load->stride[axis] != 1;
      *out_has_fit |= load->stride[axis] == 1;
      for (int j = 0; j < load->n_guards; j++)
        if (load->guards[j].coef[axis] != 0)
          return -1;
    }
  return n;
}

static int
find_vector_axis (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gboolean has_fit;
      int misfits;

      if (nest->axes[i].is_reduce || nest->store.stride[i] != 1)
        continue;
      misfits = count_misfits (nest, i, used, &has_fit);
      if (misfits == 0 || (misfits > 0 && has_fit))
        if (best < 0 || nest->axes[i].extent > nest->axes[best].extent)
          best = i;
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
  int most = target->n_registers >= 32 ? 8 : 4, best = 1, t;
  gint64 interior, best_steps = G_MAXINT64;

  t = find_tile_axis (nest, grid->vaxis);
  if (t < 0)
    {
      gint64 vectors = nest->axes[grid->vaxis].extent / grid->lanes;

      grid->unroll = vectors >= 4 ? 4 : MAX (1, vectors);
      return;
    }
  grid->tile_axis = t;
  find_interior (nest, grid);
  interior = grid->tile_hi - grid->tile_lo;
  for (int tile = most; tile >= 2; tile--)
    {
      gint64 steps = interior / tile + interior % tile;

      if (tile <= interior && steps < best_steps)
        {
          best = tile;
          best_steps = steps;
        }
    }
  grid->tile = best;
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
plan_reduce (const TpNest *nest, const TpGrid *grid, WindowPlan *plan)
{
  gint64 strides[TP_NEST_MAX_AXES] = { 0 };
  gint64 size = (gint64) grid->tile * grid->unroll;

  *plan = (WindowPlan) { 0 };
  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = plan->n;

      if (!nest->axes[i].is_reduce)
        continue;
      for (int j = 0; j < nest->n_loads && strides[i] == 0; j++)
        strides[i] = ABS (nest->loads[j].stride[i]);
      for (; at > 0 && strides[plan->axes[at - 1]] < strides[i]; at--)
        plan->axes[at] = plan->axes[at - 1];
      plan->axes[at] = i;
      plan->n++;
    }
  for (int i = plan->n - 1; i >= 0; i--)
    {
      size *= nest->axes[plan->axes[i]].extent;
      if (size > 56 || grid->lanes == 1)
        break;
      plan->is_unrolled[i] = TRUE;
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

gboolean
tp_schedule_window (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) copy = tp_nest_copy (nest);
  g_autoptr (TpEmit) emit = NULL;
  int n_axes = nest->n_axes;
  WindowPlan plan;
  TpGrid grid;
  WindowData data = { &plan, &grid };

  tp_grid_init (&grid, copy);
  if (build->target->lanes > 1 && build->target->local_size == 1)
    grid.vaxis = find_vector_axis (copy);
  if (grid.vaxis >= 0)
    choose_vector (build, copy, &grid);
  else if (copy->n_stages == 0 && build->target->local_size == 1)
    {
      block_transpose (copy);
      tp_grid_init (&grid, copy);
    }
  order_axes (&grid);
  if (copy->n_axes > n_axes)
    order_blocks (&grid, n_axes);
  plan_reduce (copy, &grid, &plan);
  choose_groups (build, copy, &grid);
  emit = tp_emit_new (build, copy);
  tp_grid_emit (&grid, emit, emit_body, &data);
  tp_emit_finish (emit, copy->n_stages > 0 ? "window" : "pointwise");
  tp_build_describe (build, "%s lanes=%d tile=%d",
                     copy->n_stages > 0 ? "window" : "pointwise", grid.lanes,
                     MAX (grid.tile, grid.unroll));
  return TRUE;
}
