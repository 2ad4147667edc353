/* contract-plan.c: what a choice means for a contraction. */
#include "config.h"

#include "schedule/contract-plan.h"

#include "schedule/contract-bytes.h"
#include "schedule/contract-skip.h"

gint64
tp_contract_plan_width (const TpContractPlan *plan)
{
  return (gint64) plan->lanes * plan->vectors;
}

gint64
tp_contract_plan_count_panels (const TpContractPlan *plan)
{
  return MAX (1, plan->c->n_total / tp_contract_plan_width (plan));
}

/* ---- scratch ----------------------------------------------------------- */

gint64
tp_contract_plan_get_stage_bytes (const TpContractPlan *plan)
{
  return (gint64) tp_dtype_get_size (plan->c->dtype);
}

gint64
tp_contract_plan_get_scratch_bytes (const TpContractPlan *plan)
{
  gint64 kept = plan->n_kept * tp_contract_plan_get_stage_bytes (plan);

  return plan->is_staged
             ? plan->scratch * tp_contract_plan_get_stage_bytes (plan) + kept
             : kept;
}

/* Sums that fill more than half of the registers leave too few for results that
 * take long. */
static gint64
count_kept (const TpContractPlan *plan)
{
  gint64 sums = plan->rows.tile * plan->cols.tile * plan->vectors;

  return plan->c->takes_long
                 && 2 * sums > plan->c->n_registers
             ? sums * plan->lanes
             : 0;
}

/* Columns that lie a multiple of a page apart would share cache sets. */
static gint64
pad_pitch (const TpContractPlan *plan, const TpStageDim *dim, gint64 pitch)
{
  gint64 coef = plan->cols.axis < 0 ? 0 : dim->coef[plan->cols.axis];
  gint64 size = tp_contract_plan_get_stage_bytes (plan);

  if (coef != 0 && plan->cols.tile > 4 && coef * pitch * size % 2048 == 0)
    return pitch + 64 / size;
  return pitch;
}

/* Points of @axis that a group needs of a staged dimension. */
static gint64
count_points (const TpContractPlan *plan, int axis)
{
  if (axis == plan->rows.axis)
    return plan->rows.block;
  if (axis == plan->cols.axis)
    return plan->cols.block;
  return plan->c->nest->axes[axis].extent;
}

/* A dilated window leaves points out, unless those of the next one are between them. */
static gint64
find_step (const TpContractPlan *plan, int d)
{
  const TpContract *c = plan->c;
  gint64 step = 0;

  for (int i = 0; i < c->nest->n_axes && d < c->n_dims - 1; i++)
    if (c->dims[d].coef[i] != 0 && count_points (plan, i) > 1)
      step = tp_gcd (c->dims[d].coef[i], step);
  return MAX (step, 1);
}

static void
size_dims (TpContractPlan *plan)
{
  const TpContract *c = plan->c;
  gint64 pitch = 1;

  for (int d = c->n_dims - 1; d >= 0; d--)
    {
      const TpStageDim *dim = &c->dims[d];

      plan->dim_size[d] = 1;
      plan->dim_step[d] = find_step (plan, d);
      for (int i = 0; i < c->nest->n_axes; i++)
        plan->dim_size[d] += dim->coef[i] * (count_points (plan, i) - 1)
                             / plan->dim_step[d];
      plan->dim_pitch[d] = pad_pitch (plan, dim, pitch);
      pitch = plan->dim_pitch[d] * plan->dim_size[d];
      if (c->is_bytes) /* which are read by fours */
        pitch = (pitch + 3) / 4 * 4;
    }
  plan->scratch = pitch;
}

/* How far x goes from one point of @axis to the next. */
static gint64
step_of_x (const TpContractPlan *plan, int axis)
{
  const TpContract *c = plan->c;
  gint64 step = 0;

  if (axis < 0)
    return 0;
  if (!plan->is_staged)
    return c->nest->loads[c->x_load].stride[axis];
  for (int d = 0; d < c->n_dims; d++)
    step += c->dims[d].coef[axis] / plan->dim_step[d] * plan->dim_pitch[d];
  return step;
}

/* ---- sizes ------------------------------------------------------------- */

static void
set_span (TpContractSpan *span, int axis, gint64 extent, gint64 tile,
          gint64 block)
{
  *span = (TpContractSpan) { .axis = axis, .extent = extent,
                             .tile = MAX (tile, 1) };
  span->block = block > 0 ? block : span->tile;
  span->n_blocks = (extent + span->block - 1) / span->block;
}

void
tp_contract_plan_init (TpContractPlan *plan, const TpContract *c,
                       const TpChoice *choice)
{
  const gint64 *v = choice->values;

  *plan = (TpContractPlan) { .c = c, .nest = c->nest };
  plan->lanes = v[TP_CONTRACT_LANES];
  plan->vectors = v[TP_CONTRACT_VECTORS];
  plan->unroll = v[TP_CONTRACT_UNROLL];
  plan->is_staged = v[TP_CONTRACT_STAGE];
  set_span (&plan->rows, c->row_axis, c->n_rows, v[TP_CONTRACT_ROWS],
            v[TP_CONTRACT_BLOCK_ROWS]);
  set_span (&plan->cols, c->col_axis, c->n_cols, v[TP_CONTRACT_COLS],
            v[TP_CONTRACT_BLOCK_COLS]);
  plan->block_panels = MAX (v[TP_CONTRACT_BLOCK_PANELS], 1);
  plan->n_panel_blocks
      = (tp_contract_plan_count_panels (plan) + plan->block_panels - 1)
        / plan->block_panels;
  plan->n_kept = count_kept (plan);
  if (plan->is_staged)
    size_dims (plan);
  plan->rows.x = step_of_x (plan, plan->rows.axis);
  plan->cols.x = step_of_x (plan, plan->cols.axis);
}

/* ---- x in place -------------------------------------------------------- */

/* A page apart lines fall into the same set: so much a way holds of caches that are
 * looked up while addresses are translated. */
#define PAGE_BYTES 4096
#define LINE_BYTES 64
#define N_SETS (PAGE_BYTES / LINE_BYTES)

gboolean
tp_contract_plan_collides (const TpContractPlan *plan, gint64 rows, gint64 cols)
{
  const TpAccess *x = &plan->nest->loads[plan->c->x_load];
  gint64 ways = plan->c->target->l1_bytes / PAGE_BYTES, last = -1;
  gint64 size = (gint64) tp_dtype_get_size (x->dtype);
  int lines[N_SETS] = { 0 };

  if (plan->is_staged || !plan->c->is_plain)
    return FALSE;
  for (gint64 i = 0; i < rows * cols; i++)
    {
      gint64 at = i / cols * plan->rows.x + i % cols * plan->cols.x;
      gint64 line = ABS (at) * size / LINE_BYTES;

      if (line != last && ++lines[line % N_SETS] > ways)
        return TRUE;
      last = line;
    }
  return FALSE;
}

gboolean
tp_contract_plan_prefers_stage (const TpContractPlan *plan)
{
  const TpContract *c = plan->c;

  return !c->is_plain
         || (c->is_stageable
             && c->n_total >= 4 * tp_contract_plan_width (plan)
             && tp_contract_plan_collides (plan, plan->rows.tile,
                                           plan->cols.tile));
}

/* ---- loops over K ------------------------------------------------------ */

/* The innermost loop is unrolled: it has no bounds that vary. */
static int
find_skip (const TpContractPlan *plan, int i)
{
  return i + 1 < plan->c->n_k ? tp_contract_skip_find (plan, plan->c->k_axes[i]) : -1;
}

void
tp_contract_plan_merge_loops (TpContractPlan *plan)
{
  const TpContract *c = plan->c;
  const TpAccess *w = &plan->nest->loads[c->w_load];

  plan->n_loops = 0;
  for (int i = 0; i < c->n_k; i++)
    {
      int axis = c->k_axes[i];
      gint64 step = tp_contract_bytes_get_step (c, axis);
      TpContractLoop loop = { (c->nest->axes[axis].extent + step - 1) / step,
                              step_of_x (plan, axis) * step, w->stride[axis], axis,
                              find_skip (plan, i) };
      TpContractLoop *last = &plan->loops[MAX (plan->n_loops - 1, 0)];

      if (plan->n_loops > 0 && last->dim < 0 && loop.dim < 0
          && last->x == loop.x * loop.extent && last->w == loop.w * loop.extent)
        *last = (TpContractLoop) { last->extent * loop.extent, loop.x, loop.w, axis, -1 };
      else
        plan->loops[plan->n_loops++] = loop;
    }
}
