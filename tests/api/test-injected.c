/* test-injected.c: each large allocation of the public calls fails alone, in a
 * child: the call does without, gives TPLAN_ERROR_MEMORY, or is ended late, by
 * GLib, which says so. It never crashes, and never gives another error. */
#include "config.h"

#include "tests/cli/fail-alloc.c"

#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tplan.h>

#define N_OPS 3000
#define LARGE 65536

enum { DONE, REFUSED, OTHER, LATE, N_ENDS };

typedef struct
{
  char *folder, *model, *table, *saved;
  TplanGraph *graph;
  TplanCosts *costs;
  TplanPlan *plan;
} Fixture;

typedef gboolean (*Call) (const Fixture *fixture, GError **error);

typedef struct
{
  const char *name;
  Call call;
  gboolean refuses;           /* some of its arrays are asked for politely */
} Case;

static gboolean
load (const Fixture *fixture, GError **error)
{
  return tplan_graph_load (fixture->model, NULL, error) != NULL;
}

static gboolean
optimize (const Fixture *fixture, GError **error)
{
  return tplan_graph_optimize (fixture->graph, fixture->costs, NULL, error)
         != NULL;
}

static gboolean
make_session (const Fixture *fixture, GError **error)
{
  return tplan_session_new (fixture->plan, 1, error) != NULL;
}

static gboolean
load_plan (const Fixture *fixture, GError **error)
{
  return tplan_plan_load (fixture->saved, NULL, error) != NULL;
}

static gboolean
check_plan (const Fixture *fixture, GError **error)
{
  return tplan_plan_check (fixture->plan, error);
}

static const Case cases[] = {
  { "load", load, TRUE },
  { "optimize", optimize, FALSE },
  { "session", make_session, TRUE },
  { "plan-load", load_plan, TRUE },
  { "check", check_plan, FALSE },
};

static void
write_model (const char *path)
{
  g_autoptr (GString) text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"opset\": 17, \"inputs\": "
      "[{\"name\": \"t0\", \"shape\": [64]}], ");

  g_string_append_printf (text, "\"outputs\": [\"t%d\"], \"ops\": [", N_OPS);
  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (text, "%s{\"type\": \"Tanh\", \"inputs\": "
                            "[\"t%d\"], \"outputs\": [\"t%d\"]}",
                            i > 0 ? ", " : "", i, i + 1);
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const char *const devices[] = { "ref", NULL };
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-injected-XXXXXX", NULL);
  fixture->model = g_build_filename (fixture->folder, "m.json", NULL);
  fixture->table = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->saved = g_build_filename (fixture->folder, "p.json", NULL);
  write_model (fixture->model);
  fixture->graph = tplan_graph_load (fixture->model, NULL, &error);
  g_assert_no_error (error);
  fixture->costs = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
  fixture->plan = tplan_graph_optimize (fixture->graph, fixture->costs, NULL,
                                        &error);
  g_assert_no_error (error);
  tplan_plan_save (fixture->plan, fixture->saved, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  char *const paths[] = { fixture->model, fixture->table, fixture->saved };

  tplan_plan_free (fixture->plan);
  tplan_costs_close (fixture->costs);
  tplan_graph_free (fixture->graph);
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_remove (paths[i]);
      g_free (paths[i]);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

static int
run_failing (const Fixture *fixture, Call call, long which)
{
  g_autoptr (GError) error = NULL;

  large_bytes = LARGE;
  failing = which;
  n_large = 0;
  first_pid = getpid ();
  if (call (fixture, &error))
    return DONE;
  return g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY)
                 && strstr (error->message, "bytes") != NULL
             ? REFUSED
             : OTHER;
}

/* How @call ends in a child where allocation @which fails; 0: none does, and how
 * many there are. */
static int
end_of (const Fixture *fixture, Call call, long which)
{
  int status;
  pid_t child;

  fflush (stdout); /* or the child would write it once more */
  child = fork ();
  if (child == 0)
    {
      struct rlimit no_core = { 0, 0 };
      int end;

      setrlimit (RLIMIT_CORE, &no_core);
      if (freopen ("/dev/null", "w", stdout) == NULL /* "Bail out!" */
          || freopen ("/dev/null", "w", stderr) == NULL)
        _exit (OTHER);
      end = run_failing (fixture, call, which);
      _exit (which > 0 ? end : (int) n_large);
    }
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status))
    return WEXITSTATUS (status);
  g_assert_true (WTERMSIG (status) == SIGTRAP || WTERMSIG (status) == SIGABRT);
  return LATE;
}

static void
test_case (Fixture *fixture, gconstpointer data)
{
  const Case *it = data;
  int n = end_of (fixture, it->call, 0), ends[N_ENDS] = { 0 };

  g_assert_cmpint (n, <, 255);
  for (int i = 1; i <= n; i++)
    ends[end_of (fixture, it->call, i)]++;
  g_test_message ("%d large allocations: %d done without, %d refused, %d late",
                  n, ends[DONE], ends[REFUSED], ends[LATE]);
  g_assert_cmpint (ends[OTHER], ==, 0);
  g_assert_true (!it->refuses || ends[REFUSED] > 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/injected/", cases[i].name, NULL);

      g_test_add (path, Fixture, &cases[i], set_up, test_case, tear_down);
    }
  return g_test_run ();
}
