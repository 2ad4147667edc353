/* apart.c: see apart.h. */
#include "config.h"

#include "cli/apart.h"

#include "calib/cost-db.h"
#include "calib/probe.h"
#include "calib/samples.h"
#include "cli/output.h"
#include "runtime/threads.h"

/* The least beside any figure of the table; 0: none is known. */
static gint64
find_least (const char *path)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (path, TRUE, NULL);
  g_autoptr (GPtrArray) devices = NULL;
  gint64 least_ns = 0;

  if (db != NULL)
    devices = tp_cost_db_list_devices (db, NULL, NULL);
  for (guint i = 0; devices != NULL && i < devices->len; i++)
    {
      const TpDeviceRow *device = devices->pdata[i];
      gint64 its_ns = tp_cost_db_find_handover (db, device->id);

      if (its_ns > 0 && (least_ns == 0 || its_ns < least_ns))
        least_ns = its_ns;
    }
  return least_ns;
}

gboolean
tp_cli_note_apart (const TpCli *cli)
{
  int n_threads = tp_threads_count (cli->device_options.n_threads);
  gint64 handover_ns = tp_probe_handover_ns (n_threads), least_ns = 0;

  if (handover_ns > 0)
    least_ns = find_least (cli->cost_path);
  if (!tp_samples_are_apart (handover_ns, least_ns))
    return FALSE;
  tp_cli_note (cli,
               "note: processors are far from each other just now (%"
               G_GINT64_FORMAT " ns there and back; %" G_GINT64_FORMAT
               " ns when kernels were timed): small kernels take up to 5 times "
               "as long", handover_ns, least_ns);
  return TRUE;
}
