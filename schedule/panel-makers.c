/* panel-makers.c: w made a panel at a time, in scratch of the group. */
#include "config.h"

#include "schedule/panel-makers.h"

#include "ir/guard.h"
#include "schedule/contract-analyze.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/nest-canon.h"
#include "schedule/panels.h"
#include "schedule/schedule-contract.h"

#include <string.h>

#define MOST_STEPS 4          /* of the innermost loop per turn */

/* ---- what nests are ---------------------------------------------------- */

/* Whether @nest reads @operand. */
static gboolean
reads (const TpNest *nest, int operand)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].operand == operand)
      return TRUE;
  return FALSE;
}

/* What is made for the contraction alone: the nests of the program that read it. */
static int
count_readers (const TpBuild *build, int operand)
{
  int n = 0;

  for (int i = 0; i < build->lowered->n_nests; i++)
    n += reads (build->lowered->nests[i], operand);
  return n;
}

/* Rows of @n columns, each of them whole: but for its own axis, whatever @access walks
 * is whole rows. */
static gboolean
is_of_rows (const TpNest *nest, const TpAccess *access, int axis, gint64 n)
{
  if (access->stride[axis] != 1 || nest->axes[axis].extent != n
      || access->offset % n != 0 || access->step != 0)
    return FALSE;
  for (int i = 0; i < nest->n_axes; i++)
    if (i != axis && (access->stride[i] < 0 || access->stride[i] % n != 0))
      return FALSE;
  return TRUE;
}

/* The axis of @maker along which it makes columns; -1: it makes no w. */
static int
find_columns (const TpBuild *build, const TpNest *maker, int w, gint64 n)
{
  for (int i = 0; i < maker->n_axes; i++)
    if (maker->store.operand == w && maker->n_stages == 0
        && maker->n_axes < TP_NEST_MAX_AXES
        && is_of_rows (maker, &maker->store, i, n)
        && tp_panels_fit (build, maker, maker->result, i))
      return i;
  return -1;
}

/* The axis of @maker that is where an outer axis of w is, @stride and @extent of that;
 * part of one is split off. -1: there is none. */
static int
tie_axis (TpNest *maker, int n_axis, gint64 stride, gint64 extent)
{
  for (int i = 0; i < maker->n_axes; i++)
    {
      gint64 step = maker->store.stride[i];

      if (i == n_axis || step < 1 || stride % step != 0
          || maker->axes[i].extent % extent != 0
          || maker->axes[i].extent / extent != stride / step)
        continue;
      return stride == step ? i : tp_nest_split_axis (maker, i, stride / step);
    }
  return -1;
}

/* Ties @maker, the last one, to the outer axes that w walks; what is left of it stays
 * within K. FALSE: that is not so. */
static gboolean
tie_axes (TpPanelMakers *self, TpNest *maker)
{
  const TpContract *c = self->c;
  const TpAccess *w = &c->nest->loads[c->w_load];
  int *tied = self->tied[self->n_makers - 1];
  int n_axis = self->n_axes[self->n_makers - 1];
  gint64 last = maker->store.offset;

  for (int i = 0; i < TP_NEST_MAX_AXES; i++)
    tied[i] = -1;
  for (int i = 0; i < maker->n_axes; i++)
    last += maker->store.stride[i] * (maker->axes[i].extent - 1);
  for (int i = 0; i < c->n_outer; i++)
    {
      gint64 stride = w->stride[c->outer[i]];
      gint64 extent = c->nest->axes[c->outer[i]].extent;

      if (stride == 0)
        continue;
      tied[c->outer[i]] = tie_axis (maker, n_axis, stride, extent);
      if (tied[c->outer[i]] < 0)
        return FALSE;
      last -= stride * (extent - 1);
    }
  return last < c->k_total * c->n_total && maker->n_axes < TP_NEST_MAX_AXES;
}

static gboolean
is_made (const TpBuild *build, const TpContract *c)
{
  const TpAccess *w = &c->nest->loads[c->w_load];
  g_autofree gboolean *used
      = tp_nest_find_loads_of (c->nest, c->nest->result);

  return w->operand < build->lowered->n_operands
         && build->lowered->operands[w->operand].is_scratch
         && w->dtype == TPLAN_DTYPE_FLOAT32 && !used[c->w_load]
         && is_of_rows (c->nest, w, c->n_axis, c->n_total) && w->offset == 0
         && count_readers (build, w->operand) == 1;
}

TpPanelMakers *
tp_panel_makers_new (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpPanelMakers) self = NULL;

  if (n < 2 || n > TP_PANEL_MAX_MAKERS + 1)
    return NULL;
  self = tp_new0 (TpPanelMakers, 1);
  self->c = tp_schedule_contract_analyze (build, nests[n - 1]);
  if (self->c == NULL || !is_made (build, self->c))
    return NULL;
  self->w = self->c->nest->loads[self->c->w_load].operand;
  for (int i = 0; i < n - 1; i++)
    {
      int axis = find_columns (build, nests[i], self->w, self->c->n_total);

      if (axis < 0 || reads (nests[i], self->c->nest->store.operand))
        return NULL;
      self->n_axes[i] = axis;
      self->makers[self->n_makers++] = tp_nest_copy (nests[i]);
      if (!tie_axes (self, self->makers[i]))
        return NULL;
    }
  return g_steal_pointer (&self);
}

void
tp_panel_makers_free (TpPanelMakers *makers)
{
  if (makers == NULL)
    return;
  tp_contract_free (makers->c);
  for (int i = 0; i < makers->n_makers; i++)
    tp_nest_free (makers->makers[i]);
  g_free (makers);
}

/* ---- kernels ----------------------------------------------------------- */

/* A maker of one panel. */
typedef struct
{
  TpNest *nest;               /* (owned) */
  int n_axis, panel_axis;
  const int *tied;            /* as TpPanelMakers has it */
  int n_loops, loops[TP_NEST_MAX_AXES]; /* outer to inner */
} Maker;

typedef struct
{
  const TpPanelMakers *makers;
  const TpContractPlan *plan;
  int n;
  Maker each[TP_PANEL_MAX_MAKERS];
} MakeState;

static void
make_state_clear (MakeState *state)
{
  for (int i = 0; i < state->n; i++)
    tp_nest_free (state->each[i].nest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MakeState, make_state_clear)

/* Rows of @n columns become rows of a panel. */
static void
narrow_rows (TpAccess *access, int axis, gint64 n, gint64 width)
{
  for (int i = 0; i < TP_NEST_MAX_AXES; i++)
    if (i != axis)
      access->stride[i] = access->stride[i] / n * width;
  access->offset = access->offset / n * width;
}

static gboolean
is_tied (const Maker *maker, int axis)
{
  for (int i = 0; i < TP_NEST_MAX_AXES; i++)
    if (maker->tied[i] == axis)
      return TRUE;
  return FALSE;
}

static void
order_loops (Maker *maker)
{
  const TpNest *nest = maker->nest;

  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = maker->n_loops;

      if (i == maker->n_axis || i == maker->panel_axis || is_tied (maker, i))
        continue;
      for (; at > 0
             && nest->store.stride[maker->loops[at - 1]] < nest->store.stride[i];
           at--)
        maker->loops[at] = maker->loops[at - 1];
      maker->loops[at] = i;
      maker->n_loops++;
    }
}

static void
add_maker (MakeState *state, TpBuild *build, int i)
{
  const TpPanelMakers *makers = state->makers;
  gint64 width = tp_contract_plan_width (state->plan);
  Maker *maker = &state->each[state->n];
  TpNest *nest;

  *maker = (Maker){ .nest = tp_nest_copy (makers->makers[i]),
                    .n_axis = makers->n_axes[i], .tied = makers->tied[i] };
  state->n++;
  nest = maker->nest;
  maker->panel_axis
      = tp_panels_cut (build, nest, nest->result,
                       &(TpPanelCut){ maker->n_axis, width, -1 });
  nest->store.stride[maker->panel_axis] = 0;
  for (int k = 0; k < TP_NEST_MAX_AXES; k++)
    if (maker->tied[k] >= 0)
      nest->store.stride[maker->tied[k]] = 0;
  narrow_rows (&nest->store, maker->n_axis, makers->c->n_total, width);
  order_loops (maker);
}

static void
emit_points (const MakeState *state, const Maker *maker, TpEmit *e, int vectors)
{
  int lanes = state->plan->lanes;

  tp_emit_set_lanes (e, maker->n_axis, lanes, lanes);
  for (int v = 0; v < vectors; v++)
    {
      e->axes[maker->n_axis].delta = (gint64) v * lanes;
      tp_emit_store (e, tp_emit_expr (e, maker->nest->result));
    }
  e->axes[maker->n_axis].delta = 0;
  tp_emit_set_lanes (e, -1, 1, 1);
}

static int
choose_steps (const Maker *maker, int level, gint64 extent)
{
  int steps = level == maker->n_loops - 1 ? MOST_STEPS : 1;

  while (extent % steps != 0)
    steps--;
  return steps;
}

static void
emit_loops (const MakeState *state, const Maker *maker, TpEmit *e, int level,
            int vectors)
{
  int axis = level < maker->n_loops ? maker->loops[level] : -1, steps;
  gint64 extent;

  if (axis < 0)
    {
      emit_points (state, maker, e, vectors);
      return;
    }
  extent = maker->nest->axes[axis].extent;
  steps = choose_steps (maker, level, extent);
  tp_emit_set_axis (e, axis, tp_emit_for_const (e, 0, extent, steps), 0,
                    extent - steps);
  for (int i = 0; i < steps; i++)
    {
      e->axes[axis].delta = i;
      emit_loops (state, maker, e, level + 1, vectors);
    }
  tp_emit_clear_axis (e, axis);
  tp_emit_end_for (e, NULL, 0, NULL);
}

/* All makers, one after the other; then @emit is where it was. */
static void
make_panel (TpEmit *emit, TpValue panel, int vectors, gpointer data)
{
  const MakeState *state = data;
  const TpNest *nest = emit->nest;
  TpPosition axes[TP_NEST_MAX_AXES];

  memcpy (axes, emit->axes, sizeof axes);
  for (int i = 0; i < state->n; i++)
    {
      const Maker *maker = &state->each[i];
      gint64 n_panels = maker->nest->axes[maker->panel_axis].extent;

      tp_emit_set_nest (emit, maker->nest);
      tp_emit_set_axis (emit, maker->panel_axis, panel, 0, n_panels - 1);
      for (int k = 0; k < TP_NEST_MAX_AXES; k++)
        if (maker->tied[k] >= 0)
          emit->axes[maker->tied[k]] = axes[k];
      emit_loops (state, maker, emit, 0, vectors);
    }
  tp_emit_set_nest (emit, nest);
  memcpy (emit->axes, axes, sizeof axes);
}

void
tp_panel_makers_emit (const TpPanelMakers *makers, TpBuild *build,
                      TpContractPlan *plan)
{
  const TpContract *c = makers->c;
  gint64 width = tp_contract_plan_width (plan);
  TpNest *nests[TP_PANEL_MAX_MAKERS + 1];
  g_auto (MakeState) state = { .makers = makers, .plan = plan };
  g_autoptr (TpEmit) emit = NULL;

  for (int i = 0; i < makers->n_makers; i++)
    {
      add_maker (&state, build, i);
      nests[i] = state.each[i].nest;
    }
  nests[makers->n_makers] = plan->nest;
  for (int i = 0; i < c->n_outer; i++)
    plan->nest->loads[c->w_load].stride[c->outer[i]] = 0;
  narrow_rows (&plan->nest->loads[c->w_load], c->n_axis, c->n_total, width);
  plan->is_packed = TRUE;
  plan->w_panel = 0;            /* each lies where the one before did */
  tp_contract_plan_merge_loops (plan);
  emit = tp_emit_new_joint (build, nests, makers->n_makers + 1, makers->w,
                            width * c->k_total);
  tp_schedule_contract_emit_made (plan, emit, make_panel, &state);
  tp_emit_finish (emit, "panels");
}
