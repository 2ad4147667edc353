/* schedule-panels.c: the family "panels": contractions whose w is made by maps of
 * constants before them, such as weights of some bits unpacked. A group makes a panel
 * of w in scratch, where it stays near, and multiplies all its rows by that; w as a
 * whole is nowhere. The choice is one of contractions. */
#include "config.h"

#include "schedule/schedule-panels.h"

#include "schedule/contract-choose.h"
#include "schedule/family.h"

#define CYCLES_PER_VECTOR 4.0   /* to make one */
#define FAR_CYCLES 4.0          /* more for one that is not in the second cache */
#define NEAR 0.5                /* of that cache, for certain */
#define STEP_BLOCKS 2

extern const TpFamily tp_schedule_panels;

static gpointer
panels_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return tp_panel_makers_new (build, nests, n);
}

static void
panels_free (gpointer analysis)
{
  tp_panel_makers_free (analysis);
}

/* ---- choices ----------------------------------------------------------- */

/* Bytes of a panel, and of all else in scratch. */
static double
count_scratch (const TpContractPlan *plan)
{
  double panel = (double) tp_contract_plan_width (plan) * plan->c->k_total;

  return 4.0 * panel + tp_contract_plan_get_scratch_bytes (plan);
}

static gboolean
is_scratch_there (const TpContract *c, const TpChoice *choice)
{
  TpContractPlan plan;

  tp_contract_plan_init (&plan, c, choice);
  return count_scratch (&plan)
         <= MIN (c->target->local_bytes, c->target->l2_bytes);
}

static gboolean
is_panel (const TpContract *c, const TpChoice *choice, gboolean has_access)
{
  return is_scratch_there (c, choice)
         && (!has_access || choice->values[TP_CONTRACT_PACK]);
}

/* Those of a contraction that have a panel. */
static void
panels_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                  TpArray *out)
{
  const TpPanelMakers *makers = analysis;
  g_autoptr (TpArray) choices = tp_array_new (sizeof (TpChoice));

  tp_contract_enumerate (makers->c, step, partial, choices);
  for (guint i = 0; i < choices->len; i++)
    {
      const TpChoice *choice = &tp_array_index (choices, TpChoice, i);

      if (is_panel (makers->c, choice, step > 0))
        tp_array_append_val (out, *choice);
    }
}

/* Every block of rows, once there are any, makes all of w; every tile reads it. */
static double
panels_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  const TpPanelMakers *makers = analysis;
  const TpContract *c = makers->c;
  double vectors = (double) c->n_total * c->k_total / c->target->lanes;
  double cost = tp_contract_cost (c, step, choice);
  TpContractPlan plan;

  if (step != STEP_BLOCKS)
    return cost;
  vectors *= (double) c->n_outer_points / c->target->n_units;
  tp_contract_plan_init (&plan, c, choice);
  if (count_scratch (&plan) > NEAR * c->target->l2_bytes)
    cost += vectors * FAR_CYCLES
            * ((plan.rows.extent - 1) / plan.rows.tile + 1)
            * ((plan.cols.extent - 1) / plan.cols.tile + 1);
  return cost
         + vectors * CYCLES_PER_VECTOR * plan.rows.n_blocks
               * plan.cols.n_blocks;
}

double
tp_schedule_panels_model (const TpPanelMakers *makers)
{
  TpChoice choice;

  return tp_family_choose (&tp_schedule_panels, makers, &choice)
             ? panels_cost (makers, STEP_BLOCKS, &choice)
             : 0.0;
}

static const char *
panels_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpPanelMakers *makers = analysis;
  const char *fault = tp_contract_find_fault (makers->c, choice);

  if (fault != NULL)
    return fault;
  return is_panel (makers->c, choice, TRUE) ? NULL
                                            : "panels need scratch that is there";
}

static void
panels_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpPanelMakers *makers = analysis;
  g_autoptr (TpNest) nest = tp_nest_copy (makers->c->nest);
  TpContractPlan plan;

  tp_contract_plan_init (&plan, makers->c, choice);
  plan.nest = nest;
  tp_panel_makers_emit (makers, build, &plan);
}

const TpFamily tp_schedule_panels = {
  .form = { "panels", tp_contract_params },
  .n_steps = TP_CONTRACT_N_STEPS,
  .is_for = tp_target_has_vectors,
  .analyze = panels_analyze,
  .free = panels_free,
  .enumerate = panels_enumerate,
  .cost = panels_cost,
  .find_fault = panels_find_fault,
  .emit = panels_emit,
};
