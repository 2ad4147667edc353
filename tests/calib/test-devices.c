/* test-devices.c: every kind of real device can be calibrated: constants,
 * transfers, kernels and a group, each with its schedule. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/calibrate.h"
#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "calib/worker.h"
#include "runtime/devices.h"
#include "schedule/schedule.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  TpCostDb *db;
  TpGraph *graph;
  TpGroups *groups;
  TpCalibOptions options;
} Bench;

/* FALSE: skipped. */
static gboolean
calibrate (Bench *bench)
{
  g_autoptr (GError) error = NULL;

  if (tp_calibrate (bench->db, bench->graph, bench->groups, &bench->options,
                    &error))
    return TRUE;
  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    {
      g_test_skip (error->message);
      return FALSE;
    }
  g_assert_no_error (error);
  return FALSE;
}

/* What a plan would give back to the device. */
static void
check_schedule (const char *schedule)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpArray) choices = tp_schedule_parse (schedule, &error);

  g_assert_no_error (error);
  g_assert_cmpint (choices->len, >, 0);
}

static gboolean
ask_map (const char *name)
{
  const TpDeviceOptions options = { .is_mapped = TRUE };
  g_autoptr (TpDevice) device = tp_device_open (name, &options, NULL);
  TpDeviceInfo info = { NULL };

  if (device != NULL)
    device->ops->describe (device, &info);
  tp_device_info_clear (&info);
  return info.is_mapped;
}

/* In a child: drivers that are loaded here would be no use to those of others. */
static gboolean
can_map (const char *name)
{
  pid_t child = fork ();
  int status = 0;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    _exit (ask_map (name));
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status) != 0;
}

static void
check_device (Bench *bench, const char *name)
{
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (bench->db, name,
                                                           NULL);
  const TpDeviceRow *row;
  g_autoptr (TpPointers) entries = NULL;

  g_assert_cmpint (devices->len, ==, 1);
  row = g_ptr_array_index (devices, 0);
  g_assert_cmpfloat (row->peak_gflops, >, 0);
  g_assert_cmpfloat (row->bandwidth_gbps, >, 0);
  g_assert_cmpfloat (row->launch_ns, >, 0);
  g_assert_cmpfloat (row->full_points, >=, 1);
  if (!row->is_host)
    {
      g_assert_cmpfloat (row->to_device.per_byte_ns, >, 0);
      g_assert_cmpfloat (row->to_host.per_byte_ns, >, 0);
    }
  g_assert_cmpint (row->map_to_host.n_points > 0, ==, can_map (name));
  entries = tp_cost_db_list_entries (bench->db, row->id, NULL, NULL);
  for (guint i = 0; i < entries->len; i++)
    {
      const TpEntryRow *entry = g_ptr_array_index (entries, i);

      g_test_message ("%s: %s: %s, n %d, %" G_GINT64_FORMAT " ns", name,
                      entry->label, entry->schedule, entry->stats.n,
                      entry->stats.median_ns);
      g_assert_cmpint (entry->state, !=, TP_ENTRY_FAILED);
      check_schedule (entry->schedule);
      g_assert_cmpint (entry->stats.median_ns, >, 0);
      g_assert_cmpint (entry->stats.min_ns, <=, entry->stats.median_ns);
      g_assert_cmpint (entry->fma_ns, >, 0);
      g_assert_cmpint (entry->stream_ns, >, 0);
    }
  g_assert_cmpint (entries->len, ==, 4); /* three ops, one group */
}

static void
check_costs (Bench *bench)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpCosts) costs = NULL;

  bench->options.is_stale_error = TRUE; /* nothing may be missing */
  costs = tp_cost_db_lookup (bench->db, bench->graph, bench->groups,
                             &bench->options, &error);
  g_assert_no_error (error);
  for (int i = 0; i < costs->n_nodes * costs->n_devices; i++)
    g_assert_false (costs->nodes[i].is_estimated);
  for (int i = 0; i < costs->n_devices; i++)
    {
      const TpCost *group = tp_costs_group (costs, 0, i);

      g_assert_cmpint (group->time_ns, <, TP_COST_NONE);
      g_assert_false (group->is_estimated);
    }
}

static void
test_devices (gconstpointer data)
{
  g_auto (GStrv) names = g_strsplit (data, ",", -1);
  g_autofree char *folder = g_dir_make_tmp ("tplan-devices-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cost.db", NULL);
  const int fused[] = { 0, 1 };
  Bench bench = { .graph = make_small_graph (16), .groups = tp_groups_new () };

  bench.options.devices = (const char *const *) names;
  bench.options.n_devices = g_strv_length (names);
  bench.db = tp_cost_db_open (path, FALSE, NULL);
  tp_groups_add (bench.groups, fused, 2);
  if (calibrate (&bench))
    {
      for (int i = 0; names[i] != NULL; i++)
        check_device (&bench, names[i]);
      check_costs (&bench);
    }
  tp_cost_db_close (bench.db);
  tp_groups_free (bench.groups);
  tp_graph_unref (bench.graph);
  g_remove (path);
  g_rmdir (folder);
}

/* Both at once, and only then. */
static void
crash_at_once (TpPhase phase, int device, int key)
{
  if (phase == TP_PHASE_OPEN && key >= 0)
    abort ();
}

/* A driver that does not survive work for two devices at once is not asked again. */
static void
test_crash_at_once (void)
{
  static const char *const names[] = { "cpu", "opencl:0", NULL };
  g_autofree char *folder = g_dir_make_tmp ("tplan-devices-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cost.db", NULL);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) rows = NULL;
  Bench bench = { .options = { .devices = names, .n_devices = 2,
                               .n_threads = 1, .warnings = warnings } };
  const TpDeviceRow *row;

  bench.db = tp_cost_db_open (path, FALSE, NULL);
  tp_worker_hook = crash_at_once;
  if (calibrate (&bench) && warnings->len > 0)
    {
      g_assert_cmpint (warnings->len, ==, 1);
      g_assert_nonnull (strstr (warnings->pdata[0], "'opencl:0'"));
      g_assert_nonnull (strstr (warnings->pdata[0], "beside 'cpu'"));
      rows = tp_cost_db_list_devices (bench.db, "opencl:0", NULL);
      row = g_ptr_array_index (rows, 0);
      g_assert_true (g_str_has_suffix (row->speeds, " failed"));
      g_assert_true (calibrate (&bench));
      g_assert_cmpint (warnings->len, ==, 1);
    }
  else if (warnings->len == 0)
    g_test_skip ("one processor: nothing works at once");
  tp_worker_hook = NULL;
  tp_cost_db_close (bench.db);
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/devices/cpu", "cpu", test_devices);
  g_test_add_data_func ("/devices/opencl", "opencl:0", test_devices);
  g_test_add_data_func ("/devices/both", "cpu,opencl:0", test_devices);
  g_test_add_func ("/devices/crash-at-once", test_crash_at_once);
  return g_test_run ();
}
