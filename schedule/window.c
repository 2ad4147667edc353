/* window.c: the body of a step: for windows (depthwise convolutions, pools)
 * several points of a row at once, so that a weight loaded is used several
 * times. Without reduce axes it is a map or a move. Borders differ from the
 * interior only in loop bounds. */
#include "config.h"

#include "schedule/window.h"

#include "ir/guard.h"
#include "schedule/emit-access.h"
#include "schedule/emit-guard.h"
#include "schedule/expr.h"
#include "schedule/nest-canon.h"
#include "schedule/weave.h"

#include <float.h>
#include <string.h>

/* One stage while it is emitted. */
typedef struct
{
  TpEmit *emit;
  const TpWindowPlan *plan;
  const TpGrid *grid;
  const TpStage *stage;
  int tile, vectors;
  int n_done;                 /* stages already known */
  const TpValue *values;      /* theirs, by stage and point */
  gboolean is_neutral;        /* what guards exclude does not count */
  const TpGuard *bounds[TP_NEST_MAX_GUARDS]; /* guards that bounds of loops see to */
  int n_bounds;
  TpValue acc[TP_WINDOW_MAX_POINTS];
} WindowState;

/* ---- points of the tile ------------------------------------------------ */

static void
set_point (TpEmit *e, const TpGrid *grid, int vectors, int point)
{
  if (grid->tile_axis >= 0)
    e->axes[grid->tile_axis].delta = point / vectors * grid->tile_step;
  if (grid->vaxis >= 0 && grid->vaxis != grid->tile_axis)
    e->axes[grid->vaxis].delta = (gint64) (point % vectors) * grid->lanes;
}

/* ---- bounds of reduce loops -------------------------------------------- */

/* Does @guard hold at every point of the tile? */
static gboolean
is_held (const WindowState *state, const TpGuard *guard)
{
  gboolean holds = TRUE;

  for (int i = 0; i < state->tile * state->vectors && holds; i++)
    {
      set_point (state->emit, state->grid, state->vectors, i);
      holds = tp_emit_guard_holds (state->emit, guard);
    }
  set_point (state->emit, state->grid, 1, 0);
  return holds;
}

/* Is it known for each point whether @guard holds: are its axes at constant
 * places, or unrolled? */
static gboolean
is_fixed (const WindowState *state, const TpGuard *guard)
{
  const TpEmit *e = state->emit;

  for (int i = 0; i < e->nest->n_axes; i++)
    if (guard->coef[i] != 0 && !e->nest->axes[i].is_reduce
        && (i == e->vaxis || e->axes[i].lo != e->axes[i].hi))
      return FALSE;
  for (int i = 0; i < state->plan->n; i++)
    if (guard->coef[state->plan->axes[i]] != 0 && !state->plan->is_unrolled[i])
      return FALSE;
  return TRUE;
}

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

/* The first load of the stage that has guards, as all such have then; NULL: none. */
static const TpAccess *
find_guarded (const WindowState *state)
{
  const TpNest *nest = state->emit->nest;
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, state->stage->expr);

  for (int i = 0; state->is_neutral && i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].n_guards > 0)
      return &nest->loads[i];
  return NULL;
}

/* Is the loop over reduce axis @axis (or -1) to see to a guard? On GPUs an unrolled one
 * stays so, and what a guard excludes is selected away. */
static gboolean
is_bounded (const WindowState *state, int axis)
{
  for (int i = 0; i < state->plan->n; i++)
    if (state->plan->axes[i] == axis)
      return state->grid->local_size == 1 || !state->plan->is_unrolled[i];
  return FALSE;
}

/* Can loops skip the points outside, and which guards do they see to: those that
 * bound one axis? On CPUs they do it for all or for none. */
static void
find_skips (WindowState *state)
{
  TpEmit *e = state->emit;
  double outside, identity = tp_combiner_identity (state->stage->combiner);
  const TpAccess *load;
  gboolean is_whole = TRUE;

  state->n_bounds = 0;
  state->is_neutral
      = tp_nest_find_outside (e->nest, state->stage->expr, &outside)
        && CLAMP (outside, -FLT_MAX, FLT_MAX)
               == CLAMP (identity, -FLT_MAX, FLT_MAX);
  load = find_guarded (state);
  set_reduce_ranges (e);
  for (int i = 0; load != NULL && i < load->n_guards; i++)
    {
      const TpGuard *guard = &load->guards[i];

      if (is_held (state, guard) || is_fixed (state, guard))
        continue;
      if (is_bounded (state, guard_axis (state, guard)))
        state->bounds[state->n_bounds++] = guard;
      else
        is_whole = FALSE;
    }
  if (state->grid->local_size == 1 && !is_whole)
    {
      state->is_neutral = FALSE;
      state->n_bounds = 0;
    }
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
  gboolean is_constant = TRUE;

  *first = tp_k_index (e->kernel, 0);
  *end = tp_k_index (e->kernel, e->nest->axes[axis].extent);
  for (int i = 0; i < state->n_bounds; i++)
    if (guard_axis (state, state->bounds[i]) == axis)
      {
        narrow (e, state->bounds[i], axis, first, end);
        is_constant = FALSE;
      }
  return is_constant;
}

/* ---- stages ------------------------------------------------------------ */

/* Is the current point known to be outside? */
static gboolean
is_outside (const WindowState *state)
{
  const TpAccess *load = find_guarded (state);

  for (int i = 0; load != NULL && i < load->n_guards; i++)
    if (tp_emit_guard_fails (state->emit, &load->guards[i]))
      return TRUE;
  return FALSE;
}

static void
accumulate (WindowState *state)
{
  TpEmit *e = state->emit;
  int n = state->tile * state->vectors;

  e->held = state->bounds;
  e->n_held = state->n_bounds;
  for (int i = 0; i < n; i++)
    {
      set_point (e, state->grid, state->vectors, i);
      if (is_outside (state))
        continue;
      for (int j = 0; j < state->n_done; j++)
        e->stages[j] = state->values[j * n + i];
      state->acc[i] = tp_emit_accumulate (e, state->stage->combiner,
                                          state->acc[i], state->stage->expr);
    }
  e->n_held = 0;
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
  TpValue start = tp_emit_identity (e, state->stage->combiner,
                                    state->stage->expr);

  for (int i = 0; i < state->tile * state->vectors; i++)
    state->acc[i] = start;
  set_reduce_ranges (e);
  find_skips (state);
  emit_reduce_level (state, 0);
  for (int i = 0; i < state->plan->n; i++)
    tp_emit_clear_axis (e, state->plan->axes[i]);
}

/* ---- result ------------------------------------------------------------ */

/* @point of a tile, unless the item before has it too. */
static void
store_once (TpEmit *e, TpValue value, int point)
{
  gboolean is_shared = e->n_before >= 0;

  if (is_shared)
    tp_emit_if (e, tp_k_binary (e->kernel, TP_I_ILESS, e->n_before,
                                tp_k_index (e->kernel, point + 1)));
  tp_emit_store (e, value);
  if (is_shared)
    tp_emit_end_if (e);
}

static void
store_woven (TpEmit *e, const TpGrid *grid, const TpValue *results, int tile, int vectors)
{
  TpValue woven[TP_WINDOW_MAX_POINTS];

  for (int v = 0; v < vectors; v++)
    {
      for (int i = 0; i < tile; i++)
        woven[i] = results[i * vectors + v];
      set_point (e, grid, vectors, v);
      tp_emit_store_woven (e, woven, tile);
    }
}

/* On a GPU all points are read before the first is written: no compiler has to
 * prove that what is on its way for one does not change by another. */
static void
emit_result (TpEmit *e, const TpGrid *grid, const TpValue *values, int tile,
             int vectors)
{
  gboolean is_gpu = grid->local_size > 1;
  gboolean is_woven = !is_gpu && e->lanes > 1
                      && tp_weave_is_stored (e->nest, e->vaxis, grid->tile_axis)
                      && tile == e->nest->axes[grid->tile_axis].extent;
  int n = tile * vectors;
  TpValue results[TP_WINDOW_MAX_POINTS];

  for (int i = 0; i < n; i++)
    {
      set_point (e, grid, vectors, i);
      for (int j = 0; j < e->nest->n_stages; j++)
        e->stages[j] = values[j * n + i];
      tp_emit_begin_turn (e, e->nest->result);
      results[i] = tp_emit_expr (e, e->nest->result);
      if (!is_gpu && !is_woven)
        tp_emit_store (e, results[i]);
    }
  tp_emit_end_turns (e);
  if (is_woven)
    store_woven (e, grid, results, tile, vectors);
  for (int i = 0; i < n && is_gpu; i++)
    {
      set_point (e, grid, vectors, i);
      store_once (e, results[i], i / vectors);
    }
  set_point (e, grid, 1, 0);
}

static void
emit_body (TpEmit *e, int tile, int vectors, void *data)
{
  const TpWindowPlan *plan = data;
  const TpNest *nest = e->nest;
  int n = tile * vectors;
  g_autofree TpValue *values = tp_new (TpValue, n * nest->n_stages + 1);
  WindowState state = { .emit = e, .plan = plan, .grid = &plan->grid,
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
  emit_result (e, &plan->grid, values, tile, vectors);
  for (int i = plan->n - 1; i >= 0; i--)
    if (nest->store.stride[plan->axes[i]] != 0)
      {
        tp_emit_end_for (e, NULL, 0, NULL);
        tp_emit_clear_axis (e, plan->axes[i]);
      }
}

/* ---- kernels ----------------------------------------------------------- */

void
tp_window_plan_emit (const TpWindowPlan *window, TpBuild *build)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, window->nest);

  tp_grid_emit (&window->grid, emit, emit_body, (void *) window);
  tp_emit_finish (emit, window->nest->n_stages > 0 ? "window" : "pointwise");
}

void
tp_window_plan_emit_shared (const TpWindowPlan *windows, int n, TpBuild *build)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, windows[0].nest);

  emit->is_shared = TRUE;
  emit->kernel->n_groups = 0;
  for (int i = 0; i < n; i++)
    {
      tp_emit_set_nest (emit, windows[i].nest);
      tp_grid_emit (&windows[i].grid, emit, emit_body, (void *) &windows[i]);
    }
  tp_emit_finish (emit, "maps");
}

/* ---- windows ----------------------------------------------------------- */

static void
order_reduce_axes (TpWindowPlan *window)
{
  const TpNest *nest = window->nest;
  gint64 strides[TP_NEST_MAX_AXES] = { 0 };

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
}

void
tp_window_plan_init (TpWindowPlan *window, TpNest *nest)
{
  *window = (TpWindowPlan) { .nest = nest };
  tp_grid_init (&window->grid, nest);
  order_reduce_axes (window);
}

/* The axis at @level becomes two, the inner one of @extent points. */
static gboolean
split_reduce (TpWindowPlan *window, int level, gint64 extent)
{
  int outer = window->nest->n_axes == TP_NEST_MAX_AXES
                  ? -1
                  : tp_nest_split_axis (window->nest, window->axes[level], extent);

  if (outer < 0)
    return FALSE;
  for (int i = window->n; i > level; i--)
    {
      window->axes[i] = window->axes[i - 1];
      window->is_unrolled[i] = window->is_unrolled[i - 1];
    }
  window->n++;
  window->axes[level] = outer;
  window->is_unrolled[level] = FALSE;
  window->is_unrolled[level + 1] = TRUE;
  return TRUE;
}

gboolean
tp_window_plan_unroll (TpWindowPlan *window, gint64 n_terms)
{
  for (int level = window->n - 1; level >= 0 && n_terms > 1; level--)
    {
      gint64 extent = window->nest->axes[window->axes[level]].extent;

      if (n_terms % extent != 0)
        return extent % n_terms == 0 && split_reduce (window, level, n_terms);
      window->is_unrolled[level] = TRUE;
      n_terms /= extent;
    }
  return n_terms == 1;
}

void
tp_window_plan_clear (TpWindowPlan *window)
{
  g_clear_pointer (&window->nest, tp_nest_free);
}
