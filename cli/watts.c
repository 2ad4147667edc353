/* watts.c: see watts.h. */
#include "config.h"

#include "cli/watts.h"

#include "cli/output.h"

json_t *
tp_cli_watts_to_json (const TpDeviceRow *row)
{
  if (row->busy_mw == 0)
    return json_null ();
  return json_pack ("{s:o, s:o, s:o, s:o}", "busy_w",
                    tp_cli_real (row->busy_mw / 1e3), "idle_w",
                    tp_cli_real (row->idle_mw / 1e3), "copy_w",
                    tp_cli_real (row->copy_mw / 1e3), "counters",
                    tp_cli_string (row->counters));
}

char *
tp_cli_describe_drawn (const TpDeviceRow *row)
{
  g_autofree char *copies
      = row->copy_mw > 0
            ? g_strdup_printf (", %.3g W more for copies", row->copy_mw / 1e3)
            : g_strdup ("");

  return g_strdup_printf ("%.3g W, %.3g W idle%s, by %s", row->busy_mw / 1e3,
                          row->idle_mw / 1e3, copies, row->counters);
}
