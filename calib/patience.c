/* patience.c: see patience.h. */
#include "config.h"

#include "calib/patience.h"

#define WAIT_S 20
#define BRIEF_WAIT_S 2
#define MOST_S 10

static gint64
get_us (const char *name, double otherwise_s)
{
  const char *text = g_getenv (name);
  double seconds = text != NULL ? g_ascii_strtod (text, NULL) : otherwise_s;

  if (!(seconds > 0)) /* NaN too */
    return 0;
  return (gint64) (MIN (seconds, 3600) * G_USEC_PER_SEC);
}

gint64
tp_patience_get_wait_us (void)
{
  return get_us ("TPLAN_CALIBRATE_WAIT", WAIT_S);
}

gint64
tp_patience_get_brief_wait_us (void)
{
  return MIN (tp_patience_get_wait_us (), BRIEF_WAIT_S * G_USEC_PER_SEC);
}

gint64
tp_patience_get_most_us (void)
{
  return get_us ("TPLAN_CALIBRATE_MOST", MOST_S);
}
