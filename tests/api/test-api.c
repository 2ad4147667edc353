/* test-api.c: the public calls, against the shared library alone. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <tplan.h>
#include <unistd.h>

#define WIDTH 8
#define ROWS 3

typedef struct
{
  char *folder;
  char *graph_path, *plan_path, *table_path;
} Fixture;

static const char *const on_ref[] = { "ref", NULL };

/* y = relu (x + x * x), z = tanh (y) over N rows. */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [\"N\", 8]}], \"outputs\": [\"y\", \"z\"],"
      " \"ops\": ["
      "  {\"name\": \"square\", \"type\": \"Mul\", \"inputs\": [\"x\", \"x\"],"
      "   \"outputs\": [\"s\"]},"
      "  {\"name\": \"sum\", \"type\": \"Add\", \"inputs\": [\"x\", \"s\"],"
      "   \"outputs\": [\"a\"]},"
      "  {\"name\": \"relu\", \"type\": \"Relu\", \"inputs\": [\"a\"],"
      "   \"outputs\": [\"y\"]},"
      "  {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": [\"y\"],"
      "   \"outputs\": [\"z\"]}]}";

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-api-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->graph_path = g_build_filename (fixture->folder, "g.json", NULL);
  fixture->plan_path = g_build_filename (fixture->folder, "p.json", NULL);
  fixture->table_path = g_build_filename (fixture->folder, "cost.db", NULL);
  g_file_set_contents (fixture->graph_path, model, -1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *journal
      = g_strconcat (fixture->table_path, "-journal", NULL);

  g_remove (fixture->graph_path);
  g_remove (fixture->plan_path);
  g_remove (fixture->table_path);
  g_remove (journal);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->graph_path);
  g_free (fixture->plan_path);
  g_free (fixture->table_path);
  g_free (fixture->folder);
}

static TplanGraph *
load_graph (Fixture *fixture)
{
  const TplanDim dims[] = { { "N", ROWS }, { NULL, 0 } };
  g_autoptr (GError) error = NULL;
  TplanGraph *graph = tplan_graph_load (fixture->graph_path, dims, &error);

  g_assert_no_error (error);
  return graph;
}

/* NULL and a test skipped when tplan was built without the kind of device. */
static TplanPlan *
make_plan (Fixture *fixture, const char *const *devices,
           const char *const *pins)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = load_graph (fixture);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, devices, 1, &error);
  TplanPlan *plan = costs == NULL ? NULL
                                  : tplan_graph_optimize (graph, costs, pins,
                                                          &error);

  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    {
      g_test_skip (error->message);
      return NULL;
    }
  g_assert_no_error (error);
  g_assert_true (tplan_plan_check (plan, &error));
  g_assert_no_error (error);
  return plan;
}

static void
run_and_compare (TplanSession *session, float shift)
{
  float x[ROWS * WIDTH], y[ROWS * WIDTH], z[ROWS * WIDTH];
  const void *inputs[] = { x };
  void *outputs[] = { y, z };
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < ROWS * WIDTH; i++)
    x[i] = 0.25f * i - shift;
  memset (y, 0xff, sizeof y);
  memset (z, 0xff, sizeof z);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  g_assert_cmpint (tplan_session_get_time_ns (session), >, 0);
  for (int i = 0; i < ROWS * WIDTH; i++)
    {
      double expected = fmax (x[i] + (double) x[i] * x[i], 0);

      g_assert_cmpfloat_with_epsilon (y[i], expected, 1e-6 * (1 + expected));
      g_assert_cmpfloat_with_epsilon (z[i], tanh (expected), 1e-6);
    }
}

/* ---- graphs ------------------------------------------------------------- */

static void
test_graph (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanGraph) graph = load_graph (fixture);
  const TplanTensor *tensors;
  const char *const *ops;
  int n = 0;

  g_assert_cmpstr (tplan_dtype_get_name (TPLAN_DTYPE_UINT8), ==, "uint8");
  g_assert_null (tplan_dtype_get_name ((TplanDtype) 1000));
  tensors = tplan_graph_get_inputs (graph, &n);
  g_assert_cmpint (n, ==, 1);
  g_assert_cmpstr (tensors[0].name, ==, "x");
  g_assert_cmpint (tensors[0].dtype, ==, TPLAN_DTYPE_FLOAT32);
  g_assert_cmpint (tensors[0].rank, ==, 2);
  g_assert_cmpint (tensors[0].dims[0], ==, ROWS);
  g_assert_cmpint (tensors[0].dims[1], ==, WIDTH);
  g_assert_cmpint (tensors[0].size_bytes, ==, 4 * ROWS * WIDTH);
  tensors = tplan_graph_get_outputs (graph, &n);
  g_assert_cmpint (n, ==, 2);
  g_assert_cmpstr (tensors[0].name, ==, "y");
  g_assert_cmpstr (tensors[1].name, ==, "z");
  ops = tplan_graph_get_ops (graph, &n);
  g_assert_cmpint (n, ==, 4);
  g_assert_cmpstr (ops[0], ==, "square");
  g_assert_null (ops[4]);
}

static void
expect_no_graph (const char *path, const TplanDim *dims, int code,
                 const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tplan_graph_load (path, dims, &error));
  g_assert_error (error, TPLAN_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_graph_errors (Fixture *fixture, gconstpointer data)
{
  const TplanDim zero[] = { { "N", 0 }, { NULL, 0 } };
  const TplanDim unknown[] = { { "N", 1 }, { "M", 1 }, { NULL, 0 } };
  const char *path = fixture->graph_path;
  g_autofree char *opaque = g_strdup (model);

  expect_no_graph (fixture->plan_path, NULL, TPLAN_ERROR_INPUT, "p.json");
  expect_no_graph (path, NULL, TPLAN_ERROR_INPUT, "'N'");
  expect_no_graph (path, zero, TPLAN_ERROR_INPUT, "dimension is 0");
  expect_no_graph (path, unknown, TPLAN_ERROR_USAGE, "'M'");
  memcpy (strstr (opaque, "Tanh"), "Tahn", 4);
  g_assert_true (g_file_set_contents (path, opaque, -1, NULL));
  expect_no_graph (path, unknown, TPLAN_ERROR_UNSUPPORTED, "Tahn");
  g_assert_true (g_file_set_contents (path, model, 40, NULL));
  expect_no_graph (path, unknown, TPLAN_ERROR_INPUT, "g.json");
}

/* A model whose weights are a link is read on request only; a limit holds, or
 * is raised. */
static void
test_graph_options (Fixture *fixture, gconstpointer data)
{
  static const char linked[]
      = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
        " \"shape\": [2]}], \"outputs\": [\"y\"], \"initializers\":"
        " [{\"name\": \"w\", \"file\": \"w.npy\"}], \"ops\": [{\"type\":"
        " \"Add\", \"inputs\": [\"x\", \"w\"], \"outputs\": [\"y\"]}]}";
  g_autofree char *real = g_build_filename (fixture->folder, "real", NULL);
  g_autofree char *link = g_build_filename (fixture->folder, "w.npy", NULL);
  g_autofree char *header = g_strdup_printf (
      "%-117s\n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
  g_autofree char *npy
      = g_strdup_printf ("%s%s%s", "\x93NUMPY\x01?v?", header, "abcdefgh");
  const TplanDim few[] = { { "nodes", 3 }, { NULL, 0 } };
  const TplanDim none[] = { { "nodos", 3 }, { NULL, 0 } };
  const TplanDim rows[] = { { "N", ROWS }, { NULL, 0 } };
  const TplanLoadOptions follow = { .follow_links = TRUE };
  const TplanLoadOptions small = { .dims = rows, .limits = few };
  const TplanLoadOptions wrong = { .limits = none };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = NULL;

  npy[7] = npy[9] = 0;
  g_assert_null (tplan_graph_load_full (fixture->graph_path, &small, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  g_clear_error (&error);
  g_assert_null (tplan_graph_load_full (fixture->graph_path, &wrong, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (real, npy, 10 + 118 + 8, NULL));
  g_assert_cmpint (symlink ("real", link), ==, 0);
  g_assert_true (g_file_set_contents (fixture->graph_path, linked, -1, NULL));
  expect_no_graph (fixture->graph_path, NULL, TPLAN_ERROR_INPUT, "w.npy");
  graph = tplan_graph_load_full (fixture->graph_path, &follow, &error);
  g_assert_no_error (error);
  g_assert_nonnull (graph);
  g_remove (link);
  g_remove (real);
}

/* An Identity goes, unless its pass is left out. */
static void
test_no_pass (Fixture *fixture, gconstpointer data)
{
  const char *const names[] = { "identity", NULL };
  const char *const bad[] = { "identity", "frobnicate", NULL };
  const TplanDim rows[] = { { "N", ROWS }, { NULL, 0 } };
  const TplanLoadOptions all = { .dims = rows };
  const TplanLoadOptions some = { .dims = rows, .no_pass = names };
  const TplanLoadOptions wrong = { .dims = rows, .no_pass = bad };
  g_auto (GStrv) parts = g_strsplit (model, "Relu", -1);
  g_autofree char *text = g_strjoinv ("Identity", parts);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) without = NULL, with = NULL;
  int n;

  g_assert_true (g_file_set_contents (fixture->graph_path, text, -1, NULL));
  with = tplan_graph_load_full (fixture->graph_path, &all, &error);
  g_assert_no_error (error);
  tplan_graph_get_ops (with, &n);
  g_assert_cmpint (n, ==, 3);
  without = tplan_graph_load_full (fixture->graph_path, &some, &error);
  g_assert_no_error (error);
  tplan_graph_get_ops (without, &n);
  g_assert_cmpint (n, ==, 4);
  g_assert_null (tplan_graph_load_full (fixture->graph_path, &wrong, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_assert_nonnull (strstr (error->message, "'frobnicate'"));
}

/* ---- costs and plans ---------------------------------------------------- */

static void
expect_no_costs (const char *path, const char *const *devices, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tplan_costs_open (path, devices, 0, &error));
  g_assert_error (error, TPLAN_ERROR, code);
}

static void
expect_no_plan (Fixture *fixture, const char *const *devices, const char *pin,
                int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = load_graph (fixture);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, devices, 0, &error);
  const char *const pins[] = { pin, NULL };

  g_assert_no_error (error);
  g_assert_null (tplan_graph_optimize (graph, costs, pins, &error));
  g_assert_error (error, TPLAN_ERROR, code);
}

static void
test_optimize_errors (Fixture *fixture, gconstpointer data)
{
  const char *const nothing[] = { NULL };
  const char *const twice[] = { "ref", "ref", NULL };
  const char *const unknown[] = { "abacus", NULL };
  const char *const profile[] = { "ref", "sim:nonsense", NULL };

  expect_no_costs (fixture->table_path, nothing, TPLAN_ERROR_USAGE);
  expect_no_costs (fixture->table_path, twice, TPLAN_ERROR_USAGE);
  expect_no_costs (fixture->graph_path, on_ref, TPLAN_ERROR_INPUT);
  expect_no_plan (fixture, unknown, NULL, TPLAN_ERROR_USAGE);
  expect_no_plan (fixture, profile, NULL, TPLAN_ERROR_USAGE);
  expect_no_plan (fixture, on_ref, "tanh", TPLAN_ERROR_USAGE);
  expect_no_plan (fixture, on_ref, "cosh=ref", TPLAN_ERROR_USAGE);
  expect_no_plan (fixture, on_ref, "tanh=cpu", TPLAN_ERROR_INFEASIBLE);
}

/* No table is made by planning. */
static void
test_plan (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, on_ref, NULL);
  const TplanDevice *devices;
  int n = 0;

  g_assert_false (g_file_test (fixture->table_path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (tplan_plan_get_cost_ns (plan), >, 0);
  g_assert_cmpint (tplan_plan_get_cost_ns (plan), ==,
                   tplan_plan_get_bound_ns (plan));
  g_assert_cmpint (tplan_plan_count_estimated (plan), ==, 4);
  devices = tplan_plan_get_devices (plan, &n);
  g_assert_cmpint (n, ==, 1);
  g_assert_cmpstr (devices[0].name, ==, "ref");
  g_assert_cmpint (devices[0].n_ops, ==, 4);
  g_assert_cmpint (devices[0].peak_bytes, >=, 4 * ROWS * WIDTH);
  g_assert_cmpint (devices[0].weight_bytes, ==, 0);
  g_assert_cmpstr (tplan_plan_find_device (plan, "relu"), ==, "ref");
  g_assert_null (tplan_plan_find_device (plan, "cosh"));
  tplan_plan_get_transfers (plan, &n);
  g_assert_cmpint (n, ==, 0);
}

/* Two devices, one of them simulated; both really compute. */
static void
test_two_devices (Fixture *fixture, gconstpointer data)
{
  const char *const devices[] = { "ref", "sim:gflops=100,gbps=100,launch=1us,"
                                         "link=1GB/s+1us", NULL };
  g_autofree char *there = g_strconcat ("tanh=", devices[1], NULL);
  const char *const pins[] = { "*=ref", there, NULL };
  g_autoptr (TplanPlan) plan = make_plan (fixture, devices, pins);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = tplan_session_new (plan, 1, &error);
  const TplanTransfer *transfers;
  int n = 0;

  g_assert_no_error (error);
  g_assert_cmpstr (tplan_plan_find_device (plan, "tanh"), ==, devices[1]);
  g_assert_cmpstr (tplan_plan_find_device (plan, "sum"), ==, "ref");
  transfers = tplan_plan_get_transfers (plan, &n);
  g_assert_cmpint (n, ==, 2);
  for (int i = 0; i < n; i++)
    {
      int from = g_str_equal (transfers[i].tensor, "y") ? 0 : 1;

      g_assert_cmpstr (transfers[i].tensor, ==, from == 0 ? "y" : "z");
      g_assert_cmpstr (transfers[i].from, ==, devices[from]);
      g_assert_cmpstr (transfers[i].to, ==, devices[1 - from]);
      g_assert_cmpint (transfers[i].size_bytes, ==, 4 * ROWS * WIDTH);
      g_assert_cmpint (transfers[i].time_ns, >=, 1000);
    }
  run_and_compare (session, 2);
}

static void
test_calibrate (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanGraph) graph = load_graph (fixture);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, on_ref, 1, &error);
  g_autoptr (TplanPlan) plan = NULL;
  volatile gint cancelled = 1;

  g_assert_no_error (error);
  g_assert_false (tplan_costs_calibrate (costs, graph, 0, &cancelled, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_true (tplan_costs_calibrate (costs, graph, 0, NULL, &error));
  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_count_estimated (plan), ==, 0);
}

/* ---- plan files --------------------------------------------------------- */

static void
test_save (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, on_ref, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) again = NULL;
  g_autoptr (TplanSession) session = NULL;

  g_assert_true (tplan_plan_save (plan, fixture->plan_path, &error));
  g_assert_no_error (error);
  again = tplan_plan_load (fixture->plan_path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_get_cost_ns (again), ==,
                   tplan_plan_get_cost_ns (plan));
  g_assert_true (tplan_plan_check (again, &error));
  g_assert_no_error (error);
  g_assert_cmpint (
      tplan_graph_get_inputs (tplan_plan_get_graph (again), NULL)->dims[0], ==,
      ROWS);
  session = tplan_session_new (again, 1, &error);
  g_assert_no_error (error);
  run_and_compare (session, 1);
  g_assert_false (tplan_plan_save (plan, fixture->folder, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
}

static void
expect_no_load (Fixture *fixture, const char *graph_path)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tplan_plan_load (fixture->plan_path, graph_path, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
}

/* Any byte of a plan, changed, is found out. */
static void
test_spoiled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, on_ref, NULL);
  g_autofree char *text = NULL, *other = NULL;
  gsize size;

  expect_no_load (fixture, NULL); /* no such file */
  g_assert_true (tplan_plan_save (plan, fixture->plan_path, NULL));
  expect_no_load (fixture, fixture->plan_path); /* that is no graph */
  g_assert_true (
      g_file_get_contents (fixture->plan_path, &text, &size, NULL));
  for (int i = 0; i < 20; i++)
    {
      gsize at = g_test_rand_int_range (0, (gint32) size);

      text[at] ^= 1;
      g_assert_true (
          g_file_set_contents (fixture->plan_path, text, size, NULL));
      expect_no_load (fixture, NULL);
      text[at] ^= 1;
    }
  g_assert_true (g_file_set_contents (fixture->plan_path, text, size, NULL));
  other = g_strdup (model);
  memcpy (strstr (other, "Tanh"), "Relu", 4);
  g_assert_true (
      g_file_set_contents (fixture->graph_path, other, -1, NULL));
  expect_no_load (fixture, NULL); /* for another graph */
}

/* ---- running ------------------------------------------------------------ */

static TplanSession *
make_session (const TplanPlan *plan, int n_threads)
{
  g_autoptr (GError) error = NULL;
  TplanSession *session = tplan_session_new (plan, n_threads, &error);

  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
  return session;
}

static void
test_run (Fixture *fixture, gconstpointer device)
{
  const char *const devices[] = { device, NULL };
  g_autoptr (TplanPlan) plan = make_plan (fixture, devices, NULL);
  g_autoptr (TplanSession) session
      = plan == NULL ? NULL : make_session (plan, 1);
  g_autoptr (TplanSession) other
      = session == NULL ? NULL : make_session (plan, 2);

  if (other == NULL)
    return;
  g_assert_cmpint (tplan_session_get_time_ns (session), ==, 0);
  g_clear_pointer (&plan, tplan_plan_free); /* sessions stand alone */
  run_and_compare (session, 1);
  run_and_compare (other, 3);
  run_and_compare (session, 2);
}

static void
test_absent (Fixture *fixture, gconstpointer data)
{
  const char *devices[] = { "opencl:999", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = load_graph (fixture);
  g_autoptr (TplanCosts) it
      = tplan_costs_open (fixture->table_path, devices, 1, NULL);
  g_autoptr (TplanPlan) plan = tplan_graph_optimize (graph, it, NULL, &error);

  if (plan != NULL)
    g_assert_null (tplan_session_new (plan, 0, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
}

static void
test_default_devices (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, NULL, NULL);

  if (plan != NULL)
    g_assert_cmpstr (tplan_plan_get_devices (plan, NULL)[0].name, ==, "cpu");
}

#define PIXELS (3 * 224 * 224)
#define CLASSES 1000

/* A session on "cpu" for @n images, or NULL and a test skipped. */
static TplanSession *
make_network (gint64 n)
{
  g_autofree char *path = g_build_filename (
      g_getenv ("top_builddir"), "examples", "squeezenet1_1.json", NULL);
  const char *const devices[] = { "cpu", NULL };
  const TplanDim dims[] = { { "N", n }, { NULL, 0 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = tplan_graph_load (path, dims, &error);
  g_autoptr (TplanCosts) costs = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (tplan_graph_get_inputs (graph, NULL)->size_bytes, ==,
                   n * PIXELS * 4);
  g_assert_cmpint (tplan_graph_get_outputs (graph, NULL)->size_bytes, ==,
                   n * CLASSES * 4);
  costs = tplan_costs_open ("/nonexistent/cost.db", devices, 1, &error);
  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  if (plan == NULL)
    g_test_skip (error->message);
  return plan == NULL ? NULL : make_session (plan, 1);
}

/* Two images at once have the results they have alone. */
static void
test_network (void)
{
  g_autoptr (TplanSession) one = make_network (1);
  g_autoptr (TplanSession) two = one == NULL ? NULL : make_network (2);
  g_autofree float *images = g_new (float, 2 * PIXELS);
  float alone[2][CLASSES], both[2][CLASSES];
  double most = 0;

  if (two == NULL)
    return;
  for (int i = 0; i < 2 * PIXELS; i++)
    images[i] = sinf (i * 0.37f) + i / PIXELS;
  for (int i = 0; i < 2; i++)
    {
      const void *inputs[] = { images + i * PIXELS };
      void *outputs[] = { alone[i] };

      g_assert_true (tplan_session_run (one, inputs, outputs, NULL));
    }
  g_assert_true (tplan_session_run (two, (const void *[]){ images },
                                    (void *[]){ both }, NULL));
  for (int i = 0; i < CLASSES; i++)
    most = fmax (most, fabs (alone[0][i] - alone[1][i]));
  g_assert_cmpfloat (most, >, 1e-3); /* they are two images */
  for (int i = 0; i < 2 * CLASSES; i++)
    g_assert_cmpfloat_with_epsilon (both[i / CLASSES][i % CLASSES],
                                    alone[i / CLASSES][i % CLASSES],
                                    1e-4 * most);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
    const char *data;
  } cases[] = {
    { "/api/graph", test_graph, NULL },
    { "/api/graph-errors", test_graph_errors, NULL },
    { "/api/graph-options", test_graph_options, NULL },
    { "/api/no-pass", test_no_pass, NULL },
    { "/api/plan", test_plan, NULL },
    { "/api/optimize-errors", test_optimize_errors, NULL },
    { "/api/calibrate", test_calibrate, NULL },
    { "/api/default-devices", test_default_devices, NULL },
    { "/api/two-devices", test_two_devices, NULL },
    { "/api/save", test_save, NULL },
    { "/api/spoiled", test_spoiled, NULL },
    { "/api/run/ref", test_run, "ref" },
    { "/api/run/cpu", test_run, "cpu" },
    { "/api/run/opencl", test_run, "opencl:0" },
    { "/api/absent", test_absent, NULL },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add (cases[i].path, Fixture, cases[i].data, set_up, cases[i].test,
                tear_down);
  g_test_add_func ("/api/network", test_network);
  return g_test_run ();
}
