/* test-weights.c: weights read into memory outlive their file. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <tplan.h>
#include <unistd.h>

#define N 65536               /* many pages: what is cut off is gone at once */
#define HEAD 128              /* bytes before the values of a .npy file */

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
      " \"shape\": [65536]}], \"outputs\": [\"y\"], \"initializers\":"
      " [{\"name\": \"w\", \"file\": \"w.npy\"}], \"ops\": [{\"type\":"
      " \"Mul\", \"inputs\": [\"x\", \"w\"], \"outputs\": [\"y\"]}]}";

typedef struct
{
  char *folder, *model, *weights, *plan, *table;
} Files;

static float
get_weight (int i)
{
  return (float) (i % 97) - 48.0f;
}

static void
write_weights (const char *path)
{
  g_autofree char *head = g_strdup_printf (
      "\x93NUMPY\x01?v?%-117s\n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (65536,), }");
  g_autofree char *bytes = g_malloc (HEAD + N * sizeof (float));
  float *values = (float *) (void *) (bytes + HEAD);

  head[7] = head[9] = 0;
  memcpy (bytes, head, HEAD);
  for (int i = 0; i < N; i++)
    values[i] = get_weight (i);
  g_assert_true (
      g_file_set_contents (path, bytes, HEAD + N * sizeof (float), NULL));
}

static void
set_up (Files *files, gconstpointer data)
{
  files->folder = g_dir_make_tmp ("tplan-weights-XXXXXX", NULL);
  files->model = g_build_filename (files->folder, "m.json", NULL);
  files->weights = g_build_filename (files->folder, "w.npy", NULL);
  files->plan = g_build_filename (files->folder, "p.json", NULL);
  files->table = g_build_filename (files->folder, "cost.db", NULL);
  g_assert_true (g_file_set_contents (files->model, model, -1, NULL));
  write_weights (files->weights);
}

static void
tear_down (Files *files, gconstpointer data)
{
  char *const paths[]
      = { files->model, files->weights, files->plan, files->table };

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_remove (paths[i]);
      g_free (paths[i]);
    }
  g_assert_cmpint (g_rmdir (files->folder), ==, 0);
  g_free (files->folder);
}

static const TplanLoadOptions copies = { .copies_weights = TRUE };

static TplanPlan *
make_plan (const Files *files, const TplanGraph *graph)
{
  const char *const devices[] = { "ref", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (files->table, devices, 1, &error);
  TplanPlan *plan;

  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_assert_no_error (error);
  return plan;
}

static void
check_run (const TplanPlan *plan)
{
  g_autofree float *x = g_new (float, N), *y = g_new0 (float, N);
  const void *inputs[] = { x };
  void *outputs[] = { y };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = tplan_session_new (plan, 1, &error);

  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    x[i] = (float) (i % 5);
  tplan_session_run (session, inputs, outputs, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, x[i] * get_weight (i));
}

static void
test_graph (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_load_full (files->model, &copies, &error);
  g_autoptr (TplanPlan) plan = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (truncate (files->weights, 0), ==, 0);
  g_assert_cmpint (truncate (files->model, 0), ==, 0);
  plan = make_plan (files, graph);
  check_run (plan);
}

static void
test_plan (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (files->model, NULL, &error);
  g_autoptr (TplanPlan) made = make_plan (files, graph), loaded = NULL;

  tplan_plan_save (made, files->plan, &error);
  g_assert_no_error (error);
  loaded = tplan_plan_load_full (files->plan, NULL, &copies, &error);
  g_assert_no_error (error);
  g_assert_cmpint (truncate (files->weights, 0), ==, 0);
  check_run (loaded);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/weights/graph", Files, NULL, set_up, test_graph, tear_down);
  g_test_add ("/weights/plan", Files, NULL, set_up, test_plan, tear_down);
  return g_test_run ();
}
