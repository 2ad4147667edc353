/* plan-scan.c: see plan-scan.h. */
#include "config.h"

#include "format/plan-scan.h"

#include <string.h>

#define MAX_DIGITS 18

static gboolean
take (TpPlanScan *scan, const char *text, gsize length)
{
  if ((gsize) (scan->end - scan->at) < length
      || memcmp (scan->at, text, length) != 0)
    return FALSE;
  scan->at += length;
  return TRUE;
}

gboolean
tp_plan_scan_text (TpPlanScan *scan, const char *text)
{
  return take (scan, text, strlen (text));
}

gboolean
tp_plan_scan_name (TpPlanScan *scan, const char *name)
{
  const char *at = scan->at;

  if (take (scan, "\"", 1) && tp_plan_scan_text (scan, name)
      && take (scan, "\"", 1))
    return TRUE;
  scan->at = at;
  return FALSE;
}

gboolean
tp_plan_scan_any (TpPlanScan *scan, char *const *names, int n, int *out_index)
{
  for (*out_index = 0; *out_index < n; ++*out_index)
    if (tp_plan_scan_name (scan, names[*out_index]))
      return TRUE;
  return FALSE;
}

gboolean
tp_plan_scan_number (TpPlanScan *scan, gint64 low, gint64 *out)
{
  gboolean is_negative = take (scan, "-", 1);
  const char *at = scan->at;
  gint64 value = 0;

  while (at < scan->end && g_ascii_isdigit (*at)
         && at - scan->at < MAX_DIGITS)
    value = 10 * value + (*at++ - '0');
  if (at == scan->at || (at < scan->end && g_ascii_isdigit (*at))
      || (*scan->at == '0' && at - scan->at > 1))
    return FALSE;
  scan->at = at;
  *out = is_negative ? -value : value;
  return *out >= low;
}

gboolean
tp_plan_scan_member (TpPlanScan *scan, const char *key, gint64 low, gint64 *out)
{
  return take (scan, ", ", 2) && tp_plan_scan_name (scan, key)
         && take (scan, ": ", 2) && tp_plan_scan_number (scan, low, out);
}
