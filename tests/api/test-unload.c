/* test-unload.c: a program that opens libtplan, runs on two threads, closes it
 * and goes on; the threads are still there. */
#include <dlfcn.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <tplan.h>

#define N 4096

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, 64]}], \"outputs\": [\"y\"],"
      " \"ops\": [{\"name\": \"mm\", \"type\": \"MatMul\","
      "   \"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"]}]}";

#define CALL(NAME) ((__typeof__ (&NAME)) dlsym (library, #NAME))

static gboolean
run_on (void *library, TplanPlan *plan)
{
  static float x[N], y[N];
  const void *inputs[] = { x };
  void *outputs[] = { y };
  g_autoptr (GError) error = NULL;
  TplanSession *session = CALL (tplan_session_new) (plan, 2, &error);

  if (session == NULL)
    {
      g_test_skip (error->message);
      return FALSE;
    }
  for (int i = 0; i < N; i++)
    x[i] = i % 65 == 0 ? 2.0f : 0.0f; /* twice the identity */
  for (int i = 0; i < 100; i++)
    g_assert_true (CALL (tplan_session_run) (session, inputs, outputs, NULL));
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2.0f * x[i]);
  CALL (tplan_session_free) (session);
  return TRUE;
}

/* From opening the library to closing it. */
static gboolean
use_library (const char *folder)
{
  static const char *const devices[] = { "cpu", NULL };
  g_autofree char *file = g_build_filename (g_getenv ("top_builddir"), "api",
                                            ".libs", "libtplan.so", NULL);
  g_autofree char *path = g_build_filename (folder, "g.json", NULL);
  g_autofree char *table = g_build_filename (folder, "none.db", NULL);
  void *library = dlopen (file, RTLD_NOW | RTLD_LOCAL);
  gboolean is_done = FALSE;
  TplanGraph *graph;
  TplanCosts *costs;

  if (library == NULL)
    {
      g_test_skip (dlerror ());
      return FALSE;
    }
  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  graph = CALL (tplan_graph_load) (path, NULL, NULL);
  costs = CALL (tplan_costs_open) (table, devices, 2, NULL);
  if (costs != NULL)
    {
      TplanPlan *plan = CALL (tplan_graph_optimize) (graph, costs, NULL, NULL);

      is_done = run_on (library, plan);
      CALL (tplan_plan_free) (plan);
      CALL (tplan_costs_close) (costs);
    }
  CALL (tplan_graph_free) (graph);
  g_assert_cmpint (dlclose (library), ==, 0);
  g_remove (path);
  return is_done;
}

static void
test_close (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-unload-XXXXXX", NULL);

  for (int i = 0; i < 3 && use_library (folder); i++)
    g_usleep (20000); /* what spins has gone to sleep, or crashed */
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/unload/close", test_close);
  return g_test_run ();
}
