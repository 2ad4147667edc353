/* reduce.c: vectors run along a contiguous reduce axis, several accumulators hide
 * the latency of addition, lanes are joined at the end of each stage. */
#include "config.h"

#include "schedule/reduce.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/nest-canon.h"

#define MOST_JOINED 2          /* stages that read a row together */
#define MOST_LANES 16         /* of a vector */

/* Stages that do not want each other's results, while they are emitted. */
typedef struct
{
  TpEmit *emit;
  const TpReducePlan *plan;
  int first, n_stages;
  int n;                      /* accumulators, those of a stage in a row */
  TpValue acc[MOST_JOINED * TP_REDUCE_MAX_SUMS];
} StageState;

/* ---- values kept ------------------------------------------------------- */

static int
kept_expr (const TpReduce *a)
{
  return a->kept < 0 ? -1 : a->nest->stages[a->kept].expr;
}

/* Where the values of this point of the axis lie in the row. */
static TpValue
find_in_row (TpEmit *e, const TpReducePlan *plan)
{
  const TpPosition *at = &e->axes[plan->a->axis];

  return tp_emit_add_const (e, at->pos, at->delta);
}

/* Reads the value at this point of what was kept before @stage. */
static void
know_kept (TpEmit *e, const TpReducePlan *plan, int stage)
{
  if (plan->a->kept >= 0 && plan->a->kept < stage)
    e->known[kept_expr (plan->a)]
        = tp_k_load (e->kernel, plan->row_buffer, find_in_row (e, plan),
                     plan->lanes, -1);
}

/* The value of a stage at the current point. */
static TpValue
emit_value (TpEmit *e, const TpReducePlan *plan, int stage)
{
  TpValue value;

  know_kept (e, plan, stage);
  value = tp_emit_expr (e, e->nest->stages[stage].expr);
  if (stage == plan->a->kept)
    tp_k_store (e->kernel, plan->row_buffer, find_in_row (e, plan), value, -1);
  return value;
}

/* ---- stages ------------------------------------------------------------ */

static void
open_others (TpEmit *e, const TpReducePlan *plan, StageState *state)
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
close_others (TpEmit *e, const TpReducePlan *plan, StageState *state)
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

/* Adds what stage @index has here to accumulator @i of its own. */
static void
accumulate_one (StageState *state, int index, int i)
{
  TpEmit *e = state->emit;
  const TpStage *stage = &e->nest->stages[state->first + index];
  TpValue *acc = &state->acc[index * state->plan->sums + i];

  tp_emit_begin_turn (e, stage->expr);
  if (state->plan->a->kept < 0)
    *acc = tp_emit_accumulate (e, stage->combiner, *acc, stage->expr);
  else
    *acc = tp_emit_combine (
        e, stage->combiner, *acc,
        emit_value (e, state->plan, state->first + index));
}

static void
accumulate_whole (StageState *state, int vectors)
{
  TpEmit *e = state->emit;
  int axis = state->plan->a->axis;

  for (int i = 0; i < vectors; i++)
    {
      e->axes[axis].delta = (gint64) i * state->plan->lanes;
      for (int j = 0; j < state->n_stages; j++)
        accumulate_one (state, j, i);
    }
  tp_emit_end_turns (e);
  e->axes[axis].delta = 0;
}

/* The last vector: lanes past the end take the identity. */
static void
accumulate_tail (StageState *state, int active)
{
  TpEmit *e = state->emit;
  int axis = state->plan->a->axis, lanes = state->plan->lanes;

  tp_emit_set_lanes (e, axis, lanes, active);
  for (int i = 0; i < state->n_stages; i++)
    {
      const TpStage *stage = &e->nest->stages[state->first + i];
      TpValue *acc = &state->acc[i * state->plan->sums], value;

      value = emit_value (e, state->plan, state->first + i);
      value = tp_k_select (e->kernel, tp_emit_mask (e), value,
                           tp_emit_identity (e, stage->combiner, stage->expr));
      *acc = tp_emit_combine (e, stage->combiner, *acc, value);
    }
  tp_emit_set_lanes (e, axis, e->lanes, e->lanes);
}

static void
accumulate_axis (StageState *state)
{
  TpEmit *e = state->emit;
  int axis = state->plan->a->axis, lanes = state->plan->lanes;
  gint64 extent = e->nest->axes[axis].extent;
  gint64 step = (gint64) state->plan->sums * lanes, at = extent / step * step;
  int vectors = (extent - at) / lanes;

  if (at > 0)
    {
      TpValue pos = tp_emit_for_const (e, 0, at, step);

      tp_emit_set_axis (e, axis, pos, 0, at - step);
      for (int i = 0; i < state->n; i++)
        state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
      accumulate_whole (state, state->plan->sums);
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

/* The product of all lanes, by halves. */
static TpValue
multiply_lanes (TpEmit *e, TpValue value)
{
  TpValue lanes[MOST_LANES];
  int n = e->kernel->instrs[value].lanes;

  for (int i = 0; i < n; i++)
    lanes[i] = tp_k_extract (e->kernel, value, i);
  for (n /= 2; n > 0; n /= 2)
    for (int i = 0; i < n; i++)
      lanes[i] = tp_emit_combine (e, TP_COMBINE_PROD, lanes[i], lanes[i + n]);
  return lanes[0];
}

static TpValue
join_lanes (TpEmit *e, TpCombiner combiner, TpValue value)
{
  static const TpInstrOp ops[] = { [TP_COMBINE_SUM] = TP_I_LANE_SUM,
                                   [TP_COMBINE_MAX] = TP_I_LANE_MAX,
                                   [TP_COMBINE_MIN] = TP_I_LANE_MIN };

  return combiner == TP_COMBINE_PROD
             ? multiply_lanes (e, value)
             : tp_k_unary (e->kernel, ops[combiner], value);
}

static void
emit_stages (TpEmit *e, const TpReducePlan *plan, int first, int n)
{
  StageState state = { .emit = e, .plan = plan, .first = first,
                       .n_stages = n, .n = n * plan->sums };
  const TpStage *stages = &e->nest->stages[first];

  for (int i = 0; i < n; i++)
    tp_emit_know_uniform (e, stages[i].expr, plan->lanes);
  tp_emit_set_lanes (e, plan->a->axis, plan->lanes, plan->lanes);
  for (int i = 0; i < state.n; i++)
    state.acc[i] = tp_emit_identity (e, stages[i / plan->sums].combiner,
                                     stages[i / plan->sums].expr);
  open_others (e, plan, &state);
  accumulate_axis (&state);
  close_others (e, plan, &state);
  for (int i = 0; i < n; i++)
    {
      TpValue *acc = &state.acc[i * plan->sums];

      for (int j = 1; j < plan->sums; j++)
        acc[0] = tp_emit_combine (e, stages[i].combiner, acc[0], acc[j]);
    }
  tp_emit_set_lanes (e, -1, 1, 1);
  for (int i = 0; i < n; i++)
    e->stages[first + i] = join_lanes (e, stages[i].combiner,
                                       state.acc[i * plan->sums]);
}

/* How many stages from @first on are summed up in one walk of the row: a second one
 * that does not want the result of the first, where neither takes long. */
static int
count_joined (const TpReducePlan *plan, const TpNest *nest, int first)
{
  int root = first + 1 < nest->n_stages ? nest->stages[first + 1].expr : -1;
  g_autofree gboolean *used = NULL;

  if (root < 0 || plan->a->is_long)
    return 1;
  used = tp_new0 (gboolean, root + 1);
  tp_nest_mark_used (nest, root, used);
  for (int i = 0; i <= root; i++)
    if (used[i] && nest->exprs[i].op == TP_EXPR_STAGE
        && nest->exprs[i].index == first)
      return 1;
  return MOST_JOINED;
}

/* ---- result ------------------------------------------------------------ */

static void
store_result (TpEmit *e, const TpReducePlan *plan)
{
  know_kept (e, plan, e->nest->n_stages);
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
}

static void
emit_result_row (TpEmit *e, const TpReducePlan *plan)
{
  int axis = plan->a->axis, lanes = plan->lanes;
  gint64 extent = e->nest->axes[axis].extent, at = extent / lanes * lanes;

  tp_emit_set_lanes (e, axis, lanes, lanes);
  if (at > 0)
    {
      tp_emit_set_axis (e, axis, tp_emit_for_const (e, 0, at, lanes), 0,
                        at - lanes);
      store_result (e, plan);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (at < extent)
    {
      tp_emit_set_axis (e, axis, tp_k_index (e->kernel, at), at, at);
      tp_emit_set_lanes (e, axis, lanes, extent - at);
      store_result (e, plan);
    }
  tp_emit_clear_axis (e, axis);
  tp_emit_set_lanes (e, -1, 1, 1);
}

void
tp_reduce_emit_point (const TpReducePlan *plan, TpEmit *e)
{
  int n;

  tp_emit_forget (e);
  for (int i = 0; i < e->nest->n_stages; i += n)
    {
      n = count_joined (plan, e->nest, i);
      emit_stages (e, plan, i, n);
    }
  if (!tp_nest_covers_reduce (e->nest))
    {
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
      return;
    }
  tp_emit_know_uniform (e, e->nest->result, plan->lanes);
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
      if ((load->stride[axis] != 0 && load->stride[axis] != 1)
          || !tp_nest_is_plain_along (nest, load, axis))
        return FALSE;
      is_contiguous |= load->stride[axis] == 1;
    }
  return is_contiguous;
}

/* Whether neighbours among the points that are stored read almost the same along @axis:
 * vectors of points need not be joined. */
static gboolean
is_sliding (const TpNest *nest, int axis, const gboolean *used)
{
  for (int i = 0; i < nest->n_axes; i++)
    for (int j = 0; j < nest->n_loads; j++)
      if (!nest->axes[i].is_reduce && nest->store.stride[i] == 1
          && nest->axes[i].extent > nest->axes[axis].extent && used[j]
          && nest->loads[j].stride[i] == 1 && nest->loads[j].stride[axis] == 1)
        return TRUE;
  return FALSE;
}

static int
find_axis (const TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);
  gboolean is_covering = tp_nest_covers_reduce (nest);
  int best = -1;

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && nest->axes[i].extent >= 4
        && (!is_covering || nest->store.stride[i] == 1)
        && axis_fits (nest, i, used) && !is_sliding (nest, i, used)
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

/* Whether a later stage or the result is made of what @stage sums up. */
static gboolean
is_used_again (const TpNest *nest, int stage)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);

  tp_nest_mark_used (nest, nest->result, used);
  for (int i = stage + 1; i < nest->n_stages; i++)
    tp_nest_mark_used (nest, nest->stages[i].expr, used);
  return used[nest->stages[stage].expr];
}

/* What a row of the values of @stage is of. */
static TpDtype
get_kept_dtype (const TpNest *nest, int stage)
{
  return tp_expr_get_dtype (&nest->exprs[nest->stages[stage].expr]);
}

/* The last stage with values that are used again, take long (the exponentials of
 * a softmax) and are a row that fits near; or -1. */
static int
find_kept (const TpReduce *a)
{
  const TpNest *nest = a->nest;
  gint64 n = nest->axes[a->axis].extent + 2 * a->target->lanes;

  if (!tp_nest_covers_reduce (nest) || a->n_others > 0)
    return -1;
  for (int i = nest->n_stages - 1; i >= 0; i--)
    if (!nest->exprs[nest->stages[i].expr].is_integer
        && tp_nest_takes_long (nest, nest->stages[i].expr)
        && is_used_again (nest, i))
      return n * (gint64)tp_dtype_get_size (get_kept_dtype (nest, i))
                     <= MIN (a->target->local_bytes, a->target->l2_bytes / 2)
                 ? i
                 : -1;
  return -1;
}

static gboolean
has_long (const TpNest *nest)
{
  for (int i = 0; i < nest->n_stages; i++)
    if (tp_nest_takes_long (nest, nest->stages[i].expr))
      return TRUE;
  return tp_nest_takes_long (nest, nest->result);
}

static void
measure (TpReduce *a)
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

TpReduce *
tp_reduce_new (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpNest) copy = NULL;
  TpReduce *a = NULL;
  int axis = nest->n_stages > 0 ? find_axis (nest) : -1;

  if (axis < 0 || !covers_all_or_none (nest))
    return NULL;
  copy = tp_nest_copy (nest);
  a = g_new0 (TpReduce, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  a->axis = axis;
  measure (a);
  a->is_long = has_long (a->nest);
  a->kept = find_kept (a);
  return a;
}

void
tp_reduce_free (TpReduce *reduce)
{
  if (reduce == NULL)
    return;
  tp_nest_free (reduce->nest);
  g_free (reduce);
}

/* ---- plans ------------------------------------------------------------- */

void
tp_reduce_plan_init (TpReducePlan *plan, const TpReduce *reduce,
                     const TpChoice *choice, TpKernel *kernel)
{
  *plan = (TpReducePlan) { reduce, choice->values[TP_REDUCE_LANES],
                           choice->values[TP_REDUCE_SUMS], -1 };
  if (reduce->kept >= 0)
    plan->row_buffer = tp_kernel_add_buffer (
        kernel, TP_SPACE_LOCAL, get_kept_dtype (reduce->nest, reduce->kept),
        reduce->nest->axes[reduce->axis].extent + plan->lanes, TRUE);
}
