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
  TpValue first[2];             /* point of the block where the wave's squares begin */
  TpValue at[2];                /* point of a square that is the item's first */
} WavesState;

static void
state_init (WavesState *state, const TpWavePlan *plan, TpEmit *emit)
{
  TpKernel *k = emit->kernel;
  TpValue item = tp_k_item (k), size = tp_k_index (k, TP_MMA_WAVE);
  TpValue wave = tp_k_binary (k, TP_I_IDIV, item, size);
  TpValue n = tp_k_index (k, plan->waves[TP_TILES_COLS]), four = tp_k_index (k, 4);
  const TpInstrOp ops[] = { TP_I_IDIV, TP_I_IMOD };

  state->plan = plan;
  tp_tile_steps_init (&state->steps, &plan->tiles, emit);
  item = tp_k_binary (k, TP_I_IMOD, item, size);
  for (int i = 0; i < 2; i++)
    {
      state->first[i]
          = tp_emit_mul_const (emit, tp_k_binary (k, ops[i], wave, n),
                               (gint64) TP_MMA_SIDE * plan->squares[i]);
      state->at[i] = tp_k_binary (k, ops[i], item, four);
    }
  state->at[TP_TILES_COLS] = tp_emit_mul_const (emit, state->at[TP_TILES_COLS], 2);
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

static void
multiply (TpTileSteps *steps, TpValue parity)
{
  WavesState *state = (WavesState *) steps;
  const TpWavePlan *plan = state->plan;
  TpEmit *e = steps->emit;
  TpValue first[2], at[2];

  for (int i = 0; i < 2; i++)
    first[i] = tp_emit_add (
        e, tp_emit_mul_const (e, parity, tp_tile_side_size (&plan->tiles, i)),
        state->first[i]);
  for (int i = 0; i < steps->n_acc; i++)
    {
      const int square[] = { i / plan->squares[1], i % plan->squares[1] };

      for (int s = 0; s < 2; s++)
        at[s] = tp_emit_add_const (e, first[s], square[s] * TP_MMA_SIDE);
      steps->acc[i] = tp_k_binary (e->kernel, TP_I_FADD, steps->acc[i],
                                   multiply_square (state, at));
    }
}

/* ---- results ----------------------------------------------------------- */

static TpValue
place (WavesState *state, int side, gint64 point)
{
  TpEmit *e = state->steps.emit;
  TpValue unit = tp_emit_add (e, state->first[side], state->at[side]);

  return tp_tile_steps_place (&state->steps, side,
                              tp_emit_add_const (e, unit, point), 1);
}

static void
emit_results (WavesState *state)
{
  const TpWavePlan *plan = state->plan;
  TpTileSteps *steps = &state->steps;
  TpKernel *k = steps->emit->kernel;

  for (int i = 0; i < steps->n_acc; i++)
    for (int lane = 0; lane < TP_MMA_LANES; lane++)
      {
        TpValue below
            = place (state, TP_TILES_ROWS,
                     i / plan->squares[1] * TP_MMA_SIDE + tp_mma_get_row (lane));
        TpValue right
            = place (state, TP_TILES_COLS,
                     i % plan->squares[1] * TP_MMA_SIDE + tp_mma_get_column (lane));

        if (below >= 0 && right >= 0)
          below = tp_k_binary (k, TP_I_MAND, below, right);
        tp_tile_steps_store (steps, below >= 0 ? below : right,
                             tp_k_extract (k, steps->acc[i], lane));
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
