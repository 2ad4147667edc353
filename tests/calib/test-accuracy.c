/* test-accuracy.c: figures of kernels with larger errors count while they are asked
 * for. */
#include "config.h"

#include "calib/accuracy.h"
#include "cost-rows.h"

static const char *const schedules[] = {
  "winograd output=4 block=1x1 lanes=8 vectors=1 tiles=1 panels=1",
  "winograd output=2 block=1x1 lanes=8 vectors=1 tiles=1 panels=1",
};

static void
put (TpCostDb *db, gint64 device, const char *schedule, gint64 median_ns)
{
  TpEntryRow *row = make_entry (device, 1);

  set_text (&row->schedule, schedule);
  row->stats.min_ns = row->stats.median_ns = median_ns;
  put_entry (db, row, NULL);
}

/* The faster one is kept out or not, again and again. */
static void
test_asked (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *digest = g_strdup_printf ("%064x", 1);

  put (db, cpu, schedules[0], 100);
  put (db, cpu, schedules[1], 200);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (TpEntryRow) found = NULL;

      if (i > 0)
        tp_accuracy_set (db, i % 2 == 1);
      found = tp_cost_db_find_entry (db, cpu, digest, "float32", NULL);
      g_assert_cmpstr (found->schedule, ==, schedules[i % 2 == 0]);
    }
}

/* Where there is none but that, there is no figure. */
static void
test_alone (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *digest = g_strdup_printf ("%064x", 1);
  g_autoptr (GError) error = NULL;

  put (db, cpu, schedules[0], 100);
  g_assert_null (tp_cost_db_find_entry (db, cpu, digest, "float32", &error));
  g_assert_no_error (error);
}

/* What of it is there to be had, and what the table has. */
static void
test_look (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *digest = g_strdup_printf ("%064x", 1);

  put (db, cpu, "sweep", 10);
  for (int i = 2; i >= 0; i--)
    {
      TpAccuracy accuracy = { 0 };

      if (i < 2)
        put (db, cpu, schedules[i], 100);
      tp_accuracy_look (db, cpu, digest, "float32", &accuracy);
      g_assert_cmpint (accuracy.may_relax, ==, i < 2);
      g_assert_cmpint (accuracy.is_relaxed, ==, i < 1);
      tp_accuracy_look (db, cpu + 1, digest, "float32", &accuracy);
      g_assert_cmpint (accuracy.is_relaxed, ==, i < 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/accuracy/asked", Fixture, NULL, set_up, test_asked, tear_down);
  g_test_add ("/accuracy/alone", Fixture, NULL, set_up, test_alone, tear_down);
  g_test_add ("/accuracy/look", Fixture, NULL, set_up, test_look, tear_down);
  return g_test_run ();
}
