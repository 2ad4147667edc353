/* rates.c: see rates.h. */
#include "config.h"

#include "api/rates.h"

#include "calib/rates.h"
#include "ir/guard.h"
#include "ir/rate-text.h"

#include <string.h>

static TpRate *
find_rate (const TpCosts *costs, const char *name, gsize length)
{
  for (int d = 0; d < costs->n_devices; d++)
    if (strlen (costs->devices[d]) == length
        && memcmp (costs->devices[d], name, length) == 0)
      return &costs->rates[d];
  return NULL;
}

/* A kind of statement. */
typedef struct
{
  const char *what;
  const char *form;
  const char *example;
  gboolean (*parse) (const char *text, TpRate *rate);
} Kind;

static gboolean
state (TpCosts *costs, const char *const *texts, const Kind *kind,
       GError **error)
{
  for (; texts != NULL && *texts != NULL; texts++)
    {
      const char *equals = strrchr (*texts, '=');
      TpRate *rate = equals == NULL
                         ? NULL
                         : find_rate (costs, *texts, equals - *texts);
      g_autofree char *names = g_strjoinv (", ", costs->devices);

      if (rate != NULL && kind->parse (equals + 1, rate))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s '%s' is not DEVICE=%s, with a device among %s and, for "
                   "example, %s",
                   kind->what, *texts, kind->form, names, kind->example);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_any (const TpStatedRates *stated)
{
  return (stated->watts != NULL && stated->watts[0] != NULL)
         || (stated->prices != NULL && stated->prices[0] != NULL)
         || (stated->as != NULL && stated->as->rates != NULL);
}

/* Counters that an earlier device has as well tell of both: what is drawn idle is
 * drawn once. */
static void
take_drawn (const TpCosts *costs, int device, TpRate *rate)
{
  const TpDrawn *it = &costs->drawn[device];
  gint64 shared_mw = 0;

  for (int d = 0; d < device; d++)
    if (costs->drawn[d].counters == it->counters)
      shared_mw = it->idle_mw;
  rate->busy_mw = MIN (it->busy_mw, TP_RATE_MAX) - shared_mw;
  rate->idle_mw = it->idle_mw - shared_mw;
  rate->copy_mw = MIN (it->copy_mw, TP_RATE_MAX);
  rate->is_measured = TRUE;
}

static TpRate *
make_rates (const TpCosts *costs, const TpStatedRates *stated)
{
  const TpCosts *as = stated->as;
  TpRate *rates = tp_new0 (TpRate, (gsize) costs->n_devices + 1);

  for (int d = 0; d < costs->n_devices; d++)
    {
      if (as != NULL && as->rates != NULL)
        {
          rates[d] = as->rates[d];
          continue;
        }
      tp_calib_find_rate (stated->machine, costs->devices[d], &rates[d]);
      if (rates[d].busy_mw == TP_RATE_NONE && costs->drawn != NULL
          && costs->drawn[d].busy_mw > 0)
        take_drawn (costs, d, &rates[d]);
    }
  return rates;
}

gboolean
tp_rates_state (TpCosts *costs, const TpStatedRates *stated,
                gboolean is_wanted, GError **error)
{
  static const Kind watts
      = { "power", TP_RATE_WATTS_FORM, "65 or 350:50 watts",
          tp_rate_parse_watts };
  static const Kind price
      = { "price", TP_RATE_PRICE_FORM, "2.5/h or 0.9/h:use",
          tp_rate_parse_price };

  if (!is_wanted && !is_any (stated))
    return TRUE;
  costs->rates = make_rates (costs, stated);
  if (!state (costs, stated->watts, &watts, error)
      || !state (costs, stated->prices, &price, error))
    return FALSE;
  tp_costs_seal (costs);
  return TRUE;
}
