/* test-cost-old.c: cost tables and exports of older versions. */
#include "config.h"

#include "calib/exchange.h"
#include "cost-rows.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

/* From the present version to those before it. */
#define TO_6 \
  "ALTER TABLE device DROP COLUMN map_to_device_points;" \
  "ALTER TABLE device DROP COLUMN map_to_host_points;" \
  "ALTER TABLE device DROP COLUMN map_permille; PRAGMA user_version = 6;"
#define TO_5 \
  TO_6 "ALTER TABLE device DROP COLUMN speeds; PRAGMA user_version = 5;"
#define TO_4 \
  TO_5 "ALTER TABLE device DROP COLUMN busy_mw;" \
  "ALTER TABLE device DROP COLUMN idle_mw;" \
  "ALTER TABLE device DROP COLUMN copy_mw;" \
  "ALTER TABLE device DROP COLUMN counters; PRAGMA user_version = 4;"
#define TO_3 \
  TO_4 "ALTER TABLE entry DROP COLUMN contention; PRAGMA user_version = 3;"
#define TO_2 \
  TO_3 "DROP TRIGGER entry_renewed; DROP TABLE whole;" \
  "ALTER TABLE entry DROP COLUMN handover_ns;" \
  "ALTER TABLE entry DROP COLUMN crowding; PRAGMA user_version = 2;"
#define TO_1 \
  TO_2 "ALTER TABLE device DROP COLUMN to_device_points;" \
  "ALTER TABLE device DROP COLUMN to_host_points; PRAGMA user_version = 1"

/* A table of an older version as that version made it. */
static void
make_old (const char *path, const char *sql)
{
  g_autoptr (TpCostDb) db = open_table (path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  TpEntryRow *failed = make_entry (cpu, 2);
  sqlite3 *file;

  failed->state = TP_ENTRY_FAILED;
  put_entry (db, failed, NULL);
  put_entry (db, make_entry (cpu, 1), NULL);
  g_assert_cmpint (sqlite3_open (path, &file), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (file, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (file);
}

static void
check_upgraded (TpCostDb *db)
{
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (db, "cpu", NULL);
  const TpDeviceRow *device = g_ptr_array_index (devices, 0);
  g_autoptr (TpPointers) rows = tp_cost_db_list_entries (db, device->id, NULL,
                                                        NULL);
  const TpEntryRow *first = g_ptr_array_index (rows, 0);
  const TpEntryRow *second = g_ptr_array_index (rows, 1);

  g_assert_cmpint (rows->len, ==, 2);
  g_assert_cmpfloat (device->peak_gflops, ==, 123.456);
  g_assert_cmpfloat (device->to_host.residual, ==, 0.1);
  g_assert_cmpint (device->to_host.n_points, ==, 0);
  g_assert_cmpint (first->state, ==, TP_ENTRY_PROVISIONAL);
  g_assert_cmpint (first->stats.median_ns, ==, 101);
  g_assert_cmpint (second->state, ==, TP_ENTRY_FAILED);
}

static gint64
get_version (const char *path)
{
  g_autofree char *bytes = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  return bytes[63]; /* of user_version, by the file format of SQLite */
}

/* A reader leaves the file alone; a writer brings it up to date. */
static void
test_upgrade (Fixture *fixture, gconstpointer data)
{
  make_old (fixture->path, TO_1);
  for (int is_read_only = 1; is_read_only >= 0; is_read_only--)
    {
      g_autoptr (TpCostDb) db = open_table (fixture->path, is_read_only);

      check_upgraded (db);
      g_assert_cmpint (get_version (fixture->path), ==,
                       is_read_only ? 1 : TP_COST_DB_VERSION);
    }
  tp_cost_db_close (open_table (fixture->path, TRUE));
}

/* Figures of versions 2 to 5 are as good as they were, wholes can be kept, and of
 * watts and speeds nothing is known. */
static void
test_upgrade_later (Fixture *fixture, gconstpointer data)
{
  static const char *const ways[] = { TO_2, TO_3, TO_4, TO_5, TO_6 };
  int version = GPOINTER_TO_INT (data);

  make_old (fixture->path, ways[version - 2]);
  for (int is_read_only = 1; is_read_only >= 0; is_read_only--)
    {
      g_autoptr (TpCostDb) db = open_table (fixture->path, is_read_only);
      gint64 cpu = 1;
      g_autoptr (TpPointers) rows
          = tp_cost_db_list_entries (db, cpu, NULL, NULL);
      const TpEntryRow *first = g_ptr_array_index (rows, 0);
      g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (db, "cpu", NULL);
      const TpDeviceRow *device = g_ptr_array_index (devices, 0);

      g_assert_cmpint (rows->len, ==, 2);
      g_assert_cmpint (first->state, ==, TP_ENTRY_SETTLED);
      g_assert_cmpint (device->busy_mw, ==, 0);
      g_assert_cmpint (device->map_to_host.n_points, ==, 0);
      g_assert_cmpstr (device->counters, ==, "");
      g_assert_cmpstr (device->speeds, ==, "");
      g_assert_cmpint (put_whole (db, make_whole (cpu, 1, 5)), ==,
                       !is_read_only);
      g_assert_cmpint (count_wholes (db, cpu), ==, !is_read_only);
      g_assert_cmpint (get_version (fixture->path), ==,
                       is_read_only ? version : TP_COST_DB_VERSION);
    }
}

/* What an older program exported: no points, and nothing is settled. */
static void
test_old_export (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpCostDb) copy = open_table (other, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  TpEntryRow *failed = make_entry (cpu, 2);
  g_autoptr (GRegex) points = g_regex_new (
      " *\"(to_[a-z]*_points|[a-z]*_mw|counters|speeds)\":.*\n", 0, 0, NULL);
  g_autofree char *text = NULL, *without = NULL, *old = NULL;
  g_auto (GStrv) parts = NULL;
  int n;

  failed->state = TP_ENTRY_FAILED;
  put_entry (db, failed, NULL);
  put_entry (db, make_entry (cpu, 1), NULL);
  text = tp_cost_db_export (db, NULL);
  without = g_regex_replace_literal (points, text, -1, 0, "", 0, NULL);
  parts = g_strsplit (without, "tplan-cost/3", 2);
  old = g_strjoinv ("tplan-cost/1", parts);
  g_assert_cmpint (strlen (old), <, strlen (text));
  g_assert_true (tp_cost_db_import (copy, old, strlen (old), &n, NULL));
  g_assert_cmpint (n, ==, 2);
  check_upgraded (copy);
}

/* A table that computes for ever when it is read or written is none of ours. */
static void
test_endless (Fixture *fixture, gconstpointer data)
{
  static const char *const foreign[]
      = { "ALTER TABLE device RENAME TO d; CREATE VIEW device AS"
          " WITH RECURSIVE c (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM c)"
          " SELECT d.* FROM d, c WHERE k < 0",
          ("CREATE TRIGGER endless AFTER INSERT ON entry BEGIN DELETE FROM device"
           " WHERE id IN (WITH RECURSIVE c (k) AS (SELECT 1 UNION ALL"
           " SELECT k + 1 FROM c) SELECT k FROM c WHERE k < 0); END"),
          "DROP TRIGGER entry_renewed; CREATE TRIGGER entry_renewed AFTER UPDATE"
          " ON entry BEGIN DELETE FROM device; END" };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (foreign); i++)
    {
      g_autoptr (GError) error = NULL;

      make_old (fixture->path, foreign[i / 2]);
      g_assert_null (tp_cost_db_open (fixture->path, i % 2 == 0, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "has not made"));
      g_remove (fixture->path);
    }
}

/* Beside the figures of a device; nobody knows what 0 stands for. */
static void
test_least (Fixture *fixture, gconstpointer data)
{
  static const TpProcessors all[] = {
    { 90, 1010, 640, 5000 }, { 40, 0, 650, 0 }, { 0, 1020, 0, 7000 },
  };
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", ""), other = put_device (db, "opencl:0", "");
  TpProcessors least;

  for (int i = 0; i < (int) G_N_ELEMENTS (all); i++)
    {
      TpEntryRow *row = make_entry (cpu, i);

      row->processors = all[i];
      row->fma_ns = all[i].fma_ns;
      put_entry (db, row, NULL);
    }
  tp_cost_db_find_least (db, cpu, &least);
  g_assert_cmpint (least.handover_ns, ==, 40);
  g_assert_cmpint (least.crowding, ==, 1010);
  g_assert_cmpint (least.contention, ==, 640);
  g_assert_cmpint (least.fma_ns, ==, 6000); /* what older tables were told at */
  tp_cost_db_find_least (db, other, &least);
  g_assert_cmpint (least.fma_ns, ==, 0);
}

int
main (int argc, char **argv)
{
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/cost-old/upgrade", Fixture, NULL, set_up, test_upgrade,
              tear_down);
  for (int version = 2; version < TP_COST_DB_VERSION; version++)
    {
      g_autofree char *path = g_strdup_printf ("/cost-old/upgrade-%d", version);

      g_test_add (path, Fixture, GINT_TO_POINTER (version), set_up,
                  test_upgrade_later, tear_down);
    }
  g_test_add ("/cost-old/endless", Fixture, NULL, set_up, test_endless,
              tear_down);
  g_test_add ("/cost-old/least", Fixture, NULL, set_up, test_least, tear_down);
  g_test_add ("/cost-old/export", Fixture, NULL, set_up, test_old_export,
              tear_down);
  return g_test_run ();
}
