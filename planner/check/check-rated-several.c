/* check-rated-several.c: see check-rated-several.h.
 *
 * Of three devices and more placements are divided by which of them have ops: of each part
 * shares say what none takes less than, or, within limits of memory, none that fits. */
#include "config.h"

#include "planner/check/check-rated-several.h"

#include "ir/guard.h"
#include "planner/check/check-rates.h"
#include "planner/check/check-shares.h"
#include "planner/check/check-tie.h"
#include "planner/check/check-weigh.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

/* ---- parts ----------------------------------------------------------------- */

/* Whether the placements that have ops on all of @used, and nowhere else, are of it. */
static gboolean
covers (const TpRateEnd *end, guint used)
{
  return (end->rented & ~used) == 0 && (end->without & used) == 0;
}

/* Whether every op may be on one of @set. */
static gboolean
has_places (const TpChecker *checker, guint set)
{
  int n = checker->costs->n_devices;

  for (int i = 0; i < checker->graph->n_nodes; i++)
    {
      gboolean is_placed = FALSE;

      for (int d = 0; d < n; d++)
        is_placed |= (set >> d & 1)
                     && checker->node_costs[(gsize) i * n + d] != TP_COST_NONE;
      if (!is_placed)
        return FALSE;
    }
  return TRUE;
}

/* Each placement is of an end. */
static gboolean
check_cover (TpChecker *checker)
{
  const TpPointers *ends = checker->plan->rate_proof->ends;

  for (guint used = 0; used < 1u << checker->costs->n_devices; used++)
    {
      gboolean is_covered = FALSE;

      for (guint i = 0; i < ends->len; i++)
        is_covered |= covers (ends->pdata[i], used);
      if (!is_covered && has_places (checker, used))
        return tp_checker_fail (checker, "aim_ends prove nothing of plans on "
                                         "the devices of the set %u", used);
    }
  return TRUE;
}

static void
bar (TpCheckerWeighed *weighed, guint without)
{
  const TpChecker *checker = &weighed->checker;
  gsize n = checker->costs->n_devices;

  for (gsize i = 0; i < (gsize) checker->graph->n_nodes * n; i++)
    if (without >> i % n & 1)
      weighed->node_costs[i] = TP_COST_NONE;
  for (gsize i = 0; i < (gsize) checker->costs->n_groups * n; i++)
    if (without >> i % n & 1)
      weighed->gains[i] = 0;
}

static gboolean
divide (TpChecker *checker, gint64 divisor, gint64 *weights)
{
  if (divisor < 1 || divisor >= MAX_SUM)
    return tp_checker_fail (checker, "aim_ends: a divisor is below 1, or 2^62");
  for (int e = 0; e < 3 * checker->costs->n_devices; e++)
    weights[e] /= divisor;
  return TRUE;
}

/* That no placement of it takes less than the bound. */
static void
check_end (TpChecker *checker, const TpRateEnd *end)
{
  const TpRateProof *proof = checker->plan->rate_proof;
  g_auto (TpCheckerWeighed) weighed = { 0 };
  gint64 weights[TP_RATES_MAX_ENGINES];
  TpPlan plan = *checker->plan;

  if (!has_places (checker, ~end->without))
    tp_checker_fail (checker, "aim_ends: there are no such placements");
  else if (tp_checker_find_rates (checker, proof->aims, end->rented, weights)
           && divide (checker, end->divisor, weights)
           && tp_checker_weigh (checker, weights, NULL, &weighed))
    {
      bar (&weighed, end->without);
      plan.share_proof = end->shares;
      plan.bound_ns = (proof->bound + end->divisor - 1) / end->divisor;
      weighed.checker.plan = &plan;
      tp_checker_check_shares (&weighed.checker);
    }
}

void
tp_checker_check_rated_several (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;

  if (!tp_checker_check_rates (checker))
    return;
  if (3 * checker->costs->n_devices > TP_RATES_MAX_ENGINES
      || proof->n_arcs != 0 || proof->room != NULL)
    {
      tp_checker_fail (checker, "aim_ends: for no more than 6 devices, and "
                                "beside no arcs");
      return;
    }
  tp_checker_check_shares (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0 || !tp_checker_check_totals (checker)
      || !check_cover (checker))
    return;
  if (proof->bound < 0 || proof->bound > proof->cost)
    tp_checker_fail (checker, "aim_bound is below 0, or above what the plan "
                              "takes");
  for (guint i = 0; i < proof->ends->len && checker->reasons->len == 0; i++)
    check_end (checker, proof->ends->pdata[i]);
}
