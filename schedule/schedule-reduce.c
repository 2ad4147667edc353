/* schedule-reduce.c: reductions along a contiguous axis (softmax, means, dot
 * products): vectors run along that axis, several accumulators hide the latency
 * of addition, lanes are joined at the end of each stage. */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/expr.h"
#include "schedule/grid.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule.h"

#define N_ACCUMULATORS 4

typedef struct
{
  int axis;                   /* reduce axis of the vectors */
  int lanes;
  int n_others;               /* other reduce axes, outer to inner */
  int others[TP_NEST_MAX_AXES];
} ReducePlan;

/* One stage while it is emitted. */
typedef struct
{
  TpEmit *emit;
  const ReducePlan *plan;
  const TpStage *stage;
  int n;                      /* accumulators */
  TpValue acc[N_ACCUMULATORS];
} StageState;

/* ---- stages ------------------------------------------------------------ */

static void
open_others (TpEmit *e, const ReducePlan *plan, StageState *state)
{
  for (int i = 0; i < plan->n_others; i++)
    {
      int axis = plan->others[i];
      gint64 extent = e->nest->axes[axis].extent;

      tp_emit_set_axis (e, axis, tp_emit_for_const (e, 0, extent, 1), 0,
                        extent - 1);
      for (int j = 0; state != NULL && j < state->n; j++)
        state->acc[j] = tp_k_carry (e->kernel, state->acc[j]);
    }
}

static void
close_others (TpEmit *e, const ReducePlan *plan, StageState *state)
{
  for (int i = plan->n_others - 1; i >= 0; i--)
    {
      if (state == NULL)
        tp_emit_end_for (e, NULL, 0, NULL);
      else
        tp_emit_end_for (e, state->acc, state->n, state->acc);
      tp_emit_clear_axis (e, plan->others[i]);
    }
}

static void
accumulate_whole (StageState *state, int vectors)
{
  TpEmit *e = state->emit;
  int axis = state->plan->axis;

  for (int i = 0; i < vectors; i++)
    {
      e->axes[axis].delta = (gint64) i * state->plan->lanes;
      state->acc[i] = tp_emit_accumulate (e, state->stage->combiner,
                                          state->acc[i], state->stage->expr);
    }
  e->axes[axis].delta = 0;
}

/* The last vector: lanes past the end take the identity. */
static void
accumulate_tail (StageState *state, int active)
{
  TpEmit *e = state->emit;
  TpCombiner combiner = state->stage->combiner;
  TpValue value;

  tp_emit_set_lanes (e, state->plan->axis, state->plan->lanes, active);
  value = tp_emit_expr (e, state->stage->expr);
  value = tp_k_select (e->kernel, tp_emit_mask (e), value,
                       tp_emit_identity (e, combiner, state->stage->expr));
  state->acc[0] = tp_emit_combine (e, combiner, state->acc[0], value);
  tp_emit_set_lanes (e, state->plan->axis, e->lanes, e->lanes);
}

static void
accumulate_axis (StageState *state)
{
  TpEmit *e = state->emit;
  int axis = state->plan->axis, lanes = state->plan->lanes;
  gint64 extent = e->nest->axes[axis].extent;
  gint64 step = (gint64) state->n * lanes, at = extent / step * step;
  int vectors = (extent - at) / lanes;

  if (at > 0)
    {
      TpValue pos = tp_emit_for_const (e, 0, at, step);

      tp_emit_set_axis (e, axis, pos, 0, at - step);
      for (int i = 0; i < state->n; i++)
        state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
      accumulate_whole (state, state->n);
      tp_emit_end_for (e, state->acc, state->n, state->acc);
    }
  tp_emit_set_axis (e, axis, tp_k_index (e->kernel, at), at, at);
  accumulate_whole (state, vectors);
  at += (gint64) vectors * lanes;
  tp_emit_set_axis (e, axis, tp_k_index (e->kernel, at), at, at);
  if (at < extent)
    accumulate_tail (state, extent - at);
  tp_emit_clear_axis (e, axis);
}

static TpValue
join_lanes (TpEmit *e, TpCombiner combiner, TpValue value)
{
  static const TpInstrOp ops[] = { [TP_COMBINE_SUM] = TP_I_LANE_SUM,
                                   [TP_COMBINE_MAX] = TP_I_LANE_MAX,
                                   [TP_COMBINE_MIN] = TP_I_LANE_MIN };

  return tp_k_unary (e->kernel, ops[combiner], value);
}

static TpValue
emit_stage (TpEmit *e, const ReducePlan *plan, const TpStage *stage)
{
  StageState state = { .emit = e, .plan = plan, .stage = stage };
  gint64 extent = e->nest->axes[plan->axis].extent;

  state.n = CLAMP (extent / plan->lanes, 1, N_ACCUMULATORS);
  tp_emit_set_lanes (e, plan->axis, plan->lanes, plan->lanes);
  for (int i = 0; i < state.n; i++)
    state.acc[i] = tp_emit_identity (e, stage->combiner, stage->expr);
  open_others (e, plan, &state);
  accumulate_axis (&state);
  close_others (e, plan, &state);
  for (int i = 1; i < state.n; i++)
    state.acc[0] = tp_emit_combine (e, stage->combiner, state.acc[0],
                                    state.acc[i]);
  tp_emit_set_lanes (e, -1, 1, 1);
  return join_lanes (e, stage->combiner, state.acc[0]);
}

/* ---- result ------------------------------------------------------------ */

static void
emit_result_row (TpEmit *e, const ReducePlan *plan)
{
  int axis = plan->axis, lanes = plan->lanes;
  gint64 extent = e->nest->axes[axis].extent, at = extent / lanes * lanes;

  tp_emit_set_lanes (e, axis, lanes, lanes);
  if (at > 0)
    {
      tp_emit_set_axis (e, axis, tp_emit_for_const (e, 0, at, lanes), 0,
                        at - lanes);
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (at < extent)
    {
      tp_emit_set_axis (e, axis, tp_k_index (e->kernel, at), at, at);
      tp_emit_set_lanes (e, axis, lanes, extent - at);
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  tp_emit_clear_axis (e, axis);
  tp_emit_set_lanes (e, -1, 1, 1);
}

static void
emit_body (TpEmit *e, int tile, int vectors, void *data)
{
  const ReducePlan *plan = data;

  for (int i = 0; i < e->nest->n_stages; i++)
    e->stages[i] = emit_stage (e, plan, &e->nest->stages[i]);
  if (!tp_nest_covers_reduce (e->nest))
    {
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
      return;
    }
  open_others (e, plan, NULL);
  emit_result_row (e, plan);
  close_others (e, plan, NULL);
}

/* ---- choosing ---------------------------------------------------------- */

static gboolean
axis_fits (const TpNest *nest, int axis, const gboolean *used)
{
  gboolean is_contiguous = FALSE;

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if (load->stride[axis] != 0 && load->stride[axis] != 1)
        return FALSE;
      if (tp_nest_index_walks (nest, load, axis))
        return FALSE;
      is_contiguous |= load->stride[axis] == 1;
      for (int j = 0; j < load->n_guards; j++)
        if (load->guards[j].coef[axis] != 0)
          return FALSE;
    }
  return is_contiguous;
}

static int
find_axis (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  gboolean is_covering = tp_nest_covers_reduce (nest);
  int best = -1;

  for (int i = 0; i < nest->n_stages; i++)
    if (nest->stages[i].combiner == TP_COMBINE_PROD)
      return -1;
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && nest->axes[i].extent >= 4
        && (!is_covering || nest->store.stride[i] == 1)
        && axis_fits (nest, i, used)
        && (best < 0 || nest->axes[i].extent > nest->axes[best].extent))
      best = i;
  return best;
}

/* Every reduce axis is stored, or none. */
static gboolean
covers_all_or_none (const TpNest *nest)
{
  gboolean is_covering = tp_nest_covers_reduce (nest);

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce
        && (nest->store.stride[i] != 0) != is_covering)
      return FALSE;
  return TRUE;
}

gboolean
tp_schedule_reduce (TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = NULL;
  ReducePlan plan = { .axis = -1, .lanes = build->target->lanes };
  gint64 points = 1, work = 1;
  TpGrid grid;

  if (nest->n_stages > 0 && build->target->lanes > 1)
    plan.axis = find_axis (nest);
  if (plan.axis < 0 || !covers_all_or_none (nest))
    return FALSE;
  while (plan.lanes > 4 && plan.lanes > nest->axes[plan.axis].extent)
    plan.lanes /= 2;
  for (int i = 0; i < nest->n_axes; i++)
    {
      if (nest->axes[i].is_reduce && i != plan.axis)
        plan.others[plan.n_others++] = i;
      if (!nest->axes[i].is_reduce)
        points *= nest->axes[i].extent;
      work *= nest->axes[i].extent;
    }
  tp_grid_init (&grid, nest);
  work = CLAMP (work / 8192, 1, 16 * build->target->n_units);
  grid.group_points = (points + work - 1) / work;
  emit = tp_emit_new (build, nest);
  tp_grid_emit (&grid, emit, emit_body, &plan);
  tp_emit_finish (emit, "reduce");
  tp_build_describe (build, "reduce lanes=%d", plan.lanes);
  return TRUE;
}
