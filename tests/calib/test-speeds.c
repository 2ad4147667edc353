/* test-speeds.c: how fast engines are beside each other, as rows of devices keep it. */
#include "config.h"

#include "calib/speeds.h"
#include "cost-rows.h"

#include <string.h>

#define N TP_SPEEDS_MAX_ENGINES

/* Each speed another; of an engine itself 1000. */
static void
fill (int *speeds, int first)
{
  for (int i = 0; i < TP_SPEEDS_N; i++)
    speeds[i] = i / N == i % N ? TP_SPEED_ALONE : first + i;
}

static void
test_found (void)
{
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:0", "two");
  g_autoptr (TpDeviceRow) newer = make_device ("cpu", "another compiler");
  int kept[TP_SPEEDS_N], found[TP_SPEEDS_N];

  fill (kept, 100);
  g_assert_false (tp_speeds_find_measured (cpu, card, found));
  tp_speeds_keep (card, cpu, kept);
  g_assert_true (tp_speeds_find_measured (cpu, card, found));
  g_assert_cmpmem (kept, sizeof kept, found, sizeof found);
  g_assert_false (tp_speeds_find_measured (newer, card, found));
  g_assert_null (tp_speeds_find_fault (card->speeds));
}

/* Whoever is named first. */
static void
test_swapped (void)
{
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:0", "two");
  int kept[TP_SPEEDS_N], found[TP_SPEEDS_N];
  const int cpu_kernels = 0, card_kernels = 1, to_card = 3;

  fill (kept, 100);
  tp_speeds_keep (card, cpu, kept);
  g_assert_true (tp_speeds_find_measured (card, cpu, found));
  /* the card is the first now: its kernels are 0, copies to it 2 */
  g_assert_cmpint (found[0 * N + 1], ==, kept[card_kernels * N + cpu_kernels]);
  g_assert_cmpint (found[1 * N + 2], ==, kept[cpu_kernels * N + to_card]);
  g_assert_cmpint (found[2 * N + 0], ==, kept[to_card * N + card_kernels]);
}

/* Of one other device only the last counts; those of others stay. */
static void
test_replaced (void)
{
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) first = make_device ("opencl:1", "three");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:10", "two");
  int a[TP_SPEEDS_N], b[TP_SPEEDS_N], found[TP_SPEEDS_N];
  g_autofree char *other = NULL, *none = NULL;

  fill (a, 100);
  fill (b, 300);
  tp_speeds_keep (card, cpu, a);
  tp_speeds_keep (card, first, a);
  tp_speeds_keep (card, cpu, b);
  g_assert_true (tp_speeds_find_measured (cpu, card, found));
  g_assert_cmpmem (b, sizeof b, found, sizeof found);
  g_assert_true (tp_speeds_find_measured (first, card, found));
  g_assert_cmpmem (a, sizeof a, found, sizeof found);
  other = tp_speeds_dup_other (card, 1, found);
  g_assert_cmpstr (other, ==, "cpu");
  none = tp_speeds_dup_other (card, 2, found);
  g_assert_null (none);
}

static void
test_faults (void)
{
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:0", "two");
  int speeds[TP_SPEEDS_N], found[TP_SPEEDS_N];
  g_autofree char *shorter = NULL;

  fill (speeds, 100);
  tp_speeds_keep (card, cpu, speeds);
  shorter = g_strndup (card->speeds, strlen (card->speeds) - 4);
  speeds[1] = 0;
  for (int i = 0; i < 5; i++)
    {
      g_autofree char *fault = NULL;

      if (i == 1)
        speeds[1] = TP_SPEED_ALONE + 1;
      if (i == 2)
        speeds[1] = 1, speeds[N + 1] = 999;
      tp_speeds_keep (card, cpu, speeds);
      if (i >= 3)
        set_text (&card->speeds, i == 3 ? shorter : "cpu");
      fault = tp_speeds_find_fault (card->speeds);
      g_assert_nonnull (fault);
      g_assert_false (tp_speeds_find_measured (cpu, card, found));
    }
}

/* Two that a driver does not survive are settled, and nothing is known of them. */
static void
test_failed (void)
{
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:0", "two");
  g_autoptr (TpDeviceRow) newer = make_device ("cpu", "another compiler");
  g_autofree char *other = NULL;
  int found[TP_SPEEDS_N];

  g_assert_false (tp_speeds_are_settled (cpu, card));
  tp_speeds_keep (card, cpu, NULL);
  g_assert_true (tp_speeds_are_settled (cpu, card));
  g_assert_true (tp_speeds_are_settled (card, cpu));
  g_assert_false (tp_speeds_are_settled (newer, card));
  g_assert_false (tp_speeds_find_measured (cpu, card, found));
  other = tp_speeds_dup_other (card, 0, found);
  g_assert_null (other);
  g_assert_null (tp_speeds_find_fault (card->speeds));
}

/* A row that is stored again without keeps those it has; one that nobody can have
 * measured is not stored. */
static void
test_stored (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCostDb) db = open_table (fixture->path, FALSE);
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:0", "two");
  g_autoptr (TpDeviceRow) again = make_device ("opencl:0", "two");
  g_autoptr (GPtrArray) rows = NULL;
  int speeds[TP_SPEEDS_N], found[TP_SPEEDS_N];

  fill (speeds, 100);
  tp_speeds_keep (card, cpu, speeds);
  g_assert_true (tp_cost_db_put_device (db, card, NULL));
  g_assert_true (tp_cost_db_put_device (db, again, NULL));
  rows = tp_cost_db_list_devices (db, "opencl:0", NULL);
  g_assert_cmpint (rows->len, ==, 1);
  g_assert_true (tp_speeds_find_measured (cpu, rows->pdata[0], found));
  g_assert_cmpmem (speeds, sizeof speeds, found, sizeof found);
}

/* Among three devices each two have theirs; the others are as alone. */
static void
test_costs (void)
{
  static const char *const names[] = { "cpu", "opencl:0", "opencl:1", NULL };
  const TpCostRows none = { 0, 0, 0 };
  g_autoptr (TpCosts) costs = tp_costs_new_sized (3, names, &none);
  g_autoptr (TpDeviceRow) cpu = make_device ("cpu", "one");
  g_autoptr (TpDeviceRow) card = make_device ("opencl:1", "two");
  TpDeviceRow *rows[] = { cpu, NULL, card };
  int speeds[TP_SPEEDS_N], n = 9;

  tp_speeds_fill (costs, rows);
  g_assert_null (costs->speeds);
  fill (speeds, 100);
  tp_speeds_keep (card, cpu, speeds);
  tp_speeds_fill (costs, rows);
  g_assert_cmpint (costs->speeds[0 * n + 2], ==, speeds[0 * N + 1]);
  g_assert_cmpint (costs->speeds[5 * n + 0], ==, speeds[3 * N + 0]);
  g_assert_cmpint (costs->speeds[8 * n + 5], ==, speeds[5 * N + 3]);
  for (int e = 0; e < n; e++)
    g_assert_cmpint (costs->speeds[e * n + 1], ==, TP_SPEED_ALONE);
}

int
main (int argc, char **argv)
{
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/speeds/found", test_found);
  g_test_add_func ("/speeds/swapped", test_swapped);
  g_test_add_func ("/speeds/replaced", test_replaced);
  g_test_add_func ("/speeds/faults", test_faults);
  g_test_add_func ("/speeds/failed", test_failed);
  g_test_add ("/speeds/stored", Fixture, NULL, set_up, test_stored, tear_down);
  g_test_add_func ("/speeds/costs", test_costs);
  return g_test_run ();
}
