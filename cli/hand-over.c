/* hand-over.c: see hand-over.h. */
#include "config.h"

#include "cli/hand-over.h"

#include "cli/output.h"
#include "cli/text.h"

json_t *
tp_cli_hand_over_to_json (const TpDeviceRow *row)
{
  const TpFit *there = &row->map_to_device, *back = &row->map_to_host;
  json_t *list = json_array ();

  for (int i = 0; i < back->n_points && there->n_points > 0; i++)
    {
      double bytes = back->points[i].bytes;

      json_array_append_new (
          list, json_pack ("{s:o, s:o, s:o}", "bytes", tp_cli_real (bytes),
                           "to_device_ns",
                           tp_cli_real (tp_fit_evaluate_ns (there, bytes)),
                           "to_host_ns",
                           tp_cli_real (tp_fit_evaluate_ns (back, bytes))));
    }
  return list;
}

static char *
format_time (const TpFit *fit, double bytes)
{
  return tp_cli_format_time ((gint64) tp_fit_evaluate_ns (fit, bytes));
}

char *
tp_cli_describe_hand_over (const TpDeviceRow *row)
{
  const TpFit *there = &row->map_to_device, *back = &row->map_to_host;
  const double small = 4096, large = 2 << 20;
  g_autofree char *there_small = format_time (there, small);
  g_autofree char *back_small = format_time (back, small);
  g_autofree char *there_large = format_time (there, large);
  g_autofree char *back_large = format_time (back, large);

  if (there->n_points == 0 || back->n_points == 0)
    return NULL;
  return g_strdup_printf ("the host works in memory of %s: 4 KiB go there in %s "
                          "and come back in %s, 2 MiB in %s and %s",
                          row->name, there_small, back_small, there_large,
                          back_large);
}
