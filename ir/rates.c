/* rates.c: see rates.h. */
#include "config.h"

#include "ir/rates.h"

#include "ir/costs.h"

#define MAX_WEIGHT (G_GINT64_CONSTANT (1) << 62)

const char *
tp_aim_get_name (TpAim aim)
{
  static const char *const names[] = { "time", "energy", "price" };

  return names[aim];
}

int
tp_rates_find_missing (const TpCosts *costs, TpAim aim)
{
  for (int d = 0; d < costs->n_devices && aim != TP_AIM_TIME; d++)
    {
      const TpRate *it = costs->rates == NULL ? NULL : &costs->rates[d];

      if (it == NULL
          || (aim == TP_AIM_ENERGY ? it->busy_mw : it->price) == TP_RATE_NONE)
        return d;
    }
  return -1;
}

/* What all devices draw that wait. */
static gint64
sum_idle (const TpCosts *costs)
{
  gint64 sum = 0;

  for (int d = 0; d < costs->n_devices; d++)
    sum += costs->rates[d].idle_mw;
  return sum;
}

/* What is rented as long as the run lasts: the host, which keeps what the caller
 * gives and wants, and all that have an op. */
static gint64
sum_rent (const TpCosts *costs, guint used)
{
  gint64 sum = 0;

  for (int d = 0; d < costs->n_devices; d++)
    if (!costs->rates[d].is_per_use && ((used >> d & 1) || d == costs->host))
      sum += costs->rates[d].price;
  return sum;
}

/* Of each engine, for one aim. */
static void
list_rates (const TpCosts *costs, TpAim aim, guint used, gint64 *out)
{
  int n = costs->n_devices;

  for (int e = 0; e < 3 * n; e++)
    {
      const TpRate *it = aim == TP_AIM_TIME ? NULL : &costs->rates[e % n];

      if (aim == TP_AIM_TIME)
        out[e] = 1;
      else if (aim == TP_AIM_ENERGY)
        out[e] = sum_idle (costs)
                 + (e < n ? it->busy_mw - it->idle_mw : it->copy_mw);
      else
        out[e] = sum_rent (costs, used) + (it->is_per_use ? it->price : 0);
    }
}

gboolean
tp_rates_weigh (const TpCosts *costs, const gint64 *aims, guint used,
                gint64 *out)
{
  int n = 3 * costs->n_devices;
  g_autofree gint64 *rates = g_new (gint64, n + 1);
  gboolean is_good = TRUE;

  for (int e = 0; e < n; e++)
    out[e] = 0;
  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      if (aims[aim] == 0)
        continue;
      list_rates (costs, (TpAim) aim, used, rates);
      for (int e = 0; e < n; e++)
        is_good = is_good
                  && !__builtin_mul_overflow (rates[e], aims[aim], &rates[e])
                  && !__builtin_add_overflow (out[e], rates[e], &out[e])
                  && out[e] < MAX_WEIGHT;
    }
  return is_good;
}
