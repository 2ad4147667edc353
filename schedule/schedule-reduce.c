/* schedule-reduce.c: the family "reduce": reductions along a contiguous axis
 * (softmax, means, dot products): vectors run along that axis, several
 * accumulators hide the latency of addition, lanes are joined at the end of each
 * stage. */
#include "config.h"

#include "nest/nest-expr.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/grid.h"
#include "schedule/nest-canon.h"

#define MAX_SUMS 4

/* The values of a choice. */
enum
{
  LANES,
  SUMS,                       /* vectors that accumulate at once */
  POINTS,                     /* per group, about */
};

static const TpParam params[] = {
  { "lanes", 1, 4, 16 },
  { "sums", 1, 1, MAX_SUMS },
  { "points", 1, 1, G_MAXINT64 / 4 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  int axis;                   /* reduce axis of the vectors */
  int n_others;               /* other reduce axes, outer to inner */
  int others[TP_NEST_MAX_AXES];
  gint64 n_points, work;
} ReduceAnalysis;

/* The choice made. */
typedef struct
{
  const ReduceAnalysis *a;
  int lanes, sums;
} ReducePlan;

/* One stage while it is emitted. */
typedef struct
{
  TpEmit *emit;
  const ReducePlan *plan;
  const TpStage *stage;
  int n;                      /* accumulators */
  TpValue acc[MAX_SUMS];
} StageState;

/* ---- stages ------------------------------------------------------------ */

static void
open_others (TpEmit *e, const ReducePlan *plan, StageState *state)
{
  for (int i = 0; i < plan->a->n_others; i++)
    {
      int axis = plan->a->others[i];
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
  for (int i = plan->a->n_others - 1; i >= 0; i--)
    {
      if (state == NULL)
        tp_emit_end_for (e, NULL, 0, NULL);
      else
        tp_emit_end_for (e, state->acc, state->n, state->acc);
      tp_emit_clear_axis (e, plan->a->others[i]);
    }
}

static void
accumulate_whole (StageState *state, int vectors)
{
  TpEmit *e = state->emit;
  int axis = state->plan->a->axis;

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

  tp_emit_set_lanes (e, state->plan->a->axis, state->plan->lanes, active);
  value = tp_emit_expr (e, state->stage->expr);
  value = tp_k_select (e->kernel, tp_emit_mask (e), value,
                       tp_emit_identity (e, combiner, state->stage->expr));
  state->acc[0] = tp_emit_combine (e, combiner, state->acc[0], value);
  tp_emit_set_lanes (e, state->plan->a->axis, e->lanes, e->lanes);
}

static void
accumulate_axis (StageState *state)
{
  TpEmit *e = state->emit;
  int axis = state->plan->a->axis, lanes = state->plan->lanes;
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

  state.n = plan->sums;
  tp_emit_set_lanes (e, plan->a->axis, plan->lanes, plan->lanes);
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
  int axis = plan->a->axis, lanes = plan->lanes;
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

/* ---- analysis ---------------------------------------------------------- */

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

static void
measure (ReduceAnalysis *a)
{
  const TpNest *nest = a->nest;

  a->n_points = a->work = 1;
  for (int i = 0; i < nest->n_axes; i++)
    {
      if (nest->axes[i].is_reduce && i != a->axis)
        a->others[a->n_others++] = i;
      if (!nest->axes[i].is_reduce)
        a->n_points *= nest->axes[i].extent;
      a->work *= nest->axes[i].extent;
    }
}

static gpointer
reduce_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpNest) copy = NULL;
  ReduceAnalysis *a = NULL;
  int axis = n == 1 && nests[0]->n_stages > 0 ? find_axis (nests[0]) : -1;

  if (axis < 0 || !covers_all_or_none (nests[0]))
    return NULL;
  copy = tp_nest_copy (nests[0]);
  a = g_new0 (ReduceAnalysis, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  a->axis = axis;
  measure (a);
  return a;
}

static void
reduce_free (gpointer analysis)
{
  ReduceAnalysis *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

static gboolean
reduce_is_for (const TpTarget *target)
{
  return !tp_target_is_gpu (target) && target->lanes > 1;
}

/* ---- choices ----------------------------------------------------------- */

/* As many as hide the latency of addition, if there are so many vectors. */
static gint64
count_sums (const ReduceAnalysis *a, gint64 lanes)
{
  return CLAMP (a->nest->axes[a->axis].extent / lanes, 1, MAX_SUMS);
}

static void
list_lanes (const ReduceAnalysis *a, const TpChoice *partial, TpArray *out)
{
  int lanes = a->target->lanes;

  while (lanes > 4 && lanes > a->nest->axes[a->axis].extent)
    lanes /= 2;
  for (; lanes >= 4; lanes /= 2)
    tp_family_append (partial, LANES, lanes, out);
}

static void
list_sums (const ReduceAnalysis *a, const TpChoice *partial, TpArray *out)
{
  for (gint64 n = count_sums (a, partial->values[LANES]); n > 0; n /= 2)
    tp_family_append (partial, SUMS, n, out);
}

static void
list_points (const ReduceAnalysis *a, const TpChoice *partial, TpArray *out)
{
  gint64 groups = CLAMP (a->work / 8192, 1, 16 * a->target->n_units);
  gint64 points = (a->n_points + groups - 1) / groups;

  tp_family_append (partial, POINTS, points, out);
  if (points >= 4)
    tp_family_append (partial, POINTS, points / 4, out);
  if (points <= a->n_points / 4)
    tp_family_append (partial, POINTS, points * 4, out);
}

static void
reduce_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  static void (*const steps[]) (const ReduceAnalysis *, const TpChoice *,
                                TpArray *)
      = { list_lanes, list_sums, list_points };

  steps[step] (analysis, partial, out);
}

static const char *
reduce_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const ReduceAnalysis *a = analysis;
  const gint64 *v = choice->values;

  if (!tp_target_has_lanes (a->target, v[LANES]))
    return "the device has no vectors of so many lanes";
  if (v[SUMS] > count_sums (a, v[LANES]))
    return "more sums than vectors";
  if (v[POINTS] > MAX (a->n_points, 1))
    return "groups of more points than there are";
  return NULL;
}

static void
reduce_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const ReduceAnalysis *a = analysis;
  ReducePlan plan = { a, choice->values[LANES], choice->values[SUMS] };
  g_autoptr (TpEmit) emit = tp_emit_new (build, a->nest);
  TpGrid grid;

  tp_grid_init (&grid, a->nest);
  grid.group_points = choice->values[POINTS];
  tp_grid_emit (&grid, emit, emit_body, &plan);
  tp_emit_finish (emit, "reduce");
}

const TpFamily tp_schedule_reduce = {
  .form = { "reduce", params },
  .n_steps = 3,
  .is_for = reduce_is_for,
  .analyze = reduce_analyze,
  .free = reduce_free,
  .enumerate = reduce_enumerate,
  .find_fault = reduce_find_fault,
  .emit = reduce_emit,
};
