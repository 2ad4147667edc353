/* schedule-rows-tiles.c: the family "rows-tiles": attention on GPUs, streamed. */
#include "config.h"

#include "kernel/kernel-math.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/family.h"
#include "schedule/rows-tiles-choose.h"
#include "schedule/rows-tiles-copy.h"

#include <float.h>
#include <math.h>

#define VECTOR TP_ROWS_TILES_VECTOR
#define MAX_TILE TP_ROWS_TILES_MAX_TILE
#define MAX_VECTORS TP_ROWS_TILES_MAX_VECTORS

typedef enum
{
  SCORES,
  REDUCTION,
  RESULT,
} Part;

typedef struct
{
  const TpRowsTilesPlan *plan;
  TpEmit *emit;
  TpNest *nests[3];           /* by part */
  TpValue outer;              /* point */
  TpValue block;              /* number of the block of rows */
  TpValue col_block;          /* of columns */
  TpValue row, col;           /* of the item, within a block */
  TpValue most[MAX_TILE];     /* of each row */
  TpValue sum[MAX_TILE];      /* of this item's columns alone */
  TpValue acc[MAX_TILE * MAX_VECTORS]; /* results: rows of vectors */
  int n_acc;
} State;

/* ---- where ------------------------------------------------------------- */

static void
decode_group (State *state)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue n = tp_k_index (k, plan->item_cols);

  k->n_groups = 1;
  k->local_size = plan->local_size;
  state->outer = tp_k_group (k);
  state->block = tp_emit_take_digit (e, &state->outer, plan->n_row_blocks);
  k->n_groups *= plan->a->rows->n_outer_points;
  state->row = tp_k_binary (k, TP_I_IDIV, tp_k_item (k), n);
  state->col = tp_k_binary (k, TP_I_IMOD, tp_k_item (k), n);
}

static const TpRowsProduct *
product_of (const State *state, Part part)
{
  return &state->plan->a->rows->products[part == RESULT];
}

/* Turns to the nest of @part, at the outer point of the group. */
static void
enter (State *state, Part part)
{
  const TpRowsProduct *product = product_of (state, part);
  TpEmit *e = state->emit;
  gint64 n_groups = e->kernel->n_groups;
  TpValue rest = state->outer;

  tp_emit_set_nest (e, state->nests[part]);
  for (int i = 0; part != REDUCTION && i < product->n_outer; i++)
    {
      int axis = product->outer[i];
      gint64 extent = e->nest->axes[axis].extent;

      tp_emit_set_axis (e, axis, tp_emit_take_digit (e, &rest, extent), 0,
                        extent - 1);
    }
  e->kernel->n_groups = n_groups;
}

/* Row @i of the item. Returns whether there is one, as a mask; -1: there is. */
static TpValue
set_row (State *state, Part part, int i)
{
  const TpRowsTilesPlan *plan = state->plan;
  gint64 n = plan->a->rows->n_rows;
  TpEmit *e = state->emit;
  TpValue at = tp_emit_add_const (e, state->row, (gint64) i * plan->item_rows);
  TpValue inside = -1;

  at = tp_emit_add (e, tp_emit_mul_const (e, state->block, plan->rows), at);
  if (n % plan->rows != 0)
    {
      inside = tp_k_binary (e->kernel, TP_I_ILESS, at, tp_k_index (e->kernel, n));
      at = tp_emit_min_const (e, at, n - 1);
    }
  tp_emit_set_axis (e, product_of (state, part)->row_axis, at, 0, n - 1);
  return inside;
}

/* ---- copies ------------------------------------------------------------ */

/* Queries, whose rows are those of the group. */
static void
copy_queries (State *state)
{
  const TpRowsTilesPlan *plan = state->plan;
  const TpRowsProduct *product = product_of (state, SCORES);
  TpEmit *e = state->emit;
  const TpRowsCopy copy = {
    .load = product->c->x_load,
    .row_axis = product->row_axis, .axis = product->c->k_axes[0],
    .first = tp_emit_mul_const (e, state->block, plan->rows),
    .n_rows = plan->rows, .n_elements = plan->depth,
    .local = e->local_buffer, .at = 0, .pitch = plan->depth_pitch,
    .is_whole = plan->a->rows->n_rows % plan->rows == 0, .fills = TRUE,
  };

  tp_rows_copy_emit (&copy, e);
}

/* Keys, or values, in their turn, whose rows are columns of scores. Values behind the
 * end are 0: their weights are, and 0 times an infinity is none. */
static void
copy_block (State *state, Part part)
{
  const TpRowsTilesPlan *plan = state->plan;
  const TpRowsProduct *product = product_of (state, part);
  gboolean is_value = part == RESULT;
  int axes[] = { product->c->n_axis, product->c->k_axes[0] };
  TpEmit *e = state->emit;
  const TpRowsCopy copy = {
    .load = product->c->w_load,
    .row_axis = axes[is_value], .axis = axes[!is_value],
    .first = tp_emit_mul_const (e, state->col_block, plan->cols),
    .n_rows = plan->cols,
    .n_elements = is_value ? plan->value_pitch : plan->depth,
    .local = e->local_buffer, .at = plan->keys,
    .pitch = is_value ? plan->value_pitch : plan->depth_pitch,
    .is_whole = plan->a->rows->n_columns % plan->cols == 0, .fills = TRUE,
  };

  tp_rows_copy_emit (&copy, e);
}

/* ---- scores ------------------------------------------------------------ */

/* @n vectors of local memory, @step apart, from @at on. */
static void
load_vectors (State *state, TpValue at, gint64 step, int n, TpValue *out)
{
  TpEmit *e = state->emit;

  for (int i = 0; i < n; i++)
    out[i] = tp_k_load (e->kernel, e->local_buffer,
                        tp_emit_add_const (e, at, i * step), VECTOR, -1);
}

/* Products of the item's rows and columns, an element of them after the other. */
static void
emit_products (State *state, TpValue *scores)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 pitch = plan->depth_pitch;
  int n = plan->tile_rows * plan->tile_cols;
  TpValue rows[MAX_TILE], cols[MAX_TILE], depth;
  TpValue row = tp_emit_mul_const (e, state->row, pitch);
  TpValue col = tp_emit_add_const (
      e, tp_emit_mul_const (e, state->col, pitch), plan->keys);

  depth = tp_emit_for_const (e, 0, plan->depth, VECTOR);
  for (int i = 0; i < n; i++)
    scores[i] = tp_k_carry (k, scores[i]);
  load_vectors (state, tp_emit_add (e, row, depth), plan->item_rows * pitch,
                plan->tile_rows, rows);
  load_vectors (state, tp_emit_add (e, col, depth), plan->item_cols * pitch,
                plan->tile_cols, cols);
  for (int lane = 0; lane < VECTOR; lane++)
    for (int i = 0; i < n; i++)
      scores[i] = tp_k_fma (
          k, tp_k_extract (k, rows[i / plan->tile_cols], lane),
          tp_k_extract (k, cols[i % plan->tile_cols], lane), scores[i]);
  tp_emit_end_for (e, scores, n, scores);
}

/* What the scores are, with all that is fused to them; behind the last column less
 * than any. */
static void
finish_scores (State *state, TpValue *scores)
{
  const TpRowsTilesPlan *plan = state->plan;
  gint64 n = plan->a->rows->n_columns;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int axis = product_of (state, SCORES)->c->n_axis;

  tp_emit_clear_axis (e, product_of (state, SCORES)->c->k_axes[0]);
  for (int i = 0; i < plan->tile_rows * plan->tile_cols; i++)
    {
      TpValue at = tp_emit_add_const (
          e, state->col, (gint64) (i % plan->tile_cols) * plan->item_cols);
      TpValue col = tp_emit_add (
          e, tp_emit_mul_const (e, state->col_block, plan->cols), at);

      set_row (state, SCORES, i / plan->tile_cols);
      tp_emit_set_axis (e, axis, tp_emit_min_const (e, col, n - 1), 0, n - 1);
      e->stages[0] = scores[i];
      scores[i] = tp_emit_expr (e, e->nest->result);
      if (n % plan->cols != 0)
        scores[i] = tp_k_select (
            k, tp_k_binary (k, TP_I_ILESS, col, tp_k_index (k, n)), scores[i],
            tp_k_f32 (k, 1, -INFINITY));
    }
}

/* ---- rows -------------------------------------------------------------- */

/* Joins what each item of a row has of it, @values, a number per row of a tile. */
static void
join_rows (State *state, TpCombiner combiner, TpValue *values)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  gint64 step = (gint64) plan->item_rows * plan->item_cols;
  TpValue row = tp_emit_add_const (
      e, tp_emit_mul_const (e, state->row, plan->item_cols), plan->joined);

  for (int i = 0; i < plan->tile_rows; i++)
    tp_k_store (k, e->local_buffer,
                tp_emit_add_const (e, tp_emit_add (e, row, state->col), i * step),
                values[i], -1);
  tp_k_barrier (k);
  for (int i = 0; i < plan->tile_rows; i++)
    for (int j = 0; j < plan->item_cols; j += VECTOR)
      {
        TpValue vector = tp_k_load (
            k, e->local_buffer, tp_emit_add_const (e, row, i * step + j), VECTOR,
            -1);

        for (int lane = 0; lane < VECTOR; lane++)
          {
            TpValue one = tp_k_extract (k, vector, lane);

            values[i] = j + lane == 0
                            ? one
                            : tp_emit_combine (e, combiner, values[i], one);
          }
      }
}

/* What is subtracted from the scores of a row whose greatest is @most. */
static TpValue
emit_greatest (State *state, TpValue most)
{
  TpEmit *e = state->emit;

  enter (state, REDUCTION);
  e->stages[0] = most;
  return tp_emit_expr (e, state->plan->a->greatest);
}

/* A greater one scales what there is of the row; scores become powers. */
static void
weigh_row (State *state, int i, TpValue most, TpValue *scores)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpKernel *k = state->emit->kernel;
  TpValue before = emit_greatest (state, state->most[i]);
  TpValue now = emit_greatest (state, most);
  TpValue scale
      = tp_k_exp_below (k, tp_k_binary (k, TP_I_FSUB, before, now));

  state->most[i] = most;
  state->sum[i] = tp_k_binary (k, TP_I_FMUL, state->sum[i], scale);
  for (int j = 0; j < plan->tile_cols; j++)
    {
      scores[j] = tp_k_exp_below (k, tp_k_binary (k, TP_I_FSUB, scores[j], now));
      state->sum[i] = tp_k_binary (k, TP_I_FADD, state->sum[i], scores[j]);
    }
  for (int j = 0; j < plan->n_vectors; j++)
    {
      TpValue *acc = &state->acc[i * plan->n_vectors + j];

      *acc = tp_k_binary (k, TP_I_FMUL, *acc, tp_k_splat (k, scale, VECTOR));
    }
}

static void
emit_weights (State *state, TpValue *scores)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue most[MAX_TILE];
  TpValue at = tp_emit_add_const (
      e, tp_emit_add (e, tp_emit_mul_const (e, state->row, plan->score_pitch),
                      state->col),
      plan->scores);

  for (int i = 0; i < plan->tile_rows; i++)
    {
      most[i] = state->most[i];
      for (int j = 0; j < plan->tile_cols; j++)
        most[i] = tp_emit_combine (e, TP_COMBINE_MAX, most[i],
                                   scores[i * plan->tile_cols + j]);
    }
  join_rows (state, TP_COMBINE_MAX, most);
  for (int i = 0; i < plan->tile_rows; i++)
    {
      TpValue *row = &scores[i * plan->tile_cols];

      weigh_row (state, i, most[i], row);
      for (int j = 0; j < plan->tile_cols; j++)
        tp_k_store (k, e->local_buffer,
                    tp_emit_add_const (e, at,
                                       i * plan->item_rows * plan->score_pitch
                                           + (gint64) j * plan->item_cols),
                    row[j], -1);
    }
}

/* ---- values ------------------------------------------------------------ */

/* Adds the values of a block, weighted. */
static void
emit_values (State *state)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  TpValue weights[MAX_TILE], values[MAX_VECTORS], at;
  TpValue row = tp_emit_add_const (
      e, tp_emit_mul_const (e, state->row, plan->score_pitch), plan->scores);
  TpValue col = tp_emit_add_const (e, tp_emit_mul_const (e, state->col, VECTOR),
                                   plan->keys);

  at = tp_emit_for_const (e, 0, plan->cols, VECTOR);
  for (int i = 0; i < state->n_acc; i++)
    state->acc[i] = tp_k_carry (k, state->acc[i]);
  load_vectors (state, tp_emit_add (e, row, at),
                plan->item_rows * plan->score_pitch, plan->tile_rows, weights);
  col = tp_emit_add (e, col, tp_emit_mul_const (e, at, plan->value_pitch));
  for (int lane = 0; lane < VECTOR; lane++)
    {
      load_vectors (state,
                    tp_emit_add_const (e, col, lane * plan->value_pitch),
                    (gint64) plan->item_cols * VECTOR, plan->n_vectors, values);
      for (int i = 0; i < state->n_acc; i++)
        {
          TpValue weight
              = tp_k_extract (k, weights[i / plan->n_vectors], lane);

          state->acc[i] = tp_k_fma (k, tp_k_splat (k, weight, VECTOR),
                                    values[i % plan->n_vectors], state->acc[i]);
        }
    }
  tp_emit_end_for (e, state->acc, state->n_acc, state->acc);
}

/* ---- blocks of columns ------------------------------------------------- */

/* All that goes from block to block, in one row: @out has room for it. */
static int
gather (State *state, TpValue **out)
{
  int n = 0;

  for (int i = 0; i < state->plan->tile_rows; i++)
    {
      out[n++] = &state->most[i];
      out[n++] = &state->sum[i];
    }
  for (int i = 0; i < state->n_acc; i++)
    out[n++] = &state->acc[i];
  return n;
}

static void
emit_block (State *state)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpKernel *k = state->emit->kernel;
  TpValue scores[MAX_TILE * MAX_TILE];

  for (int i = 0; i < plan->tile_rows * plan->tile_cols; i++)
    scores[i] = tp_k_f32 (k, 1, 0.0f);
  enter (state, SCORES);
  copy_block (state, SCORES);
  tp_k_barrier (k);
  emit_products (state, scores);
  finish_scores (state, scores);
  emit_weights (state, scores);
  enter (state, RESULT);
  copy_block (state, RESULT);
  tp_k_barrier (k);
  emit_values (state);
  tp_k_barrier (k);
}

static void
emit_blocks (State *state)
{
  TpEmit *e = state->emit;
  TpValue *all[MAX_TILE * (2 + MAX_VECTORS)];
  TpValue values[G_N_ELEMENTS (all)];
  int n = gather (state, all);

  enter (state, SCORES);
  copy_queries (state);
  state->col_block = tp_emit_for_const (e, 0, state->plan->n_col_blocks, 1);
  for (int i = 0; i < n; i++)
    *all[i] = tp_k_carry (e->kernel, *all[i]);
  emit_block (state);
  for (int i = 0; i < n; i++)
    values[i] = *all[i];
  tp_emit_end_for (e, values, n, values);
  for (int i = 0; i < n; i++)
    *all[i] = values[i];
}

/* ---- results ----------------------------------------------------------- */

/* What the sums of a row are multiplied with, or divided by. */
static TpValue
emit_factor (State *state, int i)
{
  TpEmit *e = state->emit;

  e->stages[0] = state->most[i];
  e->stages[1] = state->sum[i];
  return tp_emit_expr (e, state->plan->a->factor);
}

/* @width results of row @i: its elements from @first * @width on. */
static void
store_results (State *state, TpValue inside, TpValue first, TpValue value)
{
  TpEmit *e = state->emit;
  TpKernel *k = e->kernel;
  int width = k->instrs[value].lanes;
  int axis = product_of (state, RESULT)->c->n_axis;
  gint64 n = state->plan->a->width;

  if (n % (state->plan->value_pitch) != 0)
    {
      TpValue is_one = tp_k_binary (k, TP_I_ILESS, first,
                                    tp_k_index (k, n / width));

      inside = inside < 0 ? is_one
                          : tp_k_binary (k, TP_I_MAND, inside, is_one);
      first = tp_emit_min_const (e, first, n / width - 1);
    }
  tp_emit_set_axis (e, axis, tp_emit_mul_const (e, first, width), 0, n - width);
  tp_emit_set_lanes (e, width > 1 ? axis : -1, width, width);
  if (inside >= 0)
    tp_emit_if (e, inside);
  e->stages[0] = value;
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
  if (inside >= 0)
    tp_emit_end_if (e);
  tp_emit_set_lanes (e, -1, 1, 1);
}

/* Vector @j of row @i. */
static void
emit_vector (State *state, int i, int j)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpEmit *e = state->emit;
  TpValue value = state->acc[i * plan->n_vectors + j];
  TpValue unit = tp_emit_add_const (e, state->col,
                                    (gint64) j * plan->item_cols);
  TpValue inside = set_row (state, RESULT, i);
  int axis = product_of (state, RESULT)->c->n_axis;

  if (plan->a->width % VECTOR == 0 && e->nest->store.stride[axis] == 1)
    {
      store_results (state, inside, unit, value);
      return;
    }
  unit = tp_emit_mul_const (e, unit, VECTOR);
  for (int lane = 0; lane < VECTOR; lane++)
    store_results (state, inside, tp_emit_add_const (e, unit, lane),
                   tp_k_extract (e->kernel, value, lane));
}

static void
emit_results (State *state)
{
  const TpRowsTilesPlan *plan = state->plan;
  TpKernel *k = state->emit->kernel;
  int n = plan->n_vectors;

  enter (state, REDUCTION);
  join_rows (state, TP_COMBINE_SUM, state->sum);
  for (int i = 0; i < state->n_acc; i++)
    {
      TpValue factor
          = tp_k_splat (k, emit_factor (state, i / n), VECTOR);

      state->acc[i]
          = tp_k_binary (k, plan->a->is_divisor ? TP_I_FDIV : TP_I_FMUL,
                         state->acc[i], factor);
    }
  enter (state, RESULT);
  for (int i = 0; i < state->n_acc; i++)
    emit_vector (state, i / n, i % n);
}

/* ---- the family -------------------------------------------------------- */

static const TpParam params[] = {
  { "tile", 2, 1, MAX_TILE, 0 },
  { "items", 2, 1, 1 << 10, 0 },
  { NULL },
};

/* Nests apart are its rival, always: only measuring can tell. */
static gpointer
rows_tiles_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return build->is_rival ? NULL : tp_rows_tiles_new (build, nests, n);
}

static void
rows_tiles_free (gpointer analysis)
{
  tp_rows_tiles_free (analysis);
}

/* The greatest score begins below all but an infinity, so that what is subtracted is a
 * number: powers of what is masked away are 0, and scale nothing. */
static void
rows_tiles_emit (TpBuild *build, gconstpointer analysis,
                 const TpChoice *choice)
{
  const TpRowsTiles *a = analysis;
  TpNest *nests[] = { a->rows->products[0].c->nest, a->rows->reduce->nest,
                      a->rows->products[1].c->nest };
  State state = { .nests = { nests[0], nests[1], nests[2] } };
  g_autoptr (TpEmit) emit = NULL;
  TpRowsTilesPlan plan;

  tp_rows_tiles_plan_init (&plan, a, choice->values);
  emit = tp_emit_new_joint (build, nests, G_N_ELEMENTS (nests),
                            a->rows->scratch, plan.n_local);
  state.plan = &plan;
  state.emit = emit;
  state.n_acc = plan.tile_rows * plan.n_vectors;
  decode_group (&state);
  for (int i = 0; i < plan.tile_rows; i++)
    {
      state.most[i] = tp_k_f32 (emit->kernel, 1, -FLT_MAX);
      state.sum[i] = tp_k_f32 (emit->kernel, 1, 0.0f);
    }
  for (int i = 0; i < state.n_acc; i++)
    state.acc[i] = tp_k_f32 (emit->kernel, VECTOR, 0.0f);
  emit_blocks (&state);
  emit_results (&state);
  tp_emit_finish (emit, "rows_tiles");
}

const TpFamily tp_schedule_rows_tiles = {
  .form = { "rows-tiles", params },
  .n_steps = 1,
  .is_for = tp_target_is_gpu,
  .analyze = rows_tiles_analyze,
  .free = rows_tiles_free,
  .enumerate = tp_rows_tiles_enumerate,
  .cost = tp_rows_tiles_cost,
  .find_fault = tp_rows_tiles_find_fault,
  .emit = rows_tiles_emit,
};
