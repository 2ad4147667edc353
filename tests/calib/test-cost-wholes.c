/* test-cost-wholes.c: what the cost table keeps of whole plans. */
#include "config.h"

#include "calib/exchange.h"
#include "cost-rows.h"

#include <string.h>

#define THEN 1700000000       /* when make_entry () measures */

/* Their rows come back as they were put; those of a sitting replace each
 * other. */
static void
test_put (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", ""), gpu = put_device (db, "gpu", "");
  TpWholeRow *again = make_whole (cpu, 1, THEN);
  g_autoptr (TpPointers) rows = NULL;
  const TpWholeRow *row;

  again->median_ns = 7;
  g_assert_true (put_whole (db, make_whole (cpu, 1, THEN)));
  g_assert_true (put_whole (db, again));
  g_assert_true (put_whole (db, make_whole (cpu, 2, THEN + 1)));
  g_assert_true (put_whole (db, make_whole (gpu, 1, THEN)));
  rows = tp_cost_db_list_wholes (db, cpu, NULL);
  g_assert_cmpint (rows->len, ==, 2);
  row = g_ptr_array_index (rows, 1);
  g_assert_cmpint (row->median_ns, ==, 7);
  g_assert_cmpint (row->device, ==, cpu);
  g_assert_cmpint (row->kernels_ns, ==, 1000000);
  g_assert_cmpint (row->half_ns, ==, 2000);
  g_assert_cmpstr (row->label, ==, "net");
  g_assert_true (tp_cost_db_forget (db, cpu, NULL));
  g_assert_cmpint (count_wholes (db, cpu), ==, 0);
  g_assert_cmpint (count_wholes (db, gpu), ==, 1);
}

static void
test_sittings (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autoptr (TpPointers) rows = NULL;
  const TpWholeRow *last;

  put_whole (db, make_whole (cpu, 3, THEN));
  for (int i = 0; i < TP_COST_SITTINGS + 5; i++)
    put_whole (db, make_whole (cpu, 1, THEN + i));
  rows = tp_cost_db_list_wholes (db, cpu, NULL);
  g_assert_cmpint (rows->len, ==, TP_COST_SITTINGS + 1);
  last = g_ptr_array_index (rows, TP_COST_SITTINGS - 1);
  g_assert_cmpint (last->measured_us / G_USEC_PER_SEC, ==, THEN + 5);
}

/* A whole is forgotten when a figure that was there is another one since. */
static void
test_renewed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", ""), gpu = put_device (db, "gpu", "");
  TpEntryRow *provisional = make_entry (cpu, 1);
  TpEntryRow *anew = make_entry (cpu, 1);

  put_entry (db, make_entry (cpu, 1), NULL);
  put_whole (db, make_whole (cpu, 1, THEN + 9));
  put_whole (db, make_whole (cpu, 1, THEN + 11));
  put_whole (db, make_whole (gpu, 1, THEN + 9));
  put_entry (db, make_entry (cpu, 2), NULL); /* was not there */
  provisional->state = TP_ENTRY_PROVISIONAL;
  provisional->measured_at = THEN + 20;
  put_entry (db, provisional, NULL); /* replaces no settled one */
  g_assert_cmpint (count_wholes (db, cpu), ==, 2);
  anew->measured_at = THEN + 10;
  put_entry (db, anew, NULL);
  g_assert_cmpint (count_wholes (db, cpu), ==, 1);
  g_assert_cmpint (count_wholes (db, gpu), ==, 1);
}

static char *
export (TpCostDb *db)
{
  g_autoptr (GError) error = NULL;
  char *text = tp_cost_db_export (db, &error);

  g_assert_no_error (error);
  return text;
}

static void
import (TpCostDb *db, const char *text)
{
  g_autoptr (GError) error = NULL;
  int n;

  tp_cost_db_import (db, text, strlen (text), &n, &error);
  g_assert_no_error (error);
}

static void
test_exchange (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpCostDb) copy = open_table (other, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *text = NULL, *again = NULL, *third = NULL;

  put_entry (db, make_entry (cpu, 1), NULL);
  put_whole (db, make_whole (cpu, 1, THEN + 1));
  put_whole (db, make_whole (cpu, 2, THEN + 2));
  text = export (db);
  import (copy, text);
  again = export (copy);
  g_assert_cmpstr (text, ==, again);
  import (copy, text);
  third = export (copy);
  g_assert_cmpstr (text, ==, third);
}

/* Of figures that the table has newer ones of, older wholes say nothing. */
static void
test_import_older (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpCostDb) copy = open_table (other, FALSE);
  gint64 cpu = put_device (db, "cpu", ""), mine = put_device (copy, "cpu", "");
  TpEntryRow *newer = make_entry (mine, 1);
  g_autofree char *text = NULL;

  newer->measured_at = THEN + 10;
  put_entry (copy, newer, NULL);
  put_whole (copy, make_whole (mine, 3, THEN + 11));
  put_entry (db, make_entry (cpu, 1), NULL);
  put_whole (db, make_whole (cpu, 1, THEN + 9));
  put_whole (db, make_whole (cpu, 2, THEN + 12));
  text = export (db);
  import (copy, text);
  g_assert_cmpint (count_wholes (copy, mine), ==, 2);
}

static void
test_import_bad (Fixture *fixture, gconstpointer data)
{
  static const struct { const char *from, *to, *message; } cases[] = {
    { "\"n\": 11", "\"n\": -1", "devices[0].wholes[0]: 'n'" },
    { "\"n\": 11", "\"n\": 0", "devices[0].wholes[0]: digest" },
    { "\"median_ns\": 1100000", "\"median_ns\": \"1\"",
      "devices[0].wholes[0]: 'median_ns'" },
    { "\"median_ns\": 1100000", "\"median_ns\": 9223372036854775807",
      "devices[0].wholes[0]: median_ns is" },
    { "\"kernels_ns\": 1", "\"kernels_ns\": 2", "contradict" },
    { "\"predicted_ns\": 1000000", "\"predicted_ns\": 0", "contradict" },
    { "\"network\": \"0", "\"network\": \"", "contradict" },
    { "\"wholes\": [", "\"holes\": [", "'wholes'" },
  };
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  gint64 cpu = put_device (db, "cpu", "");
  g_autofree char *text = NULL;

  put_whole (db, make_whole (cpu, 1, THEN));
  text = export (db);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GStrv) parts = g_strsplit (text, cases[i].from, 2);
      g_autofree char *bad = g_strjoinv (cases[i].to, parts);
      g_autoptr (GError) error = NULL;
      int n;

      g_assert_cmpint (g_strv_length (parts), ==, 2);
      g_assert_false (tp_cost_db_import (db, bad, strlen (bad), &n, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/cost-wholes/put", test_put },
    { "/cost-wholes/sittings", test_sittings },
    { "/cost-wholes/renewed", test_renewed },
    { "/cost-wholes/exchange", test_exchange },
    { "/cost-wholes/import-older", test_import_older },
    { "/cost-wholes/import-bad", test_import_bad },
  };

  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test,
                tear_down);
  return g_test_run ();
}
