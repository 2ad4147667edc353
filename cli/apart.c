/* apart.c: see apart.h. */
#include "config.h"

#include "cli/apart.h"

#include "calib/cost-db.h"
#include "calib/probe.h"
#include "calib/samples.h"
#include "cli/output.h"
#include "runtime/threads.h"

/* Beside any figure of the table. */
static TpProcessors
find_least (const char *path)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (path, TRUE, NULL);
  g_autoptr (GPtrArray) devices = NULL;
  TpProcessors least = { 0 }, its;

  if (db != NULL)
    devices = tp_cost_db_list_devices (db, NULL, NULL);
  for (guint i = 0; devices != NULL && i < devices->len; i++)
    {
      const TpDeviceRow *device = devices->pdata[i];

      tp_cost_db_find_least (db, device->id, &its);
      tp_samples_note_least (&least, &its);
    }
  return least;
}

gboolean
tp_cli_note_apart (const TpCli *cli)
{
  int n_threads = tp_threads_count (cli->device_options.n_threads);
  TpProcessors now, least = { 0 };

  tp_probe_processors (n_threads, &now);
  if (now.handover_ns > 0)
    least = find_least (cli->cost_path);
  if (!tp_samples_are_apart (&now, &least))
    return FALSE;
  tp_cli_note (cli,
               "note: processors are not as they were when kernels were timed: "
               "%" G_GINT64_FORMAT " ns there and back instead of %"
               G_GINT64_FORMAT ", all at once %.2f times as long as one instead "
               "of %.2f: times are longer than foretold", now.handover_ns,
               least.handover_ns, now.crowding / 1e3, least.crowding / 1e3);
  return TRUE;
}
