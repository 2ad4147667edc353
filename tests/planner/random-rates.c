/* random-rates.c: see random-rates.h. */
#include "config.h"

#include "random-rates.h"

#include <string.h>

void
tp_test_case_rate (TpTestCase *test)
{
  TpCosts *costs = test->costs;

  costs->rates = g_new0 (TpRate, costs->n_devices + 1);
  for (int d = 0; d < costs->n_devices; d++)
    {
      TpRate *it = &costs->rates[d];

      it->idle_mw = g_test_rand_int_range (0, 6);
      it->busy_mw = it->idle_mw + g_test_rand_int_range (0, 30);
      it->copy_mw = g_test_rand_int_range (0, 8);
      it->price = g_test_rand_int_range (0, 12);
      it->is_per_use = g_test_rand_int_range (0, 3) == 0;
    }
  tp_costs_seal (costs);
}

/* All devices draw what they do idle, all the time; one that works draws the rest
 * besides. */
static gint64
sum_energy (const TpCosts *costs, const gint64 *loads)
{
  int n = costs->n_devices;
  gint64 time = 0, sum = 0;

  for (int e = 0; e < 3 * n; e++)
    time += loads[e];
  for (int d = 0; d < n; d++)
    {
      const TpRate *it = &costs->rates[d];

      sum += time * it->idle_mw + loads[d] * (it->busy_mw - it->idle_mw)
             + (loads[n + d] + loads[2 * n + d]) * it->copy_mw;
    }
  return sum;
}

/* Who has an op is rented, and the host; or is paid by what it does. */
static gint64
sum_price (const TpCosts *costs, const gint64 *loads, const guint8 *is_used)
{
  int n = costs->n_devices;
  gint64 time = 0, sum = 0;

  for (int e = 0; e < 3 * n; e++)
    time += loads[e];
  for (int d = 0; d < n; d++)
    {
      gint64 busy = loads[d] + loads[n + d] + loads[2 * n + d];

      if (costs->rates[d].is_per_use)
        sum += costs->rates[d].price * busy;
      else if (is_used[d] || d == costs->host)
        sum += costs->rates[d].price * time;
    }
  return sum;
}

gboolean
tp_test_case_take (const TpTestCase *test, const guint8 *devices,
                   gint64 *out_totals)
{
  gint64 loads[3 * TP_TEST_MAX_DEVICES] = { 0 };
  guint8 is_used[TP_TEST_MAX_DEVICES] = { 0 };

  memset (out_totals, 0, sizeof (gint64) * TP_N_AIMS);
  if (!tp_test_case_loads (test, devices, loads))
    return FALSE;
  for (int i = 0; i < test->graph->n_nodes; i++)
    is_used[devices[i]] = TRUE;
  for (int e = 0; e < 3 * test->costs->n_devices; e++)
    out_totals[TP_AIM_TIME] += loads[e];
  out_totals[TP_AIM_ENERGY] = sum_energy (test->costs, loads);
  out_totals[TP_AIM_PRICE] = sum_price (test->costs, loads, is_used);
  return TRUE;
}
