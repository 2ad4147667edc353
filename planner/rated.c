/* rated.c: see rated.h.
 *
 * Energy and price are sums of times, each at the rate of the engine that is busy, so
 * the least is a minimum cut of times that are weighted. One thing is no such sum: a
 * device without ops is not rented. With two devices that leaves three kinds of plan,
 * of which two have one member each: all on the one, all on the other. They are
 * worked out; the cut is of those that rent both, and no less than they cost.
 *
 * Within limits of memory the cut gives way to the search that keeps them (limit.c), of
 * the same weighted times; what is proved stays that of all placements. */
#include "config.h"

#include "planner/rated.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/copies.h"
#include "planner/cut.h"
#include "planner/limit-layout.h"
#include "planner/limit.h"
#include "planner/network.h"

#include <string.h>

#define MAX_ENGINES TP_RATES_MAX_ENGINES
#define BOTH 3u               /* devices, a bit for each */

/* What placements take that rent the same. */
typedef struct
{
  gint64 weights[MAX_ENGINES];
  TpProblem *weighed;
} Rated;

static void
rated_clear (Rated *rated)
{
  g_clear_pointer (&rated->weighed, tp_problem_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rated, rated_clear)

gboolean
tp_rated_fits (const TpProblem *problem, gint64 most)
{
  return most < TP_PROBLEM_LIMIT / (problem->sum + 1);
}

static gboolean
rated_init (Rated *rated, const TpProblem *problem, const gint64 *aims,
            guint used)
{
  if (!tp_rates_weigh (problem->costs, aims, used, rated->weights))
    return FALSE;
  for (int e = 0; e < 3 * problem->n_devices; e++)
    if (!tp_rated_fits (problem, rated->weights[e]))
      return FALSE;
  rated->weighed = tp_problem_weigh (problem, rated->weights);
  return TRUE;
}

/* ---- what is asked -------------------------------------------------------- */

gboolean
tp_rated_check (const TpProblem *problem, TpAim aim, GError **error)
{
  static const char *const options[]
      = { "", "--watts %s=BUSY:IDLE", "--price %s=AMOUNT/h" };
  int device = tp_rates_find_missing (problem->costs, aim);
  g_autoptr (GString) option = g_string_new (options[aim]);

  if (problem->n_devices > 2)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "%d devices: plans for energy and price are made for at most "
                 "2: name fewer",
                 problem->n_devices);
  if (problem->n_devices > 2 || device < 0)
    return problem->n_devices <= 2;
  g_string_replace (option, "%s", problem->costs->devices[device], 1);
  if (aim == TP_AIM_ENERGY && !problem->costs->is_simulated)
    g_string_append (option, ", or have it counted, where the system does: "
                             "`tplan calibrate --energy`");
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the least %s is asked for, and what '%s' takes of it is not "
               "stated: give %s",
               tp_aim_get_name (aim), problem->costs->devices[device],
               option->str);
  return FALSE;
}

/* FALSE: not all that is asked for is stated. */
static gboolean
check_stated (const TpProblem *problem, GError **error)
{
  gboolean is_some = FALSE;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      is_some = is_some || problem->aims[aim] > 0;
      if (problem->aims[aim] > 0
          && !tp_rated_check (problem, (TpAim) aim, error))
        return FALSE;
    }
  if (!is_some)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "what time, energy and price are worth is not said: ask for "
                 "'energy' or 'price', or plan for all with `tplan pareto`");
  return is_some;
}

static gboolean
fail_limit (GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
               "all costs together reach 2^62 where times count by watts or "
               "prices: mend the costs, or state less");
  return FALSE;
}

/* ---- what a placement takes ----------------------------------------------- */

static gint64
sum_placement (const TpProblem *weighed, const guint8 *devices)
{
  g_autoptr (TpArray) copies = tp_copies_list (weighed, devices);
  gint64 sum = 0;

  for (int i = 0; i < weighed->graph->n_nodes; i++)
    sum += tp_problem_node_cost (weighed, i, devices[i]);
  for (guint i = 0; i < copies->len; i++)
    {
      const TpTransfer *it = &tp_array_index (copies, TpTransfer, i);

      sum += tp_problem_edge_cost (weighed, it->tensor, it->from, it->to);
    }
  for (int i = 0; i < weighed->costs->n_groups; i++)
    {
      int device = tp_problem_find_fused (weighed, i, devices);

      if (device >= 0)
        sum -= tp_problem_get_gain (weighed, i, device);
    }
  return sum;
}

/* The devices that have an op, a bit for each. */
static guint
list_used (const TpProblem *problem, const guint8 *devices)
{
  guint used = 0;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    used |= 1u << devices[i];
  return used;
}

gint64
tp_rated_sum (const TpProblem *problem, const guint8 *devices, TpAim aim)
{
  gint64 one[TP_N_AIMS] = { 0 };
  g_auto (Rated) rated = { .weighed = NULL };

  one[aim] = 1;
  return rated_init (&rated, problem, one, list_used (problem, devices))
             ? sum_placement (rated.weighed, devices)
             : -1;
}

static gboolean
fill_totals (const TpProblem *problem, const guint8 *devices,
             TpRateProof *proof, GError **error)
{
  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      gboolean is_stated
          = tp_rates_find_missing (problem->costs, (TpAim) aim) < 0;

      proof->totals[aim]
          = is_stated ? tp_rated_sum (problem, devices, (TpAim) aim) : -1;
      if (is_stated && proof->totals[aim] < 0)
        return fail_limit (error);
    }
  return TRUE;
}

/* ---- the least ------------------------------------------------------------ */

/* Of all that rent both devices. */
static gboolean
solve_both (const TpProblem *problem, TpRateProof *proof, guint8 *devices,
            GError **error)
{
  g_auto (Rated) rated = { .weighed = NULL };
  g_autoptr (TpNetwork) network = NULL;

  if (!rated_init (&rated, problem, proof->aims, BOTH))
    return fail_limit (error);
  network = tp_network_new (rated.weighed);
  proof->bound = tp_network_solve (network) - tp_network_get_constant (network);
  proof->arcs = tp_network_dup_arcs (network, NULL, &proof->n_arcs);
  for (int i = 0; i < problem->graph->n_nodes; i++)
    devices[i] = (guint8) tp_network_get_device (network, i);
  return TRUE;
}

/* All on @device, if that is no dearer. */
static gboolean
offer_alone (const TpProblem *problem, int device, TpRateProof *proof,
             guint8 *devices, GError **error)
{
  g_auto (Rated) rated = { .weighed = NULL };
  gint64 cost;

  if (!rated_init (&rated, problem, proof->aims, 1u << device))
    return fail_limit (error);
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
  if (!check_stated (problem, error)
      || (problem->n_devices == 2
          && !solve_both (problem, proof, devices, error)))
    return NULL;
  for (int d = problem->n_devices - 1; d >= 0; d--)
    if (!offer_alone (problem, d, proof, devices, error))
      return NULL;
  proof->cost = proof->bound;
  return fill_totals (problem, devices, proof, error)
             ? g_steal_pointer (&proof)
             : NULL;
}

/* ---- limits of memory ------------------------------------------------------ */

/* What @devices take of what is asked for; -1: more than can be counted. */
static gint64
take (const TpProblem *problem, const guint8 *devices)
{
  g_auto (Rated) rated = { .weighed = NULL };

  return rated_init (&rated, problem, problem->aims,
                     list_used (problem, devices))
             ? sum_placement (rated.weighed, devices)
             : -1;
}

/* Of those that rent both devices, into @out. FALSE: none is found that fits, and
 * @error says which is nearest. */
static gboolean
place_both (const TpProblem *problem, guint8 *out, GError **error)
{
  g_auto (Rated) rated = { .weighed = NULL };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);

  if (!rated_init (&rated, problem, problem->aims, BOTH))
    return fail_limit (error);
  rated.weighed->heeds_noise = FALSE;
  return tp_solver_limit.solve (rated.weighed, plan, out, cheapest, error);
}

/* Whether all may be on @device, and fits there. */
static gboolean
fits_alone (const TpProblem *problem, int device, guint8 *out)
{
  g_auto (TpLimitLayout) layout = { 0 };

  memset (out, device, problem->graph->n_nodes);
  tp_limit_layout_init (&layout, problem);
  return tp_problem_single_cost (problem, device) != TP_COST_NONE
         && tp_limit_layout_get_over (&layout, (const gint8 *) out) == 0;
}

/* In place of @devices, which do not fit. */
static gboolean
keep_limits (const TpProblem *problem, TpRateProof *proof, guint8 *devices,
             GError **error)
{
  int n = problem->graph->n_nodes;
  g_autofree guint8 *other = tp_new0 (guint8, (gsize) n + 1);
  g_autoptr (GError) failure = NULL;

  proof->cost = TP_COST_NONE;
  if (place_both (problem, devices, &failure))
    proof->cost = take (problem, devices);
  for (int d = 0; d < problem->n_devices; d++)
    {
      if (!fits_alone (problem, d, other)
          || take (problem, other) >= proof->cost)
        continue;
      proof->cost = take (problem, other);
      memcpy (devices, other, n);
    }
  if (proof->cost != TP_COST_NONE)
    return fill_totals (problem, devices, proof, error);
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
