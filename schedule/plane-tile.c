/* plane-tile.c: the kernel of a window over planes: tiles of rows by vectors, whose sums
 * stay in registers. Columns of taps go one by one; within one, what a row of x
 * holds serves all results that meet it. */
#include "config.h"

#include "schedule/plane-tile.h"

#include "ir/guard.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/plane-analyze.h"
#include "schedule/plane-plan.h"
#include "schedule/plane-stage.h"

#include <string.h>

#define MAX_UNROLLED 256      /* sums added to in a row, without a loop */

typedef struct
{
  const TpPlanePlan *plan;
  TpEmit *emit;
  int buffer;
  TpValue first;              /* row of the result: the group's first one */
  int rows, vectors;          /* of this tile */
  TpValue at;                 /* where its first vector of x begins in scratch */
  TpValue *loaded;            /* of a column of taps, by row unit and vector; -1 */
  TpValue acc[TP_PLANE_MAX_SUMS];
} State;

/* ---- a tile ------------------------------------------------------------ */

/* The vector of x of row unit @row, at column unit @unit of the first result. */
static TpValue
emit_x (State *state, TpValue at, gint64 row, gint64 unit, int vector)
{
  const TpPlanePlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpValue *value = &state->loaded[row * state->vectors + vector];
  gint64 offset = row * plan->row_pitch + (gint64) vector * plan->lanes
                  + tp_plane_plan_find_column (plan, unit);

  if (*value < 0)
    *value = tp_k_load (e->kernel, state->buffer,
                        tp_emit_add_const (e, at, offset), plan->lanes, -1);
  return *value;
}

static void
set_point (State *state, int row, int vector)
{
  const TpPlane *plane = state->plan->plane;
  TpEmit *e = state->emit;

  if (plane->rows.out >= 0)
    e->axes[plane->rows.out].delta = row;
  e->axes[plane->cols.out].delta = (gint64) vector * state->plan->lanes;
}

/* A column of taps, the one at column unit @unit, further on by what @at is. */
static void
emit_column (State *state, TpValue at, gint64 unit)
{
  const TpPlane *plane = state->plan->plane;
  const TpPlaneDim *rows = &plane->rows;
  const TpStage *stage = &plane->nest->stages[0];
  gint64 n = tp_plane_dim_span (rows, state->rows) * state->vectors;
  TpEmit *e = state->emit;

  memset (state->loaded, -1, n * sizeof *state->loaded);
  for (gint64 tap = 0; tap < rows->n_taps; tap++)
    {
      if (rows->tap >= 0)
        tp_emit_set_axis (e, rows->tap, tp_k_index (e->kernel, tap), tap, tap);
      for (int i = 0; i < state->rows * state->vectors; i++)
        {
          int row = i / state->vectors, vector = i % state->vectors;

          set_point (state, row, vector);
          e->known[plane->x_expr]
              = emit_x (state, at, row * rows->step + tap * rows->reach, unit,
                        vector);
          state->acc[i] = tp_emit_accumulate (e, stage->combiner,
                                              state->acc[i], stage->expr);
        }
    }
  e->known[plane->x_expr] = -1;
  set_point (state, 0, 0);
}

static void
emit_unrolled_columns (State *state)
{
  const TpPlaneDim *cols = &state->plan->plane->cols;
  TpEmit *e = state->emit;

  for (gint64 tap = 0; tap < cols->n_taps; tap++)
    {
      tp_emit_set_axis (e, cols->tap, tp_k_index (e->kernel, tap), tap, tap);
      emit_column (state, state->at, tap * cols->reach);
    }
}

static void
emit_looped_columns (State *state)
{
  const TpPlaneDim *cols = &state->plan->plane->cols;
  TpEmit *e = state->emit;
  int n = state->rows * state->vectors;
  TpValue tap = tp_emit_for_const (e, 0, cols->n_taps, 1);

  for (int i = 0; i < n; i++)
    state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
  tp_emit_set_axis (e, cols->tap, tap, 0, cols->n_taps - 1);
  emit_column (state,
               tp_emit_add (e, state->at,
                            tp_emit_mul_const (e, tap, cols->reach)), 0);
  tp_emit_end_for (e, state->acc, n, state->acc);
}

static void
emit_results (State *state)
{
  TpEmit *e = state->emit;

  for (int i = 0; i < state->rows * state->vectors; i++)
    {
      set_point (state, i / state->vectors, i % state->vectors);
      e->stages[0] = state->acc[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  set_point (state, 0, 0);
}

/* @state->rows x @vectors at the current position; @at: its x in scratch. */
static void
emit_tile (State *state, TpValue at, int vectors)
{
  const TpPlane *plane = state->plan->plane;
  const TpPlaneDim *cols = &plane->cols, *rows = &plane->rows;
  const TpStage *stage = &plane->nest->stages[0];
  gint64 size = cols->n_taps * rows->n_taps * state->rows * vectors;
  TpEmit *e = state->emit;

  state->at = at;
  state->vectors = vectors;
  for (int i = 0; i < state->rows * vectors; i++)
    state->acc[i] = tp_emit_identity (e, stage->combiner, stage->expr);
  if (size > MAX_UNROLLED && cols->step == 1)
    emit_looped_columns (state);
  else
    emit_unrolled_columns (state);
  tp_emit_clear_axis (e, cols->tap);
  if (rows->tap >= 0)
    tp_emit_clear_axis (e, rows->tap);
  emit_results (state);
}

/* ---- rows -------------------------------------------------------------- */

/* A tile of whole rows, from column to column. */
static void
emit_strip (State *state, TpValue at)
{
  const TpPlanePlan *plan = state->plan;
  const TpPlaneDim *cols = &plan->plane->cols;
  TpEmit *e = state->emit;
  gint64 step = (gint64) plan->lanes * plan->vectors;
  gint64 place = cols->n_out / step * step, left = cols->n_out - place;
  int active = left % plan->lanes;

  tp_emit_set_lanes (e, cols->out, plan->lanes, plan->lanes);
  if (place > 0)
    {
      TpValue i = tp_emit_for_const (e, 0, place, step);

      tp_emit_set_axis (e, cols->out, i, 0, place - step);
      emit_tile (state, tp_emit_add (e, at, i), plan->vectors);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (left >= plan->lanes)
    {
      tp_emit_set_axis (e, cols->out, tp_k_index (e->kernel, place), place,
                        place);
      emit_tile (state, tp_emit_add_const (e, at, place), left / plan->lanes);
      place = cols->n_out - active;
    }
  if (active > 0)
    {
      tp_emit_set_axis (e, cols->out, tp_k_index (e->kernel, place), place,
                        place);
      tp_emit_set_lanes (e, cols->out, plan->lanes, active);
      emit_tile (state, tp_emit_add_const (e, at, place), 1);
    }
  tp_emit_clear_axis (e, cols->out);
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* @n rows from row @row of this group on; the last of the result start at @last. */
static void
emit_rows (State *state, TpValue row, gint64 last, int n)
{
  const TpPlaneDim *rows = &state->plan->plane->rows;
  TpEmit *e = state->emit;

  state->rows = n;
  if (rows->out >= 0)
    tp_emit_set_axis (e, rows->out,
                      tp_emit_min_const (e, tp_emit_add (e, state->first, row),
                                         last),
                      0, last);
  emit_strip (state,
              tp_emit_mul_const (e, row, rows->step * state->plan->row_pitch));
  if (rows->out >= 0)
    tp_emit_clear_axis (e, rows->out);
}

/* Whole tiles, then what is left, which only the last block has. */
static void
emit_plane (State *state)
{
  const TpPlanePlan *plan = state->plan;
  gint64 n = plan->plane->rows.n_out, tile = plan->tile, left = n % tile;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue end = tp_k_binary (k, TP_I_ISUB, tp_k_index (k, n - left),
                             state->first);

  end = tp_emit_min_const (e, end, MIN (plan->block, n - left));
  end = tp_emit_add_const (e, end, 1 - tile); /* one past the last start */
  if (n >= tile)
    {
      TpValue row = tp_emit_for (e, tp_k_index (k, 0), end, tile);

      emit_rows (state, row, n - tile, tile);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (left == 0)
    return;
  if (plan->n_blocks > 1)
    tp_emit_if (e, tp_k_binary (k, TP_I_ILESS, tp_k_index (k, n - plan->block - 1),
                                state->first));
  emit_rows (state, tp_k_index (k, (n - left) % plan->block), n - left, left);
  if (plan->n_blocks > 1)
    tp_emit_end_if (e);
}

/* ---- planes ------------------------------------------------------------ */

static void
set_outer (const TpPlane *plane, TpEmit *e, TpValue number)
{
  TpKernel *k = e->kernel;

  for (int i = plane->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = plane->nest->axes[plane->outer[i]].extent;
      TpValue n = tp_k_index (k, extent);

      tp_emit_set_axis (e, plane->outer[i],
                        tp_k_binary (k, TP_I_IMOD, number, n), 0, extent - 1);
      number = tp_k_binary (k, TP_I_IDIV, number, n);
    }
}

static void
emit_planes (State *state, TpValue number)
{
  const TpPlanePlan *plan = state->plan;
  const TpPlane *plane = plan->plane;
  TpEmit *e = state->emit;
  TpValue base = tp_emit_mul_const (e, state->first, plane->rows.step);
  TpValue first = tp_emit_mul_const (e, number, plan->planes);
  TpValue end = tp_emit_min_const (e, tp_emit_add_const (e, first, plan->planes),
                                   plane->n_planes);

  tp_plane_emit_padding (plan, e, state->buffer, base);
  set_outer (plane, e, tp_emit_for (e, first, end, 1));
  tp_plane_emit_copy (plan, e, state->buffer, base);
  emit_plane (state);
  tp_emit_end_for (e, NULL, 0, NULL);
}

void
tp_plane_plan_emit (const TpPlanePlan *plan, TpBuild *build)
{
  const TpPlane *plane = plan->plane;
  g_autoptr (TpEmit) e = tp_emit_new (build, plane->nest);
  TpKernel *k = e->kernel;
  gint64 n_loaded = tp_plane_dim_span (&plane->rows, plan->tile) * plan->vectors;
  g_autofree TpValue *loaded = tp_new (TpValue, n_loaded);
  State state = { .plan = plan, .emit = e, .loaded = loaded };
  TpValue group;

  state.buffer = tp_kernel_add_buffer (k, TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32,
                                       tp_plane_plan_count_elements (plan),
                                       TRUE);
  group = tp_emit_begin_groups (
      e, plan->n_blocks * ((plane->n_planes + plan->planes - 1) / plan->planes));
  state.first = tp_k_index (k, 0);
  if (plan->n_blocks > 1)
    {
      TpValue n = tp_k_index (k, plan->n_blocks);

      state.first = tp_emit_mul_const (e, tp_k_binary (k, TP_I_IMOD, group, n),
                                       plan->block);
      group = tp_k_binary (k, TP_I_IDIV, group, n);
    }
  emit_planes (&state, group);
  tp_emit_end_groups (e);
  tp_emit_finish (e, "plane");
}
