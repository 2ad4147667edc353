/* check-rated.c: see check-rated.h.
 *
 * Written from docs/planner.md, "Energy and price": the flow is checked as that of a plan
 * whose figures are all weighted by what they take. What rents one device only is worked
 * out beside it. */
#include "config.h"

#include "planner/check/check-rated.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-fitting.h"
#include "planner/check/check-memory.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-rates.h"
#include "planner/check/check-tie.h"
#include "planner/check/check-weigh.h"

#include <string.h>

#define ALL (~0u)

/* ---- what any takes -------------------------------------------------------- */

/* The least of what the flow proves and all on one device takes. */
static gboolean
find_least (TpChecker *checker, gint64 *out_least)
{
  const TpRateProof *proof = checker->plan->rate_proof;
  gint64 weights[TP_RATES_MAX_ENGINES], least = TP_COST_NONE;

  for (int alone = -1; alone < checker->costs->n_devices; alone++)
    {
      g_auto (TpCheckerWeighed) weighed = { 0 };
      gint64 value = TP_COST_NONE;

      if (!tp_checker_find_rates (checker, proof->aims,
                                  alone < 0 ? ALL : 1u << alone, weights)
          || !tp_checker_weigh (checker, weights, NULL, &weighed))
        return FALSE;
      if (alone >= 0)
        value = tp_checker_single_cost (&weighed.checker, alone);
      else if (!tp_checker_prove (&weighed, proof->flows, proof->n_flows,
                                  &value))
        return FALSE;
      if (alone >= 0 || checker->costs->n_devices > 1)
        least = MIN (least, value);
    }
  *out_least = least;
  return TRUE;
}

/* ---- what any that fits takes ------------------------------------------------ */

/* Whether all on @device takes more than the limits, if it is said to. */
static gboolean
check_unfit (TpChecker *checker, int device)
{
  gsize n = (gsize) checker->graph->n_nodes;
  g_autofree gint8 *devices = tp_new0 (gint8, n + 1);

  memset (devices, device, n);
  return tp_checker_is_too_large (checker, devices)
         || tp_checker_fail (checker, "aim_room: all ops fit on %s",
                             checker->costs->devices[device]);
}

/* The least of all on one device that is not said to be unfit. */
static gboolean
find_least_alone (TpChecker *checker, gint64 *out_least)
{
  const TpRateProof *proof = checker->plan->rate_proof;
  gint64 weights[TP_RATES_MAX_ENGINES];

  *out_least = TP_COST_NONE;
  for (int d = 0; d < checker->costs->n_devices; d++)
    {
      g_auto (TpCheckerWeighed) weighed = { 0 };
      gboolean is_unfit = (proof->unfit >> d & 1) != 0;

      if (is_unfit && !check_unfit (checker, d))
        return FALSE;
      if (is_unfit)
        continue;
      if (!tp_checker_find_rates (checker, proof->aims, 1u << d, weights)
          || !tp_checker_weigh (checker, weights, NULL, &weighed))
        return FALSE;
      *out_least
          = MIN (*out_least, tp_checker_single_cost (&weighed.checker, d));
    }
  return TRUE;
}

static void
check_room (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;
  gint64 weights[TP_RATES_MAX_ENGINES], least, bound;

  if (proof->room == NULL)
    return;
  if (checker->costs->n_devices != 2 || checker->plan->memory_limits == NULL
      || !tp_checker_find_rates (checker, proof->aims, ALL, weights)
      || weights[0] < 1 || weights[1] < 1)
    {
      tp_checker_fail (checker, "aim_room: not of two devices, without limits, "
                                "or kernels count nothing");
      return;
    }
  if (!find_least_alone (checker, &bound)
      || (least = tp_checker_prove_fitting (checker, weights, NULL,
                                            proof->room)) < 0)
    return;
  bound = MIN (MIN (bound, least), proof->cost);
  if (proof->room->bound_ns != bound)
    tp_checker_fail (checker,
                     "aim_room proves a bound of %" G_GINT64_FORMAT ", not %"
                     G_GINT64_FORMAT,
                     bound, proof->room->bound_ns);
}

void
tp_checker_check_rated (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;
  gint64 least = 0;

  if (!tp_checker_check_rates (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0)
    return;                   /* the rest stands on the parts */
  if (!tp_checker_check_totals (checker) || !find_least (checker, &least))
    return;
  if (proof->bound != least)
    tp_checker_fail (checker,
                     "flow and single devices prove a bound of %"
                     G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                     least, proof->bound);
  if (proof->cost < least
      || (proof->cost > least && checker->plan->memory_limits == NULL))
    tp_checker_fail (checker, "the plan takes more than the least, and no limit "
                              "of memory is why");
  check_room (checker);
}
