/* contract-stage.c: staging of x into scratch of the group, with its padding
 * and prologue, in the order it has in memory, so that both the copy and the
 * micro-kernel walk it straight. */
#include "config.h"

#include "schedule/contract-stage.h"

#include "schedule/contract-bytes.h"
#include "schedule/contract-dims.h"
#include "schedule/contract-dot.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"

typedef struct
{
  const TpContractPlan *plan;
  TpEmit *emit;
  int buffer;
  TpValue base[TP_NEST_MAX_AXES];  /* per dim: guard value of its first point */
  TpValue fill;               /* of all lanes, for what is outside */
} StageState;

/* Points [first, end) of dimension @d are outside. */
static void
emit_outside (StageState *state, int d, TpValue at, TpValue first, TpValue end)
{
  gint64 pitch = state->plan->dim_pitch[d], lo, hi;
  TpEmit *e = state->emit;
  TpValue i;

  if (tp_emit_is_const (e, first, &lo) && tp_emit_is_const (e, end, &hi)
      && lo >= hi)
    return;
  i = tp_emit_for (e, first, end, 1);
  tp_emit_fill (e, state->buffer,
                tp_emit_add (e, at, tp_emit_mul_const (e, i, pitch)), pitch,
                state->fill);
  tp_emit_end_for (e, NULL, 0, NULL);
}

static void
emit_copy (StageState *state, TpValue at)
{
  TpEmit *e = state->emit;

  TpValue value = tp_emit_expr (e, state->plan->c->x_expr);

  if (state->plan->c->is_bytes)
    value = tp_contract_dot_move_x (state->plan, e, value);
  tp_k_store (e->kernel, state->buffer, at, value, tp_emit_mask (e));
}

/* @n vectors of the innermost dimension from its point @i on. */
static void
emit_vectors (StageState *state, const TpStageDim *dim, TpValue at, TpValue i,
              int n)
{
  TpEmit *e = state->emit;

  for (int v = 0; v < n; v++)
    {
      e->axes[dim->carrier].delta = (gint64) v * e->lanes;
      emit_copy (state, tp_emit_add_const (e, tp_emit_add (e, at, i),
                                           (gint64) v * e->lanes));
    }
  e->axes[dim->carrier].delta = 0;
}

/* The innermost dimension, from @lo to @hi, both constant and inside. */
static void
emit_row (StageState *state, int d, TpValue at, gint64 lo, gint64 hi)
{
  const TpStageDim *dim = &state->plan->c->dims[d];
  TpEmit *e = state->emit;
  int lanes = dim->scale == 1 ? state->plan->lanes : 1;
  gint64 base = 0, vectors = (hi - lo) / lanes, end = lo + vectors * lanes;
  int unroll = vectors <= 8 ? MAX (vectors, 1) : 4;
  gint64 whole = lo + vectors / unroll * unroll * lanes;

  tp_emit_is_const (e, state->base[d], &base);
  base -= dim->offset;
  tp_emit_set_lanes (e, lanes == 1 ? -1 : dim->carrier, lanes, lanes);
  if (whole > lo)
    {
      TpValue i = tp_emit_for_const (e, lo, whole, (gint64) unroll * lanes);

      tp_emit_set_axis (e, dim->carrier, tp_emit_add_const (e, i, base),
                        base + lo, base + whole - unroll * lanes);
      emit_vectors (state, dim, at, i, unroll);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  tp_emit_set_axis (e, dim->carrier, tp_k_index (e->kernel, base + whole),
                    base + whole, base + whole);
  emit_vectors (state, dim, at, tp_k_index (e->kernel, whole),
                (end - whole) / lanes);
  tp_emit_set_axis (e, dim->carrier, tp_k_index (e->kernel, base + end),
                    base + end, base + end);
  if (end < hi)
    {
      tp_emit_set_lanes (e, dim->carrier, lanes, hi - end);
      emit_vectors (state, dim, at, tp_k_index (e->kernel, end), 1);
    }
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* How many of @n points of dimension @d come before @value of its guard. */
static TpValue
count_before (StageState *state, int d, gint64 value, gint64 n)
{
  gint64 step = state->plan->dim_step[d];
  TpEmit *e = state->emit;
  TpValue way = tp_k_binary (e->kernel, TP_I_ISUB,
                             tp_k_index (e->kernel, value + step - 1),
                             state->base[d]);

  way = tp_emit_max_const (e, way, 0);
  if (step > 1)
    way = tp_k_binary (e->kernel, TP_I_IDIV, way,
                       tp_k_index (e->kernel, step));
  return tp_emit_min_const (e, way, n);
}

/* Puts the carrier of @dim at its point @i, kept in range for the verifier. */
static void
set_carrier (StageState *state, int d, TpValue i)
{
  const TpStageDim *dim = &state->plan->c->dims[d];
  TpEmit *e = state->emit;
  TpValue value = tp_emit_add (
      e, state->base[d],
      tp_emit_mul_const (e, i, state->plan->dim_step[d]));

  value = tp_emit_min_const (e, tp_emit_max_const (e, value, 0),
                             dim->extent - 1);
  tp_emit_set_axis (e, dim->carrier,
                    tp_emit_add_const (e, value, -dim->offset), -dim->offset,
                    dim->extent - 1 - dim->offset);
}

static void
emit_dim (StageState *state, int d, TpValue at)
{
  const TpStageDim *dim = &state->plan->c->dims[d];
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 n = state->plan->dim_size[d], first, end;
  TpValue zero = tp_k_index (k, 0), size = tp_k_index (k, n), lo, hi, i;

  lo = count_before (state, d, 0, n);
  hi = count_before (state, d, dim->extent, n);
  emit_outside (state, d, at, zero, lo);
  emit_outside (state, d, at, hi, size);
  if (d == state->plan->c->n_dims - 1 && tp_emit_is_const (e, lo, &first)
      && tp_emit_is_const (e, hi, &end))
    {
      emit_row (state, d, at, first, end);
      return;
    }
  i = tp_emit_for (e, lo, hi, 1);
  set_carrier (state, d, i);
  at = tp_emit_add (e, at,
                    tp_emit_mul_const (e, i, state->plan->dim_pitch[d]));
  if (d == state->plan->c->n_dims - 1)
    emit_copy (state, at);
  else
    emit_dim (state, d + 1, at);
  tp_emit_end_for (e, NULL, 0, NULL);
}

/* The tiled axis of @dim, and its block. */
static const TpContractSpan *
span_of (const TpContractPlan *plan, const TpStageDim *dim)
{
  if (plan->rows.axis >= 0 && dim->coef[plan->rows.axis] != 0)
    return &plan->rows;
  if (plan->cols.axis >= 0 && dim->coef[plan->cols.axis] != 0)
    return &plan->cols;
  return NULL;
}

static void
clear_axes (const TpContract *c, TpEmit *emit)
{
  for (int i = 0; i < c->nest->n_axes; i++)
    if (tp_contract_is_staged_axis (c, i))
      tp_emit_clear_axis (emit, i);
}

/* What dot products read past the end of K counts as padding too: 0 where x is summed up. */
static void
begin (StageState *state)
{
  const TpContractPlan *plan = state->plan;
  const TpContract *c = plan->c;
  TpEmit *e = state->emit;

  if (!c->is_bytes)
    {
      state->fill = tp_emit_number (e, c->fill, c->dtype, plan->lanes);
      return;
    }
  state->fill = tp_contract_dot_get_padding (plan, e);
  if (tp_contract_bytes_sums_x (c) && tp_contract_bytes_is_padded (c))
    tp_emit_fill (e, state->buffer, tp_k_index (e->kernel, 0), plan->scratch,
                  state->fill);
}

void
tp_contract_emit_stage (const TpContractPlan *plan, TpEmit *emit, int buffer,
                        TpValue row_block, TpValue col_block)
{
  const TpContract *c = plan->c;
  StageState state = { .plan = plan, .emit = emit, .buffer = buffer };

  clear_axes (c, emit);
  tp_emit_clear_axis (emit, c->n_axis);
  for (int d = 0; d < c->n_dims; d++)
    {
      const TpStageDim *dim = &c->dims[d];
      const TpContractSpan *span = span_of (plan, dim);
      TpValue at = tp_k_index (emit->kernel, 0);

      if (span != NULL && span->n_blocks > 1)
        at = tp_emit_mul_const (emit,
                                span == &plan->rows ? row_block : col_block,
                                span->block * dim->coef[span->axis]);
      state.base[d] = tp_emit_add_const (emit, at, dim->offset);
    }
  begin (&state);
  emit_dim (&state, 0, tp_k_index (emit->kernel, 0));
  clear_axes (c, emit);
}
