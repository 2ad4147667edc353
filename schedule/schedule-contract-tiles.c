/* schedule-contract-tiles.c: the family "contract-tiles": contractions on GPUs.
 * Both factors go through local memory, some steps of K at a time, the next one
 * on its way while an item multiplies what is there: so a group reads each of
 * its elements once, and an item's registers do most of the work. */
#include "config.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/items.h"
#include "schedule/parts.h"
#include "schedule/tiles-analyze.h"
#include "schedule/tiles-choose.h"
#include "schedule/tiles-copy.h"

#define LANES 4 /* columns of an item come in vectors */
#define MAX_VECTORS (TP_TILES_MAX_TILE / LANES)
#define FEW_COLUMNS 16 /* narrower than a tile that local memory pays for */

typedef struct
{
  const TpTilePlan *plan;
  TpEmit *emit;
  TpValue block[2];   /* number of the block along each side */
  TpValue at[2];      /* of the item in its group, along each */
  TpValue first_step; /* of the part of this group; -1: 0 */
  TpTileCopy copies[2];
  int n_acc;
  TpValue acc[TP_TILES_MAX_TILE * MAX_VECTORS]; /* rows of vectors */
} TilesState;

/* ---- where ------------------------------------------------------------- */

/* Groups next to each other share rows; items, too. */
static void
decode_group (TilesState *state)
{
  const TpTilePlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue rest = tp_k_group (k), part;
  TpValue n = tp_k_index (k, plan->sides[TP_TILES_COLS].items);

  k->n_groups = 1;
  k->local_size = plan->local_size;
  for (int i = 1; i >= 0; i--)
    state->block[i] =
        tp_emit_take_digit (e, &rest, tp_tile_plan_count_blocks (plan, i));
  state->first_step = -1;
  if (plan->n_parts > 1)
    {
      part = tp_emit_take_digit (e, &rest, plan->n_parts);
      tp_emit_set_axis (e, e->nest->n_axes - 1, part, 0, plan->n_parts - 1);
      state->first_step = tp_emit_mul_const (e, part, plan->n_steps);
    }
  k->n_groups *= plan->t->outer.extent;
  tp_span_set (e, &plan->t->outer, rest, 1);
  state->at[TP_TILES_COLS] = tp_k_binary (k, TP_I_IMOD, tp_k_item (k), n);
  state->at[TP_TILES_ROWS] = tp_k_binary (k, TP_I_IDIV, tp_k_item (k), n);
}

/* Points of an item come in vectors, or one by one where they are too few;
 * these lie as far apart as all items of the side take room, so items next to
 * each other read neighbours. */
static int
vector_of (const TpTileSide *s)
{
  return s->tile >= LANES ? LANES : 1;
}

/* ---- multiply ---------------------------------------------------------- */

/* What the item needs of a side at place @i of the step, from @first on. */
static void
load_fragment (TilesState *state, int side, TpValue first, int i,
               TpValue *out_values)
{
  const TpTileSide *s = &state->plan->sides[side];
  TpEmit *e = state->emit;
  int lanes = vector_of (s);
  TpValue at =
      tp_emit_add (e, first, tp_emit_mul_const (e, state->at[side], lanes));

  at = tp_emit_add_const (e, at, i * s->pitch);
  for (int v = 0; v < s->tile / lanes; v++)
    out_values[v] = tp_k_load (
        e->kernel, state->copies[side].buffer,
        tp_emit_add_const (e, at, (gint64)v * s->items * lanes), lanes, -1);
}

static TpValue
row_of (TilesState *state, const TpValue *fragment, int row)
{
  TpKernel *k = state->emit->kernel;
  TpValue value = fragment[row];

  if (state->plan->sides[TP_TILES_ROWS].tile >= LANES)
    value = tp_k_extract (k, fragment[row / LANES], row % LANES);
  return tp_k_splat (k, value, LANES);
}

/* One step of K out of local memory, the buffer @parity. */
static void
multiply (TilesState *state, TpValue parity)
{
  const TpTilePlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpValue x[TP_TILES_MAX_TILE], w[MAX_VECTORS], first[2];
  int n = plan->sides[TP_TILES_COLS].tile / LANES;

  for (int i = 0; i < 2; i++)
    first[i] = tp_emit_mul_const (e, parity, tp_tile_side_size (plan, i));
  for (int i = 0; i < plan->depth; i++)
    {
      load_fragment (state, TP_TILES_ROWS, first[TP_TILES_ROWS], i, x);
      load_fragment (state, TP_TILES_COLS, first[TP_TILES_COLS], i, w);
      for (int j = 0; j < state->n_acc; j++)
        state->acc[j] = tp_k_fma (e->kernel, row_of (state, x, j / n), w[j % n],
                                  state->acc[j]);
    }
}

/* ---- steps ------------------------------------------------------------- */

typedef struct
{
  TpValue side[2][TP_TILES_MAX_COPIES];
} Fetched;

static void
fetch (TilesState *state, TpValue step, Fetched *out)
{
  if (state->first_step >= 0)
    step = tp_emit_add (state->emit, state->first_step, step);
  for (int i = 0; i < 2; i++)
    tp_tile_copy_load (&state->copies[i], state->emit, step, out->side[i]);
}

static void
put (TilesState *state, TpValue parity, const Fetched *fetched)
{
  for (int i = 0; i < 2; i++)
    tp_tile_copy_store (&state->copies[i], state->emit,
                        tp_emit_mul_const (state->emit, parity,
                                           tp_tile_side_size (state->plan, i)),
                        fetched->side[i]);
}

static TpValue
open_steps (TilesState *state)
{
  TpEmit *e = state->emit;
  TpValue step = tp_emit_for_const (e, 0, state->plan->n_steps, 1);

  for (int i = 0; i < state->n_acc; i++)
    state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
  return step;
}

static void
close_steps (TilesState *state)
{
  tp_k_barrier (state->emit->kernel);
  tp_emit_end_for (state->emit, state->acc, state->n_acc, state->acc);
}

/* Every step waits for its own elements. */
static void
emit_steps_alone (TilesState *state)
{
  TpEmit *e = state->emit;
  TpValue zero = tp_k_index (e->kernel, 0), step = open_steps (state);
  Fetched fetched;

  fetch (state, step, &fetched);
  put (state, zero, &fetched);
  tp_k_barrier (e->kernel);
  multiply (state, zero);
  close_steps (state);
}

/* The elements of the next step are fetched before this one is multiplied and
 * put into the other buffer after it, so one barrier is enough. The last step
 * fetches its own once more, which is cheaper than a branch. */
static void
emit_steps_ahead (TilesState *state)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue zero = tp_k_index (k, 0), two = tp_k_index (k, 2), step, next;
  Fetched fetched;

  fetch (state, zero, &fetched);
  put (state, zero, &fetched);
  tp_k_barrier (k);
  step = open_steps (state);
  next = tp_emit_add_const (e, step, 1);
  fetch (state, tp_emit_min_const (e, next, state->plan->n_steps - 1),
         &fetched);
  multiply (state, tp_k_binary (k, TP_I_IMOD, step, two));
  put (state, tp_k_binary (k, TP_I_IMOD, next, two), &fetched);
  close_steps (state);
}

/* ---- results ----------------------------------------------------------- */

/* The first of the vectors' points @v of the item, or its point @v, counted in
 * units of @width points. */
static TpValue
unit_of (TilesState *state, int side, int v, int width)
{
  const TpTileSide *s = &state->plan->sides[side];
  TpEmit *e = state->emit;
  int vector = vector_of (s);
  gint64 rest = (v / vector * s->items * vector + v % vector) / width;
  TpValue unit = tp_emit_mul_const (e, state->block[side], s->points / width);

  unit = tp_emit_add (e, unit,
                      tp_emit_mul_const (e, state->at[side], vector / width));
  return tp_emit_add_const (e, unit, rest);
}

/* Puts the axes of @side at point @v; and asks whether it is none. */
static TpValue
place (TilesState *state, int side, int v, int width)
{
  const TpSpan *span = &state->plan->t->sides[side];
  TpEmit *e = state->emit;
  TpValue unit = unit_of (state, side, v, width);

  if (span->extent % state->plan->sides[side].points == 0)
    {
      tp_span_set (e, span, unit, width);
      return -1;
    }
  tp_span_place (e, span, unit, width);
  return tp_span_is_inside (e, span, unit, width);
}

/* All of it is asked first: what the nest reads may be what another item
 * writes. */
static void
store (TilesState *state, TpValue inside, TpValue value)
{
  TpEmit *e = state->emit;

  if (inside >= 0)
    tp_emit_if (e, inside);
  e->stages[0] = value;
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
  if (inside >= 0)
    tp_emit_end_if (e);
}

/* Columns that are neighbours in the result are stored as vectors. */
static int
store_width (const TpTilePlan *plan, const TpNest *nest)
{
  const TpSpan *cols = &plan->t->sides[TP_TILES_COLS];
  int axis = cols->n > 0 ? cols->axes[cols->n - 1] : -1;

  return axis >= 0 && nest->store.stride[axis] == 1
                 && nest->axes[axis].extent % LANES == 0
             ? LANES
             : 1;
}

static void
emit_results (TilesState *state)
{
  const TpTilePlan *plan = state->plan;
  const TpSpan *cols = &plan->t->sides[TP_TILES_COLS];
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int width = store_width (plan, e->nest);
  int n = plan->sides[TP_TILES_COLS].tile;

  for (int row = 0; row < plan->sides[TP_TILES_ROWS].tile; row++)
    for (int col = 0; col < n; col += width)
      {
        TpValue value = state->acc[(row * n + col) / LANES];
        TpValue inside = place (state, TP_TILES_ROWS, row, 1);
        TpValue right = place (state, TP_TILES_COLS, col, width);

        if (inside >= 0 && right >= 0)
          inside = tp_k_binary (k, TP_I_MAND, inside, right);
        if (width == 1)
          value = tp_k_extract (k, value, col % LANES);
        else
          tp_emit_set_lanes (e, cols->axes[cols->n - 1], LANES, LANES);
        store (state, inside >= 0 ? inside : right, value);
        tp_emit_set_lanes (e, -1, 1, 1);
      }
}

/* ---- the kernel -------------------------------------------------------- */

static void
emit_kernel (TpBuild *build, const TpTilePlan *plan, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  TilesState state = { .plan = plan, .emit = emit };

  decode_group (&state);
  for (int i = 0; i < 2; i++)
    tp_tile_copy_init (&state.copies[i], plan, i, emit, state.block[i]);
  state.n_acc =
      plan->sides[TP_TILES_ROWS].tile * plan->sides[TP_TILES_COLS].tile / LANES;
  for (int i = 0; i < state.n_acc; i++)
    state.acc[i] = tp_emit_number (emit, 0.0, plan->t->dtype, LANES);
  if (plan->n_buffers > 1)
    emit_steps_ahead (&state);
  else
    emit_steps_alone (&state);
  for (int i = 0; i < plan->t->k.n; i++)
    tp_emit_clear_axis (emit, plan->t->k.axes[i]);
  emit_results (&state);
  tp_emit_finish (emit, "contract_tiles");
}

/* ---- the family -------------------------------------------------------- */

static const TpParam params[] = {
  { "tile", 2, 1, TP_TILES_MAX_TILE, 0 },
  { "items", 2, 1, 1 << 10, 0 },
  { "depth", 1, 4, 16, 0 },
  { "buffers", 1, 1, 2, 0 },
  { "parts", 1, 1, 64, 0 },
  { NULL },
};

static gpointer
tiles_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_tiles_new (build, nests[0]) : NULL;
}

static void
tiles_free (gpointer analysis)
{
  tp_tiles_free (analysis);
}

/* Groups of a convolution that have few columns make narrow tiles, while the windows of
 * neighbours share what they read: another family is to be asked first, and measured
 * beside this one. */
static gboolean
tiles_is_narrow (gconstpointer analysis)
{
  const TpTiles *t = analysis;

  return MIN (t->sides[0].extent, t->sides[1].extent) < FEW_COLUMNS
         && t->outer.n > 0 && tp_items_has_overlaps (t->nest);
}

/* A vector times a matrix, with fewer results than keep a GPU busy: items that share
 * the sums of a result (reduce-items) need no second kernel, and memory is the limit of
 * either. Both are measured. */
static gboolean
tiles_is_vector (const TpTiles *t)
{
  gint64 n = MAX (t->sides[0].extent, t->sides[1].extent);

  return MIN (t->sides[0].extent, t->sides[1].extent) == 1 && t->outer.n == 0
         && n < (gint64) t->target->n_units * TP_ITEMS_BUSY;
}

static gboolean
tiles_is_behind (gconstpointer analysis)
{
  return tiles_is_narrow (analysis) || tiles_is_vector (analysis);
}

/* K in parts, for results too small to keep a GPU busy; columns lie together.
 * Returns the axis. */
static int
divide (const TpTilePlan *plan, TpBuild *build, TpNest *nest)
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

static void
tiles_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  TpTilePlan plan;
  g_autoptr (TpNest) nest = NULL;
  int axis = -1;

  tp_tile_plan_init (&plan, analysis, choice->values);
  nest = tp_tiles_pack (analysis, build);
  if (plan.n_parts > 1)
    axis = divide (&plan, build, nest);
  emit_kernel (build, &plan, nest);
  if (plan.n_parts > 1)
    tp_parts_add_up (build, plan.t->nest, nest, axis);
}

const TpFamily tp_schedule_contract_tiles = {
  .form = { "contract-tiles", params },
  .n_steps = TP_TILES_N_STEPS,
  .takes_doubles = TRUE,
  .is_for = tp_target_is_gpu,
  .analyze = tiles_analyze,
  .free = tiles_free,
  .is_last_resort = tiles_is_behind,
  .is_close = tiles_is_behind,
  .enumerate = tp_tiles_enumerate,
  .cost = tp_tiles_cost,
  .find_fault = tp_tiles_find_fault,
  .emit = tiles_emit,
};
