/* contract-tile.c: the micro-kernel, which is Goto's: a vector of w per panel
 * column, one broadcast of x per row, all sums in registers over the whole of
 * K. */
#include "config.h"

#include "schedule/contract-tile.h"

#include "ir/guard.h"
#include "schedule/contract-bytes.h"
#include "schedule/contract-dot.h"
#include "schedule/contract-fours.h"
#include "schedule/contract-skip.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"

/* How far w is asked for ahead: weights are cold when a network runs, and the
 * processor's own prefetching stops at every page. */
#define AHEAD_BYTES 2048
#define LINE_BYTES 64

/* ---- the micro-kernel -------------------------------------------------- */

typedef struct
{
  const TpContractPlan *plan;
  TpEmit *emit;
  const TpContractTile *tile;
  TpValue *acc;               /* [row][col][vector], then those of x: [row][col] */
} TileState;

static int
count_points (const TpContractTile *tile)
{
  return tile->rows * tile->cols;
}

/* Sums that are carried along K. */
static int
count_sums (const TileState *state)
{
  int points = count_points (state->tile);

  return points * state->tile->vectors
         + (tp_contract_bytes_sums_x (state->plan->c) ? points : 0);
}

/* Of what lies at @at bytes of a row of a panel, in elements: of each line once. */
static gint64
get_ahead (const TpContractPlan *plan, gint64 at, gint64 size)
{
  return plan->is_packed && at % LINE_BYTES == 0 ? AHEAD_BYTES / size : 0;
}

/* Vector @v of a row of a panel at @w. */
static TpValue
load_w (TileState *state, TpValue w, int v)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int buffer = e->load_buffers[plan->c->w_load], lanes = plan->lanes;
  gint64 size
      = (gint64) tp_dtype_get_size (plan->nest->loads[plan->c->w_load].dtype);
  gint64 step = plan->c->is_bytes ? 4 : 1, first = v * lanes * step;
  TpValue at = tp_emit_add_const (e, w, first), value;

  tp_emit_set_lanes (e, plan->c->n_axis, lanes,
                     v == tile->vectors - 1 && !plan->is_packed ? tile->active
                                                                : lanes);
  value = plan->c->is_bytes
              ? tp_k_load4 (e->kernel, buffer, at, lanes)
              : tp_k_load (e->kernel, buffer, at, lanes, tp_emit_mask (e));
  tp_k_set_ahead (e->kernel, value, get_ahead (plan, first * size, size));
  return value;
}

/* x at @at, in all lanes. */
static TpValue
load_x (TileState *state, TpValue at)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;
  int buffer = state->tile->x_buffer;

  if (plan->c->is_bytes)
    return tp_contract_dot_load_x (plan, e, buffer, at);
  return tp_k_splat (e->kernel, tp_k_load (e->kernel, buffer, at, 1, -1),
                     plan->lanes);
}

/* One step of K at @x, @w. */
static void
emit_step (TileState *state, TpValue x, TpValue w)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int n = count_points (tile);
  gboolean sums_x = tp_contract_bytes_sums_x (plan->c);
  TpValue vectors[16];

  for (int v = 0; v < tile->vectors; v++)
    vectors[v] = load_w (state, w, v);
  for (int i = 0; i < n; i++)
    {
      gint64 offset = i / tile->cols * plan->rows.x
                      + i % tile->cols * plan->cols.x;
      TpValue all = load_x (state, tp_emit_add_const (e, x, offset));
      TpValue *acc = &state->acc[i * tile->vectors];
      TpValue *of_x = &state->acc[n * tile->vectors + i];

      for (int v = 0; v < tile->vectors; v++)
        acc[v] = plan->c->is_bytes
                     ? tp_k_dot4 (e->kernel, all, vectors[v], acc[v])
                     : tp_k_fma (e->kernel, all, vectors[v], acc[v]);
      if (sums_x)
        *of_x = tp_contract_dot_sum_x (plan, e, all, *of_x);
    }
}

/* Steps of the innermost loop per turn: enough products to hide its overhead,
 * and a divisor of its extent. */
static int
choose_unroll (const TileState *state, gint64 extent)
{
  int products = count_sums (state);
  int registers = state->plan->c->n_registers;
  int most = CLAMP (64 / products, 1, state->plan->unroll);

  /* Compilers load ahead over steps, and spill sums when that is too much. */
  if (products + 2 * state->tile->vectors + 2 > registers)
    return 1;
  if (extent <= state->plan->unroll && extent * products <= 256)
    return extent;
  while (extent % most != 0)
    most--;
  return most;
}

static void
emit_loop (TileState *state, int level, TpValue x, TpValue w)
{
  const TpContractPlan *plan = state->plan;
  const TpContractLoop *loop = &plan->loops[level];
  TpEmit *e = state->emit;
  gboolean is_inner = level == plan->n_loops - 1;
  int n = count_sums (state);
  int unroll = is_inner ? choose_unroll (state, loop->extent) : 1;
  gboolean is_loop = loop->extent > unroll;

  if (level == plan->n_loops)
    {
      emit_step (state, x, w);
      return;
    }
  if (is_loop)
    {
      TpValue at = loop->dim < 0
                       ? tp_emit_for_const (e, 0, loop->extent, unroll)
                       : tp_contract_skip_begin (plan, e, state->tile, loop);

      for (int i = 0; i < n; i++)
        state->acc[i] = tp_k_carry (e->kernel, state->acc[i]);
      x = tp_emit_add (e, x, tp_emit_mul_const (e, at, loop->x));
      w = tp_emit_add (e, w, tp_emit_mul_const (e, at, loop->w));
    }
  for (int i = 0; i < unroll; i++)
    {
      TpValue x_i = tp_emit_add_const (e, x, i * loop->x);
      TpValue w_i = tp_emit_add_const (e, w, i * loop->w);

      if (is_inner)
        emit_step (state, x_i, w_i);
      else
        emit_loop (state, level + 1, x_i, w_i);
    }
  if (is_loop)
    tp_emit_end_for (e, state->acc, n, state->acc);
}

static void
set_delta (TpEmit *e, int axis, gint64 delta)
{
  if (axis >= 0)
    e->axes[axis].delta = delta;
}

/* Puts the axes at the lanes of sum @i. */
static void
set_point (TileState *state, int i)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int v = i % tile->vectors, point = i / tile->vectors;

  set_delta (e, plan->rows.axis, point / tile->cols);
  set_delta (e, plan->cols.axis, point % tile->cols);
  set_delta (e, plan->c->n_axis, (gint64) v * plan->lanes);
  tp_emit_set_lanes (e, plan->c->n_axis, plan->lanes,
                     v == tile->vectors - 1 ? tile->active : plan->lanes);
}

static void
leave_points (TileState *state)
{
  const TpContractPlan *plan = state->plan;
  TpEmit *e = state->emit;

  set_delta (e, plan->rows.axis, 0);
  set_delta (e, plan->cols.axis, 0);
  set_delta (e, plan->c->n_axis, 0);
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* Sum @i, of @n, once it is at its point. */
static TpValue
finish_sum (TileState *state, int i, int n)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  gboolean sums_x = tp_contract_bytes_sums_x (plan->c);
  TpValue of_x = sums_x ? state->acc[n + i / tile->vectors] : -1;

  if (plan->n_kept > 0)
    return tp_k_load (e->kernel, tile->kept_buffer,
                      tp_k_index (e->kernel, (gint64) i * plan->lanes),
                      plan->lanes, -1);
  return plan->c->is_bytes
             ? tp_contract_dot_finish (plan, e, state->acc[i], of_x)
             : state->acc[i];
}

static void
keep_sums (TileState *state, int n)
{
  const TpContractPlan *plan = state->plan;
  TpKernel *k = state->emit->kernel;

  for (int i = 0; i < n && plan->n_kept > 0; i++)
    tp_k_store (k, state->tile->kept_buffer,
                tp_k_index (k, (gint64) i * plan->lanes), state->acc[i], -1);
}

/* Results that take long take turns, in registers that sums have left. */
static void
emit_results (TileState *state)
{
  const TpContractTile *tile = state->tile;
  int n = count_points (tile) * tile->vectors;
  TpEmit *e = state->emit;

  keep_sums (state, n);
  for (int i = 0; i < n; i++)
    {
      if (state->plan->c->takes_long)
        tp_emit_begin_turn (e, e->nest->result);
      set_point (state, i);
      e->stages[0] = finish_sum (state, i, n);
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  tp_emit_end_turns (e);
  leave_points (state);
}

/* What sums begin with. */
static void
begin_sums (TileState *state)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int n = count_points (tile) * tile->vectors;

  for (int i = 0; i < n && plan->c->is_bytes; i++)
    {
      set_point (state, i);
      state->acc[i] = tp_contract_dot_begin (plan, e, tile->w_base,
                                             i % tile->vectors);
    }
  leave_points (state);
  for (int i = plan->c->is_bytes ? n : 0; i < count_sums (state); i++)
    state->acc[i] = plan->c->is_bytes ? tp_k_i32 (e->kernel, plan->lanes, 0)
                                      : tp_emit_number (e, 0.0, plan->c->dtype,
                                                        plan->lanes);
}

void
tp_contract_emit_tile (const TpContractPlan *plan, TpEmit *emit,
                       const TpContractTile *tile)
{
  int points = count_points (tile);
  g_autofree TpValue *acc = tp_new (TpValue, points * (tile->vectors + 1));
  TileState state = { plan, emit, tile, acc };
  TpValue w = tile->w_base;

  begin_sums (&state);
  if (plan->c->is_bytes)
    w = tp_emit_add_const (emit, w, tp_contract_fours_count_head (plan));
  emit_loop (&state, 0, tile->x_base, w);
  emit_results (&state);
}
