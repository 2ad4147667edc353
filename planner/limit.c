/* limit.c: see limit.h. Branch and bound; the cheapest plan of all, fitting or
 * not, and its proof are in the plan too: they say what the limit costs. */
#include "config.h"

#include "planner/limit.h"

#include "ir/guard.h"
#include "ir/memory-peak.h"
#include "ir/pools.h"
#include "planner/cut.h"
#include "planner/limit-best.h"
#include "planner/limit-peaks.h"
#include "planner/limit-tree.h"

#include <string.h>

/* Cuts: about two seconds of them, and no more than that many. */
#define MAX_CUTS 16000
#define CUT_ITEMS (G_GINT64_CONSTANT (1) << 22)

static int
count_cuts (const TpProblem *problem)
{
  gint64 n_items = problem->graph->n_nodes + problem->graph->n_tensors;

  if (problem->n_cuts > 0)
    return problem->n_cuts;
  return (int) CLAMP ((problem->is_part ? CUT_ITEMS / 4 : CUT_ITEMS)
                          / (n_items + 1),
                      16, MAX_CUTS);
}

/* The device of @row that takes most. */
static int
find_largest (const TpCosts *costs, int row, const gint64 *bytes)
{
  int found = -1;

  for (int d = 0; d < costs->n_devices; d++)
    if (tp_pools_is_in (costs, row, d)
        && (found < 0 || bytes[d] > bytes[found]))
      found = d;
  return found;
}

/* Of a pool, what its fullest device holds. */
static void
describe_row (const TpProblem *problem, const TpExecution *execution, int row,
              GString *out)
{
  const TpCosts *costs = problem->costs;
  gint64 limit = problem->limits[row], missing;
  g_autofree gint64 *bytes = tp_new0 (gint64, costs->n_devices + 1);
  g_autofree char *peak = NULL;
  int device;

  for (int d = 0; d < costs->n_devices; d++)
    if (!tp_size_add (execution->memory[d].arena_bytes,
                      execution->memory[d].weight_bytes, &bytes[d]))
      bytes[d] = G_MAXINT64;
  missing = tp_pools_find_missing (costs, problem->limits, row, bytes);
  if (missing == 0)
    return;
  device = find_largest (costs, row, bytes);
  peak = tp_memory_peak_describe (execution, device);
  g_string_append_printf (
      out, "%s'%s' needs %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT
      " more than the limit of %" G_GINT64_FORMAT ", %s%s%s",
      out->len == 0 ? "" : "; ", tp_pools_get_name (costs, row),
      limit + missing, missing, limit, peak,
      row < costs->n_devices ? "" : " on ",
      row < costs->n_devices ? "" : costs->devices[device]);
}

gboolean
tp_limit_fail (const TpProblem *problem, const gint8 *nearest,
               gboolean is_proved, GError **error)
{
  g_auto (TpLimitLayout) layout = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  const TpExecution *execution;

  tp_limit_layout_init (&layout, problem);
  execution = tp_limit_layout_get (&layout, nearest);
  for (int row = 0; row < tp_pools_count_rows (problem->costs); row++)
    if (execution != NULL)
      describe_row (problem, execution, row, text);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "%s; the nearest: %s: allow more, cut the batch, or plan with "
               "another device",
               is_proved ? "no placement fits into the memory there is"
                         : "no placement was found that fits into the memory "
                           "there is, though one might",
               text->str);
  return FALSE;
}

/* Nothing to choose. */
static gboolean
fail_alone (const TpProblem *problem, GError **error)
{
  g_autofree gint8 *devices = tp_new0 (gint8, problem->graph->n_nodes + 1);

  return tp_limit_fail (problem, devices, TRUE, error);
}

/* All that can on one device: what fits there is found, however little else is. */
static void
offer_ends (TpLimitBest *best)
{
  const TpLimitModel *model = best->model;
  g_autofree gint8 *devices = tp_new0 (gint8, model->n_ops + 1);

  for (int d = 0; d < 2; d++)
    {
      for (int i = 0; i < model->n_ops; i++)
        devices[i] = tp_limit_model_may_move (model, i)
                         ? d
                         : model->costs->own[2 * (gsize) i] == TP_COST_NONE;
      tp_limit_best_offer (best, devices);
    }
}

static gint64
get_cost (gpointer data)
{
  const TpLimitBest *best = data;

  return best->cost;
}

static gboolean
offer (gpointer data, const gint8 *devices)
{
  return tp_limit_best_offer (data, devices);
}

static void
search (gpointer data, const gint8 *devices)
{
  tp_limit_best_search (data, devices);
}

static gint64
get_over (gpointer data, const gint8 *devices)
{
  TpLimitBest *best = data;

  return tp_limit_layout_get_over (&best->layout, devices);
}

static TpMemoryProof *
sweep (TpLimitBest *best, const TpProblem *problem)
{
  g_auto (TpLimitScope) scope = { 0 };
  const TpLimitKeeper keeper = { get_cost, offer, search, get_over, best };

  return tp_limit_scope_init (&scope, problem, &best->model->held)
             ? tp_limit_peaks_search (&scope, &keeper)
             : NULL;
}

/* By sweeps, and where these leave a gap by cuts: what proves more. */
static TpMemoryProof *
find_proof (TpLimitBest *best, const TpProblem *problem)
{
  g_autoptr (TpMemoryProof) swept
      = problem->n_cuts > 0 ? NULL : sweep (best, problem);
  g_autoptr (TpMemoryProof) cut = NULL;

  if (swept != NULL && swept->bound_ns == best->cost)
    return g_steal_pointer (&swept);
  cut = tp_limit_tree_search (best, count_cuts (problem));
  return swept != NULL && swept->bound_ns >= cut->bound_ns
             ? g_steal_pointer (&swept)
             : g_steal_pointer (&cut);
}

static gboolean
limit_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
             guint8 *cheapest, GError **error)
{
  g_autoptr (TpLimitModel) model = NULL;
  g_autoptr (TpMemoryProof) proof = NULL;
  g_auto (TpLimitBest) best = { 0 };
  TpProblem exact = *problem;

  if (problem->n_devices == 1)
    return fail_alone (problem, error);
  model = tp_limit_model_new (problem);
  tp_limit_best_init (&best, model);
  offer_ends (&best);
  exact.heeds_noise = FALSE;
  proof = find_proof (&best, problem);
  if (best.cost == TP_COST_NONE)
    return tp_limit_fail (problem, best.nearest,
                          proof->bound_ns == TP_COST_NONE, error);
  memcpy (devices, best.devices, problem->graph->n_nodes);
  plan->memory_proof = g_steal_pointer (&proof);
  return tp_solver_cut.solve (&exact, plan, cheapest, cheapest, error);
}

gboolean
tp_limit_find (const TpProblem *problem, guint8 *devices, GError **error)
{
  TpProblem timed = *problem;
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);

  timed.heeds_noise = FALSE;
  return limit_solve (&timed, plan, devices, cheapest, error);
}

/* No plan that fits costs less than the cheapest of all with the op forced: what
 * that is above this plan is the least of the op's margin. */
static void
limit_fill_margins (const TpProblem *problem, TpPlan *plan)
{
  tp_solver_cut.fill_margins (problem, plan);
  for (int i = 0; i < plan->n_placements; i++)
    {
      TpPlacement *it = &plan->placements[i];
      gint64 forced = it->device == it->cheapest ? it->margin_ns : 0;

      if (it->margin_ns < 0)
        continue;
      it->margin_ns = MAX (plan->bound_ns + forced - plan->cost_ns, 0);
      it->is_margin_least = TRUE;
    }
}

const TpSolver tp_solver_limit = {
  .name = "branch-and-bound",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_SUM,
  .keeps_limits = TRUE,
  .allows_changes = TRUE,
  .certificate = TP_PLAN_MEMORY_TREE,
  .solve = limit_solve,
  .fill_margins = limit_fill_margins,
};
