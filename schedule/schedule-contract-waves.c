/* schedule-contract-waves.c: the family "contract-waves": contractions on GPUs whose
 * waves multiply matrices. Calibration measures it beside contract-tiles, and takes it
 * where it is faster. */
#include "config.h"

#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/parts.h"
#include "schedule/tiles-analyze.h"
#include "schedule/tiles-steps.h"
#include "schedule/waves-choose.h"

typedef struct
{
  TpTileSteps steps;            /* whose sums are squares, rows of them */
  const TpWavePlan *plan;
  TpValue wave[2];              /* of the item, in its group, along each side */
  TpValue at[2];                /* of the item in a square: along the side, in rows
                                 * and vectors that it has */
} WavesState;

/* Of the item's wave, in units of @width, to the place @point of its square @square. */
static TpValue
count_points (WavesState *state, int side, gint64 square, gint64 point, int width)
{
  TpEmit *e = state->steps.emit;
  gint64 points = (gint64) TP_MMA_SIDE * state->plan->squares[side];

  return tp_emit_add_const (
      e, tp_emit_mul_const (e, state->wave[side], points / width),
      (square * TP_MMA_SIDE + point) / width);
}

static void
state_init (WavesState *state, const TpWavePlan *plan, TpEmit *emit)
{
  TpKernel *k = emit->kernel;
  TpValue item = tp_k_item (k), size = tp_k_index (k, TP_MMA_WAVE);
  TpValue wave = tp_k_binary (k, TP_I_IDIV, item, size);
  TpValue n = tp_k_index (k, plan->waves[TP_TILES_COLS]);
  TpValue across = tp_k_index (k, TP_MMA_SIDE / TP_MMA_WIDTH);
  const TpInstrOp ops[] = { TP_I_IDIV, TP_I_IMOD };

  state->plan = plan;
  tp_tile_steps_init (&state->steps, &plan->tiles, emit);
  item = tp_k_binary (k, TP_I_IMOD, item, size);
  for (int i = 0; i < 2; i++)
    {
      state->wave[i] = tp_k_binary (k, ops[i], wave, n);
      state->at[i] = tp_k_binary (k, ops[i], item, across);
    }
}

/* ---- multiply ---------------------------------------------------------- */

/* Which digits are multiplied, the least first. */
static const int digits[][2] = { { 1, 0 }, { 0, 1 }, { 0, 0 } };

/* Adds a step of K of one square, from the places @at of local memory on. */
static TpValue
multiply_square (WavesState *state, const TpValue *at)
{
  const TpTilePlan *plan = &state->plan->tiles;
  TpEmit *e = state->steps.emit;
  TpValue sum = tp_k_f32 (e->kernel, TP_MMA_LANES, 0);
  TpMma mma;

  for (guint d = plan->n_digits == 1 ? 2 : 0; d < G_N_ELEMENTS (digits); d++)
    for (int k = 0; k < plan->depth; k += TP_MMA_DEPTH)
      {
        TpValue from[2];

        for (int i = 0; i < 2; i++)
          {
            mma.buffers[i] = state->steps.copies[i].buffers[digits[d][i]];
            mma.pitches[i] = (int) plan->sides[i].pitch;
            from[i] = tp_emit_add_const (e, at[i], k * plan->sides[i].pitch);
          }
        sum = tp_k_mma (e->kernel, &mma, from[0], from[1], sum);
      }
  return sum;
}

/* Along the longer side, so that what stays in registers is the shorter one's. */
static void
multiply (TpTileSteps *steps, TpValue parity)
{
  WavesState *state = (WavesState *) steps;
  const TpWavePlan *plan = state->plan;
  TpEmit *e = steps->emit;
  TpValue first[2], at[2];
  int shorter = plan->squares[0] > plan->squares[1];

  for (int i = 0; i < 2; i++)
    first[i] = tp_emit_mul_const (e, parity, tp_tile_side_size (&plan->tiles, i));
  for (int i = 0; i < steps->n_acc; i++)
    {
      int square[2], *acc;

      square[shorter] = i % plan->squares[shorter];
      square[1 - shorter] = i / plan->squares[shorter];
      for (int s = 0; s < 2; s++)
        at[s] = tp_emit_add (e, first[s], count_points (state, s, square[s], 0, 1));
      acc = &steps->acc[square[0] * plan->squares[1] + square[1]];
      *acc = tp_k_binary (e->kernel, TP_I_FADD, *acc, multiply_square (state, at));
    }
}

/* ---- results ----------------------------------------------------------- */

G_STATIC_ASSERT (TP_MMA_WIDTH == TP_TILES_LANES);

/* Places the axes of @side at @point of the item's square @square, in units of @width
 * points; and asks whether that lies inside. */
static TpValue
place (WavesState *state, int side, int square, int point, int width)
{
  static const int own[] = { TP_MMA_ROWS, TP_MMA_WIDTH };
  TpEmit *e = state->steps.emit;
  TpValue unit = tp_emit_add (
      e, count_points (state, side, square, point, width),
      tp_emit_mul_const (e, state->at[side], own[side] / width));

  return tp_tile_steps_place (&state->steps, side, unit, width);
}

/* @width sums of an item, from @lane on. */
static TpValue
take_sums (TpKernel *k, TpValue sums, int lane, int width)
{
  TpValue value = tp_k_extract (k, sums, lane);

  if (width > 1)
    value = tp_k_splat (k, value, width);
  for (int i = 1; i < width; i++)
    value = tp_k_insert (k, value, tp_k_extract (k, sums, lane + i), i);
  return value;
}

static void
emit_results (WavesState *state)
{
  const TpWavePlan *plan = state->plan;
  TpTileSteps *steps = &state->steps;
  TpKernel *k = steps->emit->kernel;
  int width = tp_tile_steps_get_width (steps);

  for (int i = 0; i < steps->n_acc; i++)
    for (int lane = 0; lane < TP_MMA_LANES; lane += width)
      {
        TpValue below = place (state, TP_TILES_ROWS, i / plan->squares[1],
                               tp_mma_get_row (lane), 1);
        TpValue right = place (state, TP_TILES_COLS, i % plan->squares[1],
                               tp_mma_get_column (lane), width);

        if (below >= 0 && right >= 0)
          below = tp_k_binary (k, TP_I_MAND, below, right);
        tp_tile_steps_store (steps, below >= 0 ? below : right,
                             take_sums (k, steps->acc[i], lane, width));
      }
}

/* ---- the family -------------------------------------------------------- */

static const TpParam params[] = {
  { "squares", 2, 1, TP_WAVES_MAX_SQUARES, 0 },
  { "waves", 2, 1, 32, 0 },
  { "depth", 1, TP_MMA_DEPTH, 64, 0 },
  { "buffers", 1, 1, 2, 0 },
  { "parts", 1, 1, 64, 0 },
  { NULL },
};

static gpointer
waves_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return n == 1 ? tp_waves_new (build, nests[0]) : NULL;
}

static void
waves_free (gpointer analysis)
{
  tp_tiles_free (analysis);
}

static gboolean
waves_is_close (gconstpointer analysis)
{
  (void) analysis;
  return TRUE;
}

static void
emit_kernel (TpBuild *build, const TpWavePlan *plan, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  WavesState state = { .steps.multiply = multiply };

  state_init (&state, plan, emit);
  state.steps.n_acc = plan->squares[0] * plan->squares[1];
  for (int i = 0; i < state.steps.n_acc; i++)
    state.steps.acc[i] = tp_k_f32 (emit->kernel, TP_MMA_LANES, 0);
  tp_tile_steps_emit (&state.steps);
  emit_results (&state);
  tp_emit_finish (emit, "contract_waves");
}

static void
waves_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  TpWavePlan plan;
  g_autoptr (TpNest) nest = NULL;
  int axis = -1;

  tp_wave_plan_init (&plan, analysis, choice->values);
  nest = tp_tiles_pack (analysis, build);
  if (plan.tiles.n_parts > 1)
    axis = tp_tile_plan_divide (&plan.tiles, build, nest);
  emit_kernel (build, &plan, nest);
  if (plan.tiles.n_parts > 1)
    tp_parts_add_up (build, plan.tiles.t->nest, nest, axis);
}

const TpFamily tp_schedule_contract_waves = {
  .form = { "contract-waves", params },
  .n_steps = TP_WAVES_N_STEPS,
  .is_for = tp_target_has_mma,
  .analyze = waves_analyze,
  .free = waves_free,
  .is_last_resort = waves_is_close,
  .is_close = waves_is_close,
  .enumerate = tp_waves_enumerate,
  .cost = tp_waves_cost,
  .find_fault = tp_waves_find_fault,
  .emit = waves_emit,
};
