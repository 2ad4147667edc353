/* plan-interval.c: see plan-interval.h. */
#include "config.h"

#include "ir/plan-interval.h"

#include "ir/guard.h"
#include "ir/plan-replay.h"
#include "ir/replicas.h"

#include <math.h>

/* Figures of one measurement are wrong together: their spreads add up before
 * they are squared. */
typedef struct
{
  const TpPlan *plan;
  const TpCosts *costs;
  TpPlanSum *sum;
  double *kernels;            /* [kernel * n_devices + device]: spreads, added */
  double *feeds, *fetches;    /* [device] */
  double squares;             /* of measurements that stand alone */
} Adder;

void
tp_plan_sum_clear (TpPlanSum *sum)
{
  g_clear_pointer (&sum->kernels_ns, g_free);
}

static gboolean
add_time (gint64 *sum, gint64 time_ns)
{
  return time_ns >= 0 && time_ns < TP_PLAN_MAX_NUMBER
         && !__builtin_add_overflow (*sum, time_ns, sum);
}

/* @row: node, or group after all nodes. */
static gboolean
add_figure (Adder *adder, int row, int device)
{
  const TpCosts *costs = adder->costs;
  const TpCost *cost = row < costs->n_nodes
                           ? tp_costs_node (costs, row, device)
                           : tp_costs_group (costs, row - costs->n_nodes,
                                             device);
  int kernel = tp_costs_get_kernel (costs, row);
  double spread_ns = (double) cost->spread_ns;

  if (cost->time_ns == TP_COST_NONE)
    return FALSE;
  if (kernel == 0)
    adder->squares += spread_ns * spread_ns;
  else
    adder->kernels[(gsize) kernel * costs->n_devices + device] += spread_ns;
  return add_time (&adder->sum->kernels_ns[device], cost->time_ns)
         && add_time (&adder->sum->total_ns, cost->time_ns);
}

static gboolean
add_kernels (Adder *adder, const TpGraph *graph)
{
  g_autofree int *rows = tp_plan_list_rows (adder->plan, graph);

  for (int i = 0; i < adder->plan->n_placements; i++)
    {
      const TpPlacement *it = &adder->plan->placements[i];

      if (rows[it->node] >= 0
          && !add_figure (adder, rows[it->node], it->device))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_copies (Adder *adder)
{
  const TpCosts *costs = adder->costs;

  for (int i = 0; i < adder->plan->n_transfers; i++)
    {
      const TpTransfer *it = &adder->plan->transfers[i];

      if (it->from != costs->host && it->from != TP_COSTS_HOST)
        adder->fetches[it->from]
            += tp_costs_fetch (costs, it->tensor, it->from)->spread_ns;
      if (it->to != costs->host && it->to != TP_COSTS_HOST)
        adder->feeds[it->to]
            += tp_costs_feed (costs, it->tensor, it->to)->spread_ns;
      if (!add_time (
              &adder->sum->total_ns,
              tp_costs_copy (costs, it->tensor, it->from, it->to).time_ns))
        return FALSE;
    }
  return TRUE;
}

static double
sum_squares (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i] * values[i];
  return sum;
}

gboolean
tp_plan_sum_up (const TpPlan *plan, const TpGraph *graph,
                const TpCosts *costs, TpPlanSum *out_sum)
{
  gsize n_devices = costs->n_devices;
  gsize n = ((gsize) costs->n_nodes + costs->n_groups + 1) * n_devices;
  g_autofree double *kernels = tp_new0 (double, n);
  g_autofree double *links = tp_new0 (double, 2 * n_devices);
  Adder adder
      = { plan, costs, out_sum, kernels, links, links + n_devices, 0 };

  *out_sum = (TpPlanSum){ .kernels_ns = tp_new0 (gint64, n_devices + 1) };
  if (!add_kernels (&adder, graph) || !add_copies (&adder))
    return FALSE;
  out_sum->spread_ns = sqrt (adder.squares + sum_squares (kernels, n)
                             + sum_squares (links, 2 * n_devices));
  return TRUE;
}

/* Of the log of the total. */
static double
find_variance (const TpCosts *costs, const TpPlanSum *sum)
{
  const TpCostErrors *errors = costs->errors;
  double total = (double) sum->total_ns;
  double variance = pow (sum->spread_ns / TP_COST_SPREADS / total, 2);
  int n = costs->n_devices;

  if (errors == NULL)
    return variance;
  for (int i = 0; i < n * n; i++)
    variance += sum->kernels_ns[i / n] / total
                * (sum->kernels_ns[i % n] / total)
                * errors->covariances[i] / TP_COST_BILLION;
  return MAX (variance, 0) + errors->run_variance / TP_COST_BILLION;
}

static gint64
round_time (double time_ns)
{
  return time_ns < (double) TP_PLAN_MAX_NUMBER ? llround (time_ns)
                                               : TP_PLAN_MAX_NUMBER;
}

static void
find_cost_interval (TpPlan *plan, const TpGraph *graph)
{
  g_auto (TpPlanSum) sum = { 0 };
  double width;

  plan->cost_low_ns = plan->cost_high_ns = plan->cost_ns;
  if (!tp_plan_sum_up (plan, graph, plan->costs, &sum) || sum.total_ns <= 0)
    return;
  width = TP_PLAN_SDS * sqrt (find_variance (plan->costs, &sum));
  plan->cost_low_ns = round_time (plan->cost_ns * exp (-width));
  plan->cost_high_ns = round_time (plan->cost_ns * exp (width));
}

/* ---- engines that work at once -------------------------------------------- */

static void
find_load_interval (TpPlan *plan, const TpGraph *graph)
{
  TpLoadProof *proof = plan->load_proof;
  g_auto (TpReplicas) replicas = { 0 };
  g_auto (TpWorks) works = { 0 };

  tp_replicas_init (&replicas, plan->costs);
  tp_replicas_list_works (&replicas, plan, graph, &works);
  while (tp_replicas_next (&replicas))
    {
      double loads[TP_LOAD_MAX_ENGINES] = { 0 };

      tp_works_add_loads (&works, &replicas, 1, loads);
      tp_replicas_tell (&replicas,
                        tp_loads_find_most (loads, proof->n_engines)
                            - (double) proof->load_ns);
    }
  tp_replicas_find_interval (&replicas, proof->load_ns, &proof->low_ns,
                             &proof->high_ns);
}

void
tp_plan_find_interval (TpPlan *plan, const TpGraph *graph)
{
  find_cost_interval (plan, graph);
  if (plan->span_proof != NULL)
    tp_plan_find_span_interval (plan, graph);
  else if (plan->load_proof != NULL)
    find_load_interval (plan, graph);
}
