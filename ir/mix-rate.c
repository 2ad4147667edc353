/* mix-rate.c: see mix-rate.h. */
#include "config.h"

#include "ir/mix-rate.h"

#include "ir/types.h"

#include <string.h>

#define MAX_DIGITS 12
#define MAX_DECIMALS 6

typedef struct
{
  const char *name;
  gint64 time_ns;
} Unit;

static const Unit units[] = {
  { "ns", 1 },
  { "us", 1000 },
  { "ms", 1000000 },
  { "s", 1000000000 },
  { "min", G_GINT64_CONSTANT (60000000000) },
  { "h", G_GINT64_CONSTANT (3600000000000) },
};

/* 0: no such unit. */
static gint64
find_unit (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (units[i].name, text) == 0)
      return units[i].time_ns;
  return 0;
}

/* Digits with at most one point among them: *out_value over *out_scale. Returns what
 * follows; NULL: it is no such number. */
static const char *
read_number (const char *text, gint64 *out_value, gint64 *out_scale)
{
  int n = 0, n_decimals = 0;
  gboolean has_point = FALSE;

  *out_value = 0;
  *out_scale = 1;
  for (; g_ascii_isdigit (*text) || (*text == '.' && !has_point); text++)
    {
      if (*text == '.')
        {
          has_point = TRUE;
          continue;
        }
      n_decimals += has_point;
      if (++n > MAX_DIGITS || n_decimals > MAX_DECIMALS)
        return NULL;
      *out_value = 10 * *out_value + (*text - '0');
      *out_scale *= has_point ? 10 : 1;
    }
  return n > 0 && has_point == (n_decimals > 0) ? text : NULL;
}

gboolean
tp_mix_rate_is_good (TpMixRate rate)
{
  return rate.n_runs > 0 && rate.n_runs <= TP_MIX_RATE_MOST
         && rate.span_ns > 0 && rate.span_ns < TP_MIX_RATE_SPAN_NS
         && tp_gcd (rate.n_runs, rate.span_ns) == 1;
}

gboolean
tp_mix_rate_parse (const char *text, TpMixRate *out)
{
  gint64 value, scale, unit, divisor;
  const char *rest = read_number (text, &value, &scale);
  gboolean is_period = rest != NULL && *rest != '/';

  if (rest == NULL || value == 0)
    return FALSE;
  unit = find_unit (is_period ? rest : rest + 1);
  if (unit == 0 || (is_period && value > TP_MIX_RATE_SPAN_NS / unit))
    return FALSE;
  *out = is_period ? (TpMixRate){ scale, value * unit }
                   : (TpMixRate){ value, scale * unit };
  divisor = tp_gcd (out->n_runs, out->span_ns);
  out->n_runs /= divisor;
  out->span_ns /= divisor;
  return tp_mix_rate_is_good (*out);
}

double
tp_mix_rate_get (TpMixRate rate)
{
  return (double) rate.n_runs * 1e9 / (double) rate.span_ns;
}
