/* schedule-contract.c: the family "contract": matrix products and convolutions
 * on CPUs: w packed into panels, x read in place or staged, register tiles over
 * rows and columns. A group computes a block of rows and columns for some
 * panels. */
#include "config.h"

#include "schedule/schedule-contract.h"

#include "schedule/contract-analyze.h"
#include "schedule/contract-bytes.h"
#include "schedule/contract-choose.h"
#include "schedule/contract-dims.h"
#include "schedule/contract-pack.h"
#include "schedule/contract-skip.h"
#include "schedule/contract-stage.h"
#include "schedule/contract-tile.h"
#include "schedule/emit-access.h"
#include "schedule/family.h"

typedef struct
{
  const TpContractPlan *plan;
  TpEmit *emit;
  int x_buffer;
  TpValue row_block, col_block, panel_block;
  TpContractTile tile;
  TpValue row, col;           /* within the block */
  TpContractMake make;        /* what makes a panel first; NULL: nothing */
  gpointer make_data;
} ContractState;

/* ---- tiles ------------------------------------------------------------- */

static void
emit_tile (ContractState *state)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;

  if (plan->is_staged)
    state->tile.x_base
        = tp_emit_add (e, tp_emit_mul_const (e, state->row, plan->rows.x),
                       tp_emit_mul_const (e, state->col, plan->cols.x));
  else
    state->tile.x_base = tp_emit_index (e, &plan->nest->loads[plan->c->x_load]);
  state->tile.x_buffer = state->x_buffer;
  tp_contract_emit_tile (plan, e, &state->tile);
}

typedef void (*SpanFunc) (ContractState *state);

/* Sets the position of @span: @at points into its block. */
static void
set_span (ContractState *state, const TpContractSpan *span, TpValue block,
          TpValue at, gint64 points)
{
  TpEmit *e = state->emit;
  gint64 last = span->extent - points;
  TpValue pos = at;

  if (span == &state->plan->rows)
    {
      state->row = at;
      state->tile.rows = points;
    }
  else
    {
      state->col = at;
      state->tile.cols = points;
    }
  if (span->axis < 0)
    return;
  if (span->n_blocks > 1)
    {
      pos = tp_emit_add (e, at, tp_emit_mul_const (e, block, span->block));
      pos = tp_emit_min_const (e, pos, last);
    }
  tp_emit_set_axis (e, span->axis, pos, 0, last);
}

/* The points after the last whole tile of the last block. */
static void
emit_span_rest (ContractState *state, const TpContractSpan *span,
                TpValue block, SpanFunc inner)
{
  gint64 rest = span->extent % span->tile;
  gint64 at = span->extent - rest - (span->n_blocks - 1) * span->block;
  TpEmit *e = state->emit;

  if (rest == 0)
    return;
  if (span->n_blocks > 1)
    tp_emit_if (e, tp_k_binary (e->kernel, TP_I_IEQUAL, block,
                                tp_k_index (e->kernel, span->n_blocks - 1)));
  set_span (state, span, block, tp_k_index (e->kernel, at), rest);
  inner (state);
  if (span->n_blocks > 1)
    tp_emit_end_if (e);
}

static void
emit_span (ContractState *state, const TpContractSpan *span, TpValue block,
           SpanFunc inner)
{
  TpEmit *e = state->emit;
  gint64 whole = MIN (span->block, span->extent) / span->tile * span->tile;

  if (whole == span->tile && span->n_blocks == 1)
    {
      set_span (state, span, block, tp_k_index (e->kernel, 0), span->tile);
      inner (state);
    }
  else if (whole > 0)
    {
      /* Starts of whole tiles in this block; fewer in the last one. */
      TpValue end = tp_k_index (e->kernel, whole - span->tile + 1), at;

      if (span->n_blocks > 1 && span->extent % span->block != 0)
        {
          TpValue left = tp_emit_mul_const (e, block, -span->block);

          left = tp_emit_add_const (e, left, span->extent - span->tile + 1);
          end = tp_k_binary (e->kernel, TP_I_IMIN, left, end);
        }
      at = tp_emit_for (e, tp_k_index (e->kernel, 0), end, span->tile);
      set_span (state, span, block, at, span->tile);
      inner (state);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  emit_span_rest (state, span, block, inner);
}

static void
emit_cols (ContractState *state)
{
  emit_span (state, &state->plan->cols, state->col_block, emit_tile);
}

static void
emit_rows (ContractState *state)
{
  emit_span (state, &state->plan->rows, state->row_block, emit_cols);
}

/* ---- panels ------------------------------------------------------------ */

static void
emit_panel (ContractState *state, TpValue panel, gint64 lo, gint64 hi,
            int width)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;
  gint64 nr = tp_contract_plan_width (plan);
  int vectors = (width + plan->lanes - 1) / plan->lanes;

  tp_emit_clear_axis (e, plan->c->n_axis);
  if (state->make != NULL)
    state->make (e, panel, vectors, state->make_data);
  state->tile.vectors = vectors;
  state->tile.active = width - (vectors - 1) * plan->lanes;
  state->tile.w_base = tp_emit_add (
      e, tp_emit_index (e, &plan->nest->loads[plan->c->w_load]),
      tp_emit_mul_const (e, panel, plan->w_panel));
  tp_emit_set_axis (e, plan->c->n_axis, tp_emit_mul_const (e, panel, nr),
                    lo * nr, hi * nr);
  emit_rows (state);
  tp_emit_clear_axis (e, plan->c->n_axis);
}

static void
emit_panels (ContractState *state)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 nr = tp_contract_plan_width (plan), n_full = plan->c->n_total / nr;
  int rest = plan->c->n_total % nr;
  gboolean is_blocked = plan->n_panel_blocks > 1;

  if (n_full > 0)
    {
      TpValue first = tp_emit_mul_const (e, state->panel_block,
                                         plan->block_panels);
      TpValue end = tp_emit_add_const (e, first, plan->block_panels);
      TpValue panel = tp_emit_for (e, first, tp_emit_min_const (e, end, n_full),
                                   1);

      emit_panel (state, panel, 0, n_full - 1, nr);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest > 0 && is_blocked)
    tp_emit_if (e, tp_k_binary (k, TP_I_IEQUAL, state->panel_block,
                                tp_k_index (k, plan->n_panel_blocks - 1)));
  if (rest > 0)
    emit_panel (state, tp_k_index (k, n_full), n_full, n_full, rest);
  if (rest > 0 && is_blocked)
    tp_emit_end_if (e);
}

/* ---- groups ------------------------------------------------------------ */

static void
decode_group (ContractState *state)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpValue rest = tp_k_group (e->kernel);

  e->kernel->n_groups = 1;
  state->panel_block = tp_emit_take_digit (e, &rest, plan->n_panel_blocks);
  state->col_block = tp_emit_take_digit (e, &rest, plan->cols.n_blocks);
  state->row_block = tp_emit_take_digit (e, &rest, plan->rows.n_blocks);
  for (int i = plan->c->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = plan->nest->axes[plan->c->outer[i]].extent;

      tp_emit_set_axis (e, plan->c->outer[i], tp_emit_take_digit (e, &rest, extent), 0,
                        extent - 1);
    }
}

static void
emit_block (ContractState *state)
{
  const TpContractPlan *plan = state->plan;

  if (plan->is_staged)
    tp_contract_emit_stage (plan, state->emit, state->x_buffer,
                            state->row_block, state->col_block);
  else
    state->x_buffer = state->emit->load_buffers[plan->c->x_load];
  if (plan->n_kept > 0)
    state->tile.kept_buffer
        = tp_kernel_add_buffer (state->emit->kernel, TP_SPACE_LOCAL,
                                plan->c->dtype, plan->n_kept, TRUE);
  emit_panels (state);
}

int
tp_schedule_contract_add_scratch (const TpContractPlan *plan, TpKernel *kernel)
{
  if (!plan->is_staged)
    return -1;
  return tp_kernel_add_buffer (kernel, TP_SPACE_LOCAL, plan->c->dtype,
                               plan->scratch, TRUE);
}

void
tp_schedule_contract_emit_block (const TpContractPlan *plan, TpEmit *emit,
                                 int scratch)
{
  TpValue zero = tp_k_index (emit->kernel, 0);
  ContractState state = { .plan = plan, .emit = emit, .x_buffer = scratch,
                          .row_block = zero, .col_block = zero,
                          .panel_block = zero };

  g_assert (plan->rows.n_blocks == 1 && plan->cols.n_blocks == 1
            && plan->n_panel_blocks == 1);
  emit_block (&state);
}

void
tp_schedule_contract_emit_made (const TpContractPlan *plan, TpEmit *emit,
                                TpContractMake make, gpointer data)
{
  ContractState state = { .plan = plan, .emit = emit, .make = make,
                          .make_data = data };

  state.x_buffer = tp_schedule_contract_add_scratch (plan, emit->kernel);
  decode_group (&state);
  emit_block (&state);
}

static void
emit_kernel (TpBuild *build, const TpContractPlan *plan)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, plan->nest);

  tp_schedule_contract_emit_made (plan, emit, NULL, NULL);
  tp_emit_finish (emit, "contract");
}

/* ---- the family -------------------------------------------------------- */

TpContract *
tp_schedule_contract_analyze (const TpBuild *build, const TpNest *nest)
{
  g_autoptr (TpContract) c = tp_contract_new (build, nest);

  if (c == NULL)
    return NULL;
  tp_contract_order_k (c);
  c->is_stageable = tp_contract_find_dims (c);
  if (c->is_stageable)
    tp_contract_skip_order (c);
  return g_steal_pointer (&c);
}

gboolean
tp_schedule_contract_plan (const TpContract *c, TpContractPlan *out_plan)
{
  TpChoice choice;

  if (!tp_family_choose (&tp_schedule_contract, c, &choice))
    return FALSE;
  tp_contract_plan_init (out_plan, c, &choice);
  return TRUE;
}

/* Few columns leave most of a vector empty; windows fill theirs with points, where these
 * are contiguous in x. */
static gboolean
has_few_columns (const TpContract *c)
{
  return 4 * c->n_total <= c->target->lanes && c->n_cols >= c->target->lanes
         && c->nest->loads[c->x_load].stride[c->col_axis] == 1;
}

static gpointer
contract_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpContract) c = NULL;

  if (n == 1)
    c = tp_schedule_contract_analyze (build, nests[0]);
  if (c != NULL && has_few_columns (c))
    return NULL;
  return n == 1 && c == NULL ? tp_contract_bytes_new (build, nests[0])
                             : g_steal_pointer (&c);
}

static void
contract_free (gpointer analysis)
{
  tp_contract_free (analysis);
}

/* A dot product per result: reading w once along K beats packing it. */
static gboolean
contract_is_last_resort (gconstpointer analysis)
{
  const TpContract *c = analysis;

  return !c->is_w_constant && c->n_rows * c->n_cols <= 3;
}

static void
contract_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpContract *c = analysis;
  g_autoptr (TpNest) nest = tp_nest_copy (c->nest);
  TpContractPlan plan;

  tp_contract_plan_init (&plan, c, choice);
  plan.nest = nest;
  tp_contract_pack (&plan, build, choice->values[TP_CONTRACT_PACK]);
  emit_kernel (build, &plan);
}

const TpFamily tp_schedule_contract = {
  .form = { "contract", tp_contract_params },
  .n_steps = TP_CONTRACT_N_STEPS,
  .takes_doubles = TRUE,
  .is_for = tp_target_has_vectors,
  .analyze = contract_analyze,
  .free = contract_free,
  .is_last_resort = contract_is_last_resort,
  .enumerate = tp_contract_enumerate,
  .cost = tp_contract_cost,
  .find_fault = tp_contract_find_fault,
  .emit = contract_emit,
};
