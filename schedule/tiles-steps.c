/* tiles-steps.c: see tiles-steps.h. */
#include "config.h"

#include "schedule/tiles-steps.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/parts.h"

void
tp_tile_steps_init (TpTileSteps *steps, const TpTilePlan *plan, TpEmit *emit)
{
  TpKernel *k = emit->kernel;
  TpValue rest = tp_k_group (k), part;

  steps->plan = plan;
  steps->emit = emit;
  k->n_groups = 1;
  k->local_size = plan->local_size;
  for (int i = 1; i >= 0; i--)
    steps->block[i] = tp_emit_take_digit (emit, &rest,
                                          tp_tile_plan_count_blocks (plan, i));
  steps->first_step = -1;
  if (plan->n_parts > 1)
    {
      part = tp_emit_take_digit (emit, &rest, plan->n_parts);
      tp_emit_set_axis (emit, emit->nest->n_axes - 1, part, 0,
                        plan->n_parts - 1);
      steps->first_step = tp_emit_mul_const (emit, part, plan->n_steps);
    }
  k->n_groups *= plan->t->outer.extent;
  tp_span_set (emit, &plan->t->outer, rest, 1);
}

/* ---- steps ------------------------------------------------------------- */

typedef struct
{
  TpValue side[2][TP_TILES_MAX_COPIES];
} Fetched;

static void
fetch (TpTileSteps *steps, TpValue step, Fetched *out)
{
  if (steps->first_step >= 0)
    step = tp_emit_add (steps->emit, steps->first_step, step);
  for (int i = 0; i < 2; i++)
    tp_tile_copy_load (&steps->copies[i], steps->emit, step, out->side[i]);
}

static void
put (TpTileSteps *steps, TpValue parity, const Fetched *fetched)
{
  for (int i = 0; i < 2; i++)
    tp_tile_copy_store (&steps->copies[i], steps->emit,
                        tp_emit_mul_const (steps->emit, parity,
                                           tp_tile_side_size (steps->plan, i)),
                        fetched->side[i]);
}

static TpValue
open_steps (TpTileSteps *steps)
{
  TpEmit *e = steps->emit;
  TpValue step = tp_emit_for_const (e, 0, steps->plan->n_steps, 1);

  for (int i = 0; i < steps->n_acc; i++)
    steps->acc[i] = tp_k_carry (e->kernel, steps->acc[i]);
  return step;
}

static void
close_steps (TpTileSteps *steps)
{
  tp_k_barrier (steps->emit->kernel);
  tp_emit_end_for (steps->emit, steps->acc, steps->n_acc, steps->acc);
}

/* Every step waits for its own elements. */
static void
emit_alone (TpTileSteps *steps)
{
  TpEmit *e = steps->emit;
  TpValue zero = tp_k_index (e->kernel, 0), step = open_steps (steps);
  Fetched fetched;

  fetch (steps, step, &fetched);
  put (steps, zero, &fetched);
  tp_k_barrier (e->kernel);
  steps->multiply (steps, zero);
  close_steps (steps);
}

/* The elements of the next step are fetched before this one is multiplied and
 * put into the other buffer after it, so one barrier is enough. The last step
 * fetches its own once more, which is cheaper than a branch. */
static void
emit_ahead (TpTileSteps *steps)
{
  TpEmit *e = steps->emit;
  TpKernel *k = e->kernel;
  TpValue zero = tp_k_index (k, 0), two = tp_k_index (k, 2), step, next;
  Fetched fetched;

  fetch (steps, zero, &fetched);
  put (steps, zero, &fetched);
  tp_k_barrier (k);
  step = open_steps (steps);
  next = tp_emit_add_const (e, step, 1);
  fetch (steps, tp_emit_min_const (e, next, steps->plan->n_steps - 1),
         &fetched);
  steps->multiply (steps, tp_k_binary (k, TP_I_IMOD, step, two));
  put (steps, tp_k_binary (k, TP_I_IMOD, next, two), &fetched);
  close_steps (steps);
}

void
tp_tile_steps_emit (TpTileSteps *steps)
{
  const TpTiles *t = steps->plan->t;

  for (int i = 0; i < 2; i++)
    tp_tile_copy_init (&steps->copies[i], steps->plan, i, steps->emit,
                       steps->block[i]);
  if (steps->plan->n_buffers > 1)
    emit_ahead (steps);
  else
    emit_alone (steps);
  for (int i = 0; i < t->k.n; i++)
    tp_emit_clear_axis (steps->emit, t->k.axes[i]);
}

/* ---- results ----------------------------------------------------------- */

TpValue
tp_tile_steps_place (TpTileSteps *steps, int side, TpValue unit, int width)
{
  const TpSpan *span = &steps->plan->t->sides[side];
  gint64 points = steps->plan->sides[side].points;
  TpEmit *e = steps->emit;

  unit = tp_emit_add (
      e, tp_emit_mul_const (e, steps->block[side], points / width), unit);
  if (span->extent % points == 0)
    {
      tp_span_set (e, span, unit, width);
      return -1;
    }
  tp_span_place (e, span, unit, width);
  return tp_span_is_inside (e, span, unit, width);
}

static int
find_column_axis (const TpTileSteps *steps)
{
  const TpSpan *cols = &steps->plan->t->sides[TP_TILES_COLS];

  return cols->n > 0 ? cols->axes[cols->n - 1] : -1;
}

int
tp_tile_steps_get_width (const TpTileSteps *steps)
{
  const TpNest *nest = steps->emit->nest;
  int axis = find_column_axis (steps);

  return axis >= 0 && nest->store.stride[axis] == 1
                 && nest->axes[axis].extent % TP_TILES_LANES == 0
             ? TP_TILES_LANES
             : 1;
}

/* All of it is asked first: what the nest reads may be what another item
 * writes. */
void
tp_tile_steps_store (TpTileSteps *steps, TpValue inside, TpValue value)
{
  TpEmit *e = steps->emit;
  int lanes = e->kernel->instrs[value].lanes;

  if (lanes > 1)
    tp_emit_set_lanes (e, find_column_axis (steps), lanes, lanes);
  if (inside >= 0)
    tp_emit_if (e, inside);
  e->stages[0] = value;
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
  if (inside >= 0)
    tp_emit_end_if (e);
  tp_emit_set_lanes (e, -1, 1, 1);
}

int
tp_tile_plan_divide (const TpTilePlan *plan, TpBuild *build, TpNest *nest)
{
  const TpTiles *t = plan->t;
  const TpSpan *spans[] = { &t->sides[TP_TILES_COLS], &t->sides[TP_TILES_ROWS],
                            &t->outer };
  TpPartsOrder order = { 0 };
  int axis = tp_nest_add_axis (nest, plan->n_parts, FALSE);

  for (guint s = 0; s < G_N_ELEMENTS (spans); s++)
    for (int i = spans[s]->n - 1; i >= 0; i--)
      order.axes[order.n++] = spans[s]->axes[i];
  tp_parts_divide (&order, build, nest, axis);
  return axis;
}
