/* check-rated.c: see check-rated.h.
 *
 * Written from docs/planner.md, "Energy and price": watts and prices are turned into
 * weights of engines here again, and the flow is checked as that of a plan whose
 * figures are all weighted so. What rents one device only is worked out beside it. */
#include "config.h"

#include "planner/check/check-rated.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-fitting.h"
#include "planner/check/check-memory.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-shares.h"
#include "planner/check/check-tie.h"
#include "planner/check/check-weigh.h"

#include <string.h>

#define ALL (~0u)
#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

/* ---- form ----------------------------------------------------------------- */

static gboolean
is_in_range (const TpRate *rate)
{
  gboolean has_power = rate->busy_mw >= 0 && rate->busy_mw <= TP_RATE_MAX
                       && rate->idle_mw >= 0 && rate->idle_mw <= rate->busy_mw
                       && rate->copy_mw >= 0 && rate->copy_mw <= TP_RATE_MAX;
  gboolean has_price = rate->price >= 0 && rate->price <= TP_RATE_MAX;

  return (has_power
          || (rate->busy_mw == TP_RATE_NONE && rate->idle_mw == 0
              && rate->copy_mw == 0))
         && (has_price || (rate->price == TP_RATE_NONE && !rate->is_per_use));
}

/* Whether watts, or prices, are stated for all devices. */
static gboolean
is_stated (const TpChecker *checker, TpAim aim)
{
  const TpRate *rates = checker->costs->rates;

  for (int d = 0; d < checker->costs->n_devices; d++)
    if ((aim == TP_AIM_ENERGY && rates[d].busy_mw < 0)
        || (aim == TP_AIM_PRICE && rates[d].price < 0))
      return FALSE;
  return TRUE;
}

/* What the objective wants is what the plan says it was made for. */
static gboolean
check_aims (TpChecker *checker)
{
  static const struct
  {
    const char *objective;
    gint64 aims[TP_N_AIMS];
  } wanted[] = { { "energy", { 0, 1, 0 } }, { "price", { 0, 0, 1 } } };
  const gint64 *aims = checker->plan->rate_proof->aims;
  gboolean is_some = FALSE;

  for (int i = 0; i < TP_N_AIMS; i++)
    {
      is_some = is_some || aims[i] > 0;
      if (aims[i] < 0 || (aims[i] > 0 && !is_stated (checker, (TpAim) i)))
        return tp_checker_fail (checker, "aims[%d] is below 0, or what it takes "
                                         "is not stated", i);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (strcmp (wanted[i].objective, checker->plan->objective) == 0
        && memcmp (wanted[i].aims, aims, sizeof wanted[i].aims) != 0)
      return tp_checker_fail (checker, "the aims are not those of objective "
                                       "'%s'", wanted[i].objective);
  return is_some || tp_checker_fail (checker, "all aims are 0");
}

static gboolean
check_form (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;

  if (plan->rate_proof == NULL || checker->costs->rates == NULL)
    return tp_checker_fail (checker, "what devices draw or are rented for is "
                                     "missing");
  for (int d = 0; d < plan->n_devices; d++)
    if (!is_in_range (&checker->costs->rates[d]))
      return tp_checker_fail (checker, "watts or price of %s are none",
                              checker->costs->devices[d]);
  if (plan->tie_price_ns != 0)
    return tp_checker_fail (checker, "no tie is broken for '%s'",
                            plan->objective);
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns != -1)
      return tp_checker_fail (checker, "op '%s' has a margin, which is not "
                                       "known of '%s'",
                              checker->graph->nodes[i].name, plan->objective);
  return check_aims (checker);
}

/* ---- rates ---------------------------------------------------------------- */

/* What a nanosecond of an engine takes: kernels on @device, or its copies. @used: devices
 * that have ops, a bit for each. */
static Wide
find_rate (const TpChecker *checker, TpAim aim, int device, gboolean is_copy,
           guint used)
{
  const TpCosts *costs = checker->costs;
  const TpRate *rates = costs->rates;
  Wide sum = 0;

  if (aim == TP_AIM_TIME)
    return 1;
  for (int d = 0; d < costs->n_devices; d++)
    {
      gboolean is_at_work = d == device && !is_copy;
      gboolean is_rented = rates[d].is_per_use
                               ? d == device
                               : (used >> d & 1) || d == costs->host;

      if (aim == TP_AIM_PRICE)
        sum += is_rented ? rates[d].price : 0;
      else
        sum += is_at_work ? rates[d].busy_mw : rates[d].idle_mw;
    }
  return aim == TP_AIM_ENERGY && is_copy ? sum + rates[device].copy_mw : sum;
}

static gboolean
find_weights (TpChecker *checker, const gint64 *aims, guint used,
              gint64 *weights)
{
  int n = checker->costs->n_devices;

  for (int e = 0; e < 3 * n; e++)
    {
      Wide weight = 0;

      for (int aim = 0; aim < TP_N_AIMS; aim++)
        if (aims[aim] > 0)
          weight += (Wide) aims[aim]
                    * find_rate (checker, (TpAim) aim, e % n, e >= n, used);
      if (weight >= MAX_SUM)
        return tp_checker_fail (checker, "a weight reaches 2^62");
      weights[e] = (gint64) weight;
    }
  return TRUE;
}

/* ---- what the plan takes --------------------------------------------------- */

/* The devices that have ops, a bit for each. */
static guint
list_used (const TpChecker *checker)
{
  guint used = 0;

  for (int i = 0; i < checker->graph->n_nodes; i++)
    used |= 1u << checker->devices[i];
  return used;
}

/* Of parts that were found right. */
static Wide
sum_parts (const TpChecker *checker, const gint64 *weights)
{
  const TpPlan *plan = checker->plan;
  int n = plan->n_devices;
  Wide sum = 0;

  for (int i = 0; i < plan->n_placements; i++)
    sum += (Wide) weights[plan->placements[i].device]
           * plan->placements[i].time_ns;
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];

      if (it->to != TP_COSTS_HOST)
        sum += (Wide) weights[n + it->to] * legs[it->to].feed;
      if (it->from != TP_COSTS_HOST)
        sum += (Wide) weights[2 * n + it->from] * legs[it->from].fetch;
    }
  return sum;
}

static gboolean
check_sum (TpChecker *checker, const char *what, Wide sum, gint64 said)
{
  return sum == said
         || tp_checker_fail (checker,
                             "the parts take %.0f of %s, the plan says %"
                             G_GINT64_FORMAT,
                             (double) sum, what, said);
}

static gboolean
check_totals (TpChecker *checker)
{
  static const char *const names[] = { "time", "energy", "price" };
  const TpRateProof *proof = checker->plan->rate_proof;
  guint used = list_used (checker);
  gint64 weights[TP_RATES_MAX_ENGINES];
  Wide cost = 0;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      gint64 one[TP_N_AIMS] = { 0 };
      Wide sum = -1;

      one[aim] = 1;
      if (is_stated (checker, (TpAim) aim))
        {
          if (!find_weights (checker, one, used, weights))
            return FALSE;
          sum = sum_parts (checker, weights);
          cost += (Wide) proof->aims[aim] * sum;
        }
      if (!check_sum (checker, names[aim], sum, proof->totals[aim]))
        return FALSE;
    }
  return check_sum (checker, "what is made least", cost, proof->cost);
}

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

      if (!find_weights (checker, proof->aims, alone < 0 ? ALL : 1u << alone,
                         weights)
          || !tp_checker_weigh (checker, weights, NULL, &weighed))
        return FALSE;
      if (alone >= 0)
        value = tp_checker_single_cost (&weighed.checker, alone);
      else if (!tp_checker_prove (&weighed, proof->arcs, proof->n_arcs,
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
      if (!find_weights (checker, proof->aims, 1u << d, weights)
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
      || !find_weights (checker, proof->aims, ALL, weights)
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

  if (!check_form (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  if (checker->reasons->len > 0)
    return;                   /* the rest stands on the parts */
  if (!check_totals (checker) || !find_least (checker, &least))
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

/* ---- three devices and more ------------------------------------------------ */

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
  else if (find_weights (checker, proof->aims, end->rented, weights)
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

  if (!check_form (checker))
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
  if (checker->reasons->len > 0 || !check_totals (checker)
      || !check_cover (checker))
    return;
  if (proof->bound < 0 || proof->bound > proof->cost)
    tp_checker_fail (checker, "aim_bound is below 0, or above what the plan "
                              "takes");
  for (guint i = 0; i < proof->ends->len && checker->reasons->len == 0; i++)
    check_end (checker, proof->ends->pdata[i]);
}
