/* patience.c: see patience.h. */
#include "config.h"

#include "calib/patience.h"

#include "ir/types.h"

#define WAIT "TPLAN_CALIBRATE_WAIT"
#define MOST "TPLAN_CALIBRATE_MOST"
#define WAIT_S 20
#define BRIEF_WAIT_S 2
#define MOST_S 10

static gboolean
parse (const char *text, double *out_seconds)
{
  char *end;

  *out_seconds = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && *out_seconds >= 0; /* no NaN */
}

static gint64
get_us (const char *name, double otherwise_s)
{
  const char *text = g_getenv (name);
  double seconds;

  if (text == NULL || !parse (text, &seconds))
    seconds = otherwise_s;
  return (gint64) (MIN (seconds, 3600) * G_USEC_PER_SEC);
}

gboolean
tp_patience_check (GError **error)
{
  static const char *const names[] = { WAIT, MOST };
  double seconds;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *text = g_getenv (names[i]);

      if (text == NULL || parse (text, &seconds))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: '%s' is no time: give seconds, as 0.5", names[i], text);
      return FALSE;
    }
  return TRUE;
}

gint64
tp_patience_get_wait_us (void)
{
  return get_us (WAIT, WAIT_S);
}

gint64
tp_patience_get_brief_wait_us (void)
{
  return MIN (tp_patience_get_wait_us (), BRIEF_WAIT_S * G_USEC_PER_SEC);
}

gint64
tp_patience_get_most_us (void)
{
  return get_us (MOST, MOST_S);
}
