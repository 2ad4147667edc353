/* test-watch.c: calls that are followed, and stopped; options of planning. */
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <tplan.h>

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
      " \"shape\": [64]}], \"outputs\": [\"y\"], \"ops\": ["
      " {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": [\"x\"],"
      "  \"outputs\": [\"s\"]}, {\"name\": \"sum\", \"type\": \"Add\","
      "  \"inputs\": [\"s\", \"x\"], \"outputs\": [\"y\"]}]}";

typedef struct
{
  char *folder, *table;
  TplanGraph *graph;
  TplanCosts *costs;
} Fixture;

typedef struct
{
  int n_calls, n_lines;
  int stop_at;                /* the call that says so; 0: none */
  int last;
  gboolean has_returned;
} Follower;

static gboolean
take_progress (const TplanProgress *progress, gpointer user_data)
{
  Follower *follower = user_data;

  g_assert_false (follower->has_returned);
  g_assert_nonnull (progress->what);
  g_assert_cmpint (progress->left_ns, >=, 0);
  if (progress->n_total > 0)
    {
      g_assert_cmpint (progress->n_done, >=, follower->last);
      g_assert_cmpint (progress->n_done, <=, progress->n_total);
      follower->last = progress->n_done;
    }
  return ++follower->n_calls != follower->stop_at;
}

static void
take_line (const char *text, gpointer user_data)
{
  Follower *follower = user_data;

  g_assert_false (follower->has_returned);
  g_assert_cmpint (strlen (text), >, 0);
  g_assert_null (strchr (text, '\n'));
  follower->n_lines++;
}

static TplanWatch
follow (Follower *follower)
{
  return (TplanWatch){ .progress = take_progress,
                       .log = take_line,
                       .user_data = follower };
}

static void
set_up (Fixture *fixture, gconstpointer devices)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (model, strlen (model));
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-watch-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->table = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->graph = tplan_graph_new_from_bytes (bytes, NULL, &error);
  g_assert_no_error (error);
  fixture->costs = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  tplan_graph_free (fixture->graph);
  tplan_costs_close (fixture->costs);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->table);
  g_free (fixture->folder);
}

static TplanPlan *
optimize (Fixture *fixture, const TplanOptimizeOptions *options, int code)
{
  g_autoptr (GError) error = NULL;
  TplanPlan *plan = tplan_graph_optimize_full (fixture->graph, fixture->costs,
                                               options, &error);

  if (code < 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, TPLAN_ERROR, code);
  g_assert_true ((plan == NULL) == (error != NULL));
  return plan;
}

/* Calibrating tells of its steps; stopped at the first, it keeps what it has, and
 * the flag of the caller says so. */
static void
test_calibrate (Fixture *fixture, gconstpointer data)
{
  Follower follower = { .stop_at = 1 };
  volatile gint flag = 0;
  TplanCalibrateOptions options = { .watch = follow (&follower) };
  g_autoptr (GError) error = NULL;

  options.watch.cancelled = &flag;
  g_assert_false (tplan_costs_calibrate_full (fixture->costs, fixture->graph,
                                              &options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED);
  g_assert_cmpint (flag, ==, 1);
  follower.has_returned = TRUE;
  g_clear_error (&error);
  follower = (Follower){ 0 };
  flag = 0;
  g_assert_true (tplan_costs_calibrate_full (fixture->costs, fixture->graph,
                                             &options, &error));
  g_assert_no_error (error);
  g_assert_cmpint (follower.n_calls, >, 0);
  g_assert_cmpint (flag, ==, 0);
  follower.has_returned = TRUE;
  g_assert_true (
      tplan_costs_calibrate_full (fixture->costs, NULL, NULL, &error));
  g_assert_no_error (error);
}

/* Planning can be stopped at each stage there is. */
static void
test_optimize (Fixture *fixture, gconstpointer data)
{
  Follower follower = { 0 };
  TplanOptimizeOptions options = { .watch = follow (&follower) };
  TplanPlan *plan = optimize (fixture, &options, -1);
  int n = follower.n_calls;

  tplan_plan_free (plan);
  g_assert_cmpint (n, ==, 3);
  for (int i = 1; i <= n; i++)
    {
      follower = (Follower){ .stop_at = i };
      optimize (fixture, &options, TPLAN_ERROR_INTERRUPTED);
      g_assert_cmpint (follower.n_calls, ==, i);
    }
}

/* Steps that do ops; *out_most: how many one of them does. */
static int
count_kernels (const TplanPlan *plan, int *out_most)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = tplan_session_new (plan, 1, &error);
  const TplanStep *steps;
  int n, n_kernels = 0;

  g_assert_no_error (error);
  steps = tplan_session_get_steps (session, &n, &error);
  g_assert_no_error (error);
  *out_most = 0;
  for (int i = 0; i < n; i++)
    {
      n_kernels += steps[i].op != NULL;
      *out_most = MAX (*out_most, steps[i].n_ops);
    }
  return n_kernels;
}

/* What is left out fuses nothing; what is not known is refused by name. */
static void
test_options (Fixture *fixture, gconstpointer data)
{
  const char *const none[] = { "none", NULL };
  const char *const all[] = { "epilogue", "prologue", "pointwise", NULL };
  TplanOptimizeOptions options = { .no_fuse = none };
  g_autoptr (TplanPlan) fused = optimize (fixture, NULL, -1);
  g_autoptr (TplanPlan) apart = NULL;
  int most;

  optimize (fixture, &options, TPLAN_ERROR_USAGE);
  options = (TplanOptimizeOptions){ .objective = "beauty" };
  optimize (fixture, &options, TPLAN_ERROR_USAGE);
  options = (TplanOptimizeOptions){ .level = (TplanLevel) 7 };
  optimize (fixture, &options, TPLAN_ERROR_USAGE);
  options = (TplanOptimizeOptions){ .accuracy = (TplanAccuracy) 7 };
  optimize (fixture, &options, TPLAN_ERROR_USAGE);
  options = (TplanOptimizeOptions){ .no_fuse = all };
  apart = optimize (fixture, &options, -1);
  g_assert_cmpint (count_kernels (fused, &most), ==, 1);
  g_assert_cmpint (most, ==, 2);
  g_assert_cmpint (count_kernels (apart, &most), ==, 2);
  g_assert_cmpint (most, ==, 1);
}

/* Nothing is measured until it is asked for, then everything is. */
static void
test_level (Fixture *fixture, gconstpointer data)
{
  TplanOptimizeOptions options = { .needs_measured = TRUE };
  TplanPlan *plan = optimize (fixture, &options, TPLAN_ERROR_STALE);

  options.level = TPLAN_LEVEL_MEASURE;
  plan = optimize (fixture, &options, -1);
  g_assert_cmpint (tplan_plan_count_estimated (plan), ==, 0);
  tplan_plan_free (plan);
}

static int n_forks;

static void
count_fork (void)
{
  n_forks++;
}

/* Whether devices that were never measured are there is asked of their drivers, in a
 * child, where that is wanted; nobody forks who was not asked to. */
static void
test_drivers (Fixture *fixture, gconstpointer data)
{
  static const char *const devices[] = { "ref", "opencl:999", NULL };
  const TplanOptimizeOptions asking = { .asks_drivers = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table, devices, 1, NULL);
  g_autoptr (TplanPlan) plan = NULL, made_up = NULL;

  pthread_atfork (count_fork, NULL, NULL);
  made_up = optimize (fixture, &asking, -1);
  plan = tplan_graph_optimize (fixture->graph, costs, NULL, &error);
  g_assert_cmpint (n_forks, ==, 0);
  if (plan == NULL)
    {
      g_test_skip (error->message); /* built without OpenCL */
      return;
    }
  g_assert_null (
      tplan_graph_optimize_full (fixture->graph, costs, &asking, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "'opencl:999' is not in this"));
  g_assert_nonnull (strstr (error->message, "sim:PROFILE"));
  g_assert_cmpint (n_forks, >, 0);
}

int
main (int argc, char **argv)
{
  static const char *const ref[] = { "ref", NULL };
  static const char *const sim[] = { "sim:laptop-gpu", NULL };

  g_test_init (&argc, &argv, NULL);
  /* These fork: before there are threads. */
  g_test_add ("/watch/calibrate", Fixture, ref, set_up, test_calibrate,
              tear_down);
  g_test_add ("/watch/level", Fixture, ref, set_up, test_level, tear_down);
  g_test_add ("/watch/drivers", Fixture, sim, set_up, test_drivers, tear_down);
  g_test_add ("/watch/optimize", Fixture, sim, set_up, test_optimize,
              tear_down);
  g_test_add ("/watch/options", Fixture, sim, set_up, test_options, tear_down);
  return g_test_run ();
}
