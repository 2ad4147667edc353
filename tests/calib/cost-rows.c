/* cost-rows.c: see cost-rows.h. */
#include "config.h"

#include "cost-rows.h"

#include <glib/gstdio.h>
#include <unistd.h>

void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("tplan-cost-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "cost.db", NULL);
}

void
remove_folder (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_dir_close (dir);
  g_rmdir (folder);
}

void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

TpDeviceRow *
make_device (const char *name, const char *facts)
{
  TpDeviceRow *row = tp_device_row_new ();

  set_text (&row->name, name);
  set_text (&row->identity, "a CPU; 2 threads");
  set_text (&row->facts, facts);
  row->peak_gflops = 123.456;
  row->to_host.residual = 0.1;
  g_assert_true (tp_fit_points_from_text ("4:100 64:120.5 4096:900",
                                          &row->to_host));
  row->measured_at = 1700000000;
  return row;
}

TpEntryRow *
make_entry (gint64 device, int number)
{
  TpEntryRow *row = tp_entry_row_new ();

  g_free (row->digest);
  row->digest = g_strdup_printf ("%064x", (guint) number);
  set_text (&row->dtype, "float32");
  set_text (&row->schedule, "gemm mr=14");
  set_text (&row->family, number % 2 == 0 ? "even" : "odd");
  row->device = device;
  row->stats = (TpStats){ 9, 90, 100 + number, 2, 3 };
  row->work.flops = 1000;
  row->measured_at = 1700000000;
  return row;
}

gint64
put_device (TpCostDb *db, const char *name, const char *facts)
{
  g_autoptr (TpDeviceRow) row = make_device (name, facts);
  g_autoptr (GError) error = NULL;

  tp_cost_db_put_device (db, row, &error);
  g_assert_no_error (error);
  return row->id;
}

gboolean
put_entry (TpCostDb *db, TpEntryRow *entry, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_entry_row_free);

  g_ptr_array_add (rows, entry);
  return tp_cost_db_put_entries (db, rows->pdata, rows->len, error);
}

TpWholeRow *
make_whole (gint64 device, int number, gint64 seconds)
{
  TpWholeRow *row = tp_whole_row_new ();

  g_free (row->digest);
  row->digest = g_strdup_printf ("%064x", (guint) number);
  g_free (row->network);
  row->network = g_strdup_printf ("%064x", (guint) number / 2);
  set_text (&row->label, "net");
  row->device = device;
  row->measured_us = seconds * G_USEC_PER_SEC;
  row->n_devices = 1;
  row->kernels_ns = row->predicted_ns = 1000000;
  row->spread_ns = 1000;
  row->median_ns = 1100000;
  row->half_ns = 2000;
  row->n = 11;
  return row;
}

gboolean
put_whole (TpCostDb *db, TpWholeRow *whole)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_whole_row_free);

  g_ptr_array_add (rows, whole);
  return tp_cost_db_put_wholes (db, rows->pdata, rows->len, NULL);
}

int
count_wholes (TpCostDb *db, gint64 device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPointers) rows = tp_cost_db_list_wholes (db, device, &error);

  g_assert_no_error (error);
  return (int) rows->len;
}

TpCostDb *
open_table (const char *path, gboolean is_read_only)
{
  g_autoptr (GError) error = NULL;
  TpCostDb *db = tp_cost_db_open (path, is_read_only, &error);

  g_assert_no_error (error);
  return db;
}
