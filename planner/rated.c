/* rated.c: see rated.h.
 *
 * Energy and price are sums of times, each at the rate of the engine that is busy, so
 * the least is a minimum cut of times that are weighted. One thing is no such sum: a
 * device without ops is not rented. With two devices that leaves three kinds of plan,
 * of which two have one member each: all on the one, all on the other. They are
 * worked out; the cut is of those that rent both, and no less than they cost.
 *
 * Within limits of memory the cut gives way to the search that keeps them (limit.c), of
 * the same weighted times; what it proves is added. */
#include "config.h"

#include "planner/rated.h"

#include "ir/guard.h"
#include "planner/cut.h"
#include "planner/limit-layout.h"
#include "planner/limit.h"
#include "planner/network.h"

#include <string.h>

#define BOTH 3u               /* devices, a bit for each */

/* ---- the least ------------------------------------------------------------ */

/* Of all that rent both devices. */
static gboolean
solve_both (const TpProblem *problem, TpRateProof *proof, guint8 *devices,
            GError **error)
{
  g_auto (TpRated) rated = { .weighed = NULL };
  g_autoptr (TpNetwork) network = NULL;

  if (!tp_rated_init (&rated, problem, proof->aims, BOTH))
    return tp_rated_fail_limit (error);
  network = tp_network_new (rated.weighed);
  proof->bound = tp_network_solve (network) - tp_network_get_constant (network);
  proof->flows = tp_network_dup_flows (network, &proof->n_flows);
  for (int i = 0; i < problem->graph->n_nodes; i++)
    devices[i] = (guint8) tp_network_get_device (network, i);
  return TRUE;
}

/* All on @device, if that is no dearer. */
static gboolean
offer_alone (const TpProblem *problem, int device, TpRateProof *proof,
             guint8 *devices, GError **error)
{
  g_auto (TpRated) rated = { .weighed = NULL };
  gint64 cost;

  if (!tp_rated_init (&rated, problem, proof->aims, 1u << device))
    return tp_rated_fail_limit (error);
  cost = tp_problem_single_cost (rated.weighed, device);
  if (cost == TP_COST_NONE || cost > proof->bound)
    return TRUE;
  proof->bound = cost;
  memset (devices, device, problem->graph->n_nodes);
  return TRUE;
}

TpRateProof *
tp_rated_solve (const TpProblem *problem, guint8 *devices, GError **error)
{
  g_autoptr (TpRateProof) proof = tp_rate_proof_new ();

  memcpy (proof->aims, problem->aims, sizeof proof->aims);
  proof->bound = TP_COST_NONE - 1;
  if (!tp_rated_check_all (problem, error)
      || (problem->n_devices == 2
          && !solve_both (problem, proof, devices, error)))
    return NULL;
  for (int d = problem->n_devices - 1; d >= 0; d--)
    if (!offer_alone (problem, d, proof, devices, error))
      return NULL;
  proof->cost = proof->bound;
  return tp_rated_fill_totals (problem, devices, proof, error)
             ? g_steal_pointer (&proof)
             : NULL;
}

/* ---- limits of memory ------------------------------------------------------ */

/* Of those that rent both devices, into @out; *@out_tree: that none of them that fits costs
 * less. FALSE: none is found that fits, and @error says which is nearest. */
static gboolean
place_both (const TpProblem *problem, guint8 *out, TpMemoryProof **out_tree,
            GError **error)
{
  g_auto (TpRated) rated = { .weighed = NULL };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);

  if (!tp_rated_init (&rated, problem, problem->aims, BOTH))
    return tp_rated_fail_limit (error);
  tp_rated_raise (&rated, problem, TP_PROBLEM_LIMIT);
  rated.weighed->heeds_noise = FALSE;
  if (!tp_solver_limit.solve (rated.weighed, plan, out, cheapest, error))
    return FALSE;
  *out_tree = g_steal_pointer (&plan->memory_proof);
  return TRUE;
}

/* What is proved by raised weights proves nothing of these. */
static gboolean
is_all_weighed (const TpProblem *problem)
{
  gint64 weights[TP_RATES_MAX_ENGINES];

  if (!tp_rates_weigh (problem->costs, problem->aims, BOTH, weights))
    return FALSE;
  return weights[0] > 0 && weights[1] > 0;
}

/* Takes *@tree (nullable). @alone: the least of all on one device that fit there. */
static void
keep_bound (const TpProblem *problem, TpMemoryProof **tree, gint64 alone,
            TpRateProof *proof)
{
  if (*tree == NULL || !is_all_weighed (problem))
    return;
  proof->room = tp_room_proof_new (0);
  proof->room->bound_ns = MIN (MIN ((*tree)->bound_ns, alone), proof->cost);
  proof->room->tree = g_steal_pointer (tree);
}

/* Whether all fits on @device. */
static gboolean
fits_alone (const TpProblem *problem, int device, guint8 *out)
{
  g_auto (TpLimitLayout) layout = { 0 };

  memset (out, device, problem->graph->n_nodes);
  tp_limit_layout_init (&layout, problem);
  return tp_limit_layout_get_over (&layout, (const gint8 *) out) == 0;
}

/* In place of @devices, which do not fit. */
static gboolean
keep_limits (const TpProblem *problem, TpRateProof *proof, guint8 *devices,
             GError **error)
{
  int n = problem->graph->n_nodes;
  g_autofree guint8 *other = tp_new0 (guint8, (gsize) n + 1);
  g_autoptr (TpMemoryProof) tree = NULL;
  g_autoptr (GError) failure = NULL;
  gint64 alone = TP_COST_NONE;

  proof->cost = TP_COST_NONE;
  if (place_both (problem, devices, &tree, &failure))
    proof->cost = tp_rated_take (problem, devices);
  for (int d = 0; d < problem->n_devices; d++)
    {
      gint64 cost = TP_COST_NONE;

      if (tp_problem_single_cost (problem, d) == TP_COST_NONE)
        continue;             /* may not be there */
      if (fits_alone (problem, d, other))
        cost = tp_rated_take (problem, other);
      else
        proof->unfit |= 1u << d;
      alone = MIN (alone, cost);
      if (cost >= proof->cost)
        continue;
      proof->cost = cost;
      memcpy (devices, other, n);
    }
  keep_bound (problem, &tree, alone, proof);
  if (proof->cost != TP_COST_NONE)
    return tp_rated_fill_totals (problem, devices, proof, error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* With the plan that takes the least time, and its proof. Noise breaks no ties:
 * spreads are of times. */
static gboolean
rated_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
             guint8 *cheapest, GError **error)
{
  TpProblem exact = *problem;

  exact.heeds_noise = FALSE;
  plan->rate_proof = tp_rated_solve (problem, devices, error);
  return plan->rate_proof != NULL
         && (problem->limits == NULL
             || keep_limits (problem, plan->rate_proof, devices, error))
         && tp_solver_cut.solve (&exact, plan, cheapest, cheapest, error);
}

const TpSolver tp_solver_rated = {
  .name = "rated-cut",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_RATED,
  .keeps_limits = TRUE,
  .allows_changes = TRUE,
  .certificate = TP_PLAN_RATED_CUT,
  .solve = rated_solve,
};
