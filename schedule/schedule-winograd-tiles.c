/* schedule-winograd-tiles.c: the family "winograd-tiles": convolutions of 3 x 3 on
 * GPUs with fewer multiplications. The next channels are on their way while items
 * multiply those in local memory; what is transformed never sees global memory. */
#include "config.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/parts.h"
#include "schedule/tiles-analyze.h"
#include "schedule/tiles-choose.h"
#include "schedule/winograd-analyze.h"
#include "schedule/winograd-pack.h"
#include "schedule/winograd-tiles-choose.h"
#include "schedule/winograd-tiles-copy.h"

#define VECTOR TP_WINOGRAD_TILES_VECTOR
#define MAX_TILE TP_WINOGRAD_TILES_MAX_TILE
#define MAX_VECTORS (MAX_TILE / VECTOR)
#define WINDOW 9              /* weights of a filter and a channel */
#define UNIT_BYTES 8.0        /* of memory, per clock of a unit: 3 to 18 */
#define ROWS 0
#define COLS 1

typedef struct
{
  const TpWinogradTiles *plan;
  TpEmit *emit;
  TpWinogradCopy copy;
  TpValue block[2];           /* number of the block along each side */
  TpValue fragment[2];        /* where this item reads each side in local memory */
  TpValue first_step;         /* of the part of this group; -1: 0 */
  TpValue sums;               /* where it puts its sums, for others */
  TpValue acc[MAX_TILE * MAX_VECTORS]; /* rows of vectors */
  int n_acc;
} State;

/* ---- where ------------------------------------------------------------- */

static void
decode_group (State *state)
{
  const TpWinogradTiles *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue rest = tp_k_group (k), part;

  k->n_groups = 1;
  k->local_size = plan->local_size;
  for (int i = 1; i >= 0; i--)
    state->block[i] = tp_emit_take_digit (e, &rest, plan->sides[i].n_blocks);
  state->first_step = -1;
  if (plan->n_parts == 1)
    return;
  part = tp_emit_take_digit (e, &rest, plan->n_parts);
  tp_emit_set_axis (e, e->nest->n_axes - 1, part, 0, plan->n_parts - 1);
  state->first_step = tp_emit_mul_const (e, part, plan->n_steps);
}

/* Items next to each other are columns of the same point. */
static void
decode_item (State *state)
{
  const TpWinogradTilesSide *s = state->plan->sides;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue cols = tp_k_index (k, s[COLS].items);
  TpValue rows = tp_k_index (k, s[ROWS].items);
  TpValue rest = tp_k_binary (k, TP_I_IDIV, tp_k_item (k), cols);
  TpValue point = tp_k_binary (k, TP_I_IDIV, rest, rows), at[2];

  at[COLS] = tp_k_binary (k, TP_I_IMOD, tp_k_item (k), cols);
  at[ROWS] = tp_k_binary (k, TP_I_IMOD, rest, rows);
  for (int i = 0; i < 2; i++)
    state->fragment[i] = tp_emit_add (
        e, tp_emit_mul_const (e, at[i], VECTOR),
        tp_emit_add_const (e, tp_emit_mul_const (e, point, s[i].block),
                           s[i].first));
  state->sums = tp_emit_add (
      e, tp_emit_mul_const (e, point, state->plan->local_size),
      tp_emit_add (e,
                   tp_emit_mul_const (e, at[ROWS],
                                      VECTOR * VECTOR * s[COLS].items),
                   tp_emit_mul_const (e, at[COLS], VECTOR)));
}

/* ---- sums of products -------------------------------------------------- */

/* What the item needs of a side of channel @i of the step. */
static void
load_fragment (State *state, int side, int i, TpValue *out_values)
{
  const TpWinogradTilesSide *s = &state->plan->sides[side];
  TpEmit *e = state->emit;

  for (int v = 0; v < s->tile / VECTOR; v++)
    out_values[v] = tp_k_load (
        e->kernel, state->copy.buffer,
        tp_emit_add_const (e, state->fragment[side],
                           i * s->pitch + (gint64) v * s->items * VECTOR),
        VECTOR, -1);
}

static void
multiply (State *state)
{
  const TpWinogradTiles *plan = state->plan;
  TpKernel *k = state->emit->kernel;
  int n = plan->sides[COLS].tile / VECTOR;

  for (int i = 0; i < plan->depth; i++)
    {
      TpValue rows[MAX_VECTORS], cols[MAX_VECTORS];

      load_fragment (state, ROWS, i, rows);
      load_fragment (state, COLS, i, cols);
      for (int j = 0; j < state->n_acc; j++)
        {
          int row = j / n;
          TpValue value
              = tp_k_extract (k, rows[row / VECTOR], row % VECTOR);

          state->acc[j] = tp_k_fma (k, tp_k_splat (k, value, VECTOR),
                                    cols[j % n], state->acc[j]);
        }
    }
}

static void
fetch (State *state, TpValue step, TpWinogradFetched *out)
{
  if (state->first_step >= 0)
    step = tp_emit_add (state->emit, state->first_step, step);
  tp_winograd_copy_fetch (&state->copy, state->emit, step, out);
}

/* What the next step needs is fetched before this one is multiplied, and put to local
 * memory after it. The last step fetches its own once more. */
static void
emit_steps (State *state)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 last = state->plan->n_steps - 1;
  TpWinogradFetched fetched;
  TpValue step;

  fetch (state, tp_k_index (k, 0), &fetched);
  tp_winograd_copy_put (&state->copy, e, &fetched);
  tp_k_barrier (k);
  step = tp_emit_for_const (e, 0, last + 1, 1);
  for (int i = 0; i < state->n_acc; i++)
    state->acc[i] = tp_k_carry (k, state->acc[i]);
  fetch (state, tp_emit_min_const (e, tp_emit_add_const (e, step, 1), last),
         &fetched);
  multiply (state);
  tp_k_barrier (k);
  tp_winograd_copy_put (&state->copy, e, &fetched);
  tp_k_barrier (k);
  tp_emit_end_for (e, state->acc, state->n_acc, state->acc);
}

/* ---- sums to results --------------------------------------------------- */

static TpValue
join (TpKernel *k, TpValue a, TpValue b)
{
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return tp_k_binary (k, TP_I_MAND, a, b);
}

/* Puts the axis of rows or columns at result @i of a tile whose first is at @first.
 * Returns whether there is one, as a mask; -1: there is. */
static TpValue
set_result (TpEmit *e, int axis, TpValue first, int i)
{
  gint64 extent = e->nest->axes[axis].extent;
  TpValue at = tp_emit_add_const (e, first, i);

  if (i == 0 || extent % TP_WINOGRAD_OUT == 0)
    {
      tp_emit_set_axis (e, axis, at, i, extent - 1);
      return -1;
    }
  tp_emit_set_axis (e, axis, tp_emit_min_const (e, at, extent - 1), i,
                    extent - 1);
  return tp_k_binary (e->kernel, TP_I_ILESS, at,
                      tp_k_index (e->kernel, extent));
}

static void
store_tile (State *state, const TpWinogradTilePlace *place, TpValue inside,
            const TpValue *values)
{
  const TpContract *c = state->plan->w->c;
  TpEmit *e = state->emit;

  for (int i = 0; i < TP_WINOGRAD_OUT * TP_WINOGRAD_OUT; i++)
    {
      TpValue row = set_result (e, c->row_axis, place->row,
                                i / TP_WINOGRAD_OUT);
      TpValue col = set_result (e, c->col_axis, place->col,
                                i % TP_WINOGRAD_OUT);
      TpValue all = join (e->kernel, inside, join (e->kernel, row, col));

      if (all >= 0)
        tp_emit_if (e, all);
      e->stages[0] = values[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
      if (all >= 0)
        tp_emit_end_if (e);
    }
}

/* Of the tiles or filters, number @at of round @round in this group's block. */
static TpValue
number_of (State *state, int side, int round, TpValue at)
{
  const TpWinogradTilesSide *s = &state->plan->sides[side];
  TpEmit *e = state->emit;

  at = tp_emit_add_const (e, at, (gint64) round * s->items * VECTOR);
  return tp_emit_add (e, tp_emit_mul_const (e, state->block[side], s->block),
                      at);
}

static TpValue
is_inside (State *state, int side, TpValue number)
{
  const TpWinogradTilesSide *s = &state->plan->sides[side];
  TpKernel *k = state->emit->kernel;

  return s->extent % s->block == 0
             ? -1
             : tp_k_binary (k, TP_I_ILESS, number, tp_k_index (k, s->extent));
}

/* All points of one tile and one filter are this item's. */
static void
emit_results (State *state, const int rounds[2])
{
  const TpWinogradTiles *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue n = tp_k_index (k, (gint64) plan->sides[COLS].items * VECTOR);
  TpValue in[TP_WINOGRAD_POINTS], out[TP_WINOGRAD_POINTS], number[2], inside;
  TpWinogradTilePlace place;

  for (int i = 0; i < TP_WINOGRAD_POINTS; i++)
    in[i] = tp_k_load (k, state->copy.buffer,
                       tp_emit_add_const (e, tp_k_item (k),
                                          (gint64) i * plan->local_size),
                       1, -1);
  tp_winograd_emit_square (
      k, &tp_winograd_form_find (TP_WINOGRAD_OUT)->results, in, out);
  number[ROWS] = number_of (state, ROWS, rounds[ROWS],
                            tp_k_binary (k, TP_I_IDIV, tp_k_item (k), n));
  number[COLS] = number_of (state, COLS, rounds[COLS],
                            tp_k_binary (k, TP_I_IMOD, tp_k_item (k), n));
  inside = join (k, is_inside (state, ROWS, number[ROWS]),
                 is_inside (state, COLS, number[COLS]));
  tp_winograd_tile_place (&place, plan, e, number[plan->tiles]);
  tp_emit_set_axis (e, plan->w->c->n_axis,
                    tp_emit_min_const (e, number[plan->filters],
                                       plan->w->c->n_total - 1),
                    0, plan->w->c->n_total - 1);
  store_tile (state, &place, inside, out);
}

/* Rounds of as many sums as each item has points in: a vector of them, VECTOR rows. */
static void
emit_rounds (State *state)
{
  const TpWinogradTilesSide *s = state->plan->sides;
  TpEmit *e = state->emit;
  int n_cols = s[COLS].tile / VECTOR;
  int n = s[ROWS].tile / VECTOR * n_cols;

  for (int i = 0; i < n; i++)
    {
      const int rounds[] = { i / n_cols, i % n_cols };

      if (i > 0)
        tp_k_barrier (e->kernel);
      for (int row = 0; row < VECTOR; row++)
        tp_k_store (
            e->kernel, state->copy.buffer,
            tp_emit_add_const (e, state->sums,
                               (gint64) row * s[COLS].items * VECTOR),
            state->acc[(rounds[ROWS] * VECTOR + row) * n_cols + rounds[COLS]],
            -1);
      tp_k_barrier (e->kernel);
      emit_results (state, rounds);
    }
}

/* ---- the kernel -------------------------------------------------------- */

static void
emit_kernel (TpBuild *build, const TpWinogradTiles *plan, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  State state = { .plan = plan, .emit = emit };

  decode_group (&state);
  decode_item (&state);
  tp_winograd_copy_init (&state.copy, plan, emit, state.block);
  state.n_acc = plan->sides[ROWS].tile * plan->sides[COLS].tile / VECTOR;
  for (int i = 0; i < state.n_acc; i++)
    state.acc[i] = tp_k_f32 (emit->kernel, VECTOR, 0.0f);
  emit_steps (&state);
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      tp_emit_clear_axis (emit, i);
  emit_rounds (&state);
  tp_emit_finish (emit, "winograd_tiles");
}

/* Blocks of filters, each [channel][point][filter], so that a step reads what lies
 * together. Channels that fill the last step are 0. */
static void
pack_filters (const TpWinogradTiles *plan, TpNest *nest, TpBuild *build)
{
  const TpWinogradTilesSide *s = &plan->sides[plan->filters];
  gint64 panel = tp_winograd_tiles_step_size (plan) * plan->n_steps
                 * plan->n_parts;
  const TpWinogradPack pack = {
    .n_panels = s->n_blocks, .width = s->block,
    .point = s->block, .panel = panel, .channel = s->pitch,
    .n_elements = panel * s->n_blocks,
  };

  tp_winograd_pack (plan->w, tp_winograd_form_find (TP_WINOGRAD_OUT), &pack,
                    nest, build);
}

/* Channels in parts, for results too small to keep a GPU busy; sums lie as the
 * results do. Returns the axis. */
static int
divide (const TpWinogradTiles *plan, TpBuild *build, TpNest *nest)
{
  TpPartsOrder order = { 0 };
  TpSpan span;
  int axis;

  tp_span_init (&span);
  for (int i = 0; i < nest->n_axes; i++)
    if (!nest->axes[i].is_reduce)
      tp_span_add (&span, nest, i);
  tp_span_sort (&span, nest->store.stride);
  for (int i = span.n - 1; i >= 0; i--)
    order.axes[order.n++] = span.axes[i];
  axis = tp_nest_add_axis (nest, plan->n_parts, FALSE);
  tp_parts_divide (&order, build, nest, axis);
  return axis;
}

/* ---- the family -------------------------------------------------------- */

static const TpParam params[] = {
  { "tile", 2, VECTOR, MAX_TILE, 0 },
  { "items", 2, 1, 1 << 10, 0 },
  { "depth", 1, 1, 16, 0 },
  { "parts", 1, 1, 64, 0 },
  { NULL },
};

/* A group has an item per point at least. */
static gboolean
winograd_tiles_is_for (const TpTarget *target)
{
  return target->local_size >= TP_WINOGRAD_POINTS;
}

/* The time in which memory gives all filters, @n_points numbers each and channel: with
 * few tiles that is more than all products take, and transformed ones are larger. */
static double
read_time (const TpWinograd *w, int n_points)
{
  double bytes = 4.0 * n_points * w->n_channels * w->c->n_total;

  return bytes / (UNIT_BYTES * w->c->target->n_units);
}

/* The model's time of the best choice to that of tiles. */
static double
find_ratio (const TpWinograd *w, const TpBuild *build)
{
  static const TpFamily tiles = { .n_steps = TP_TILES_N_STEPS,
                                  .enumerate = tp_tiles_enumerate,
                                  .cost = tp_tiles_cost };
  static const TpFamily winograd
      = { .n_steps = TP_WINOGRAD_TILES_N_STEPS,
          .enumerate = tp_winograd_tiles_enumerate,
          .cost = tp_winograd_tiles_cost };
  g_autoptr (TpTiles) t = tp_tiles_new (build, w->c->nest);
  TpChoice direct, choice;
  double time;

  if (t == NULL || !tp_family_choose (&tiles, t, &direct)
      || !tp_family_choose (&winograd, w, &choice))
    return G_MAXDOUBLE;
  time = tp_winograd_tiles_cost (w, TP_WINOGRAD_TILES_N_STEPS - 1, &choice);
  return MAX (time, read_time (w, TP_WINOGRAD_POINTS))
         / MAX (tp_tiles_cost (t, TP_TILES_N_STEPS - 1, &direct),
                read_time (w, WINDOW));
}

static gpointer
winograd_tiles_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpWinograd) w = n == 1 ? tp_winograd_new (build, nests[0]) : NULL;

  if (w == NULL)
    return NULL;
  w->ratio = find_ratio (w, build);
  return g_steal_pointer (&w);
}

static void
winograd_tiles_free (gpointer analysis)
{
  tp_winograd_free (analysis);
}

static gboolean
winograd_tiles_is_last_resort (gconstpointer analysis)
{
  const TpWinograd *w = analysis;

  return w->ratio >= 1.0;
}

/* Within what the model may be wrong by. */
static gboolean
winograd_tiles_is_close (gconstpointer analysis)
{
  const TpWinograd *w = analysis;

  return w->ratio < 1.5;
}

static void
winograd_tiles_emit (TpBuild *build, gconstpointer analysis,
                     const TpChoice *choice)
{
  const TpWinograd *w = analysis;
  g_autoptr (TpNest) nest = tp_nest_copy (w->c->nest);
  TpWinogradTiles plan;
  int axis = -1;

  tp_winograd_tiles_init (&plan, w, choice->values);
  pack_filters (&plan, nest, build);
  if (plan.n_parts > 1)
    axis = divide (&plan, build, nest);
  emit_kernel (build, &plan, nest);
  if (plan.n_parts > 1)
    tp_parts_add_up (build, w->c->nest, nest, axis);
}

const TpFamily tp_schedule_winograd_tiles = {
  .form = { "winograd-tiles", params },
  .n_steps = TP_WINOGRAD_TILES_N_STEPS,
  .is_for = winograd_tiles_is_for,
  .analyze = winograd_tiles_analyze,
  .free = winograd_tiles_free,
  .is_last_resort = winograd_tiles_is_last_resort,
  .is_close = winograd_tiles_is_close,
  .enumerate = tp_winograd_tiles_enumerate,
  .cost = tp_winograd_tiles_cost,
  .find_fault = tp_winograd_tiles_find_fault,
  .emit = winograd_tiles_emit,
};
