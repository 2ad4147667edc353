/* test-room.c: without memory the public calls fail, and the caller lives on. In
 * children whose address space may hardly grow. */
#include "config.h"

#include "ir/room.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tplan.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_ROOM_OF_ITS_OWN TRUE
#else
#define HAS_ROOM_OF_ITS_OWN FALSE
#endif

#define N_OPS 20000
#define SPARE_BYTES (1 << 20)

typedef struct
{
  char *folder, *path, *table;
  TplanGraph *graph;
  TplanCosts *costs;
  TplanPlan *plan;
} Fixture;

typedef gboolean (*Call) (Fixture *fixture, GError **error);

/* A chain that no fusion makes short. */
static char *
make_model (void)
{
  GString *text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"name\": \"long\", \"opset\": 17, "
      "\"inputs\": [{\"name\": \"t0\", \"dtype\": \"float32\", "
      "\"shape\": [4]}], ");

  g_string_append_printf (text, "\"outputs\": [\"t%d\"], \"ops\": [", N_OPS);
  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (text, "%s{\"type\": \"Tanh\", \"inputs\": "
                            "[\"t%d\"], \"outputs\": [\"t%d\"]}",
                            i > 0 ? ", " : "", i, i + 1);
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const char *const devices[] = { "ref", NULL };
  g_autofree char *model = make_model ();
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-room-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->path = g_build_filename (fixture->folder, "g.json", NULL);
  fixture->table = g_build_filename (fixture->folder, "cost.db", NULL);
  g_file_set_contents (fixture->path, model, -1, &error);
  g_assert_no_error (error);
  fixture->graph = tplan_graph_load (fixture->path, NULL, &error);
  g_assert_no_error (error);
  fixture->costs = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
  fixture->plan = tplan_graph_optimize (fixture->graph, fixture->costs, NULL,
                                        &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tplan_plan_free (fixture->plan);
  tplan_costs_close (fixture->costs);
  tplan_graph_free (fixture->graph);
  g_remove (fixture->path);
  g_remove (fixture->table);
  g_rmdir (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->table);
  g_free (fixture->folder);
}

static gboolean
load (Fixture *fixture, GError **error)
{
  return tplan_graph_load (fixture->path, NULL, error) != NULL;
}

static gboolean
optimize (Fixture *fixture, GError **error)
{
  return tplan_graph_optimize (fixture->graph, fixture->costs, NULL, error)
         != NULL;
}

static gboolean
make_session (Fixture *fixture, GError **error)
{
  return tplan_session_new (fixture->plan, 1, error) != NULL;
}

static gsize
count_mapped_bytes (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  return g_ascii_strtoull (text, NULL, 10) * sysconf (_SC_PAGESIZE);
}

/* In the child: 0 when @call fails for want of memory, and says how much. */
static int
try_call (Fixture *fixture, Call call)
{
  gsize size = count_mapped_bytes () + SPARE_BYTES;
  struct rlimit limit = { size, size };
  g_autoptr (GError) error = NULL;

  if (setrlimit (RLIMIT_AS, &limit) != 0)
    return 1;
  if (call (fixture, &error))
    return 2;
  g_printerr ("# %s\n", error->message);
  return g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY)
                 && strstr (error->message, "bytes") != NULL
             ? 0
             : 3;
}

static void
test_call (Fixture *fixture, gconstpointer call)
{
  int status = 0;
  pid_t child;

  if (HAS_ROOM_OF_ITS_OWN || count_mapped_bytes () == 0)
    {
      g_test_skip ("needs /proc, and no sanitizer");
      return;
    }
  child = fork ();
  if (child == 0)
    _exit (try_call (fixture, (Call) call));
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_check (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tp_room_check (0, "for nothing", &error));
  g_assert_true (tp_room_check (1 << 20, "to test", &error));
  g_assert_no_error (error);
  g_assert_false (tp_room_check (G_MAXINT64, "to test", &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/room/check", test_check);
  g_test_add ("/room/load", Fixture, (gpointer) load, set_up, test_call,
              tear_down);
  g_test_add ("/room/optimize", Fixture, (gpointer) optimize, set_up,
              test_call, tear_down);
  g_test_add ("/room/session", Fixture, (gpointer) make_session, set_up,
              test_call, tear_down);
  return g_test_run ();
}
