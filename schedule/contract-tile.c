/* contract-tile.c: the micro-kernel, which is Goto's: a vector of w per panel
 * column, one broadcast of x per row, all sums in registers over the whole of
 * K. */
#include "config.h"

#include "schedule/contract-tile.h"

#include "ir/guard.h"
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
  TpValue *acc;               /* [row][col][vector] */
} TileState;

static int
count_points (const TpContractTile *tile)
{
  return tile->rows * tile->cols;
}

/* Of vector @v of a row of a panel, in elements: of each line once. */
static gint64
get_ahead (const TpContractPlan *plan, int v)
{
  const TpAccess *w = &plan->nest->loads[plan->c->w_load];
  gint64 size = (gint64) tp_dtype_get_size (w->dtype);

  return plan->is_packed && v * plan->lanes * size % LINE_BYTES == 0
             ? AHEAD_BYTES / size
             : 0;
}

/* One step of K at @x, @w. */
static void
emit_step (TileState *state, TpValue x, TpValue w)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int w_buffer = e->load_buffers[plan->c->w_load], lanes = plan->lanes;
  TpValue vectors[16];

  for (int v = 0; v < tile->vectors; v++)
    {
      gboolean is_last = v == tile->vectors - 1;

      tp_emit_set_lanes (e, plan->c->n_axis, lanes,
                         is_last && !plan->is_packed ? tile->active : lanes);
      vectors[v] = tp_k_load (e->kernel, w_buffer,
                              tp_emit_add_const (e, w, (gint64) v * lanes),
                              lanes, tp_emit_mask (e));
      tp_k_set_ahead (e->kernel, vectors[v], get_ahead (plan, v));
    }
  for (int i = 0; i < count_points (tile); i++)
    {
      gint64 offset = i / tile->cols * plan->rows.x
                      + i % tile->cols * plan->cols.x;
      TpValue one = tp_k_load (e->kernel, tile->x_buffer,
                               tp_emit_add_const (e, x, offset), 1, -1);
      TpValue all = tp_k_splat (e->kernel, one, lanes);

      for (int v = 0; v < tile->vectors; v++)
        {
          TpValue *acc = &state->acc[i * tile->vectors + v];

          *acc = tp_k_fma (e->kernel, all, vectors[v], *acc);
        }
    }
}

/* Steps of the innermost loop per turn: enough products to hide its overhead,
 * and a divisor of its extent. */
static int
choose_unroll (const TileState *state, gint64 extent)
{
  int products = count_points (state->tile) * state->tile->vectors;
  int registers = state->emit->build->target->n_registers;
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
  int n = count_points (state->tile) * state->tile->vectors;
  int unroll = is_inner ? choose_unroll (state, loop->extent) : 1;
  gboolean is_loop = loop->extent > unroll;

  if (level == plan->n_loops)
    {
      emit_step (state, x, w);
      return;
    }
  if (is_loop)
    {
      TpValue at = tp_emit_for_const (e, 0, loop->extent, unroll);

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

static void
emit_results (TileState *state)
{
  const TpContractPlan *plan = state->plan;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;

  for (int i = 0; i < count_points (tile) * tile->vectors; i++)
    {
      int v = i % tile->vectors, point = i / tile->vectors;

      set_delta (e, plan->rows.axis, point / tile->cols);
      set_delta (e, plan->cols.axis, point % tile->cols);
      set_delta (e, plan->c->n_axis, (gint64) v * plan->lanes);
      tp_emit_set_lanes (e, plan->c->n_axis, plan->lanes,
                         v == tile->vectors - 1 ? tile->active : plan->lanes);
      e->stages[0] = state->acc[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  set_delta (e, plan->rows.axis, 0);
  set_delta (e, plan->cols.axis, 0);
  set_delta (e, plan->c->n_axis, 0);
  tp_emit_set_lanes (e, -1, 1, 1);
}

void
tp_contract_emit_tile (const TpContractPlan *plan, TpEmit *emit,
                       const TpContractTile *tile)
{
  int n = count_points (tile) * tile->vectors;
  g_autofree TpValue *acc = tp_new (TpValue, n);
  TileState state = { plan, emit, tile, acc };
  TpValue zero = tp_k_f32 (emit->kernel, plan->lanes, 0.0f);

  for (int i = 0; i < n; i++)
    acc[i] = zero;
  emit_loop (&state, 0, tile->x_base, tile->w_base);
  emit_results (&state);
}
