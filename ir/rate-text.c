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
