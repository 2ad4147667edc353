/* test-injected.c: each large allocation of the public calls fails alone, in a
 * child: the call does without, or gives TPLAN_ERROR_MEMORY with the bytes. It
 * ends nobody, leaks nothing, gives no other error and leaves no file. `make
 * check` takes some of them, `make check-full` more, of a larger graph.
 *
 * TPLAN_INJECTED=CASE:NUMBER lets that one fail in this process, for a debugger:
 * what GLib says before it ends has the call that has to ask tp_new() instead.
 * TPLAN_INJECTED=CASE:FIRST-LAST/STEP walks these in children: a slice of what
 * takes long. TPLAN_INJECTED_OPS: of the models. */
#include "config.h"

#include "tests/cli/fail-alloc.c"
#include "injected-calls.h"
#include "injected-models.h"
#include "tests/remove-all.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tplan.h>

enum { DONE, REFUSED, OTHER, LATE, LEAKED, LEFT_FILE, N_ENDS };

/* What a child tells of the calls it made. */
typedef struct
{
  atomic_long counter;        /* of large allocations, for children of it too */
  int n_large;
  gboolean is_absent;         /* the device */
  long leaked_bytes;
  char message[256];
} Report;

/* Of a case in `make check`; of one that is tried seldom, each call takes long. */
#define MOST_TRIED(some) ((some) < 100 ? 12 : (some) < 300 ? 3 : 1)

int injected_n_ops;
static Fixture shared;        /* what is called is called in children */
static Report *report;
static const char *asked;     /* (nullable) TPLAN_INJECTED */

/* ---- what is called ------------------------------------------------------- */

#define SMALL 400             /* ops: a driver compiles them all */

static void
make_small (Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->folder, "s.json", NULL);
  g_autoptr (GError) error = NULL;

  injected_write_json (path, SMALL);
  fixture->small = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  injected_write_json (path, N_TIGHT);
  fixture->tight = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  injected_write_kinds (path);
  fixture->kinds = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  g_remove (path);
}

static void
make_plan_of_dims (Fixture *fixture)
{
  const TplanLoadOptions options = { .assumes_dims = TRUE };
  g_autoptr (GError) error = NULL;
  TplanGraph *graph = tplan_graph_load_full (fixture->dims, &options, &error);
  TplanPlan *plan = tplan_graph_optimize (graph, fixture->costs, NULL, &error);

  g_assert_no_error (error);
  tplan_plan_save (plan, fixture->saved_dims, &error);
  g_assert_no_error (error);
  tplan_plan_free (plan);
  tplan_graph_free (graph);
}

static void
make_integers (Fixture *fixture)
{
  static const char *const devices[] = { "ref", NULL };
  g_autofree char *path = g_build_filename (fixture->folder, "i.json", NULL);
  g_autoptr (GError) error = NULL;
  TplanCosts *costs = tplan_costs_open (fixture->table, devices, 1, &error);
  TplanGraph *graph;
  TplanPlan *plan;

  g_assert_no_error (error);
  injected_write_integers (path);
  graph = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_assert_no_error (error);
  fixture->integers = tplan_session_new (plan, 1, &error);
  g_assert_no_error (error);
  tplan_plan_free (plan);
  tplan_graph_free (graph);
  tplan_costs_close (costs);
  g_remove (path);
}

static TplanPlan *
plan_on (const Fixture *fixture, const char *device, GError **error)
{
  const char *const devices[] = { device, NULL };
  TplanCosts *costs = tplan_costs_open (fixture->table, devices, 1, error);
  TplanPlan *plan = costs == NULL ? NULL
                                  : tplan_graph_optimize (fixture->graph,
                                                          costs, NULL, error);

  tplan_costs_close (costs);
  return plan;
}

static void
make_sessions (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->cpu_plan = plan_on (fixture, "cpu", &error);
  if (!g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    g_assert_no_error (error);
  g_clear_error (&error);
  if (fixture->cpu_plan != NULL)
    g_assert_true (injected_make_on_cpu (fixture, fixture->cache, &error));
  fixture->ref_plan = plan_on (fixture, "ref", &error);
  g_assert_no_error (error);
  fixture->session = tplan_session_new (fixture->ref_plan, 1, &error);
  g_assert_no_error (error);
  make_integers (fixture);
}

static void
set_up (Fixture *fixture)
{
  static const char *const devices[]
      = { "sim:laptop-cpu", "sim:laptop-gpu", NULL };
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-injected-XXXXXX", NULL);
  fixture->json = g_build_filename (fixture->folder, "m.json", NULL);
  fixture->onnx = g_build_filename (fixture->folder, "m.onnx", NULL);
  fixture->functions = g_build_filename (fixture->folder, "f.onnx", NULL);
  fixture->dims = g_build_filename (fixture->folder, "d.json", NULL);
  fixture->folded = g_build_filename (fixture->folder, "c.json", NULL);
  fixture->tensors = g_build_filename (fixture->folder, "t.json", NULL);
  fixture->weights = g_build_filename (fixture->folder, "t.safetensors", NULL);
  fixture->table = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->saved = g_build_filename (fixture->folder, "p.json", NULL);
  fixture->saved_dims = g_build_filename (fixture->folder, "pd.json", NULL);
  fixture->again = g_build_filename (fixture->folder, "q.json", NULL);
  injected_write_json (fixture->json, injected_n_ops);
  injected_write_onnx (fixture->onnx, injected_n_ops);
  injected_write_functions (fixture->functions, injected_n_ops);
  injected_write_dims (fixture->dims, injected_n_ops);
  injected_write_folded (fixture->folded);
  injected_write_tensors (fixture->tensors, fixture->weights, injected_n_ops);
  fixture->graph = tplan_graph_load (fixture->json, NULL, &error);
  g_assert_no_error (error);
  fixture->costs = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
  fixture->plan = tplan_graph_optimize (fixture->graph, fixture->costs, NULL,
                                        &error);
  g_assert_no_error (error);
  tplan_plan_save (fixture->plan, fixture->saved, &error);
  g_assert_no_error (error);
  make_small (fixture);
  make_plan_of_dims (fixture);
  fixture->cache = g_build_filename (fixture->folder, "kept", NULL);
  make_sessions (fixture);
}

/* What a case prepared. */
static void
clear_prepared (Fixture *fixture)
{
  g_clear_pointer (&fixture->bytes, g_bytes_unref);
  g_clear_pointer (&fixture->more_bytes, g_bytes_unref);
  g_clear_pointer (&fixture->shares, tplan_plan_free);
  g_clear_pointer (&fixture->three, tplan_costs_close);
  g_clear_pointer (&fixture->heavy, tplan_graph_free);
}

static void
tear_down (Fixture *fixture)
{
  char *const paths[]
      = { fixture->json, fixture->onnx, fixture->functions, fixture->dims,
          fixture->folded, fixture->tensors, fixture->weights, fixture->table,
          fixture->saved, fixture->saved_dims, fixture->again };

  tplan_session_free (fixture->integers);
  tplan_session_free (fixture->session);
  tplan_plan_free (fixture->ref_plan);
  tplan_plan_free (fixture->cpu_plan);
  tplan_plan_free (fixture->plan);
  tplan_costs_close (fixture->costs);
  tplan_graph_free (fixture->kinds);
  tplan_graph_free (fixture->tight);
  tplan_graph_free (fixture->small);
  tplan_graph_free (fixture->graph);
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_remove (paths[i]);
      g_free (paths[i]);
    }
  tp_test_remove_all (fixture->cache);
  g_free (fixture->cache);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

/* ---- whose memory ----------------------------------------------------------- */

#define N_FRAMES 12

static gboolean
is_of (const void *address, const char *library)
{
  Dl_info info;

  return dladdr (address, &info) != 0 && info.dli_fname != NULL
         && strstr (info.dli_fname, library) != NULL;
}

/* The first that is neither this program nor GLib asks. */
static int
is_asked_by_us (void)
{
  void *frames[N_FRAMES];
  int n = backtrace (frames, N_FRAMES), i = 0;

  while (i < n && (is_of (frames[i], "test-injected")
                   || is_of (frames[i], "libglib")))
    i++;
  return i < n && is_of (frames[i], "libtplan");
}

/* ---- failing --------------------------------------------------------------- */

static int
count_files (const Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  int n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static int
call_once (Fixture *fixture, const Case *it, long which)
{
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  failing = which;
  *n_large = 0;
  is_meant = it->ours_bytes > 0 ? is_asked_by_us : NULL;
  large_bytes = MAX (it->ours_bytes, LARGE);
  is_done = it->call (fixture, &error);
  large_bytes = (size_t) -1;
  report->n_large = (int) *n_large;
  if (is_done)
    return DONE;
  report->is_absent
      = g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_strlcpy (report->message, error->message, sizeof report->message);
  return g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY)
                 && strstr (error->message, "bytes") != NULL
             ? REFUSED
             : OTHER;
}

/* The first error of a process makes a lock of GLib's that is kept for good. */
static void
make_first_error (void)
{
  g_autoptr (GError) error
      = g_error_new_literal (TPLAN_ERROR, TPLAN_ERROR_MEMORY, "");
}

/* Where what it leaves behind can be told, a call is made three times: where it
 * fails cold; where nothing fails, and all that is kept for good, as tables of ops
 * are, is made; and where it fails again: what that one leaves is lost. */
static int
call_thrice (Fixture *fixture, const Case *it, long which)
{
  int n_files = count_files (fixture), end = call_once (fixture, it, which);
  long before;

  if (end == OTHER || which == 0)
    return end;
  if (count_files (fixture) != n_files)
    return LEFT_FILE;
  if (it->ours_bytes > 0)
    return end;
  if (call_once (fixture, it, 0) != DONE)
    return OTHER;
  before = live_bytes;
  end = call_once (fixture, it, which);
  report->leaked_bytes = live_bytes - before;
  return report->leaked_bytes > 0 ? LEAKED : end;
}

/* How it ends in a child where allocation @which fails; 0: none does. */
static int
end_of (Fixture *fixture, const Case *it, long which)
{
  int status;
  pid_t child;

  fflush (stdout); /* or the child would write it once more */
  child = fork ();
  if (child == 0)
    {
      struct rlimit no_core = { 0, 0 };

      setrlimit (RLIMIT_CORE, &no_core);
      if (freopen ("/dev/null", "w", stdout) == NULL /* "Bail out!" */
          || freopen ("/dev/null", "w", stderr) == NULL)
        _exit (OTHER);
      first_pid = getpid ();
      _exit (call_thrice (fixture, it, which));
    }
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFEXITED (status) ? WEXITSTATUS (status) : LATE;
}

/* Every @step-th of @first to @last. */
static void
walk (Fixture *fixture, const Case *it, const int range[3])
{
  static const char *const names[]
      = { "done without", "refused", "another error", "ended the process",
          "leaked", "left a file" };
  int ends[N_ENDS] = { 0 };

  for (int i = range[0]; i <= range[1]; i += range[2])
    {
      int end = end_of (fixture, it, i);

      ends[end]++;
      if (end > REFUSED)
        g_test_message ("TPLAN_INJECTED=%s:%d: %s (%ld bytes): %s", it->name, i,
                        names[end], report->leaked_bytes, report->message);
    }
  g_test_message ("%d done without, %d refused", ends[DONE], ends[REFUSED]);
  for (int i = OTHER; i < N_ENDS; i++)
    g_assert_cmpint (ends[i], ==, 0);
}

/* Which are walked: some of all, or what TPLAN_INJECTED says. */
static void
choose_range (const Case *it, int n, int range[3])
{
  gboolean is_full = g_getenv ("TPLAN_TEST_FULL") != NULL;
  int some = is_full ? MAX (it->some / 10, 1) : MAX (it->some, n / MOST_TRIED (it->some));

  range[0] = g_test_rand_int_range (0, CLAMP (n, 1, some)) + 1;
  range[1] = n;
  range[2] = some;
  if (asked != NULL)
    {
      range[2] = 1;
      sscanf (asked, "%*[^:]:%d-%d/%d", &range[0], &range[1], &range[2]);
      range[1] = MIN (range[1], n);
    }
}

static void
walk_case (Fixture *fixture, const Case *it)
{
  int end, range[3];

  if (it->prepare != NULL)
    it->prepare (fixture);
  end = end_of (fixture, it, 0);
  if (end == OTHER && report->is_absent)
    {
      g_test_skip (report->message);
      return;
    }
  if (end != DONE)
    g_test_message ("%s", report->message);
  g_assert_cmpint (end, ==, DONE);
  choose_range (it, report->n_large, range);
  g_test_message ("%d large allocations", report->n_large);
  walk (fixture, it, range);
}

static void
test_case (gconstpointer data)
{
  walk_case (&shared, data);
  clear_prepared (&shared);
}

/* In this process. */
static void
test_one (gconstpointer data)
{
  Fixture *fixture = &shared;
  const Case *it = data;
  int end;

  if (it->prepare != NULL)
    it->prepare (fixture);
  end = call_thrice (fixture, it, atol (strchr (asked, ':') + 1));
  g_test_message ("%d %s", end, report->message);
  g_assert_cmpint (end, <=, REFUSED);
  clear_prepared (fixture);
}

static gboolean
is_asked (const Case *it)
{
  gsize length = strlen (it->name);

  return asked == NULL
         || (strncmp (asked, it->name, length) == 0 && asked[length] == ':');
}

static gboolean
is_one (void)
{
  return asked != NULL && strchr (strchr (asked, ':'), '-') == NULL;
}

int
main (int argc, char **argv)
{
  int status;

  /* GLib's own allocator keeps what is freed */
  if (g_getenv ("G_SLICE") == NULL)
    {
      g_setenv ("G_SLICE", "always-malloc", TRUE);
      execv ("/proc/self/exe", argv);
    }
  g_test_init (&argc, &argv, NULL);
  asked = g_getenv ("TPLAN_INJECTED");
  injected_n_ops = g_getenv ("TPLAN_TEST_FULL") != NULL ? 20000 : 2500;
  if (g_getenv ("TPLAN_INJECTED_OPS") != NULL)
    injected_n_ops = atoi (g_getenv ("TPLAN_INJECTED_OPS"));
  is_asked_by_us (); /* the first backtrace() loads a library */
  report = mmap (NULL, sizeof *report, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true (report != MAP_FAILED);
  n_large = &report->counter;
  for (const Case *it = injected_cases; it->name != NULL; it++)
    {
      g_autofree char *path = g_strconcat ("/injected/", it->name, NULL);

      if (is_asked (it))
        g_test_add_data_func (path, it, is_one () ? test_one : test_case);
    }
  make_first_error ();
  set_up (&shared);
  status = g_test_run ();
  tear_down (&shared);
  return status;
}
