/* test-brief.c: a calibration that somebody waits for measures what has no figure, in
 * few rounds, and leaves the rest as it is. Work is counted, in samples. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/calibrate.h"
#include "calib/columns.h"
#include "calib/cost-db.h"
#include "calib/cost-sql.h"
#include "calib/measure.h"

#include <glib/gstdio.h>

#define N_KERNELS 3           /* of the small graph */

static const char *const ref_only[] = { "ref", NULL };

typedef struct
{
  char *folder, *path;
  TpCostDb *db;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-brief-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->db = tp_cost_db_open (fixture->path, FALSE, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *turn = g_strconcat (fixture->path, "-turn", NULL);

  tp_cost_db_close (fixture->db);
  g_remove (fixture->path);
  g_remove (turn);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_free (fixture->path);
}

/* Returns how many samples it took. */
static int
calibrate (Fixture *fixture, int width, gboolean is_brief)
{
  g_autoptr (TpGraph) graph = make_small_graph (width);
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (GError) error = NULL;
  TpCalibReport report = { 0 };
  const TpCalibOptions options = { .n_devices = 1, .devices = ref_only,
                                   .is_brief = is_brief, .report = &report };

  tp_calibrate (fixture->db, graph, groups, &options, &error);
  g_assert_no_error (error);
  return report.n_samples;
}

static TpPointers *
list_entries (Fixture *fixture)
{
  g_autoptr (GPtrArray) devices
      = tp_cost_db_list_devices (fixture->db, "ref", NULL);
  const TpDeviceRow *device = g_ptr_array_index (devices, 0);

  return tp_cost_db_list_entries (fixture->db, device->id, NULL, NULL);
}

/* In place of those that are there: settled ones, as few rounds can make them, would
 * stay. */
static void
replace_all (Fixture *fixture, TpPointers *rows)
{
  g_assert_true (tp_sql_execute (fixture->db, "DELETE FROM entry",
                                 "replace all", NULL));
  g_assert_true (
      tp_cost_db_put_entries (fixture->db, rows->pdata, rows->len, NULL));
}

/* As if others had used the machine: not settled, or in company. */
static void
doubt_all (Fixture *fixture, gboolean is_settled)
{
  g_autoptr (TpPointers) rows = list_entries (fixture);

  for (guint i = 0; i < rows->len; i++)
    {
      TpEntryRow *row = g_ptr_array_index (rows, i);

      row->state = is_settled ? TP_ENTRY_SETTLED : TP_ENTRY_PROVISIONAL;
      row->processors
          = (TpProcessors){ .contention = is_settled && i > 0 ? 4000 : 1000 };
    }
  replace_all (fixture, rows);
}

/* What has a figure keeps it; a calibration that is not brief takes it anew. */
static void
test_keep (Fixture *fixture, gconstpointer data)
{
  for (int is_settled = 0; is_settled < 2; is_settled++)
    {
      calibrate (fixture, 16, TRUE);
      doubt_all (fixture, is_settled);
      g_assert_cmpint (calibrate (fixture, 16, TRUE), ==, 0);
      g_assert_cmpint (calibrate (fixture, 16, FALSE), >, 0);
    }
}

static const TpEntryRow *
find_entry (const TpPointers *rows, const char *digest)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const TpEntryRow *row = g_ptr_array_index (rows, i);

      if (strcmp (row->digest, digest) == 0)
        return row;
    }
  return NULL;
}

/* Of another graph only what is new is measured. */
static void
test_lack (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpPointers) before = NULL, after = NULL;

  calibrate (fixture, 16, TRUE);
  doubt_all (fixture, FALSE);
  before = list_entries (fixture);
  g_assert_cmpint (before->len, ==, N_KERNELS);
  g_assert_cmpint (calibrate (fixture, 32, TRUE), >, 0);
  after = list_entries (fixture);
  g_assert_cmpint (after->len, ==, N_KERNELS + 1);
  for (guint i = 0; i < before->len; i++)
    {
      const TpEntryRow *row = g_ptr_array_index (before, i);
      const TpEntryRow *now = find_entry (after, row->digest);

      g_assert_nonnull (now);
      g_assert_cmpint (now->state, ==, row->state);
      g_assert_cmpint (now->stats.n, ==, row->stats.n);
      g_assert_cmpint (now->stats.median_ns, ==, row->stats.median_ns);
    }
}

/* Time that no kernel can have had is a moment's mistake, and taken anew; what crashed
 * is left alone. */
static void
test_disbelieved (Fixture *fixture, gconstpointer data)
{
  static const char *const reasons[] = {
    "not believed: it took no time at all", "the child crashed", "",
  };
  g_autoptr (TpPointers) rows = NULL, after = NULL;

  calibrate (fixture, 16, FALSE);
  rows = list_entries (fixture);
  g_assert_cmpint (rows->len, ==, N_KERNELS);
  for (guint i = 0; i < rows->len; i++)
    {
      TpEntryRow *row = g_ptr_array_index (rows, i);

      g_free (row->reason);
      row->reason = g_strdup (reasons[i]);
      row->state = reasons[i][0] != 0 ? TP_ENTRY_FAILED : TP_ENTRY_SETTLED;
    }
  replace_all (fixture, rows);
  g_assert_cmpint (calibrate (fixture, 16, TRUE), >, 0);
  after = list_entries (fixture);
  g_assert_cmpint (after->len, ==, N_KERNELS);
  for (guint i = 0; i < rows->len; i++)
    {
      const TpEntryRow *row = g_ptr_array_index (rows, i);
      const TpEntryRow *now = find_entry (after, row->digest);

      g_assert_cmpint (now->state == TP_ENTRY_FAILED, ==, i == 1);
    }
}

/* However unsettled they are, it ends. */
static void
test_rounds (Fixture *fixture, gconstpointer data)
{
  int n = calibrate (fixture, 16, TRUE), n_whole;

  g_test_message ("%d samples", n);
  g_assert_cmpint (n, >, 0);
  g_assert_cmpint (n, <=, TP_MEASURE_ROUNDS_MIN * N_KERNELS);
  doubt_all (fixture, FALSE);
  n_whole = calibrate (fixture, 16, FALSE);
  g_test_message ("%d samples when it is not brief", n_whole);
  g_assert_cmpint (n_whole, >=, 3 * TP_MEASURE_ROUNDS_MIN * N_KERNELS); /* of three sittings */
}

int
main (int argc, char **argv)
{
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_setenv ("TPLAN_CALIBRATE_MOST", "10", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/brief/keep", Fixture, NULL, set_up, test_keep, tear_down);
  g_test_add ("/brief/lack", Fixture, NULL, set_up, test_lack, tear_down);
  g_test_add ("/brief/disbelieved", Fixture, NULL, set_up, test_disbelieved,
              tear_down);
  g_test_add ("/brief/rounds", Fixture, NULL, set_up, test_rounds, tear_down);
  return g_test_run ();
}
