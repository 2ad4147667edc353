/* test-pace.c: schedules whose engines slow each other: against times worked out by
 * hand, against real numbers, and against the same without. */
#include "config.h"

#include "chain-case.h"
#include "ir/interference.h"
#include "place-case.h"
#include "planner/span-tasks.h"

#include <math.h>
#include <string.h>

#define N_ENGINES TP_LOAD_MAX_ENGINES

/* ---- how fast -------------------------------------------------------------- */

static void
expect_speeds (const int *speeds, const char *busy, const char *expected)
{
  gboolean is_busy[3];
  int out[3];
  g_autofree char *text = NULL;

  for (int e = 0; e < 3; e++)
    is_busy[e] = busy[e] == '1';
  tp_speeds_find (speeds, 3, is_busy, out);
  text = g_strdup_printf ("%d %d %d", out[0], out[1], out[2]);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_speeds (void)
{
  static const int speeds[]
      = { 1000, 900, 500, 800, 1000, 1000, 250, 1000, 1000 };
  static const int slow[] = { 1000, 1, 1, 1, 1000, 3, 1, 1, 1000 };

  expect_speeds (speeds, "000", "0 0 0");
  expect_speeds (speeds, "100", "1000 0 0");
  expect_speeds (speeds, "110", "900 800 0");
  expect_speeds (speeds, "111", "450 800 250");
  expect_speeds (speeds, "101", "667 0 334"); /* 500 and 250 do less than one */
  expect_speeds (slow, "011", "0 750 250");
  expect_speeds (slow, "111", "334 334 334"); /* each is rounded down to 0 */
}

/* ---- schedules ------------------------------------------------------------- */

static TpSpanProof *
schedule (const TpTestCase *test, const guint8 *devices)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (problem, devices);
  gint64 span_ns = tp_span_tasks_schedule (tasks);
  TpSpanProof *proof = tp_span_tasks_dup_proof (tasks);

  g_assert_cmpint (proof->span_ns, ==, span_ns);
  return proof;
}

/* Somewhere each; NULL: this time some op may not be there. */
static guint8 *
dup_devices (const TpTestCase *test)
{
  int n = test->graph->n_nodes;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);
  gint64 loads[N_ENGINES];

  for (int i = 0; i < n; i++)
    devices[i] = (guint8) g_test_rand_int_range (0, test->costs->n_devices);
  return tp_test_case_loads (test, devices, loads) ? g_steal_pointer (&devices)
                                                   : NULL;
}

static void
fill_speeds (TpTestCase *test, int speed)
{
  int n = 3 * test->costs->n_devices;

  test->costs->speeds = g_new (int, n * n);
  for (int i = 0; i < n * n; i++)
    test->costs->speeds[i] = i % (n + 1) == 0 ? TP_SPEED_ALONE : speed;
}

/* Where all go on as if alone, all is as it was. */
static void
test_undisturbed (void)
{
  int n_done = 0;

  for (int round = 0; round < 2000; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (12);
      g_autofree guint8 *devices = dup_devices (test);
      g_autoptr (TpSpanProof) before = NULL, after = NULL;
      gsize n_ops, n_copies;

      if (devices == NULL)
        continue;
      n_done++;
      before = schedule (test, devices);
      n_ops = sizeof (gint64) * before->n_nodes;
      n_copies = sizeof (gint64) * before->n_transfers;
      fill_speeds (test, TP_SPEED_ALONE);
      after = schedule (test, devices);
      g_assert_cmpint (before->span_ns, ==, after->span_ns);
      g_assert_null (before->ends);
      g_assert_cmpmem (before->starts, n_ops, after->starts, n_ops);
      g_assert_cmpmem (before->fetch_starts, n_copies, after->fetch_starts,
                       n_copies);
      g_assert_cmpmem (before->feed_starts, n_copies, after->feed_starts,
                       n_copies);
    }
  g_assert_cmpint (n_done, >, 100);
}

/* Taking turns is no better than what they do, however much they slow each other. */
static void
test_no_worse (void)
{
  int n_done = 0;

  for (int round = 0; round < 2000; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (12);
      g_autofree guint8 *devices = dup_devices (test);
      g_autoptr (TpSpanProof) after = NULL;
      gint64 loads[N_ENGINES], sum = 0, most = 0;

      if (devices == NULL)
        continue;
      n_done++;
      g_assert_true (tp_test_case_loads (test, devices, loads));
      for (int e = 0; e < 3 * test->costs->n_devices; e++)
        {
          sum += loads[e];
          most = MAX (most, loads[e]);
        }
      if (round % 2)
        tp_test_case_slow (test);
      else
        fill_speeds (test, 1);
      after = schedule (test, devices);
      g_assert_cmpint (after->span_ns, <=, sum);
      g_assert_cmpint (after->span_ns, >=, most);
    }
  g_assert_cmpint (n_done, >, 100);
}

/* ---- against real numbers --------------------------------------------------- */

typedef struct
{
  int n, n_engines;
  double starts[64], ends[64], alone[64];
  int engines[64];
} Told;

static void
tell (Told *told, int engine, gint64 start, gint64 end, gint64 alone)
{
  if (alone == 0)
    return;
  g_assert_cmpint (told->n, <, 64);
  told->engines[told->n] = engine;
  told->starts[told->n] = start;
  told->ends[told->n] = end;
  told->alone[told->n++] = alone;
}

static void
tell_all (Told *told, const TpPlan *plan)
{
  const TpSpanProof *proof = plan->span_proof;
  int n = plan->n_devices;

  told->n_engines = 3 * n;
  for (int i = 0; i < proof->n_nodes; i++)
    tell (told, plan->placements[i].device, proof->starts[i], proof->ends[i],
          plan->placements[i].time_ns);
  for (int i = 0; i < proof->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      if (proof->fetch_starts[i] >= 0)
        tell (told, 2 * n + it->from, proof->fetch_starts[i],
              proof->fetch_ends[i],
              tp_costs_fetch (plan->costs, it->tensor, it->from)->time_ns);
      if (proof->feed_starts[i] >= 0)
        tell (told, n + it->to, proof->feed_starts[i], proof->feed_ends[i],
              tp_costs_feed (plan->costs, it->tensor, it->to)->time_ns);
    }
}

/* How much of a nanosecond alone @task does beside what works at @now. */
static double
find_pace (const Told *told, const int *speeds, int task, double now)
{
  double paces[64], sum = 0;

  for (int i = 0; i < told->n; i++)
    {
      paces[i] = told->starts[i] <= now && now < told->ends[i];
      for (int k = 0; k < told->n && paces[i] > 0; k++)
        if (k != i && told->starts[k] <= now && now < told->ends[k])
          paces[i] *= speeds[told->engines[i] * told->n_engines
                             + told->engines[k]]
                      / 1000.0;
      sum += paces[i];
    }
  return paces[task] / MIN (sum, 1);
}

static void
expect_done (const Told *told, const int *speeds, int task)
{
  double done = 0, long_ns = told->ends[task] - told->starts[task];

  for (double now = told->starts[task]; now < told->ends[task]; now++)
    done += find_pace (told, speeds, task, now + 0.5);
  /* thousandths are rounded down, and then up */
  g_assert_cmpfloat (fabs (done - told->alone[task]), <=, 1 + 0.01 * long_ns);
}

/* Times of the test's graphs are of tens of nanoseconds: they are gone through one by
 * one. */
static void
test_real_numbers (void)
{
  int n_slowed = 0;

  for (int round = 0; round < 200; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (9);
      g_autoptr (TpPlan) plan = NULL;
      Told told = { 0 };

      fill_speeds (test, g_test_rand_int_range (300, 1000));
      tp_costs_seal (test->costs);
      plan = tp_test_place (test, "makespan");
      tell_all (&told, plan);
      for (int i = 0; i < told.n; i++)
        {
          n_slowed += told.ends[i] - told.starts[i] > told.alone[i];
          expect_done (&told, test->costs->speeds, i);
        }
    }
  g_test_message ("%d are slowed", n_slowed);
  g_assert_cmpint (n_slowed, >, 20);
}

/* ---- plans ------------------------------------------------------------------ */

/* The checker takes them, and the bound is that of engines that do not slow each
 * other: or one that was found by dearer schedules, which no run goes below either. */
static void
test_plans (void)
{
  for (int round = 0; round < 200; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (12);
      g_autoptr (TpPlan) before = NULL, plan = NULL;

      test->costs->is_same_silicon = round % 10 == 0;
      test->costs->has_own_processors = round % 20 == 0;
      tp_costs_seal (test->costs);
      before = tp_test_place (test, "makespan");
      tp_test_case_slow (test);
      plan = tp_test_place (test, "makespan");
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (plan->bound_ns, ==, before->bound_ns);
      g_assert_cmpint (plan->span_proof->bound_ns, <=, before->span_proof->span_ns);
      g_assert_cmpint (plan->span_proof->span_ns, <=, plan->cost_ns);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/speeds", test_speeds);
  g_test_add_func ("/pace/undisturbed", test_undisturbed);
  g_test_add_func ("/pace/no-worse", test_no_worse);
  g_test_add_func ("/pace/real-numbers", test_real_numbers);
  g_test_add_func ("/pace/plans", test_plans);
  return g_test_run ();
}
