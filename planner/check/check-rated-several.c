/* check-rated-several.c: see check-rated-several.h.
 *
 * Of three devices and more placements are divided by which of them have ops: of each part
 * shares say what none takes less than, or, within limits of memory, none that fits. */
#include "config.h"

#include "planner/check/check-rated-several.h"

#include "planner/check/check-fitting.h"
#include "planner/check/check-rates.h"
#include "planner/check/check-shares.h"
#include "planner/check/check-tie.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

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
check_cover (TpChecker *checker, const TpPointers *ends)
{
  for (guint used = 0; used < 1u << checker->costs->n_devices; used++)
    {
      gboolean is_covered = FALSE;

      for (guint i = 0; i < ends->len; i++)
        is_covered |= covers (ends->pdata[i], used);
      if (!is_covered && has_places (checker, used))
        return tp_checker_fail (checker, "the ends prove nothing of plans on "
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

/* So many times less, rounded down; and then, not with 0, so many times more, and 1. */
static gboolean
scale (TpChecker *checker, const TpRateEnd *end, gint64 *weights)
{
  if (end->divisor < 1 || end->divisor >= MAX_SUM)
    return tp_checker_fail (checker, "aim_ends: a divisor is below 1, or 2^62");
  for (int e = 0; e < 3 * checker->costs->n_devices; e++)
    {
      Wide weight = (Wide) (weights[e] / end->divisor) * end->times;

      if (end->times < 0 || weight >= MAX_SUM)
        return tp_checker_fail (checker, "aim_room: times are below 0, or a "
                                         "weight reaches 2^62");
      weights[e] = end->times == 0 ? weights[e] / end->divisor
                                   : (gint64) weight + 1;
    }
  return TRUE;
}

/* The figures of an end. */
static gboolean
weigh (TpChecker *checker, const TpRateEnd *end, gint64 *weights,
       TpCheckerWeighed *weighed)
{
  if (!has_places (checker, ~end->without))
    return tp_checker_fail (checker, "aim_ends: there are no such placements");
  if (!tp_checker_find_rates (checker, checker->plan->rate_proof->aims,
                              end->rented, weights)
      || !scale (checker, end, weights)
      || !tp_checker_weigh (checker, weights, NULL, weighed))
    return FALSE;
  bar (weighed, end->without);
  return TRUE;
}

/* All times that ops take anywhere, and all copies to and from host memory. */
static Wide
sum_times (const TpChecker *checker)
{
  int n = checker->costs->n_devices;
  Wide sum = 0;

  for (int i = 0; i < checker->graph->n_nodes * n; i++)
    sum += checker->node_costs[i] == TP_COST_NONE ? 0 : checker->node_costs[i];
  for (int i = 0; i < checker->graph->n_tensors * n; i++)
    if (!checker->tensors[i / n].is_resident)
      sum += (Wide) checker->legs[i].feed + checker->legs[i].fetch;
  return sum;
}

/* What is to be proved of the figures of @end, that @bound is proved. */
static Wide
find_claim (const TpChecker *checker, const TpRateEnd *end, gint64 bound)
{
  Wide claim = ((Wide) bound + end->divisor - 1) / end->divisor;

  if (end->times == 0 || claim <= 0)
    return claim;
  return (claim - 1) * end->times + sum_times (checker) + 1;
}

/* ---- ends -------------------------------------------------------------------- */

/* By shares of all: that no placement of it takes less than @bound. */
static void
check_end (TpChecker *checker, const TpRateEnd *end, gint64 bound)
{
  g_auto (TpCheckerWeighed) weighed = { 0 };
  gint64 weights[TP_RATES_MAX_ENGINES];
  TpPlan plan = *checker->plan;
  Wide claim;

  if (!weigh (checker, end, weights, &weighed))
    return;
  claim = find_claim (checker, end, bound);
  if (claim >= MAX_SUM)
    {
      tp_checker_fail (checker, "aim_ends: what is to be proved reaches 2^62");
      return;
    }
  plan.share_proof = end->shares;
  plan.bound_ns = (gint64) claim;
  weighed.checker.plan = &plan;
  tp_checker_check_shares (&weighed.checker);
}

/* Where a kernel takes nothing no group would be one kernel, and what is held another. */
static gboolean
counts_all (const TpChecker *checker, const TpRateEnd *end,
            const gint64 *weights)
{
  for (int d = 0; d < checker->costs->n_devices; d++)
    if ((end->without >> d & 1) == 0 && weights[d] < 1)
      return FALSE;
  return TRUE;
}

/* That no placement of it that fits takes less than @bound. */
static void
check_fitting (TpChecker *checker, const TpRateEnd *end, gint64 bound)
{
  g_auto (TpCheckerWeighed) weighed = { 0 };
  gint64 weights[TP_RATES_MAX_ENGINES], least;

  if (end->tree == NULL && end->shares != NULL && end->shares->room == NULL)
    {
      check_end (checker, end, bound);
      return;
    }
  if (!weigh (checker, end, weights, &weighed))
    return;
  if (!counts_all (checker, end, weights))
    {
      tp_checker_fail (checker, "aim_room: kernels count nothing");
      return;
    }
  least = tp_checker_prove_weighed (&weighed, end->tree, end->shares);
  if (least >= 0 && least < find_claim (checker, end, bound))
    tp_checker_fail (checker, "aim_room: an end proves too little, %"
                     G_GINT64_FORMAT, least);
}

static void
check_ends (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;

  if (!check_cover (checker, proof->ends))
    return;
  if (proof->bound < 0 || proof->bound > proof->cost)
    tp_checker_fail (checker, "aim_bound is below 0, or above what the plan "
                              "takes");
  for (guint i = 0; i < proof->ends->len && checker->reasons->len == 0; i++)
    {
      const TpRateEnd *end = proof->ends->pdata[i];

      if (end->times != 0 || end->tree != NULL || end->shares == NULL
          || end->shares->room != NULL)
        tp_checker_fail (checker, "aim_ends: one is of what fits");
      else
        check_end (checker, end, proof->bound);
    }
}

/* Of what fits. */
static void
check_room (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;

  if (proof->room == NULL || !check_cover (checker, proof->fitting))
    return;
  if (checker->plan->memory_limits == NULL || proof->unfit != 0
      || proof->room->tree != NULL || proof->room->shares != NULL
      || proof->room->bound_ns < 0 || proof->room->bound_ns > proof->cost)
    tp_checker_fail (checker, "aim_room: there is no limit, or its bound is "
                              "below 0, or above what the plan takes");
  for (guint i = 0; i < proof->fitting->len && checker->reasons->len == 0; i++)
    check_fitting (checker, proof->fitting->pdata[i], proof->room->bound_ns);
}

void
tp_checker_check_rated_several (TpChecker *checker)
{
  const TpRateProof *proof = checker->plan->rate_proof;

  if (!tp_checker_check_rates (checker))
    return;
  if (3 * checker->costs->n_devices > TP_RATES_MAX_ENGINES
      || proof->n_flows != 0)
    {
      tp_checker_fail (checker, "aim_ends: for no more than 6 devices, and "
                                "beside no flows");
      return;
    }
  tp_checker_check_shares (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0 || !tp_checker_check_totals (checker))
    return;
  check_ends (checker);
  if (checker->reasons->len == 0)
    check_room (checker);
}
