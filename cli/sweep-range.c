/* sweep-range.c: see sweep-range.h. */
#include "config.h"

#include "cli/sweep-range.h"

#include "cli/planning.h"
#include "include/tplan.h"
#include "ir/rate-text.h"

#include <math.h>
#include <string.h>

#define COPIES "copies"

void
tp_sweep_range_clear (TpSweepRange *range)
{
  g_clear_pointer (&range->what, g_free);
}

/* Names of devices may have a '=' and dots too: the ".." of the value, or NULL. */
static const char *
find_dots (const char *text)
{
  const char *values = strrchr (text, '=');

  return strstr (values == NULL ? text : values + 1, "..");
}

/* Two options that change something are one too many. */
static gboolean
ask (TpSweepRange *range, const char *option, GError **error)
{
  if (range->option == NULL)
    {
      range->option = option;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s and %s both change something: give one of them two ends",
               range->option, option);
  return FALSE;
}

/* ---- times ---------------------------------------------------------------- */

/* "1..2" begins with what strtod () takes for "1.". */
static gboolean
parse_end (const char *text, gsize length, double *out)
{
  g_autofree char *copy = g_strndup (text, length);
  char *stop;

  *out = g_ascii_strtod (copy, &stop);
  return *stop == '\0' && stop > copy && isfinite (*out) && *out >= 1e-6
         && *out <= 1e6;
}

/* "WHAT=LOW..HIGH", or without what. */
static gboolean
parse_times (TpSweepRange *range, const char *text)
{
  const char *equals = strrchr (text, '='), *dots = find_dots (text);
  const char *values = equals == NULL ? text : equals + 1;
  TpScale *scale = &range->scale;

  if (dots == NULL || equals == text
      || !parse_end (values, dots - values, &scale->low)
      || !parse_end (dots + 2, strlen (dots + 2), &scale->high)
      || scale->low >= scale->high)
    return FALSE;
  range->what = equals == NULL ? NULL : g_strndup (text, equals - text);
  return TRUE;
}

static gboolean
parse_scale (TpSweepRange *range, const char *text, GError **error)
{
  if (parse_times (range, text) && range->what != NULL)
    {
      gboolean is_copies = strcmp (range->what, COPIES) == 0;

      range->scale.kind = is_copies ? TP_SCALE_COPIES : TP_SCALE_KERNELS;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--scale '%s': give what takes longer and how many times, "
               "as in --scale copies=0.01..100 or --scale opencl:0=0.1..10; "
               "times are from 0.000001 to 1000000", text);
  return FALSE;
}

/* Twice as fast is half as long. */
static gboolean
parse_bandwidth (TpSweepRange *range, const char *text, GError **error)
{
  if (parse_times (range, text))
    {
      range->scale = (TpScale){ .kind = TP_SCALE_BYTES,
                                .low = 1 / range->scale.high,
                                .high = 1 / range->scale.low };
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--bandwidth '%s': give how many times the bandwidth there is, as "
               "in --bandwidth 0.1..10 or, of one device, "
               "--bandwidth opencl:0=0.1..10; times are from 0.000001 to "
               "1000000", text);
  return FALSE;
}

/* ---- rates ---------------------------------------------------------------- */

/* What a device is stated to take. */
typedef struct
{
  const char *option;
  TpScaleKind kind;
  const char *objective;
  char ***texts;              /* of the option */
  gboolean (*parse) (const char *text, TpRate *rate);
  const char *example;
} Stated;

static double
get_rate (const Stated *stated, const TpRate *rate)
{
  return (double) (stated->kind == TP_SCALE_PRICE ? rate->price
                                                  : rate->busy_mw);
}

/* "DEVICE=LOW..HIGH/h:use": both ends with what follows them; *@text becomes that with
 * the lower. */
static gboolean
parse_rates (TpSweepRange *range, const Stated *stated, char **text)
{
  const char *equals = strrchr (*text, '='), *dots = find_dots (*text);
  const char *rest = dots + 2 + strcspn (dots + 2, "/:");
  g_autofree char *low
      = g_strdup_printf ("%.*s%s", (int) (dots - *text), *text, rest);
  TpRate rates[2];

  tp_rate_init (&rates[0]);
  tp_rate_init (&rates[1]);
  if (equals == NULL || equals == *text
      || !stated->parse (low + (equals + 1 - *text), &rates[0])
      || !stated->parse (dots + 2, &rates[1])
      || get_rate (stated, &rates[0]) >= get_rate (stated, &rates[1]))
    return FALSE;
  range->what = g_strndup (*text, equals - *text);
  range->scale = (TpScale){ .kind = stated->kind,
                            .low = get_rate (stated, &rates[0]),
                            .high = get_rate (stated, &rates[1]) };
  g_free (*text);
  *text = g_steal_pointer (&low);
  return TRUE;
}

/* What has one end is planned with. */
static gboolean
parse_stated (TpSweepRange *range, const Stated *stated, GError **error)
{
  char **texts = *stated->texts;

  for (int i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      if (find_dots (texts[i]) == NULL)
        continue;
      if (!ask (range, stated->option, error))
        return FALSE;
      if (parse_rates (range, stated, &texts[i]))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s '%s' is not a device with two ends, the first of which is "
                   "less, such as %s", stated->option, texts[i], stated->example);
      return FALSE;
    }
  if (range->option == stated->option && tp_cli_planning.objective == NULL)
    tp_cli_planning.objective = g_strdup (stated->objective);
  return TRUE;
}

gboolean
tp_sweep_range_parse (TpSweepRange *range, const char *scale,
                      const char *bandwidth, GError **error)
{
  const Stated price
      = { "--price", TP_SCALE_PRICE, "price", &tp_cli_planning.prices,
          tp_rate_parse_price, "--price opencl:0=0.1..5/h" };
  const Stated watts
      = { "--watts", TP_SCALE_WATTS, "energy", &tp_cli_planning.watts,
          tp_rate_parse_watts, "--watts opencl:0=50..300:10" };

  if (scale != NULL
      && (!ask (range, "--scale", error) || !parse_scale (range, scale, error)))
    return FALSE;
  if (bandwidth != NULL
      && (!ask (range, "--bandwidth", error)
          || !parse_bandwidth (range, bandwidth, error)))
    return FALSE;
  return parse_stated (range, &price, error)
         && parse_stated (range, &watts, error);
}

/* ---- whose ---------------------------------------------------------------- */

gboolean
tp_sweep_range_find_device (TpSweepRange *range, const TpPlan *plan,
                            GError **error)
{
  g_autofree char *names = g_strjoinv (", ", plan->devices);
  gboolean is_scale = strcmp (range->option, "--scale") == 0;

  range->scale.device = TP_SCALE_ALL;
  if (range->what == NULL || range->scale.kind == TP_SCALE_COPIES)
    return TRUE;
  for (int d = 0; d < plan->n_devices; d++)
    if (strcmp (range->what, plan->devices[d]) == 0)
      {
        range->scale.device = d;
        return TRUE;
      }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s: there is no '%s' to %s: it is %sone of the devices planned "
               "for (%s)", range->option, range->what,
               is_scale ? "scale" : "change", is_scale ? "'" COPIES "' or " : "",
               names);
  return FALSE;
}
