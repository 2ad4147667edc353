/* plan-read-flows.c: see plan-read-flows.h. */
#include "config.h"

#include "format/plan-read-flows.h"

#include "ir/guard.h"

/* The next of @rows, where it is a line as they are written. */
static gboolean
scan_flow (TpPlanRows *rows, gint64 *out)
{
  TpPlanScan line;

  if (!tp_plan_rows_take (rows, &line))
    return FALSE;
  return (tp_plan_scan_text (&line, "  ")
          && tp_plan_scan_number (&line, 0, out))
         || tp_plan_rows_put_back (rows, &line);
}

gboolean
tp_plan_read_flows (TpPlanPlace root, const char *key, int n,
                    TpPlanFlows *out, GError **error)
{
  g_auto (TpPlanRows) rows = { 0 };
  g_autofree gint64 *flows = NULL;

  if (!tp_plan_read_rows (root, key, n, &rows, error))
    return FALSE;
  flows = tp_new (gint64, (gsize) rows.n + 1);
  for (int i = 0; i < rows.n; i++)
    {
      char path[64];
      TpPlanPlace place = { root.reader, path, NULL };

      if (scan_flow (&rows, &flows[i]))
        continue;
      place.json = tp_plan_rows_next (&rows);
      g_snprintf (path, sizeof path, "%s[%d]", key, i);
      if (!tp_plan_read_integer (place, 0, &flows[i], error))
        return FALSE;
    }
  *out = (TpPlanFlows){ g_steal_pointer (&flows), rows.n };
  return TRUE;
}
