/* schedule-winograd.c: the family "winograd": convolutions of 3 x 3 on CPUs with
 * fewer multiplications. A group transforms a block of tiles, makes the sums for
 * some panels with the micro-kernel of contractions, and transforms these. What
 * lies between stays in scratch. */
#include "config.h"

#include "schedule/schedule-winograd.h"

#include "schedule/contract-choose.h"
#include "schedule/contract-model.h"
#include "schedule/contract-stage.h"
#include "schedule/contract-tile.h"
#include "schedule/emit-access.h"
#include "schedule/expr.h"
#include "schedule/winograd-analyze.h"
#include "schedule/winograd-choose.h"
#include "schedule/winograd-model.h"
#include "schedule/winograd-pack.h"
#include "schedule/winograd-transform.h"

typedef struct
{
  const TpWinogradPlan *plan;
  const TpWinogradForm *form;
  TpEmit *emit;
  int x_buffer, v_buffer, sum_buffer;
  TpValue row_block, col_block, panel_block;
  TpValue rows, cols;         /* tiles in this block */
  TpValue first_panel, end_panel;
  TpValue row, col;           /* first result of the tile */
} State;

/* ---- w ----------------------------------------------------------------- */

/* The copy of w, transformed: [point][panel][channel][panel width]. */
static void
pack_w (const TpWinogradPlan *plan, const TpWinogradForm *form, TpNest *nest,
        TpBuild *build)
{
  gint64 width = tp_winograd_plan_width (plan);
  gint64 panel = width * plan->w->n_channels;
  gint64 point = panel * plan->n_panels;
  const TpWinogradPack pack = {
    .n_panels = plan->n_panels, .width = width,
    .point = point, .panel = panel, .channel = width,
    .n_elements = point * plan->points,
  };

  tp_winograd_pack (plan->w, form, &pack, nest, build);
}

/* ---- x to V ------------------------------------------------------------ */

/* A vector of channels at all points of a tile. */
static void
emit_points (State *state, TpValue from, TpValue to, int active)
{
  const TpWinogradPlan *plan = state->plan;
  const TpContract *c = plan->w->c;
  TpEmit *e = state->emit;
  gboolean is_turned = c->dims[0].coef[c->row_axis] == 0;
  gint64 row = plan->stage.dim_pitch[is_turned];
  gint64 col = plan->stage.dim_pitch[!is_turned];
  TpValue in[TP_WINOGRAD_MAX_SIDE * TP_WINOGRAD_MAX_SIDE];
  TpValue out[TP_WINOGRAD_MAX_SIDE * TP_WINOGRAD_MAX_SIDE];
  int side = plan->side;

  tp_emit_set_lanes (e, -1, plan->lanes, active);
  for (int i = 0; i < plan->points; i++)
    in[i] = tp_k_load (e->kernel, state->x_buffer,
                       tp_emit_add_const (e, from,
                                          i / side * row + i % side * col),
                       plan->lanes, tp_emit_mask (e));
  tp_winograd_emit_square (e->kernel, &state->form->points, in, out);
  for (int i = 0; i < plan->points; i++)
    tp_k_store (e->kernel, state->v_buffer,
                tp_emit_add_const (e, to, i * plan->v_point), out[i], -1);
  tp_emit_set_lanes (e, -1, 1, 1);
}

static void
emit_channels (State *state, TpValue from, TpValue to)
{
  const TpWinogradPlan *plan = state->plan;
  TpEmit *e = state->emit;
  int rest = plan->w->n_channels % plan->lanes;
  gint64 whole = plan->w->n_channels - rest;

  if (whole > 0)
    {
      TpValue c = tp_emit_for_const (e, 0, whole, plan->lanes);

      emit_points (state, tp_emit_add (e, from, c), tp_emit_add (e, to, c),
                   plan->lanes);
      tp_emit_end_for (e, NULL, 0, NULL);
    }
  if (rest > 0)
    emit_points (state, tp_emit_add_const (e, from, whole),
                 tp_emit_add_const (e, to, whole), rest);
}

typedef void (*TileFunc) (State *state, TpValue row, TpValue col);

/* All tiles of the block. */
static void
emit_tiles (State *state, TileFunc func)
{
  TpEmit *e = state->emit;
  TpValue zero = tp_k_index (e->kernel, 0);
  TpValue row = tp_emit_for (e, zero, state->rows, 1);
  TpValue col = tp_emit_for (e, zero, state->cols, 1);

  func (state, row, col);
  tp_emit_end_for (e, NULL, 0, NULL);
  tp_emit_end_for (e, NULL, 0, NULL);
}

/* Where the tile is within its block. */
static TpValue
number_of (State *state, TpValue row, TpValue col)
{
  TpEmit *e = state->emit;

  return tp_emit_add (
      e, tp_emit_mul_const (e, row, state->plan->cols.block), col);
}

static void
emit_v_tile (State *state, TpValue row, TpValue col)
{
  const TpWinogradPlan *plan = state->plan;
  const TpContract *c = plan->w->c;
  TpEmit *e = state->emit;
  gboolean is_turned = c->dims[0].coef[c->row_axis] == 0;
  TpValue from = tp_emit_add (
      e,
      tp_emit_mul_const (e, row,
                         plan->output * plan->stage.dim_pitch[is_turned]),
      tp_emit_mul_const (e, col,
                         plan->output * plan->stage.dim_pitch[!is_turned]));

  emit_channels (state, from,
                 tp_emit_mul_const (e, number_of (state, row, col),
                                    plan->v_tile));
}

/* ---- sums of products -------------------------------------------------- */

/* sums[point][tile][n] = V[point][tile][channel] * w: what the micro-kernel has
 * to know of it. Loads are its x and w. */
static TpNest *
new_product (const TpWinogradPlan *plan)
{
  g_autoptr (TpNest) nest = tp_nest_new ();
  int x, w;

  tp_nest_add_axis (nest, plan->points, FALSE);
  tp_nest_add_axis (nest, plan->block_tiles, FALSE);
  tp_nest_add_axis (nest, plan->block_panels * tp_winograd_plan_width (plan),
                    FALSE);
  tp_nest_add_axis (nest, plan->w->n_channels, TRUE);
  tp_nest_add_load (nest, 0);
  tp_nest_add_load (nest, 0);
  x = tp_nest_load (nest, 0);
  w = tp_nest_load (nest, 1);
  tp_nest_add_stage (nest, TP_COMBINE_SUM,
                     tp_nest_binary (nest, TP_EXPR_MUL, x, w));
  nest->result = tp_nest_stage (nest, 0);
  nest->store.stride[0] = plan->sum_point;
  nest->store.stride[1] = plan->sum_tile;
  nest->store.stride[2] = 1;
  return g_steal_pointer (&nest);
}

/* A micro-kernel per step of tiles, for the @panel at @point. */
static void
emit_micro_kernels (State *state, TpEmit *e, TpValue point, TpValue panel)
{
  const TpWinogradPlan *plan = state->plan;
  gint64 width = tp_winograd_plan_width (plan), k = plan->w->n_channels;
  const TpContract c = { .nest = (TpNest *) e->nest, .n_axis = 2, .w_load = 1 };
  const TpContractPlan product = {
    .c = &c, .nest = (TpNest *) e->nest,
    .rows = { .axis = -1 }, .cols = { .axis = 1, .x = plan->v_tile },
    .lanes = plan->lanes, .vectors = plan->vectors, .unroll = 8,
    .is_packed = TRUE, .n_loops = 1,
    .loops = { { .extent = k, .x = 1, .w = width, .dim = -1 } },
  };
  TpContractTile tile = { 1, plan->tiles, plan->vectors, plan->lanes,
                          .x_buffer = state->v_buffer };
  TpValue n = tp_k_binary (e->kernel, TP_I_ISUB, panel, state->first_panel);
  TpValue w = tp_emit_add (e, tp_emit_mul_const (e, point, plan->n_panels),
                           panel);
  TpValue count = tp_k_binary (e->kernel, TP_I_IMUL, state->rows, state->cols);
  TpValue at = tp_emit_for (e, tp_k_index (e->kernel, 0), count, plan->tiles);

  tp_emit_set_axis (e, 0, point, 0, plan->points - 1);
  tp_emit_set_axis (e, 1, at, 0, plan->block_tiles - 1);
  tp_emit_set_axis (e, 2, tp_emit_mul_const (e, n, width), 0,
                    (plan->block_panels - 1) * width);
  tile.x_base = tp_emit_add (e, tp_emit_mul_const (e, point, plan->v_point),
                             tp_emit_mul_const (e, at, plan->v_tile));
  tile.w_base = tp_emit_mul_const (e, w, width * k);
  tp_contract_emit_tile (&product, e, &tile);
  tp_emit_end_for (e, NULL, 0, NULL);
}

static void
emit_sums (State *state)
{
  const TpWinogradPlan *plan = state->plan;
  TpEmit *e = state->emit;
  g_autoptr (TpNest) nest = new_product (plan);
  int buffers[] = { state->v_buffer, e->load_buffers[plan->w->c->w_load] };
  TpValue sum;
  TpEmit product = { .build = e->build, .nest = nest, .kernel = e->kernel,
                     .load_buffers = buffers,
                     .store_buffer = state->sum_buffer, .lanes = 1,
                     .vaxis = -1, .active = 1, .stages = &sum };
  TpValue point = tp_emit_for_const (e, 0, plan->points, 1);
  TpValue panel = tp_emit_for (e, state->first_panel, state->end_panel, 1);

  for (int i = 0; i < TP_NEST_MAX_AXES; i++)
    tp_emit_clear_axis (&product, i);
  emit_micro_kernels (state, &product, point, panel);
  g_assert (product.loaded == NULL); /* the micro-kernel loads for itself */
  tp_emit_end_for (e, NULL, 0, NULL);
  tp_emit_end_for (e, NULL, 0, NULL);
}

/* ---- sums to results --------------------------------------------------- */

/* Puts @axis at result @i of a tile whose first is at @pos, in range for the
 * verifier too; where there may be none, a condition that there is is returned,
 * else -1. */
static TpValue
set_result (State *state, int axis, gint64 extent, TpValue pos, int i)
{
  TpEmit *e = state->emit;
  gint64 rest = extent % state->plan->output;

  pos = tp_emit_add_const (e, pos, i);
  tp_emit_set_axis (e, axis, tp_emit_min_const (e, pos, extent - 1), i,
                    extent - 1);
  if (rest == 0 || i < rest)
    return -1;
  return tp_k_binary (e->kernel, TP_I_ILESS, pos,
                      tp_k_index (e->kernel, extent));
}

static void
emit_result (State *state, int i, TpValue value)
{
  const TpContract *c = state->plan->w->c;
  TpEmit *e = state->emit;
  int output = state->plan->output;
  TpValue has_row = set_result (state, c->row_axis, c->n_rows, state->row,
                                i / output);
  TpValue has_col = set_result (state, c->col_axis, c->n_cols, state->col,
                                i % output);

  if (has_row >= 0)
    tp_emit_if (e, has_row);
  if (has_col >= 0)
    tp_emit_if (e, has_col);
  e->stages[0] = value;
  tp_emit_store (e, tp_emit_expr (e, e->nest->result));
  if (has_col >= 0)
    tp_emit_end_if (e);
  if (has_row >= 0)
    tp_emit_end_if (e);
}

/* A vector of results, @active of them, from @n on in the block's columns of w,
 * for the tile whose sums start at @from. */
static void
emit_results (State *state, TpValue from, TpValue n, int active)
{
  const TpWinogradPlan *plan = state->plan;
  const TpContract *c = plan->w->c;
  TpEmit *e = state->emit;
  TpValue in[TP_WINOGRAD_MAX_SIDE * TP_WINOGRAD_MAX_SIDE];
  TpValue out[TP_WINOGRAD_MAX_SIDE * TP_WINOGRAD_MAX_SIDE];
  TpValue first = tp_emit_mul_const (e, state->first_panel,
                                     tp_winograd_plan_width (plan));

  from = tp_emit_add (e, from, n);
  for (int i = 0; i < plan->points; i++)
    in[i] = tp_k_load (e->kernel, state->sum_buffer,
                       tp_emit_add_const (e, from, i * plan->sum_point),
                       plan->lanes, -1);
  tp_winograd_emit_square (e->kernel, &state->form->results, in, out);
  tp_emit_set_axis (e, c->n_axis, tp_emit_add (e, first, n), 0,
                    c->n_total - active);
  tp_emit_set_lanes (e, c->n_axis, plan->lanes, active);
  for (int i = 0; i < plan->output * plan->output; i++)
    emit_result (state, i, out[i]);
  tp_emit_set_lanes (e, -1, 1, 1);
  tp_emit_clear_axis (e, c->n_axis);
}

/* The last vector, if it is not a whole one, for groups that have it. */
static void
emit_last_results (State *state, TpValue from)
{
  const TpWinogradPlan *plan = state->plan;
  TpEmit *e = state->emit;
  int rest = plan->w->c->n_total % plan->lanes;
  gint64 last = plan->n_panel_blocks - 1;
  gint64 before = last * plan->block_panels * tp_winograd_plan_width (plan);

  if (rest == 0)
    return;
  if (last > 0)
    tp_emit_if (e, tp_k_binary (e->kernel, TP_I_IEQUAL, state->panel_block,
                                tp_k_index (e->kernel, last)));
  emit_results (state, from,
                tp_k_index (e->kernel, plan->w->c->n_total - rest - before),
                rest);
  if (last > 0)
    tp_emit_end_if (e);
}

static void
emit_result_tile (State *state, TpValue row, TpValue col)
{
  const TpWinogradPlan *plan = state->plan;
  TpEmit *e = state->emit;
  gint64 width = tp_winograd_plan_width (plan), lanes = plan->lanes;
  gint64 whole = plan->w->c->n_total / lanes * lanes;
  gint64 block = plan->block_panels * width, most = block - lanes + 1;
  TpValue from = tp_emit_mul_const (e, number_of (state, row, col),
                                    plan->sum_tile);
  TpValue left = tp_emit_add_const (
      e, tp_emit_mul_const (e, state->panel_block, -block), whole - lanes + 1);
  TpValue n;

  row = tp_emit_add (e, tp_emit_mul_const (e, state->row_block,
                                           plan->rows.block), row);
  col = tp_emit_add (e, tp_emit_mul_const (e, state->col_block,
                                           plan->cols.block), col);
  state->row = tp_emit_mul_const (e, row, plan->output);
  state->col = tp_emit_mul_const (e, col, plan->output);
  n = tp_emit_for (e, tp_k_index (e->kernel, 0),
                   tp_emit_min_const (e, left, most), lanes);
  emit_results (state, from, n, lanes);
  tp_emit_end_for (e, NULL, 0, NULL);
  emit_last_results (state, from);
}

/* ---- groups ------------------------------------------------------------ */

/* Tiles of @span in block number @block. */
static TpValue
count_tiles (TpEmit *e, const TpWinogradSpan *span, TpValue block)
{
  TpValue left;

  if (span->n % span->block == 0)
    return tp_k_index (e->kernel, span->block);
  left = tp_emit_mul_const (e, block, -span->block);
  left = tp_emit_add_const (e, left, span->n);
  return tp_emit_min_const (e, left, span->block);
}

static void
decode_group (State *state)
{
  const TpWinogradPlan *plan = state->plan;
  const TpContract *c = plan->w->c;
  TpEmit *e = state->emit;
  TpValue rest = tp_k_group (e->kernel);

  e->kernel->n_groups = 1;
  state->panel_block = tp_emit_take_digit (e, &rest, plan->n_panel_blocks);
  state->col_block = tp_emit_take_digit (e, &rest, plan->cols.n_blocks);
  state->row_block = tp_emit_take_digit (e, &rest, plan->rows.n_blocks);
  for (int i = c->n_outer - 1; i >= 0; i--)
    {
      gint64 extent = c->nest->axes[c->outer[i]].extent;

      tp_emit_set_axis (e, c->outer[i], tp_emit_take_digit (e, &rest, extent),
                        0, extent - 1);
    }
  state->rows = count_tiles (e, &plan->rows, state->row_block);
  state->cols = count_tiles (e, &plan->cols, state->col_block);
  state->first_panel = tp_emit_mul_const (e, state->panel_block,
                                          plan->block_panels);
  state->end_panel = tp_emit_min_const (
      e, tp_emit_add_const (e, state->first_panel, plan->block_panels),
      plan->n_panels);
}

static int
add_scratch (State *state, gint64 n)
{
  return tp_kernel_add_buffer (state->emit->kernel, TP_SPACE_LOCAL,
                               TPLAN_DTYPE_FLOAT32, n, TRUE);
}

static void
emit_kernel (TpBuild *build, const TpWinogradPlan *plan,
             const TpWinogradForm *form, const TpNest *nest)
{
  g_autoptr (TpEmit) emit = tp_emit_new (build, nest);
  State state = { .plan = plan, .form = form, .emit = emit };

  state.x_buffer = add_scratch (&state, plan->stage.scratch);
  state.v_buffer = add_scratch (&state, tp_winograd_plan_v_size (plan));
  state.sum_buffer = add_scratch (&state, tp_winograd_plan_sum_size (plan));
  decode_group (&state);
  tp_contract_emit_stage (&plan->stage, emit, state.x_buffer, state.row_block,
                          state.col_block);
  emit_tiles (&state, emit_v_tile);
  emit_sums (&state);
  emit_tiles (&state, emit_result_tile);
  tp_emit_finish (emit, "winograd");
}

/* ---- the family -------------------------------------------------------- */

static const TpParam params[] = {
  { "output", 1, 2, 4, 0 },
  { "block", 2, 1, G_MAXINT32, 0 },
  { "lanes", 1, 1, 16, 0 },
  { "vectors", 1, 1, 8, 0 },
  { "tiles", 1, 1, 64, 0 },
  { "panels", 1, 1, G_MAXINT32, 0 },
  { NULL },
};

/* The model's time of the best choice to that of a contraction. */
static double
find_ratio (const TpWinograd *w)
{
  static const TpFamily contract = { .n_steps = TP_CONTRACT_N_STEPS,
                                     .enumerate = tp_contract_enumerate,
                                     .cost = tp_contract_cost };
  static const TpFamily winograd = { .n_steps = TP_WINOGRAD_N_STEPS,
                                     .enumerate = tp_winograd_enumerate,
                                     .cost = tp_winograd_cost };
  TpChoice direct, choice;
  TpContractPlan plan;

  if (!tp_family_choose (&contract, w->c, &direct)
      || !tp_family_choose (&winograd, w, &choice))
    return G_MAXDOUBLE;
  tp_contract_plan_init (&plan, w->c, &direct);
  return tp_winograd_model (w, &choice) / tp_contract_model_blocks (&plan);
}

static gpointer
winograd_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpWinograd) w = n == 1 ? tp_winograd_new (build, nests[0]) : NULL;

  if (w == NULL)
    return NULL;
  if (!tp_build_is_given (build))
    w->ratio = find_ratio (w);
  return g_steal_pointer (&w);
}

static void
winograd_free (gpointer analysis)
{
  tp_winograd_free (analysis);
}

static gboolean
winograd_is_last_resort (gconstpointer analysis)
{
  const TpWinograd *w = analysis;

  return !w->is_relaxed && w->ratio >= 1.0;
}

gboolean
tp_schedule_winograd_is_best (const TpBuild *build, const TpNest *nest)
{
  TpNest *copy = (TpNest *) nest;
  TpWinograd *w = tp_target_has_vectors (build->target)
                      ? winograd_analyze (build, &copy, 1) : NULL;
  gboolean is_best = w != NULL && !winograd_is_last_resort (w);

  if (w != NULL)
    winograd_free (w);
  return is_best;
}

/* Within what the model may be wrong by. */
static gboolean
winograd_is_close (gconstpointer analysis)
{
  const TpWinograd *w = analysis;

  return w->ratio < 1.5;
}

static gboolean
winograd_is_relaxed (const TpChoice *choice)
{
  return choice->values[TP_WINOGRAD_OUTPUT] > 2;
}

static void
winograd_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpWinograd *w = analysis;
  const TpWinogradForm *form
      = tp_winograd_form_find (choice->values[TP_WINOGRAD_OUTPUT]);
  g_autoptr (TpNest) nest = tp_nest_copy (w->c->nest);
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, choice);
  pack_w (&plan, form, nest, build);
  emit_kernel (build, &plan, form, nest);
}

const TpFamily tp_schedule_winograd = {
  .form = { "winograd", params },
  .n_steps = TP_WINOGRAD_N_STEPS,
  .is_for = tp_target_has_vectors,
  .analyze = winograd_analyze,
  .free = winograd_free,
  .is_last_resort = winograd_is_last_resort,
  .is_close = winograd_is_close,
  .is_relaxed = winograd_is_relaxed,
  .enumerate = tp_winograd_enumerate,
  .cost = tp_winograd_cost,
  .find_fault = tp_winograd_find_fault,
  .emit = winograd_emit,
};
