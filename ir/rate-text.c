/* rate-text.c: see rate-text.h. */
#include "config.h"

#include "ir/rate-text.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-6             /* to a whole number of parts */

void
tp_rate_init (TpRate *rate)
{
  *rate = (TpRate){ .busy_mw = TP_RATE_NONE, .price = TP_RATE_NONE };
}

/* A number at the start of *@text, which is moved behind it, in parts. */
static gboolean
parse_amount (const char **text, double parts, gint64 *out)
{
  char *end = NULL;
  double value;

  if (!g_ascii_isdigit (**text) && **text != '.')
    return FALSE;             /* no sign, no "inf", no space */
  value = g_ascii_strtod (*text, &end) * parts;
  if (end == *text || !(value <= (double) TP_RATE_MAX)
      || fabs (value - round (value)) > NEAR * MAX (value, 1))
    return FALSE;
  *out = (gint64) llround (value);
  *text = end;
  return TRUE;
}

gboolean
tp_rate_parse_watts (const char *text, TpRate *rate)
{
  gint64 watts[3] = { 0 };
  int n = 0;

  do
    {
      text += n > 0;
      if (!parse_amount (&text, 1000, &watts[n]))
        return FALSE;
      n++;
    }
  while (n < 3 && *text == ':');
  if (*text != '\0' || watts[1] > watts[0])
    return FALSE;
  rate->busy_mw = watts[0];
  rate->idle_mw = watts[1];
  rate->copy_mw = watts[2];
  rate->is_measured = FALSE;
  return TRUE;
}

gboolean
tp_rate_parse_price (const char *text, TpRate *rate)
{
  gint64 price;

  if (!parse_amount (&text, TP_RATE_PARTS, &price)
      || (strcmp (text, "/h") != 0 && strcmp (text, "/h:use") != 0))
    return FALSE;
  rate->price = price;
  rate->is_per_use = text[2] != '\0';
  return TRUE;
}

/* @value parts, of @parts to one, exactly. */
static void
append_amount (GString *out, gint64 value, gint64 parts)
{
  gint64 rest = value % parts;

  g_string_append_printf (out, "%" G_GINT64_FORMAT, value / parts);
  if (rest > 0)
    g_string_append_c (out, '.');
  for (; rest > 0; rest = rest * 10 % parts)
    g_string_append_c (out, (char) ('0' + rest * 10 / parts));
}

char *
tp_rate_format_watts (const TpRate *rate)
{
  const gint64 watts[] = { rate->busy_mw, rate->idle_mw, rate->copy_mw };
  g_autoptr (GString) text = g_string_new (NULL);
  int n = watts[2] > 0 ? 3 : watts[1] > 0 ? 2 : 1;

  if (rate->busy_mw == TP_RATE_NONE)
    return NULL;
  for (int i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append_c (text, ':');
      append_amount (text, watts[i], 1000);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tp_rate_format_price (const TpRate *rate)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (rate->price == TP_RATE_NONE)
    return NULL;
  append_amount (text, rate->price, TP_RATE_PARTS);
  g_string_append (text, rate->is_per_use ? "/h:use" : "/h");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
