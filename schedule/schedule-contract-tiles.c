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
#include "schedule/tiles-steps.h"

#define LANES TP_TILES_LANES
#define MAX_VECTORS (TP_TILES_MAX_TILE / LANES)
#define FEW_COLUMNS 16 /* narrower than a tile that local memory pays for */

G_STATIC_ASSERT (TP_TILES_MAX_TILE * MAX_VECTORS <= TP_TILES_MAX_SUMS);

typedef struct
{
  TpTileSteps steps;            /* whose sums are rows of vectors */
  TpValue at[2];                /* of the item in its group, along each side */
} TilesState;

/* Items next to each other share rows. */
static void
state_init (TilesState *state, const TpTilePlan *plan, TpEmit *emit)
{
  TpKernel *k = emit->kernel;
  TpValue n = tp_k_index (k, plan->sides[TP_TILES_COLS].items);

  tp_tile_steps_init (&state->steps, plan, emit);
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
load_fragment (const TilesState *state, int side, TpValue first, int i,
               TpValue *out_values)
{
  const TpTileSide *s = &state->steps.plan->sides[side];
  TpEmit *e = state->steps.emit;
  int lanes = vector_of (s);
  TpValue at =
      tp_emit_add (e, first, tp_emit_mul_const (e, state->at[side], lanes));

  at = tp_emit_add_const (e, at, i * s->pitch);
  for (int v = 0; v < s->tile / lanes; v++)
    out_values[v] = tp_k_load (
        e->kernel, state->steps.copies[side].buffers[0],
        tp_emit_add_const (e, at, (gint64)v * s->items * lanes), lanes, -1);
}

static TpValue
row_of (const TpTileSteps *steps, const TpValue *fragment, int row)
{
  TpKernel *k = steps->emit->kernel;
  TpValue value = fragment[row];

  if (steps->plan->sides[TP_TILES_ROWS].tile >= LANES)
    value = tp_k_extract (k, fragment[row / LANES], row % LANES);
  return tp_k_splat (k, value, LANES);
}

static void
multiply (TpTileSteps *steps, TpValue parity)
{
  const TilesState *state = (const TilesState *) steps;
  const TpTilePlan *plan = steps->plan;
  TpEmit *e = steps->emit;
  TpValue x[TP_TILES_MAX_TILE], w[MAX_VECTORS], first[2];
  int n = plan->sides[TP_TILES_COLS].tile / LANES;

  for (int i = 0; i < 2; i++)
    first[i] = tp_emit_mul_const (e, parity, tp_tile_side_size (plan, i));
  for (int i = 0; i < plan->depth; i++)
    {
      load_fragment (state, TP_TILES_ROWS, first[TP_TILES_ROWS], i, x);
      load_fragment (state, TP_TILES_COLS, first[TP_TILES_COLS], i, w);
      for (int j = 0; j < steps->n_acc; j++)
        steps->acc[j] = tp_k_fma (e->kernel, row_of (steps, x, j / n), w[j % n],
                                  steps->acc[j]);
    }
}

/* ---- results ----------------------------------------------------------- */

/* Puts the axes of @side where the vectors' points @v of the item begin, or its point @v
 * is, counted in units of @width points; and asks whether that lies inside. */
static TpValue
place (TilesState *state, int side, int v, int width)
{
  const TpTileSide *s = &state->steps.plan->sides[side];
  TpEmit *e = state->steps.emit;
  int vector = vector_of (s);
  gint64 rest = (v / vector * s->items * vector + v % vector) / width;
  TpValue unit = tp_emit_mul_const (e, state->at[side], vector / width);

  return tp_tile_steps_place (&state->steps, side,
                              tp_emit_add_const (e, unit, rest), width);
}

static void
emit_results (TilesState *state)
{
  TpTileSteps *steps = &state->steps;
  const TpTilePlan *plan = steps->plan;
  TpKernel *k = steps->emit->kernel;
  int width = tp_tile_steps_get_width (steps);
  int n = plan->sides[TP_TILES_COLS].tile;

  for (int row = 0; row < plan->sides[TP_TILES_ROWS].tile; row++)
    for (int col = 0; col < n; col += width)
      {
        TpValue value = steps->acc[(row * n + col) / LANES];
        TpValue inside = place (state, TP_TILES_ROWS, row, 1);
        TpValue right = place (state, TP_TILES_COLS, col, width);

        if (inside >= 0 && right >= 0)
          inside = tp_k_binary (k, TP_I_MAND, inside, right);
        if (width == 1)
          value = tp_k_extract (k, value, col % LANES);
        tp_tile_steps_store (steps, inside >= 0 ? inside : right, value);
      }
}

/* ---- the kernel -------------------------------------------------------- */

static void
emit_kernel (TpBuild *build, const TpTilePlan *plan, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  TilesState state = { .steps.multiply = multiply };
  TpTileSteps *steps = &state.steps;

  state_init (&state, plan, emit);
  steps->n_acc =
      plan->sides[TP_TILES_ROWS].tile * plan->sides[TP_TILES_COLS].tile / LANES;
  for (int i = 0; i < steps->n_acc; i++)
    steps->acc[i] = tp_emit_number (emit, 0.0, plan->t->dtype, LANES);
  tp_tile_steps_emit (steps);
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

static void
tiles_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  TpTilePlan plan;
  g_autoptr (TpNest) nest = NULL;
  int axis = -1;

  tp_tile_plan_init (&plan, analysis, choice->values);
  nest = tp_tiles_pack (analysis, build);
  if (plan.n_parts > 1)
    axis = tp_tile_plan_divide (&plan, build, nest);
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
