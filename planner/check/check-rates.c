/* check-rates.c: see check-rates.h.
 *
 * Written from docs/planner.md, "Energy and price": watts and prices are turned into
 * weights of engines here again. */
#include "config.h"

#include "planner/check/check-rates.h"

#include <string.h>

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

gboolean
tp_checker_check_rates (TpChecker *checker)
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

gboolean
tp_checker_find_rates (TpChecker *checker, const gint64 *aims, guint used,
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

gboolean
tp_checker_check_totals (TpChecker *checker)
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
          if (!tp_checker_find_rates (checker, one, used, weights))
            return FALSE;
          sum = sum_parts (checker, weights);
          cost += (Wide) proof->aims[aim] * sum;
        }
      if (!check_sum (checker, names[aim], sum, proof->totals[aim]))
        return FALSE;
    }
  return check_sum (checker, "what is made least", cost, proof->cost);
}
