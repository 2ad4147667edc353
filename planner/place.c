/* place.c: from what a solver finds to a plan with all its parts. */
#include "config.h"

#include "planner/place.h"

#include "ir/array.h"
#include "ir/graph-digest.h"
#include "ir/guard.h"
#include "ir/plan-interval.h"
#include "ir/plan-memory.h"
#include "ir/pools.h"
#include "planner/copies.h"
#include "planner/load-model.h"
#include "planner/solver.h"

static TpGroups *
groups_copy (const TpGroups *groups)
{
  g_autoptr (TpGroups) copy = tp_groups_new ();

  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    tp_groups_add_copy (copy, &groups->groups[i]);
  return g_steal_pointer (&copy);
}

static void
fill_head (TpPlan *plan, const TpProblem *problem)
{
  const TpCosts *costs = problem->costs;

  plan->graph_path = g_strdup (problem->graph->source);
  plan->graph_name = g_strdup (problem->graph->name);
  plan->graph_digest = tp_graph_digest (problem->graph);
  plan->objective = g_strdup (problem->objective->name);
  plan->n_devices = costs->n_devices;
  plan->devices = g_strdupv (costs->devices);
  plan->is_simulated = costs->is_simulated;
}

static void
fill_groups (TpPlan *plan, const TpProblem *problem, const guint8 *devices)
{
  plan->groups = tp_groups_new ();
  for (int i = 0; i < problem->costs->n_groups; i++)
    {
      const TpGroup *group = &problem->groups->groups[i];
      int device = tp_problem_find_fused (problem, i, devices);
      const TpCost *cost;

      if (device < 0)
        continue;
      cost = tp_costs_group (problem->costs, i, device);
      tp_groups_add_copy (plan->groups, group);
      for (int k = 0; k < group->n_nodes; k++)
        {
          TpPlacement *it = &plan->placements[group->nodes[k]];
          const TpCost *alone
              = tp_costs_node (problem->costs, group->nodes[k], device);

          plan->n_estimated += (cost->is_estimated != 0)
                               - (alone->is_estimated != 0);
          it->time_ns = k == 0 ? cost->time_ns : 0;
          it->spread_ns = k == 0 ? cost->spread_ns : 0;
          g_free (it->schedule);
          it->schedule = k == 0 ? g_strdup (cost->schedule) : NULL;
        }
      plan->cost_ns -= tp_problem_get_gain (problem, i, device);
    }
}

static void
fill_placements (TpPlan *plan, const TpProblem *problem, const guint8 *devices,
                 const guint8 *cheapest)
{
  int n = problem->graph->n_nodes;

  plan->placements = tp_new0 (TpPlacement, n + 1);
  plan->n_placements = n;
  for (int i = 0; i < n; i++)
    {
      int device = devices[i];
      const TpCost *cost = tp_costs_node (problem->costs, i, device);

      plan->placements[i] = (TpPlacement){
        .node = i,
        .device = device,
        .cheapest = cheapest[i],
        .time_ns = cost->time_ns,
        .spread_ns = cost->spread_ns,
        .margin_ns = -1,
        .schedule = g_strdup (cost->schedule),
      };
      plan->n_estimated += cost->is_estimated != 0;
      plan->cost_ns += tp_problem_node_cost (problem, i, device);
    }
}

static void
fill_transfers (TpPlan *plan, const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpArray) list = tp_copies_list (problem, devices);

  plan->n_transfers = (int) list->len;
  for (guint i = 0; i < list->len; i++)
    {
      const TpTransfer *it = &tp_array_index (list, TpTransfer, i);

      plan->cost_ns
          += tp_problem_edge_cost (problem, it->tensor, it->from, it->to);
    }
  tp_array_append_vals (list, &(TpTransfer){ 0 }, 1);
  plan->transfers = tp_array_steal (list);
}

static void
fill_best_single (TpPlan *plan, const TpProblem *problem)
{
  gint64 best = TP_COST_NONE;

  for (int d = 0; d < problem->n_devices; d++)
    {
      gint64 cost = tp_problem_single_cost (problem, d);

      if (cost >= best)
        continue;
      best = cost;
      plan->best_single = d;
      plan->best_single_ns = cost;
    }
}

/* All that depends on where ops are. */
static void
fill_parts (TpPlan *plan, const TpProblem *problem, const guint8 *devices,
            const guint8 *cheapest)
{
  fill_placements (plan, problem, devices, cheapest);
  fill_transfers (plan, problem, devices);
  fill_groups (plan, problem, devices);
}

static TpPlan *
place (const TpProblem *problem, TpCosts *costs, GError **error)
{
  const TpSolver *solver = tp_solver_find (problem, error);
  int n = problem->graph->n_nodes;
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);
  g_autofree guint8 *cheapest = tp_new0 (guint8, n + 1);

  if (solver == NULL)
    return NULL;
  if (costs->digest == NULL)
    tp_costs_seal (costs);
  fill_head (plan, problem);
  plan->costs = tp_costs_ref (costs);
  plan->costs_digest = g_strdup (costs->digest);
  plan->certificate = g_strdup (solver->certificate);
  if (!solver->solve (problem, plan, devices, cheapest, error))
    return NULL;
  /* Not before: solving takes the most memory. */
  plan->all_groups = groups_copy (problem->groups);
  fill_best_single (plan, problem);
  fill_parts (plan, problem, devices, cheapest);
  tp_plan_find_interval (plan, problem->graph);
  g_assert (plan->cost_ns == plan->bound_ns || plan->memory_proof != NULL
            || plan->share_proof != NULL || plan->load_proof != NULL
            || plan->rate_proof != NULL
            || (plan->tie_price_ns > 0 && plan->cost_ns > plan->bound_ns));
  return g_steal_pointer (&plan);
}

/* ---- limits of memory --------------------------------------------------- */

static TpPlan *
place_within (TpProblem *problem, TpCosts *costs, const gint64 *limits,
              GError **error)
{
  g_autoptr (TpPlan) plan = place (problem, costs, error);

  if (plan == NULL || limits == NULL)
    return g_steal_pointer (&plan);
  tp_plan_count_memory (plan, problem->graph);
  if (tp_plan_fits (plan, limits))
    return g_steal_pointer (&plan);
  if (tp_costs_has_mapped (costs))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "limits of memory bind where something is mapped: plan with "
                   "the figures of copies");
      return NULL;
    }
  problem->limits = limits;
  g_clear_pointer (&plan, tp_plan_unref);
  plan = place (problem, costs, error);
  if (plan != NULL)
    plan->memory_limits
        = tp_memdup (limits, sizeof (gint64) * tp_pools_count_rows (costs));
  return g_steal_pointer (&plan);
}

TpPlan *
tp_place_with (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
               const TpPlaceOptions *options, GError **error)
{
  g_autoptr (TpProblem) problem
      = tp_problem_new (graph, groups, costs, options->objective, error);

  if (problem == NULL)
    return NULL;
  problem->heeds_noise = options->heeds_noise;
  if (options->aims != NULL && !tp_objective_is_complete (problem->objective))
    problem->aims = options->aims;
  problem->n_cuts = options->n_cuts;
  return place_within (problem, costs, options->limits, error);
}

TpPlan *
tp_place (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
          const char *objective, GError **error)
{
  const TpPlaceOptions options = { .objective = objective };

  return tp_place_with (graph, groups, costs, &options, error);
}

TpPlan *
tp_place_within_noise (const TpGraph *graph, const TpGroups *groups,
                       TpCosts *costs, const char *objective, GError **error)
{
  const TpPlaceOptions options
      = { .objective = objective, .heeds_noise = TRUE };

  return tp_place_with (graph, groups, costs, &options, error);
}

/* ---- elsewhere ------------------------------------------------------------ */

static void
drop_parts (TpPlan *plan)
{
  for (int i = 0; i < plan->n_placements; i++)
    g_free (plan->placements[i].schedule);
  g_clear_pointer (&plan->placements, g_free);
  g_clear_pointer (&plan->transfers, g_free);
  g_clear_pointer (&plan->groups, tp_groups_free);
  g_clear_pointer (&plan->peak_bytes, g_free);
  g_clear_pointer (&plan->weight_bytes, g_free);
  plan->n_placements = plan->n_transfers = 0;
  plan->cost_ns = 0;
  plan->n_estimated = 0;
}

static void
fill_loads (TpLoadProof *proof, const TpProblem *problem,
            const guint8 *devices)
{
  g_auto (TpLoadModel) model = { 0 };

  tp_load_model_init (&model, problem);
  tp_load_model_sum (&model, devices, proof->loads);
  proof->load_ns
      = proof->loads[tp_load_model_find_busiest (&model, proof->loads)];
}

void
tp_place_move (TpPlan *plan, const TpGraph *graph, const guint8 *devices)
{
  g_autoptr (TpProblem) problem
      = tp_problem_new (graph, plan->all_groups, plan->costs, plan->objective,
                        NULL);
  g_autofree guint8 *cheapest = tp_new (guint8, (gsize) graph->n_nodes + 1);

  g_assert (problem != NULL && plan->load_proof != NULL);
  for (int i = 0; i < graph->n_nodes; i++)
    cheapest[i] = (guint8) plan->placements[i].cheapest;
  drop_parts (plan);
  fill_parts (plan, problem, devices, cheapest);
  fill_loads (plan->load_proof, problem, devices);
  tp_plan_find_interval (plan, graph);
  tp_plan_count_memory (plan, graph);
}
