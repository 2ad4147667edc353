/* contract-tile.c: the register tile and the micro-kernel, and the choice of
 * tile and blocks by a small model of cycles.
 *
 * The micro-kernel is Goto's: a vector of w per panel column, one broadcast of
 * x per row, all sums in registers over the whole of K. Tails are further,
 * smaller tiles, so the choice weighs their waste against wide tiles. */
#include "config.h"

#include "schedule/contract.h"
#include "schedule/expr.h"

#include <math.h>

/* Elements that w is asked for ahead: weights are cold when a network runs, and
 * the processor's own prefetching stops at every page. */
#define AHEAD 512

/* ---- the micro-kernel -------------------------------------------------- */

typedef struct
{
  const TpContract *c;
  TpEmit *emit;
  const TpContractTile *tile;
  TpValue *acc;               /* [row][col][vector] */
} TileState;

static int
count_points (const TpContractTile *tile)
{
  return tile->rows * tile->cols;
}

/* One step of K at @x, @w. */
static void
emit_step (TileState *state, TpValue x, TpValue w)
{
  const TpContract *c = state->c;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;
  int w_buffer = e->load_buffers[c->w_load];
  TpValue vectors[16];

  for (int v = 0; v < tile->vectors; v++)
    {
      gboolean is_last = v == tile->vectors - 1;

      tp_emit_set_lanes (e, c->n_axis, c->lanes,
                         is_last && !c->is_packed ? tile->active : c->lanes);
      vectors[v] = tp_k_load_ahead (
          e->kernel, w_buffer, tp_emit_add_const (e, w, (gint64) v * c->lanes),
          c->lanes, tp_emit_mask (e), c->is_packed ? AHEAD : 0);
    }
  for (int i = 0; i < count_points (tile); i++)
    {
      gint64 offset = i / tile->cols * c->rows.x + i % tile->cols * c->cols.x;
      TpValue one = tp_k_load (e->kernel, tile->x_buffer,
                               tp_emit_add_const (e, x, offset), 1, -1);
      TpValue all = tp_k_splat (e->kernel, one, c->lanes);

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
  int most = CLAMP (64 / products, 1, 8);

  /* Compilers load ahead over steps, and spill sums when that is too much. */
  if (products + 2 * state->tile->vectors + 2 > registers)
    return 1;
  if (extent <= 8 && extent * products <= 256)
    return extent;
  while (extent % most != 0)
    most--;
  return most;
}

static void
emit_loop (TileState *state, int level, TpValue x, TpValue w)
{
  const TpContract *c = state->c;
  const TpContractLoop *loop = &c->loops[level];
  TpEmit *e = state->emit;
  gboolean is_inner = level == c->n_loops - 1;
  int n = count_points (state->tile) * state->tile->vectors;
  int unroll = is_inner ? choose_unroll (state, loop->extent) : 1;
  gboolean is_loop = loop->extent > unroll;

  if (level == c->n_loops)
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
  const TpContract *c = state->c;
  const TpContractTile *tile = state->tile;
  TpEmit *e = state->emit;

  for (int i = 0; i < count_points (tile) * tile->vectors; i++)
    {
      int v = i % tile->vectors, point = i / tile->vectors;

      set_delta (e, c->rows.axis, point / tile->cols);
      set_delta (e, c->cols.axis, point % tile->cols);
      set_delta (e, c->n_axis, (gint64) v * c->lanes);
      tp_emit_set_lanes (e, c->n_axis, c->lanes,
                         v == tile->vectors - 1 ? tile->active : c->lanes);
      e->stages[0] = state->acc[i];
      tp_emit_store (e, tp_emit_expr (e, e->nest->result));
    }
  set_delta (e, c->rows.axis, 0);
  set_delta (e, c->cols.axis, 0);
  set_delta (e, c->n_axis, 0);
  tp_emit_set_lanes (e, -1, 1, 1);
}

void
tp_contract_emit_tile (const TpContract *c, TpEmit *emit,
                       const TpContractTile *tile)
{
  int n = count_points (tile) * tile->vectors;
  g_autofree TpValue *acc = g_new (TpValue, n);
  TileState state = { c, emit, tile, acc };
  TpValue zero = tp_k_f32 (emit->kernel, c->lanes, 0.0f);

  for (int i = 0; i < n; i++)
    acc[i] = zero;
  emit_loop (&state, 0, tile->x_base, tile->w_base);
  emit_results (&state);
}

/* ---- the model --------------------------------------------------------- */

/* Cycles of one step of K for @points x @vectors: two multiply-adds and nearly
 * two loads per cycle, four cycles of latency; w comes from the first cache
 * while a panel fits, else from the second. */
static double
step_cycles (const TpContract *c, int points, int vectors)
{
  double fma = points * vectors * 0.5, loads = (points + vectors) * 0.55;
  double bytes = vectors * c->lanes * 4.0;
  double panel = bytes * c->k_total;
  double w = panel > c->l1_bytes ? bytes / 200.0 : 0.0;

  return MAX (MAX (fma, loads), MAX (4.0, bytes / 40.0)) + 0.25 + w;
}

static double
tile_cycles (const TpContract *c, gint64 points, gint64 vectors)
{
  if (points == 0 || vectors == 0)
    return 0.0;
  return step_cycles (c, points, vectors) * c->k_total
         + 2.0 * points * vectors + 20.0;
}

/* All panels for one tile of @points. */
static double
row_cycles (const TpContract *c, gint64 points)
{
  gint64 nr = (gint64) c->lanes * c->vectors;
  gint64 rest = (c->n_total % nr + c->lanes - 1) / c->lanes;

  return c->n_total / nr * tile_cycles (c, points, c->vectors)
         + tile_cycles (c, points, rest);
}

/* All rows and columns. */
static double
total_cycles (const TpContract *c)
{
  const TpContractSpan *r = &c->rows, *w = &c->cols;
  gint64 tall = r->extent / r->tile, low = r->extent % r->tile;
  gint64 wide = w->extent / w->tile, narrow = w->extent % w->tile;
  int bodies = (1 + (low > 0)) * (1 + (narrow > 0));

  return (tall * wide * row_cycles (c, r->tile * w->tile)
          + tall * row_cycles (c, r->tile * narrow)
          + wide * row_cycles (c, low * w->tile)
          + row_cycles (c, low * narrow))
         * (1.0 + 0.01 * (bodies - 1));
}

void
tp_contract_choose_tile (TpContract *c, const TpTarget *target)
{
  TpContract best;
  double best_cycles = 0.0;

  c->l1_bytes = target->l1_bytes;
  best = *c;
  for (c->vectors = 1; c->vectors <= 8; c->vectors++)
    {
      int most = (target->n_registers - 1 - c->vectors) / c->vectors;

      /* One row: panels are all there is to share out. */
      if (c->rows.extent * c->cols.extent == 1 && target->n_units > 1
          && c->vectors > 2
          && c->n_total < 8 * target->n_units * c->vectors * c->lanes)
        break;
      /* Vectors that are stored lane by lane make much code. */
      if (c->nest->store.stride[c->n_axis] != 1)
        most = CLAMP (most, 1, MAX (1, 8 / c->vectors));

      if (c->vectors > 1
          && (c->vectors - 1) * (gint64) c->lanes >= c->n_total)
        break;
      for (c->cols.tile = 1; c->cols.tile <= MIN (most, c->cols.extent);
           c->cols.tile++)
        for (c->rows.tile = 1; c->rows.tile * c->cols.tile <= most;
             c->rows.tile++)
          {
            double cycles;

            if (c->rows.tile > 1
                && (c->cols.tile < c->cols.extent
                    || c->rows.tile > c->rows.extent))
              break;
            cycles = total_cycles (c);
            if (best_cycles != 0.0 && cycles >= best_cycles)
              continue;
            best = *c;
            best_cycles = cycles;
          }
    }
  *c = best;
}

/* ---- blocks ------------------------------------------------------------ */

static void
set_blocks (TpContractSpan *span, gint64 tiles)
{
  span->block = MIN (tiles * span->tile, span->extent);
  span->n_blocks = (span->extent + span->block - 1) / span->block;
}

static gint64
count_outer (const TpContract *c)
{
  gint64 n = 1;

  for (int i = 0; i < c->n_outer; i++)
    n *= c->nest->axes[c->outer[i]].extent;
  return n;
}

/* Time until all units are done, in cycles. */
static double
block_cycles (const TpContract *c, const TpTarget *target)
{
  gint64 n_panels = MAX (1, c->n_total / ((gint64) c->lanes * c->vectors));
  double groups = (double) count_outer (c) * c->rows.n_blocks
                  * c->cols.n_blocks * c->n_panel_blocks;
  double share = (double) c->rows.block * c->cols.block
                 / ((double) c->rows.extent * c->cols.extent)
                 * MIN (1.0, (double) c->block_panels / n_panels);
  double work = total_cycles (c) * share;
  double x_bytes = 4.0 * c->rows.block * c->cols.block * c->k_total;
  double w_bytes = 4.0 * c->block_panels * c->lanes * c->vectors * c->k_total;
  double passes = c->block_panels;

  if (c->is_staged)
    {
      x_bytes = 4.0 * c->scratch;
      work += c->scratch * 0.6 + 200.0;
    }
  /* x is walked once per panel, w once per group. */
  work += x_bytes / 32.0 * (x_bytes > 0.6 * target->l2_bytes ? passes : 1.0);
  work += w_bytes / 32.0;
  work += 500.0;
  if (target->n_units > 1)  /* units start and end at odd times */
    return work * MAX (ceil (groups / target->n_units),
                       groups / target->n_units + 0.4);
  return work * groups;
}

/* Tries @rows x @cols tiles and @panels per group. */
static gboolean
try_blocks (TpContract *c, const TpTarget *target, double *best_cycles)
{
  gint64 n_panels = MAX (1, c->n_total / ((gint64) c->lanes * c->vectors));
  double cycles;

  c->n_panel_blocks = (n_panels + c->block_panels - 1) / c->block_panels;
  if (c->is_staged)
    {
      tp_contract_size_dims (c);
      if (c->scratch * 4 > target->local_bytes)
        return FALSE;
    }
  cycles = block_cycles (c, target);
  if (cycles >= *best_cycles)
    return FALSE;
  *best_cycles = cycles;
  return TRUE;
}

/* Next larger number of tiles to try: all of them last. */
static gint64
next_tiles (gint64 tiles, gint64 all)
{
  if (tiles >= all)
    return all + 1;
  return MIN (all, tiles + MAX (1, tiles / 3));
}

gboolean
tp_contract_choose_blocks (TpContract *c, const TpTarget *target)
{
  gint64 all_rows = (c->rows.extent + c->rows.tile - 1) / c->rows.tile;
  gint64 all_cols = (c->cols.extent + c->cols.tile - 1) / c->cols.tile;
  gint64 all_panels = MAX (1, c->n_total / ((gint64) c->lanes * c->vectors));
  double best_cycles = G_MAXDOUBLE;
  TpContract best = *c;

  for (gint64 rows = 1; rows <= all_rows; rows = next_tiles (rows, all_rows))
    for (gint64 cols = 1; cols <= all_cols;
         cols = next_tiles (cols, all_cols))
      for (gint64 panels = 1; panels <= all_panels;
           panels = next_tiles (panels, all_panels))
        {
          if (cols < all_cols && rows > 1)
            break;            /* cut columns only within a row of tiles */
          set_blocks (&c->rows, rows);
          set_blocks (&c->cols, cols);
          c->block_panels = panels;
          if (try_blocks (c, target, &best_cycles))
            best = *c;
        }
  *c = best;
  return best_cycles < G_MAXDOUBLE;
}
