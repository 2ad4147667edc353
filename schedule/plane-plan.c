/* plane-plan.c: where rows of planes lie in scratch. */
#include "config.h"

#include "schedule/plane-plan.h"

#include "schedule/plane-analyze.h"

static gint64
round_up (gint64 n, gint64 step)
{
  return (n + step - 1) / step * step;
}

void
tp_plane_plan_init (TpPlanePlan *plan, const TpPlane *plane,
                    const gint64 *values)
{
  const TpPlaneDim *cols = &plane->cols;
  gint64 reach = (cols->n_taps - 1) * cols->reach / cols->step;

  *plan = (TpPlanePlan) { .plane = plane, .lanes = values[0],
                          .vectors = values[1], .tile = values[2],
                          .block = values[3], .planes = values[4] };
  plan->n_blocks = (plane->rows.n_out + plan->block - 1) / plan->block;
  plan->n_staged = tp_plane_dim_span (&plane->rows, plan->block);
  plan->phase_pitch
      = round_up (round_up (cols->n_out, plan->lanes) + reach, plan->lanes);
  plan->row_pitch = plan->phase_pitch * cols->step;
}

gint64
tp_plane_plan_count_elements (const TpPlanePlan *plan)
{
  return plan->n_staged * plan->row_pitch;
}

gint64
tp_plane_plan_find_column (const TpPlanePlan *plan, gint64 unit)
{
  gint64 step = plan->plane->cols.step;

  return unit % step * plan->phase_pitch + unit / step;
}
