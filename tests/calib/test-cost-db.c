/* test-cost-db.c: the cost table as a file: two at once, kill -9, exchange. */
#include "config.h"

#include "calib/device-match.h"
#include "calib/exchange.h"
#include "calib/facts.h"
#include "cost-rows.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int
count_entries (TpCostDb *db, gint64 device, const char *family)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPointers) rows = tp_cost_db_list_entries (db, device, family,
                                                        &error);

  g_assert_no_error (error);
  return rows->len;
}

static void
test_rows (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "threads=2\n");
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (TpEntryRow) found = NULL;
  g_autofree char *digest = g_strdup_printf ("%064x", 7);
  const TpDeviceRow *device;

  g_assert_cmpint (put_device (db, "cpu", "threads=2\n"), ==, cpu);
  g_assert_cmpint (put_device (db, "cpu", "threads=1\n"), !=, cpu);
  for (int i = 0; i < 10; i++)
    g_assert_true (put_entry (db, make_entry (cpu, i), NULL));
  g_assert_cmpint (count_entries (db, cpu, NULL), ==, 10);
  g_assert_cmpint (count_entries (db, cpu, "odd"), ==, 5);
  found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
  g_assert_cmpint (found->stats.median_ns, ==, 107);
  g_assert_cmpstr (found->schedule, ==, "gemm mr=14");
  g_assert_null (tp_cost_db_find_entry (db, cpu, digest, "int64", NULL));
  devices = tp_cost_db_list_devices (db, "cpu", NULL);
  g_assert_cmpint (devices->len, ==, 2);
  device = g_ptr_array_index (devices, 1);
  g_assert_cmpfloat (device->peak_gflops, ==, 123.456);
  g_assert_cmpfloat (device->to_host.residual, ==, 0.1);
  g_assert_cmpint (device->to_host.n_points, ==, 3);
  g_assert_cmpfloat (device->to_host.points[1].time_ns, ==, 120.5);
  g_assert_cmpint (device->to_device.n_points, ==, 0);
  g_assert_true (tp_cost_db_forget (db, cpu, NULL));
  g_assert_cmpint (count_entries (db, cpu, NULL), ==, 0);
}

/* The fastest schedule wins; a failed one is found only when alone; what is
 * settled is not replaced by a first look. */
static void
test_precedence (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  TpEntryRow *row = make_entry (cpu, 1);
  g_autofree char *digest = g_strdup (row->digest);
  TpEntryRow *found;

  row->state = TP_ENTRY_FAILED;
  row->stats = (TpStats){ 0 };
  set_text (&row->reason, "crashed");
  set_text (&row->schedule, "");
  put_entry (db, row, NULL);
  found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
  g_assert_cmpstr (found->reason, ==, "crashed");
  tp_entry_row_free (found);
  put_entry (db, make_entry (cpu, 1), NULL);
  row = make_entry (cpu, 1);
  set_text (&row->schedule, "faster");
  row->stats.median_ns = 95;
  put_entry (db, row, NULL);
  row = make_entry (cpu, 1);
  set_text (&row->schedule, "faster");
  row->stats.median_ns = 50;
  row->state = TP_ENTRY_PROVISIONAL;
  put_entry (db, row, NULL);
  found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
  g_assert_cmpint (found->stats.median_ns, ==, 95);
  g_assert_cmpint (found->state, ==, TP_ENTRY_SETTLED);
  tp_entry_row_free (found);
}

/* What was only tried is no figure of the kernel, whatever became of the one that
 * was used. */
static void
test_tried (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  TpEntryRow *row = make_entry (cpu, 1);
  g_autofree char *digest = g_strdup (row->digest);
  g_autoptr (GError) error = NULL;
  TpEntryRow *found;

  row->state = TP_ENTRY_TRIED;
  put_entry (db, row, NULL);
  found = tp_cost_db_find_entry (db, cpu, digest, "float32", &error);
  g_assert_no_error (error);
  g_assert_null (found);
  row = make_entry (cpu, 1);
  row->state = TP_ENTRY_FAILED;
  row->stats = (TpStats){ 0 };
  set_text (&row->reason, "crashed");
  set_text (&row->schedule, "");
  put_entry (db, row, NULL);
  found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
  g_assert_cmpstr (found->reason, ==, "crashed");
  tp_entry_row_free (found);
}

static void
test_read_only (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) missing = open_table (fixture->path, TRUE);
  g_autoptr (GPtrArray) devices = tp_cost_db_list_devices (missing, NULL, NULL);
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (TpCostDb) reader = NULL;
  g_autoptr (TpDeviceRow) row = make_device ("cpu", "");

  g_assert_cmpint (devices->len, ==, 0);
  g_assert_false (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
  db = open_table (fixture->path, FALSE);
  put_device (db, "cpu", "");
  reader = open_table (fixture->path, TRUE);
  g_assert_false (tp_cost_db_put_device (reader, row, NULL));
}

static void
write_some (const char *path, int first, int n)
{
  g_autoptr (TpCostDb) db = open_table (path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");

  for (int i = first; i < first + n; i++)
    g_assert_true (put_entry (db, make_entry (cpu, i), NULL));
}

/* Also races to create the file. */
static void
test_two_writers (Fixture *fixture, gconstpointer data)
{
  pid_t children[3];
  g_autoptr (TpCostDb) db = NULL;

  for (int i = 0; i < 3; i++)
    if ((children[i] = fork ()) == 0)
      {
        write_some (fixture->path, i * 40, 40);
        _exit (0);
      }
  for (int i = 0; i < 3; i++)
    {
      int status;

      waitpid (children[i], &status, 0);
      g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
    }
  db = open_table (fixture->path, FALSE);
  g_assert_cmpint (count_entries (db, put_device (db, "cpu", ""), NULL), ==,
                   120);
}

/* Opens that meet while one creates the tables all see a cost table. */
static void
test_create_race (Fixture *fixture, gconstpointer data)
{
  for (int round = 0; round < 60; round++)
    {
      pid_t children[4];

      unlink (fixture->path);
      for (int i = 0; i < 4; i++)
        if ((children[i] = fork ()) == 0)
          {
            TpCostDb *db = tp_cost_db_open (fixture->path, FALSE, NULL);

            _exit (db == NULL);
          }
      for (int i = 0; i < 4; i++)
        {
          int status;

          waitpid (children[i], &status, 0);
          g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
        }
    }
}

static void
test_busy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autoptr (GError) error = NULL;
  sqlite3 *other;

  tp_cost_db_set_busy_ms (db, 20);
  g_assert_cmpint (sqlite3_open (fixture->path, &other), ==, SQLITE_OK);
  sqlite3_exec (other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
  g_assert_false (put_entry (db, make_entry (cpu, 1), &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_BUSY);
  sqlite3_close (other);
  g_assert_true (put_entry (db, make_entry (cpu, 1), NULL));
}

/* Writes until killed; a byte down the pipe acknowledges each entry. */
static void
write_for_ever (const char *path, int round, int acknowledge)
{
  g_autoptr (TpCostDb) db = open_table (path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");

  for (int i = 0; put_entry (db, make_entry (cpu, round * 10000 + i), NULL);
       i++)
    if (write (acknowledge, "", 1) != 1)
      _exit (1);
  _exit (1);
}

static void
test_kill (Fixture *fixture, gconstpointer data)
{
  int n_acknowledged = 0;
  g_autoptr (TpCostDb) db = NULL;

  for (int round = 0; round < 12; round++)
    {
      int ends[2];
      char byte;
      pid_t child;

      g_assert_cmpint (pipe (ends), ==, 0);
      child = fork ();
      if (child == 0)
        write_for_ever (fixture->path, round, ends[1]);
      close (ends[1]);
      g_assert_cmpint (read (ends[0], &byte, 1), ==, 1);
      g_usleep (g_test_rand_int_range (0, 15000));
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
      for (n_acknowledged++; read (ends[0], &byte, 1) == 1;)
        n_acknowledged++;
      close (ends[0]);
      /* a reader undoes what was left half done */
      tp_cost_db_close (open_table (fixture->path, TRUE));
    }
  db = open_table (fixture->path, FALSE);
  g_assert_cmpint (count_entries (db, put_device (db, "cpu", ""), NULL), >=,
                   n_acknowledged);
}

static void
test_exchange (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpCostDb) copy = open_table (other, FALSE);
  gint64 cpu = put_device (db, "cpu", "model=\"x\"\n\t\x01 \xc3\xa9");
  g_autofree char *text = NULL, *again = NULL;
  g_autoptr (GError) error = NULL;
  int n;

  for (int i = 0; i < 5; i++)
    put_entry (db, make_entry (cpu, i), NULL);
  text = tp_cost_db_export (db, &error);
  g_assert_no_error (error);
  tp_cost_db_import (copy, text, strlen (text), &n, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, 5);
  again = tp_cost_db_export (copy, NULL);
  g_assert_cmpstr (text, ==, again);
  tp_cost_db_import (copy, text, strlen (text), &n, &error);
  g_assert_cmpint (n, ==, 0); /* known already */
}

/* An older figure replaces none that is newer: also not that of a schedule that was
 * only tried, or is not the fastest. */
static void
test_import_older (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpCostDb) copy = open_table (other, FALSE);
  gint64 cpu = put_device (db, "cpu", ""), there;
  g_autofree char *text = NULL;
  g_autoptr (TpPointers) rows = NULL;
  int n;

  for (int i = 0; i < 2; i++)
    {
      TpEntryRow *row = make_entry (cpu, 0);

      set_text (&row->schedule, i == 0 ? "slow" : "fast");
      put_entry (db, row, NULL);
    }
  text = tp_cost_db_export (db, NULL);
  there = put_device (copy, "cpu", "");
  for (int i = 0; i < 3; i++)
    {
      TpEntryRow *row = make_entry (there, 0);

      set_text (&row->schedule, i == 0 ? "slow" : i == 1 ? "fast" : "best");
      row->state = i == 1 ? TP_ENTRY_TRIED : TP_ENTRY_SETTLED;
      row->stats.median_ns = i == 0 ? row->stats.median_ns
                                    : row->stats.median_ns - 1;
      row->measured_at++;
      put_entry (copy, row, NULL);
    }
  g_assert_true (tp_cost_db_import (copy, text, strlen (text), &n, NULL));
  g_assert_cmpint (n, ==, 0);
  rows = tp_cost_db_list_entries (copy, there, NULL, NULL);
  g_assert_cmpuint (rows->len, ==, 3);
  for (guint i = 0; i < rows->len; i++)
    {
      const TpEntryRow *row = rows->pdata[i];

      g_assert_cmpint (row->state == TP_ENTRY_TRIED, ==,
                       strcmp (row->schedule, "fast") == 0);
    }
}

static void
test_import_bad (Fixture *fixture, gconstpointer data)
{
  static const struct { const char *from, *to, *message; } cases[] = {
    { "\"n\": 9", "\"n\": -9", "devices[0].entries[0]: 'n'" },
    { "\"n\": 9", "\"n\": \"9\"", "devices[0].entries[0]: 'n'" },
    { "\"n\": 9,", "", "devices[0].entries[0]: 'n'" },
    { "\"median_ns\": 101", "\"median_ns\": 1", "devices[0].entries[0]" },
    { "\"state\": 0", "\"state\": 4", "devices[0].entries[0]" },
    { "\"peak_gflops\"", "\"peak\"",
      "devices[0]: unknown key 'peak' (did you mean 'peak_gflops'?)" },
    { "4:100 ", "4:100 4:200 ", "devices[0]: 'to_host_points' must be points" },
    { "\"wholes\": []", "\"wholes\": 3", "'wholes' must be an array" },
    { "\"entries\": [", "\"entries\": [], \"x\": [",
      "devices[0]: unknown key 'x'" },
    { "\"n\": 9", "\"n\": 9, \"medain_ns\": 9",
      "entries[0]: unknown key 'medain_ns' (did you mean 'median_ns'?)" },
    { "\"format\"", "\"machin\": 1, \"format\"", "did you mean 'machine'" },
    { "\"format\"", "\"machine\": {}, \"format\"", "machine: 'cpu'" },
    { "tplan-cost/3", "tplan-cost/9", "format" },
    { "\"devices\": [", "\"devices\": [[", "1" },
    { "\"name\"", "\"name\": \"\", \"name\"", "duplicate" },
  };
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *text = NULL;

  put_entry (db, make_entry (cpu, 1), NULL);
  text = tp_cost_db_export (db, NULL);
  tp_cost_db_forget (db, cpu, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GStrv) parts = g_strsplit (text, cases[i].from, 2);
      g_autofree char *bad = g_strjoinv (cases[i].to, parts);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) devices = NULL;
      int n;

      g_assert_cmpint (g_strv_length (parts), ==, 2);
      g_assert_false (tp_cost_db_import (db, bad, strlen (bad), &n, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      devices = tp_cost_db_list_devices (db, NULL, NULL);
      g_assert_cmpint (devices->len, ==, 0); /* nothing was written */
    }
}

static void
expect_refusal (const char *path, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_cost_db_open (path, FALSE, &error));
  g_assert_error (error, TPLAN_ERROR, code);
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_foreign (Fixture *fixture, gconstpointer data)
{
  g_autofree char *noise = g_strnfill (5000, 'x');
  g_autofree char *inside = g_build_filename (fixture->path, "cost.db", NULL);
  sqlite3 *other;

  g_file_set_contents (fixture->path, noise, 5000, NULL);
  expect_refusal (fixture->path, TPLAN_ERROR_INPUT);
  g_remove (fixture->path);
  sqlite3_open (fixture->path, &other);
  sqlite3_exec (other, "CREATE TABLE a (b); CREATE TABLE c (d)", NULL, NULL,
                NULL);
  sqlite3_close (other);
  expect_refusal (fixture->path, TPLAN_ERROR_INPUT);
  g_remove (fixture->path);
  tp_cost_db_close (open_table (fixture->path, FALSE));
  sqlite3_open (fixture->path, &other);
  sqlite3_exec (other, "PRAGMA user_version = 99", NULL, NULL, NULL);
  sqlite3_close (other);
  expect_refusal (fixture->path, TPLAN_ERROR_INPUT);
  g_assert_null (tp_cost_db_open (inside, FALSE, NULL));
}

/* Of two first looks the surer one is kept. */
static void
test_two_looks (Fixture *fixture, gconstpointer data)
{
  static const gint64 halves[] = { 30, 10, 20 }, kept[] = { 30, 10, 10 };
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");

  for (int i = 0; i < 3; i++)
    {
      TpEntryRow *row = make_entry (cpu, 1);
      g_autoptr (TpEntryRow) found = NULL;
      g_autofree char *digest = g_strdup (row->digest);

      row->state = TP_ENTRY_PROVISIONAL;
      row->stats.half_ns = halves[i];
      put_entry (db, row, NULL);
      found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
      g_assert_cmpint (found->stats.half_ns, ==, kept[i]);
    }
}

/* What was edited in is refused, by row; the rest is of use, and it can go. */
static void
test_edited (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *change, *fault;
  } edits[] = {
    { "median_ns = -5", "median_ns is -5" },
    { "n = -1", "n is -1" },
    { "state = 7", "contradict" },
    { "half_ns = 9000000000000000000", "half_ns is 9000000000000000000" },
    { "min_ns = median_ns + 1", "contradict" },
    { "n = 0", "contradict" },
    { "digest = substr (digest, 1, 63)", "contradict" },
    { "flops = -1", "flops is -1" },
    { "fma_ns = 'fast'", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (edits); i++)
    {
      g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
      gint64 cpu = put_device (db, "cpu", "");
      g_autofree char *sql
          = g_strdup_printf ("UPDATE entry SET %s WHERE measured_at >= 0 AND "
                             "rowid = (SELECT min (rowid) FROM entry)",
                             edits[i].change);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPointers) rows = NULL;
      sqlite3 *other;

      put_entry (db, make_entry (cpu, 1), NULL);
      put_entry (db, make_entry (cpu, 2), NULL);
      sqlite3_open (fixture->path, &other);
      g_assert_cmpint (sqlite3_exec (other, sql, NULL, NULL, NULL), ==,
                       SQLITE_OK);
      sqlite3_close (other);
      rows = tp_cost_db_list_entries (db, cpu, NULL, &error);
      if (edits[i].fault != NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
          g_assert_nonnull (strstr (error->message, edits[i].fault));
        }
      else
        g_assert_no_error (error);
      g_assert_true (tp_cost_db_forget (db, cpu, NULL));
    }
}

static void
test_edited_device (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autofree char *facts = tp_facts_gather ("ref", 0);
  g_autoptr (TpDeviceRow) row = make_device ("ref", facts);
  g_auto (TpDeviceMatch) match = { 0 };
  g_autoptr (GError) error = NULL;

  row->launch_ns = -1;
  g_assert_true (tp_cost_db_put_device (db, row, NULL));
  g_assert_false (tp_device_match_init (&match, db, "ref", 0, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "device 'ref': launch_ns is -1"));
  g_assert_true (tp_cost_db_forget (db, row->id, NULL));
  g_assert_true (tp_device_match_init (&match, db, "ref", 0, NULL));
}

static void
test_system (Fixture *fixture, gconstpointer data)
{
  g_autofree char *system = g_build_filename (fixture->folder, "s.db", NULL);
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (GPtrArray) devices = NULL;

  g_setenv ("TPLAN_SYSTEM_COST", system, TRUE);
  write_some (system, 0, 3);
  db = open_table (fixture->path, FALSE);
  g_unsetenv ("TPLAN_SYSTEM_COST");
  g_assert_nonnull (tp_cost_db_get_system (db));
  devices = tp_cost_db_list_devices (tp_cost_db_get_system (db), "cpu", NULL);
  g_assert_cmpint (devices->len, ==, 1);
}

static void
test_path (Fixture *fixture, gconstpointer data)
{
  g_autofree char *expected = g_build_filename (fixture->folder, "tplan",
                                                "cost.db", NULL);
  g_autofree char *folder = g_path_get_dirname (expected);
  TpCostDb *db;

  g_setenv ("XDG_STATE_HOME", fixture->folder, TRUE);
  g_unsetenv ("TPLAN_COST");
  db = open_table (NULL, FALSE);
  g_assert_cmpstr (tp_cost_db_get_path (db), ==, expected);
  tp_cost_db_close (db);
  remove_folder (folder);
  g_setenv ("TPLAN_COST", fixture->path, TRUE);
  db = open_table (NULL, FALSE);
  g_assert_cmpstr (tp_cost_db_get_path (db), ==, fixture->path);
  tp_cost_db_close (db);
  g_unsetenv ("TPLAN_COST");
  g_unsetenv ("XDG_STATE_HOME");
}

/* Constants that are measured anew leave watts as they were. */
static void
test_watts (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpDeviceRow) row = make_device ("cpu", "");
  g_autoptr (TpDeviceRow) anew = make_device ("cpu", "");
  g_autoptr (GPtrArray) devices = NULL;
  const TpDeviceRow *kept;

  row->busy_mw = 65000;
  row->copy_mw = 1500;
  g_free (row->counters);
  row->counters = g_strdup ("package-0+dram");
  anew->peak_gflops = 7;
  g_assert_true (tp_cost_db_put_device (db, row, NULL));
  g_assert_true (tp_cost_db_put_device (db, anew, NULL));
  devices = tp_cost_db_list_devices (db, "cpu", NULL);
  g_assert_cmpint (devices->len, ==, 1);
  kept = g_ptr_array_index (devices, 0);
  g_assert_cmpfloat (kept->peak_gflops, ==, 7);
  g_assert_cmpint (kept->busy_mw, ==, 65000);
  g_assert_cmpint (kept->copy_mw, ==, 1500);
  g_assert_cmpstr (kept->counters, ==, "package-0+dram");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/cost-db/rows", test_rows },
    { "/cost-db/precedence", test_precedence },
    { "/cost-db/tried", test_tried },
    { "/cost-db/two-looks", test_two_looks },
    { "/cost-db/edited", test_edited },
    { "/cost-db/edited-device", test_edited_device },
    { "/cost-db/read-only", test_read_only },
    { "/cost-db/two-writers", test_two_writers },
    { "/cost-db/create-race", test_create_race },
    { "/cost-db/busy", test_busy },
    { "/cost-db/kill", test_kill },
    { "/cost-db/exchange", test_exchange },
    { "/cost-db/import-older", test_import_older },
    { "/cost-db/import-bad", test_import_bad },
    { "/cost-db/foreign", test_foreign },
    { "/cost-db/system", test_system },
    { "/cost-db/path", test_path },
    { "/cost-db/watts", test_watts },
  };

  g_test_init (&argc, &argv, NULL);
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
