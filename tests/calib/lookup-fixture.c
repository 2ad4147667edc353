/* lookup-fixture.c: see lookup-fixture.h. */
#include "config.h"

#include "lookup-fixture.h"

#include "calib-graphs.h"
#include "calib/columns.h"
#include "calib/facts.h"

#include <glib/gstdio.h>

static const char *const cpu_only[] = { "cpu", NULL };

void
set_up (Fixture *fixture, gconstpointer data)
{
  const int fused[] = { 0, 1 };
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-lookup-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->db = tp_cost_db_open (fixture->path, FALSE, &error);
  g_assert_no_error (error);
  fixture->graph = make_small_graph (16);
  fixture->groups = tp_groups_new ();
  tp_groups_add (fixture->groups, fused, 2);
  fixture->keys = tp_keys_new (fixture->graph, fixture->groups, FALSE);
  fixture->options = (TpCalibOptions){
    .n_devices = 1, .devices = cpu_only,
    .warnings = g_ptr_array_new_with_free_func (g_free)
  };
}

void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *system = g_build_filename (fixture->folder, "s.db", NULL);

  tp_cost_db_close (fixture->db);
  tp_keys_free (fixture->keys);
  tp_groups_free (fixture->groups);
  tp_graph_unref (fixture->graph);
  g_ptr_array_unref (fixture->options.warnings);
  g_remove (fixture->path);
  g_remove (system);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

gint64
put_device_as (TpCostDb *db, const char *name, const char *facts,
               const char *identity)
{
  g_autoptr (TpDeviceRow) row = tp_device_row_new ();
  g_autofree char *now = tp_facts_gather (name, 0);

  set_text (&row->name, name);
  set_text (&row->identity, identity);
  set_text (&row->facts, facts != NULL ? facts : now);
  row->peak_gflops = 100;
  row->bandwidth_gbps = 10;
  row->launch_ns = 1000;
  row->full_points = 1;
  row->to_device = (TpFit){ .base_ns = 5000, .per_byte_ns = 0.5,
                             .residual = 0.1 };
  row->to_host = (TpFit){ .base_ns = 7000, .per_byte_ns = 0.25,
                           .residual = 0.1 };
  g_assert_true (tp_cost_db_put_device (db, row, NULL));
  return row->id;
}

void
put_entry (TpCostDb *db, gint64 device, const TpKey *key, gint64 time_ns)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_entry_row_free);
  TpEntryRow *row = tp_entry_row_new ();
  g_autoptr (GError) error = NULL;

  set_text (&row->digest, key->digest);
  set_text (&row->dtype, key->dtype);
  set_text (&row->family, key->family);
  row->device = device;
  row->work = key->work;
  row->stats = (TpStats){ 9, time_ns, time_ns, 1, time_ns / 50 };
  set_text (&row->schedule, KNOWN_SCHEDULE);
  if (time_ns < 0)
    {
      row->state = TP_ENTRY_FAILED;
      row->stats = (TpStats){ 0 };
      set_text (&row->reason, "it burnt");
    }
  g_ptr_array_add (rows, row);
  tp_cost_db_put_entries (db, rows->pdata, rows->len, &error);
  g_assert_no_error (error);
}

gint64
put_device (TpCostDb *db, const char *name, const char *facts)
{
  return put_device_as (db, name, facts, "made up");
}

void
put_all (Fixture *fixture, TpCostDb *db, gint64 device)
{
  for (int i = 0; i < fixture->keys->n; i++)
    if (fixture->keys->keys[i].digest != NULL)
      put_entry (db, device, &fixture->keys->keys[i], KNOWN_NS);
}

TpCosts *
look_up (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  TpCosts *costs = tp_cost_db_lookup (fixture->db, fixture->graph,
                                      fixture->groups, &fixture->options,
                                      &error);

  g_assert_no_error (error);
  return costs;
}

const char *
get_warning (Fixture *fixture)
{
  g_assert_cmpint (fixture->options.warnings->len, ==, 1);
  return g_ptr_array_index (fixture->options.warnings, 0);
}
