/* test-whole.c: what a plan took corrects what plans to come are said to take.
 * The table is made by hand: no device is opened, and nothing runs. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "api/road.h"
#include "api/whole.h"
#include "calib/columns.h"
#include "calib/facts.h"
#include "calib/keys.h"
#include "tests/set-text.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder, *table_path;
} Fixture;

static const char *const devices[] = { "cpu", "ref", NULL };

/* y = tanh (relu (x + x)), of @width columns */
static TplanGraph *
load_graph (const Fixture *fixture, int width)
{
  g_autofree char *path = g_build_filename (fixture->folder, "g.json", NULL);
  g_autofree char *text = g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"name\": \"net\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, %d]}], \"outputs\": [\"y\"],"
      " \"ops\": ["
      "  {\"name\": \"sum\", \"type\": \"Add\", \"inputs\": [\"x\", \"x\"],"
      "   \"outputs\": [\"a\"]},"
      "  {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": [\"a\"],"
      "   \"outputs\": [\"y\"]}]}", width);
  g_autoptr (GError) error = NULL;
  TplanGraph *graph;

  g_file_set_contents (path, text, -1, NULL);
  graph = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  g_remove (path);
  return graph;
}

static gint64
put_device (TpCostDb *db, const char *name)
{
  g_autoptr (TpDeviceRow) row = tp_device_row_new ();
  g_autofree char *facts = tp_facts_gather (name, 1);

  set_text (&row->name, name);
  set_text (&row->identity, "made up");
  set_text (&row->facts, facts);
  row->is_host = TRUE;
  row->peak_gflops = 100;
  row->bandwidth_gbps = 10;
  row->full_points = 1;
  g_assert_true (tp_cost_db_put_device (db, row, NULL));
  return row->id;
}

/* Every kernel takes a millisecond, or @time_ns. */
static void
measure (TpCostDb *db, gint64 device, const TplanGraph *graph, gint64 time_ns)
{
  g_autoptr (TpKeys) keys
      = tp_keys_new (tp_api_get_graph (graph), NULL, FALSE);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_entry_row_free);

  for (int i = 0; i < keys->n; i++)
    {
      TpEntryRow *row = tp_entry_row_new ();

      set_text (&row->digest, keys->keys[i].digest);
      set_text (&row->dtype, keys->keys[i].dtype);
      set_text (&row->schedule, "maps");
      row->device = device;
      row->stats = (TpStats){ 9, time_ns, time_ns, 1, time_ns / 50 };
      g_ptr_array_add (rows, row);
    }
  g_assert_true (tp_cost_db_put_entries (db, rows->pdata, rows->len, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpCostDb) db = NULL;
  gint64 cpu, ref;

  fixture->folder = g_dir_make_tmp ("tplan-whole-XXXXXX", NULL);
  fixture->table_path = g_build_filename (fixture->folder, "cost.db", NULL);
  db = tp_cost_db_open (fixture->table_path, FALSE, &error);
  g_assert_no_error (error);
  cpu = put_device (db, "cpu");
  ref = put_device (db, "ref");
  for (int width = 64; width <= 256; width *= 2)
    {
      g_autoptr (TplanGraph) graph = load_graph (fixture, width);

      measure (db, cpu, graph, 1000000);
      measure (db, ref, graph, 1150000);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_remove (fixture->table_path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->table_path);
  g_free (fixture->folder);
}

static TplanPlan *
make_plan (const Fixture *fixture, int width, gboolean is_exact)
{
  const TpRoadOptions options = { .is_exact = is_exact,
                                  .no_fuse = (const char *const[]){
                                      "epilogue", "prologue", "pointwise",
                                      NULL } };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = load_graph (fixture, width);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, devices, 1, &error);
  TplanPlan *plan = tp_road_plan (graph, costs, &options, NULL, &error);

  g_assert_no_error (error);
  return plan;
}

static gboolean
keep (const Fixture *fixture, const TplanPlan *plan, double times)
{
  TpWholeTime time = { .n = 50, .n_threads = 1 };
  g_autoptr (GError) error = NULL;
  gboolean is_kept;

  time.median_ns
      = (gint64) (times * (double) tplan_plan_get_cost_ns (plan));
  time.half_ns = time.median_ns / 100;
  tp_api_keep_whole (plan, fixture->table_path, &time, &is_kept, &error);
  g_assert_no_error (error);
  return is_kept;
}

static double
get_width (const TplanPlan *plan)
{
  gint64 low, high;

  g_assert_true (tplan_plan_get_interval_ns (plan, &low, &high));
  g_assert_cmpint (low, <=, tplan_plan_get_cost_ns (plan));
  g_assert_cmpint (high, >=, tplan_plan_get_cost_ns (plan));
  return (double) (high - low) / (double) tplan_plan_get_cost_ns (plan);
}

static void
expect_valid (const Fixture *fixture, const TplanPlan *plan)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  tp_api_check_plan (plan, reasons);
  tp_api_check_table (plan, fixture->table_path, reasons, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < reasons->len; i++)
    g_test_message ("%s", (const char *) reasons->pdata[i]);
  g_assert_cmpuint (reasons->len, ==, 0);
}

/* The plan that ran is told nearly as it took, and surer; others by less;
 * --exact is as it was. */
static void
test_nearer (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) first = make_plan (fixture, 64, FALSE);
  g_autoptr (TplanPlan) other = make_plan (fixture, 128, FALSE);
  g_autoptr (TplanPlan) again = NULL, other_again = NULL, exact = NULL;
  double before = tplan_plan_get_cost_ns (first), ratio, other_ratio;

  g_assert_cmpfloat (before, ==, 2000000);
  g_assert_true (keep (fixture, first, 1.1));
  again = make_plan (fixture, 64, FALSE);
  other_again = make_plan (fixture, 128, FALSE);
  exact = make_plan (fixture, 64, TRUE);
  ratio = tplan_plan_get_cost_ns (again) / before;
  other_ratio = tplan_plan_get_cost_ns (other_again) / before;
  g_assert_cmpfloat (ratio, >, 1.08);
  g_assert_cmpfloat (ratio, <, 1.1);
  g_assert_cmpfloat (other_ratio, >, 1.005);
  g_assert_cmpfloat (other_ratio, <, 1.06);
  g_assert_cmpfloat (get_width (again), <, get_width (first) / 2);
  g_assert_cmpfloat (get_width (other_again), <=, get_width (other) * 1.05);
  g_assert_cmpint (tplan_plan_get_cost_ns (exact), ==, 2000000);
}

/* Plans made before and after a whole agree with the table. */
static void
test_table (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) first = make_plan (fixture, 64, FALSE);
  g_autoptr (TplanPlan) second = NULL, third = NULL, exact = NULL;

  g_assert_true (keep (fixture, first, 1.1));
  second = make_plan (fixture, 64, FALSE);
  g_assert_true (keep (fixture, second, 1.2));
  third = make_plan (fixture, 128, FALSE);
  exact = make_plan (fixture, 64, TRUE);
  expect_valid (fixture, first);
  expect_valid (fixture, second);
  expect_valid (fixture, third);
  expect_valid (fixture, exact);
}

/* What is told of a corrected plan is to what was measured, not to what was
 * corrected: the same time says the same again. */
static void
test_no_drift (Fixture *fixture, gconstpointer data)
{
  double last = 0;

  for (int i = 0; i < 4; i++)
    {
      g_autoptr (TplanPlan) plan = make_plan (fixture, 64, FALSE);
      double cost = tplan_plan_get_cost_ns (plan);

      g_assert_true (keep (fixture, plan, 2200000 / cost));
      g_assert_cmpfloat (cost, >, last);
      g_assert_cmpfloat (cost, <, 2200000);
      last = cost;
    }
}

/* A device that took longer than was said loses ops to one that did not. */
static void
test_choice (Fixture *fixture, gconstpointer data)
{
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (TplanPlan) plan = make_plan (fixture, 64, FALSE);

      g_assert_cmpstr (tplan_plan_find_device (plan, "sum"), ==,
                       i == 0 ? "cpu" : "ref");
      if (i == 0)
        g_assert_true (keep (fixture, plan, 1.4));
    }
}

/* Nothing is known of figures of another number of threads, or of none. */
static void
test_not_kept (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, 64, FALSE);
  g_autofree char *other = g_build_filename (fixture->folder, "b.db", NULL);
  TpWholeTime time = { 2200000, 1000, 50, 7 };
  gboolean is_kept = TRUE;

  g_assert_true (
      tp_api_keep_whole (plan, fixture->table_path, &time, &is_kept, NULL));
  g_assert_false (is_kept);
  time.n_threads = 1;
  g_assert_true (tp_api_keep_whole (plan, other, &time, &is_kept, NULL));
  g_assert_false (is_kept);
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
}

/* Of a kernel built otherwise than the one in the table. */
static void
test_other_schedule (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, 64, FALSE);
  TpPlacement *it = &((TpPlan *) tp_api_get_plan (plan))->placements[0];

  set_text (&it->schedule, "maps lanes=3");
  g_assert_false (keep (fixture, plan, 1.1));
}

/* A plan that was made elsewhere, for ten times the time: what its kernels take here is
 * kept beside what the table says of them here. */
static void
test_made_elsewhere (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, 64, FALSE), again = NULL;
  TpPlan *inner = (TpPlan *) tp_api_get_plan (plan);

  set_text (&inner->origin.facts[0], "cpu=Another 1 2 3\nthreads=1\n");
  for (int i = 0; i < inner->n_placements; i++)
    inner->placements[i].time_ns *= 10;
  inner->cost_ns *= 10;
  g_assert_true (keep (fixture, plan, 0.11));
  again = make_plan (fixture, 64, FALSE);
  g_assert_cmpint (tplan_plan_get_cost_ns (again), >, 2160000);
  g_assert_cmpint (tplan_plan_get_cost_ns (again), <, 2200000);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/whole/nearer", test_nearer },
    { "/whole/table", test_table },
    { "/whole/no-drift", test_no_drift },
    { "/whole/choice", test_choice },
    { "/whole/not-kept", test_not_kept },
    { "/whole/other-schedule", test_other_schedule },
    { "/whole/made-elsewhere", test_made_elsewhere },
  };

  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test,
                tear_down);
  return g_test_run ();
}
