/* check-weigh.c: see check-weigh.h. */
#include "config.h"

#include "planner/check/check-weigh.h"

#include "ir/guard.h"
#include "planner/check/check-proof.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

static gint64
weigh (gint64 cost, Wide weight, Wide *sum)
{
  Wide product = cost == TP_COST_NONE ? 0 : cost * weight;

  *sum = MIN (*sum + product, MAX_SUM);
  return *sum < MAX_SUM && cost != TP_COST_NONE ? (gint64) product : cost;
}

/* Of what keeps an engine of @weight busy, and is passed as often as @counts (nullable)
 * says of @index. */
static Wide
find_weight (gint64 weight, const gint64 *counts, gsize index)
{
  return counts == NULL ? weight : (Wide) weight + counts[index];
}

gboolean
tp_checker_weigh (const TpChecker *checker, const gint64 *weights,
                  const TpCheckerPassed *passed, TpCheckerWeighed *weighed)
{
  gsize n = checker->costs->n_devices;
  gsize n_costs = (gsize) checker->graph->n_nodes * n;
  gsize n_legs = (gsize) checker->graph->n_tensors * n;
  gsize n_gains = (gsize) checker->costs->n_groups * n;
  TpCheckerPassed none = { 0 };
  Wide sum = 0, gains = 0;

  if (passed == NULL)
    passed = &none;

  weighed->checker = *checker;
  weighed->checker.node_costs = weighed->node_costs
      = tp_new0 (gint64, n_costs + 1);
  weighed->checker.legs = weighed->legs = tp_new0 (TpCheckerLegs, n_legs + 1);
  weighed->checker.gains = weighed->gains = tp_new0 (gint64, n_gains + 1);
  for (gsize i = 0; i < n_costs; i++)
    weighed->node_costs[i]
        = weigh (checker->node_costs[i],
                 find_weight (weights[i % n], passed->ops, i / n), &sum);
  for (gsize i = 0; i < n_legs; i++)
    if (!checker->tensors[i / n].is_resident)
      weighed->legs[i] = (TpCheckerLegs){
        .feed = weigh (checker->legs[i].feed,
                       find_weight (weights[n + i % n], passed->tensors, i / n),
                       &sum),
        .fetch = weigh (checker->legs[i].fetch,
                        find_weight (weights[2 * n + i % n], passed->tensors,
                                     i / n),
                        &sum),
      };
  for (gsize i = 0; i < n_gains; i++)
    {
      gint64 besides = passed->gains == NULL ? 0 : passed->gains[i];

      weighed->gains[i]
          = weigh (checker->gains[i], weights[i % n], &gains) + besides;
      gains = MIN (gains + besides, MAX_SUM);
    }
  return (sum < MAX_SUM && gains < MAX_SUM)
         || tp_checker_fail (&weighed->checker, "weighted costs reach 2^62");
}

void
tp_checker_weighed_clear (TpCheckerWeighed *weighed)
{
  g_clear_pointer (&weighed->node_costs, g_free);
  g_clear_pointer (&weighed->legs, g_free);
  g_clear_pointer (&weighed->gains, g_free);
}

gboolean
tp_checker_prove (TpCheckerWeighed *weighed, const gint64 *flows, int n_flows,
                  gint64 *out_value)
{
  TpChecker *checker = &weighed->checker;
  const TpPlan *whole = checker->plan;
  TpPlan plan = *whole;
  int n_gains = checker->costs->n_groups * checker->costs->n_devices;
  gboolean is_good;

  plan.flows = (gint64 *) flows;
  plan.n_flows = n_flows;
  plan.tie_price_ns = 0;
  plan.tie_flows = NULL;
  plan.constant_ns = 0;
  for (int i = 0; i < n_gains; i++)
    plan.constant_ns += weighed->gains[i];
  checker->plan = &plan;
  is_good = tp_checker_find_cut (checker, out_value);
  checker->plan = whole;
  return is_good;
}
