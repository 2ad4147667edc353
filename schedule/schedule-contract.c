/* schedule-contract.c: matrix products and convolutions on CPUs: w packed into
 * panels, x read in place or staged, register tiles over rows and columns. A
 * group computes a block of rows and columns for some panels. */
#include "config.h"

#include "schedule/contract.h"
#include "schedule/expr.h"
#include "schedule/schedule.h"

#include <string.h>

typedef struct
{
  const TpContract *c;
  TpEmit *emit;
  int x_buffer;
  TpValue row_block, col_block, panel_block;
  TpContractTile tile;
  TpValue row, col;           /* within the block */
} ContractState;

/* ---- tiles ------------------------------------------------------------- */

static void
emit_tile (ContractState *state)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;

  if (c->is_staged)
    state->tile.x_base
        = tp_emit_add (e, tp_emit_mul_const (e, state->row, c->rows.x),
                       tp_emit_mul_const (e, state->col, c->cols.x));
  else
    state->tile.x_base = tp_emit_index (e, &c->nest->loads[c->x_load]);
  state->tile.x_buffer = state->x_buffer;
  tp_contract_emit_tile (c, e, &state->tile);
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

  if (span == &state->c->rows)
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
  emit_span (state, &state->c->cols, state->col_block, emit_tile);
}

static void
emit_rows (ContractState *state)
{
  emit_span (state, &state->c->rows, state->row_block, emit_cols);
}

/* ---- panels ------------------------------------------------------------ */

static void
emit_panel (ContractState *state, TpValue panel, gint64 lo, gint64 hi, int width)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  gint64 nr = (gint64) c->lanes * c->vectors;
  int vectors = (width + c->lanes - 1) / c->lanes;

  tp_emit_clear_axis (e, c->n_axis);
  state->tile.vectors = vectors;
  state->tile.active = width - (vectors - 1) * c->lanes;
  state->tile.w_base = tp_emit_add (
      e, tp_emit_index (e, &c->nest->loads[c->w_load]),
      tp_emit_mul_const (e, panel, c->w_panel));
  tp_emit_set_axis (e, c->n_axis, tp_emit_mul_const (e, panel, nr), lo * nr,
                    hi * nr);
  emit_rows (state);
  tp_emit_clear_axis (e, c->n_axis);
}

static void
emit_panels (ContractState *state)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 nr = (gint64) c->lanes * c->vectors, n_full = c->n_total / nr;
  int rest = c->n_total % nr;
  gboolean is_blocked = c->n_panel_blocks > 1;

  if (n_full > 0)
    {
      TpValue first = tp_emit_mul_const (e, state->panel_block,
                                         c->block_panels);
      TpValue end = tp_emit_add_const (e, first, c->block_panels);
      TpValue panel = tp_emit_for (e, first, tp_emit_min_const (e, end, n_full),
                                   1);

      emit_panel (state, panel, 0, n_full - 1, nr);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest > 0 && is_blocked)
    tp_emit_if (e, tp_k_binary (k, TP_I_IEQUAL, state->panel_block,
                                tp_k_index (k, c->n_panel_blocks - 1)));
  if (rest > 0)
    emit_panel (state, tp_k_index (k, n_full), n_full, n_full, rest);
  if (rest > 0 && is_blocked)
    tp_emit_end_if (e);
}

/* ---- groups ------------------------------------------------------------ */

static TpValue
take_digit (TpEmit *e, TpValue *rest, gint64 extent)
{
  TpValue n = tp_k_index (e->kernel, extent);
  TpValue digit = tp_k_binary (e->kernel, TP_I_IMOD, *rest, n);

  *rest = tp_k_binary (e->kernel, TP_I_IDIV, *rest, n);
  e->kernel->n_groups *= extent;
  return digit;
}

static void
decode_group (ContractState *state)
{
  const TpContract *c = state->c;
  TpEmit *e = state->emit;
  TpValue rest = tp_k_group (e->kernel);

  e->kernel->n_groups = 1;
  state->panel_block = take_digit (e, &rest, c->n_panel_blocks);
  state->col_block = take_digit (e, &rest, c->cols.n_blocks);
  state->row_block = take_digit (e, &rest, c->rows.n_blocks);
  for (int i = c->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = c->nest->axes[c->outer[i]].extent;

      tp_emit_set_axis (e, c->outer[i], take_digit (e, &rest, extent), 0,
                        extent - 1);
    }
}

static void
emit_contract (TpBuild *build, const TpContract *c)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, c->nest);
  ContractState state = { .c = c, .emit = emit };

  state.x_buffer = emit->load_buffers[c->x_load];
  if (c->is_staged)
    state.x_buffer = tp_kernel_add_buffer (emit->kernel, TP_SPACE_LOCAL,
                                           TP_DTYPE_FLOAT32, c->scratch, TRUE);
  decode_group (&state);
  if (c->is_staged)
    tp_contract_emit_stage (c, emit, state.x_buffer, state.row_block,
                            state.col_block);
  emit_panels (&state);
  tp_emit_finish (emit, "contract");
  tp_build_describe (build,
                     "contract mr=%dx%d nr=%d block=%dx%dx%d lanes=%d %s",
                     (int) c->rows.tile, (int) c->cols.tile,
                     c->lanes * c->vectors, (int) c->rows.block,
                     (int) c->cols.block, (int) c->block_panels, c->lanes,
                     c->is_staged ? "staged" : "direct");
}

/* ---- choosing ---------------------------------------------------------- */

/* Direct reads want x as it is, and rows that do not share cache sets. */
static gboolean
is_direct (const TpContract *c)
{
  const TpAccess *x = &c->nest->loads[c->x_load];
  gint64 step = c->cols.axis < 0 ? 0 : x->stride[c->cols.axis];

  if (c->nest->exprs[c->x_expr].op != TP_EXPR_LOAD || x->n_guards > 0)
    return FALSE;
  return step % 1024 != 0 || c->cols.tile <= 4
         || c->n_total < 4 * c->lanes * c->vectors;
}

static void
set_direct (TpContract *c)
{
  const TpAccess *x = &c->nest->loads[c->x_load];

  c->is_staged = FALSE;
  c->rows.x = c->rows.axis < 0 ? 0 : x->stride[c->rows.axis];
  c->cols.x = c->cols.axis < 0 ? 0 : x->stride[c->cols.axis];
}

/* K axes by falling step in x. */
static void
order_k (TpContract *c)
{
  const TpAccess *x = &c->nest->loads[c->x_load];

  for (int i = 1; i < c->n_k; i++)
    for (int j = i; j > 0
                    && ABS (x->stride[c->k_axes[j - 1]])
                           < ABS (x->stride[c->k_axes[j]]);
         j--)
      {
        int axis = c->k_axes[j];

        c->k_axes[j] = c->k_axes[j - 1];
        c->k_axes[j - 1] = axis;
      }
}

/* A dot product per result: reading w once along K beats packing it. */
static gboolean
is_dot (const TpContract *c, const TpBuild *build)
{
  const TpAccess *w = &c->nest->loads[c->w_load];

  return !tp_build_is_constant (build, w->operand)
         && c->rows.extent * c->cols.extent <= 3;
}

/* Whether x is staged, and in which blocks; FALSE: it can be neither read in
 * place nor staged. */
static gboolean
choose_access (TpContract *c, const TpTarget *target)
{
  gboolean is_plain = c->nest->exprs[c->x_expr].op == TP_EXPR_LOAD
                      && c->nest->loads[c->x_load].n_guards == 0;

  c->is_staged = !is_direct (c) && tp_contract_find_dims (c);
  if (c->is_staged && tp_contract_choose_blocks (c, target))
    {
      tp_contract_size_dims (c);
      return TRUE;
    }
  set_direct (c);
  return is_plain && tp_contract_choose_blocks (c, target);
}

gboolean
tp_schedule_contract (TpBuild *build, const TpNest *nest)
{
  const TpTarget *target = build->target;
  TpContract c;
  gboolean is_done = FALSE;

  if (target->lanes == 1 || !tp_contract_analyze (&c, nest, target))
    return FALSE;
  if (is_dot (&c, build))
    is_done = tp_schedule_reduce (build, nest);
  order_k (&c);
  tp_contract_choose_tile (&c, target);
  if (!is_done && choose_access (&c, target))
    {
      tp_contract_pack (&c, build);
      tp_contract_merge_loops (&c);
      emit_contract (build, &c);
      is_done = TRUE;
    }
  tp_contract_clear (&c);
  return is_done;
}
