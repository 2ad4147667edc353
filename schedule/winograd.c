/* winograd.c: what a choice means for a convolution by Winograd's filtering. */
#include "config.h"

#include "schedule/winograd.h"

gint64
tp_winograd_plan_width (const TpWinogradPlan *plan)
{
  return (gint64) plan->lanes * plan->vectors;
}

/* What lies a multiple of a kilobyte apart would share cache sets. */
static gint64
pad (gint64 elements, int lanes)
{
  return elements % 256 == 0 ? elements + lanes : elements;
}

static gint64
divide_up (gint64 n, gint64 by)
{
  return (n + by - 1) / by;
}

static void
set_span (TpWinogradSpan *span, gint64 points, int output, gint64 block)
{
  span->n = divide_up (points, output);
  span->block = MAX (block, 1);
  span->n_blocks = divide_up (span->n, span->block);
}

/* x is staged as for a contraction with blocks of so many points. */
static void
set_stage (TpWinogradPlan *plan)
{
  const TpContract *c = plan->w->c;
  TpChoice choice = { 0 };
  gint64 *v = choice.values;

  v[TP_CONTRACT_LANES] = plan->lanes;
  v[TP_CONTRACT_VECTORS] = plan->vectors;
  v[TP_CONTRACT_ROWS] = v[TP_CONTRACT_COLS] = plan->output;
  v[TP_CONTRACT_STAGE] = TRUE;
  v[TP_CONTRACT_BLOCK_ROWS] = plan->rows.block * plan->output;
  v[TP_CONTRACT_BLOCK_COLS] = plan->cols.block * plan->output;
  tp_contract_plan_init (&plan->stage, c, &choice);
}

/* The last micro-kernel may run over the end of a block. */
static gint64
count_padded (const TpWinogradPlan *plan)
{
  return plan->block_tiles + plan->tiles - 1;
}

gint64
tp_winograd_plan_v_size (const TpWinogradPlan *plan)
{
  return plan->points * plan->v_point;
}

gint64
tp_winograd_plan_sum_size (const TpWinogradPlan *plan)
{
  return plan->points * plan->sum_point;
}

static void
set_scratch (TpWinogradPlan *plan)
{
  gint64 lanes = plan->lanes, width = tp_winograd_plan_width (plan);

  plan->v_tile = pad (divide_up (plan->w->n_channels, lanes) * lanes, lanes);
  plan->v_point = pad (plan->v_tile * count_padded (plan), lanes);
  plan->sum_tile = pad (plan->block_panels * width, lanes);
  plan->sum_point = pad (plan->sum_tile * count_padded (plan), lanes);
  plan->scratch = plan->stage.scratch + tp_winograd_plan_v_size (plan)
                  + tp_winograd_plan_sum_size (plan);
}

void
tp_winograd_plan_init (TpWinogradPlan *plan, const TpWinograd *w,
                       const TpChoice *choice)
{
  const gint64 *v = choice->values;

  *plan = (TpWinogradPlan) { .w = w };
  plan->output = MAX (v[TP_WINOGRAD_OUTPUT], 1);
  plan->side = plan->output + 2;
  plan->points = plan->side * plan->side;
  plan->lanes = MAX (v[TP_WINOGRAD_LANES], 1);
  plan->vectors = MAX (v[TP_WINOGRAD_VECTORS], 1);
  plan->tiles = MAX (v[TP_WINOGRAD_TILES], 1);
  set_span (&plan->rows, w->c->n_rows, plan->output,
            v[TP_WINOGRAD_BLOCK_ROWS]);
  set_span (&plan->cols, w->c->n_cols, plan->output,
            v[TP_WINOGRAD_BLOCK_COLS]);
  plan->block_tiles = plan->rows.block * plan->cols.block;
  plan->n_panels = divide_up (w->c->n_total, tp_winograd_plan_width (plan));
  plan->block_panels = v[TP_WINOGRAD_BLOCK_PANELS] > 0
                           ? v[TP_WINOGRAD_BLOCK_PANELS] : plan->n_panels;
  plan->n_panel_blocks = divide_up (plan->n_panels, plan->block_panels);
  set_stage (plan);
  set_scratch (plan);
}
