/* contract-model.c: a model of cycles. Tails are further, smaller tiles, so their
 * waste is weighed against wide ones. */
#include "config.h"

#include "schedule/contract-model.h"

#include <math.h>

/* ---- tiles ------------------------------------------------------------- */

/* Of what a step of K takes of one point. */
static double
element_bytes (const TpContract *c, int load)
{
  double size = (double) tp_dtype_get_size (c->nest->loads[load].dtype);

  return c->is_bytes ? 4.0 * size : size;
}

/* Cycles of one step of K for @rows x @cols points and @vectors: two multiply-adds
 * and nearly two loads per cycle, four cycles of latency; w comes from the first
 * cache while a panel fits, else from the second, and so does x where lines of it
 * push each other out. */
static double
step_cycles (const TpContractPlan *plan, gint64 rows, gint64 cols, int vectors)
{
  gint64 points = rows * cols;
  gboolean is_far = tp_contract_plan_collides (plan, rows, cols)
                    && !tp_contract_plan_prefers_stage (plan);
  int each = plan->c->target->n_registers / plan->c->n_registers;
  double fma = points * vectors * each * 0.5;
  double loads = points * (is_far ? 2.0 : 0.55) + vectors * 0.55;
  double bytes = vectors * plan->lanes * element_bytes (plan->c, plan->c->w_load);
  double panel = bytes * plan->c->k_total;
  double w = panel > plan->c->target->l1_bytes ? bytes / 200.0 : 0.0;

  return MAX (MAX (fma, loads), MAX (4.0, bytes / 40.0)) + 0.25 + w;
}

static double
tile_cycles (const TpContractPlan *plan, gint64 rows, gint64 cols,
             gint64 vectors)
{
  gint64 points = rows * cols;

  if (points == 0 || vectors == 0)
    return 0.0;
  return step_cycles (plan, rows, cols, vectors) * plan->c->k_total
         + 2.0 * points * vectors + 20.0;
}

/* All panels for one tile of @rows x @cols points. */
static double
panels_cycles (const TpContractPlan *plan, gint64 rows, gint64 cols)
{
  gint64 nr = tp_contract_plan_width (plan), n_total = plan->c->n_total;
  gint64 rest = (n_total % nr + plan->lanes - 1) / plan->lanes;

  return n_total / nr * tile_cycles (plan, rows, cols, plan->vectors)
         + tile_cycles (plan, rows, cols, rest);
}

double
tp_contract_model_tiles (const TpContractPlan *plan)
{
  const TpContractSpan *r = &plan->rows, *w = &plan->cols;
  gint64 tall = r->extent / r->tile, low = r->extent % r->tile;
  gint64 wide = w->extent / w->tile, narrow = w->extent % w->tile;
  int bodies = (1 + (low > 0)) * (1 + (narrow > 0));

  return (tall * wide * panels_cycles (plan, r->tile, w->tile)
          + tall * panels_cycles (plan, r->tile, narrow)
          + wide * panels_cycles (plan, low, w->tile)
          + panels_cycles (plan, low, narrow))
         * (1.0 + 0.01 * (bodies - 1));
}

/* ---- blocks ------------------------------------------------------------ */

double
tp_contract_model_units (const TpTarget *target, double group, double all)
{
  double each = all / (target->n_units * group);

  if (target->n_units == 1)
    return all;
  /* units start and end at odd times */
  return group * MAX (ceil (each - 0.01), each + 0.4);
}

double
tp_contract_model_blocks (const TpContractPlan *plan)
{
  const TpContract *c = plan->c;
  const TpTarget *target = c->target;
  gint64 n_panels = tp_contract_plan_count_panels (plan);
  double groups = (double) c->n_outer_points * plan->rows.n_blocks
                  * plan->cols.n_blocks * plan->n_panel_blocks;
  double share = (double) plan->rows.block * plan->cols.block
                 / ((double) plan->rows.extent * plan->cols.extent)
                 * MIN (1.0, (double) plan->block_panels / n_panels);
  double work = tp_contract_model_tiles (plan) * share;
  double x_bytes = element_bytes (c, c->x_load) * plan->rows.block
                   * plan->cols.block * c->k_total;
  double w_bytes = element_bytes (c, c->w_load) * plan->block_panels
                   * plan->lanes * plan->vectors * c->k_total;
  double passes = plan->block_panels;

  if (plan->is_staged)
    {
      x_bytes = (double) plan->scratch
                * tp_contract_plan_get_stage_bytes (plan);
      work += plan->scratch * 0.6 + 200.0;
    }
  /* x is walked once per panel, w once per group. */
  work += x_bytes / 32.0 * (x_bytes > 0.6 * target->l2_bytes ? passes : 1.0);
  work += w_bytes / 32.0;
  work += 500.0;
  return tp_contract_model_units (target, work, work * groups);
}
