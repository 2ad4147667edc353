/* winograd-model.c: a model of cycles: sums of products in registers, what w, V
 * and the sums stream from the caches, and the transforms. */
#include "config.h"

#include "schedule/winograd-model.h"

#include "schedule/contract-model.h"

#include <math.h>

/* Cycles of one step of K of the micro-kernel: see contract-model.c. A panel of w
 * that leaves the first cache no room for x comes from the second each time. */
static double
step_cycles (const TpWinogradPlan *plan)
{
  double products = (double) plan->tiles * plan->vectors;
  double loads = (plan->tiles + plan->vectors) * 0.55;
  double bytes = 4.0 * tp_winograd_plan_width (plan);
  gboolean is_far = bytes * plan->w->n_channels
                    > 0.4 * plan->w->c->target->l1_bytes;
  double far = is_far ? bytes / 24.0 : 0.0;

  return MAX (MAX (products * 0.5, loads), MAX (4.0, far)) + 0.25;
}

/* One group's products with @n tiles. */
static double
product_cycles (const TpWinogradPlan *plan, gint64 n)
{
  double kernels = (double) ((n + plan->tiles - 1) / plan->tiles)
                   * plan->block_panels * plan->points;
  double ends = 2.0 * plan->tiles * plan->vectors + 20.0;

  return kernels * (step_cycles (plan) * plan->w->n_channels + ends);
}

/* Bytes per cycle of what @bytes of w are read at: from the second cache, or from
 * what lies behind it. Units share that, and more than twice a second cache of it. */
static double
w_rate (const TpTarget *target, double bytes)
{
  if (bytes <= 0.5 * target->l2_bytes)
    return 64.0;
  return target->n_units > 1 && bytes > 2.0 * target->l2_bytes ? 10.0 : 20.0;
}

/* w once per group, V once per panel, the sums once. */
static double
stream_cycles (const TpWinogradPlan *plan, gint64 n)
{
  const TpTarget *target = plan->w->c->target;
  double far = target->n_units > 1 ? 4.0 : 16.0;
  double all = 4.0 * plan->points * tp_winograd_plan_width (plan)
               * plan->n_panels * plan->w->n_channels;
  double w = all * plan->block_panels / plan->n_panels;
  double points = 4.0 * plan->points * n;
  double v = points * plan->v_tile, sums = points * plan->sum_tile;
  gboolean fits = v + sums + plan->stage.scratch * 4.0
                  <= 0.8 * target->l2_bytes;

  return w / w_rate (target, all) + (v + sums) / (fits ? 64.0 : far);
}

/* A vector is loaded, takes some sums, and is stored. */
static double
transform_cycles (const TpWinogradPlan *plan, gint64 n)
{
  double channels = ceil ((double) plan->w->n_channels / plan->lanes);
  double in = channels * plan->points * 4.5;
  double out = (double) plan->block_panels * plan->vectors * plan->points * 3.0;

  return n * (in + out + 10.0) + plan->stage.scratch * 4.0 / plan->lanes;
}

static double
group_cycles (const TpWinogradPlan *plan, gint64 n)
{
  return product_cycles (plan, n) + stream_cycles (plan, n)
         + transform_cycles (plan, n) + 500.0;
}

/* Tiles of the last block along @span. */
static gint64
count_last (const TpWinogradSpan *span)
{
  return span->n - (span->n_blocks - 1) * span->block;
}

double
tp_winograd_model (const TpWinograd *w, const TpChoice *choice)
{
  const TpTarget *target = w->c->target;
  gboolean is_row;
  double whole, last, groups, cycles;
  gint64 n_blocks;
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, choice);
  is_row = plan.cols.n_blocks > 1;
  n_blocks = is_row ? plan.cols.n_blocks : plan.rows.n_blocks;
  whole = group_cycles (&plan, plan.block_tiles);
  last = group_cycles (&plan, is_row ? count_last (&plan.cols)
                                     : count_last (&plan.rows)
                                           * plan.cols.block);
  groups = (double) n_blocks * plan.n_panel_blocks
           * (is_row ? plan.rows.n : 1) * w->c->n_outer_points;
  cycles = (whole * (n_blocks - 1) + last) / n_blocks;
  return tp_contract_model_units (target, whole, cycles * groups);
}
