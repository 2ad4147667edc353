/* check-load.c: see check-load.h.
 *
 * The mean of what engines carry, by any weights, is at most what the busiest does.
 * The sum of weighted loads is a sum of costs as any other, so a flow bounds it: the
 * proof is checked as that of a plan whose figures are all multiplied by the weight of
 * the engine that they keep busy. */
#include "config.h"

#include "planner/check/check-load.h"

#include "planner/check/check-proof.h"
#include "planner/check/check-tie.h"
#include "planner/check/check-weigh.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

/* ---- loads --------------------------------------------------------------- */

static void
sum_loads (const TpChecker *checker, gint64 *loads)
{
  const TpPlan *plan = checker->plan;
  int n = plan->n_devices;

  for (int i = 0; i < plan->n_placements; i++)
    loads[plan->placements[i].device] += plan->placements[i].time_ns;
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];

      if (it->to != TP_COSTS_HOST)
        loads[n + it->to] += legs[it->to].feed;
      if (it->from != TP_COSTS_HOST)
        loads[2 * n + it->from] += legs[it->from].fetch;
    }
  for (int e = 1; e < 3 * n && checker->costs->is_same_silicon; e++)
    {
      loads[0] += loads[e];
      loads[e] = 0;
    }
}

/* Of parts that were found right. */
static void
check_loads (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  gint64 loads[TP_LOAD_MAX_ENGINES] = { 0 }, most = 0;

  sum_loads (checker, loads);
  for (int e = 0; e < proof->n_engines; e++)
    {
      most = MAX (most, loads[e]);
      if (proof->loads[e] != loads[e])
        tp_checker_fail (checker,
                         "engine %d carries %" G_GINT64_FORMAT
                         ", the plan says %" G_GINT64_FORMAT,
                         e, loads[e], proof->loads[e]);
    }
  if (proof->load_ns != most)
    tp_checker_fail (checker,
                     "the busiest engine carries %" G_GINT64_FORMAT
                     ", the plan says %" G_GINT64_FORMAT,
                     most, proof->load_ns);
}

/* ---- weights -------------------------------------------------------------- */

/* What they add up to; 0: they are none, which was said. */
static gint64
sum_weights (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  Wide sum = 0;

  for (int e = 0; e < proof->n_engines; e++)
    {
      sum += proof->weights[e];
      if (proof->weights[e] < 0
          || (checker->costs->is_same_silicon
              && proof->weights[e] != proof->weights[0]))
        sum = MAX_SUM;
    }
  if (sum > 0 && sum < MAX_SUM)
    return checker->costs->is_same_silicon ? proof->weights[0] : (gint64) sum;
  tp_checker_fail (checker, "load_weights are below 0, or all 0, or too large, "
                            "or differ where all engines are one");
  return 0;
}

/* ---- the flow ------------------------------------------------------------- */

/* All is on the one device. */
static Wide
find_value_alone (const TpLoadProof *proof)
{
  Wide value = 0;

  for (int e = 0; e < proof->n_engines; e++)
    value += (Wide) proof->weights[e] * proof->loads[e];
  return value;
}

static void
check_bound (TpChecker *checker, Wide value, gint64 sum)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  Wide bound = value / sum + (value % sum > 0);

  if (bound != proof->bound_ns)
    tp_checker_fail (checker,
                     "weights and flow prove that the busiest engine carries "
                     "%.0f, not %" G_GINT64_FORMAT,
                     (double) bound, proof->bound_ns);
  if (proof->bound_ns > proof->load_ns)
    tp_checker_fail (checker, "the busiest engine carries less than its bound");
}

static void
check_flow (TpChecker *checker)
{
  const TpLoadProof *proof = checker->plan->load_proof;
  gint64 sum = sum_weights (checker), value;
  g_auto (TpCheckerWeighed) weighed = { 0 };

  if (sum == 0
      || !tp_checker_weigh (checker, proof->weights, &weighed))
    return;
  if (!tp_checker_prove (&weighed, proof->arcs, proof->n_arcs, &value))
    return;
  check_bound (checker,
               checker->costs->n_devices == 1 ? find_value_alone (proof)
                                              : value,
               sum);
}

/* No price on a copy, and no margins: how far a figure may move is not known. */
static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;

  if (plan->load_proof == NULL
      || plan->load_proof->n_engines != 3 * plan->n_devices)
    return tp_checker_fail (checker, "what engines carry is missing");
  if (plan->tie_price_ns != 0)
    return tp_checker_fail (checker, "no tie is broken for throughput");
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns != -1)
      return tp_checker_fail (checker, "op '%s' has a margin, which is not "
                                       "known of throughput",
                              checker->graph->nodes[i].name);
  return TRUE;
}

void
tp_checker_check_load (TpChecker *checker)
{
  if (!check_form (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0)
    return;                   /* the rest stands on the parts */
  check_loads (checker);
  check_flow (checker);
}
