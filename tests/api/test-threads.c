/* test-threads.c: libtplan from many threads, and for a long time. Built with
 * --enable-sanitizers=thread it is the search for data races. */
#include <glib.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <tplan.h>

#define N_THREADS 8
#define N_POOL 2              /* of the cpu: shared by all sessions */
#define ROWS 16
#define WIDTH 32
#define N_RUNS 10000

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"shared\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [16, 32]}], \"outputs\": [\"y\"],"
      " \"initializers\": [{\"name\": \"w\", \"dtype\": \"float32\","
      "   \"shape\": [32, 32], \"random\": {\"seed\": 5, \"std\": 0.2}}],"
      " \"ops\": ["
      "  {\"name\": \"mm\", \"type\": \"MatMul\", \"inputs\": [\"x\", \"w\"],"
      "   \"outputs\": [\"m\"]},"
      "  {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": [\"m\"],"
      "   \"outputs\": [\"t\"]},"
      "  {\"name\": \"soft\", \"type\": \"Softmax\", \"inputs\": [\"t\"],"
      "   \"outputs\": [\"y\"]}]}";

typedef struct
{
  char *folder;
  char *graph_path;
  char *table_path;
  TplanGraph *graph;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-threads-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->graph_path = g_build_filename (fixture->folder, "g.json", NULL);
  fixture->table_path = g_build_filename (fixture->folder, "none.db", NULL);
  g_file_set_contents (fixture->graph_path, model, -1, &error);
  g_assert_no_error (error);
  fixture->graph = tplan_graph_load (fixture->graph_path, NULL, &error);
  g_assert_no_error (error);
}

static void
remove_saved (const Fixture *fixture)
{
  for (int i = 0; i < N_THREADS; i++)
    {
      g_autofree char *path
          = g_strdup_printf ("%s/plan%d.json", fixture->folder, i);

      g_remove (path);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tplan_graph_free (fixture->graph);
  remove_saved (fixture);
  g_remove (fixture->graph_path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->graph_path);
  g_free (fixture->table_path);
  g_free (fixture->folder);
}

/* NULL, and the test skipped, where the device is not on this machine. */
static TplanPlan *
make_plan (const Fixture *fixture, const char *device)
{
  const char *const devices[] = { device, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, devices, N_POOL, &error);
  TplanPlan *plan;

  g_assert_no_error (error);
  plan = tplan_graph_optimize (fixture->graph, costs, NULL, &error);
  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
  return plan;
}

/* Likewise. */
static TplanSession *
try_session (const TplanPlan *plan)
{
  g_autoptr (GError) error = NULL;
  TplanSession *session
      = plan == NULL ? NULL : tplan_session_new (plan, N_POOL, &error);

  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
  return session;
}

typedef float Array[ROWS * WIDTH];

static void
run (TplanSession *session, int seed, float *y)
{
  Array x;
  const void *inputs[] = { x };
  void *outputs[] = { y };
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < ROWS * WIDTH; i++)
    x[i] = (float) ((i * 7 + seed * 13) % 31) / 31 - 0.5f;
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
}

static void
assert_near (const float *got, const float *want)
{
  for (int i = 0; i < ROWS * WIDTH; i++)
    g_assert_cmpfloat_with_epsilon (got[i], want[i], 1e-5);
}

/* ---- threads over shared plans ------------------------------------------ */

#define N_PLANS 2

typedef struct
{
  const Fixture *fixture;
  TplanPlan *const *plans;    /* shared */
  float (*expected)[ROWS * WIDTH]; /* per seed, by "ref" */
  TplanSession *handed;       /* in turn */
  pthread_mutex_t *turn;      /* over handed; not a GMutex, which TSan does not
                               * see */
  int number;
} Worker;

static gpointer
use_everything (gpointer data)
{
  const Worker *worker = data;
  const char *device = tplan_plan_get_devices (
      worker->plans[worker->number % N_PLANS], NULL)[0].name;
  g_autofree char *path = g_strdup_printf (
      "%s/plan%d.json", worker->fixture->folder, worker->number);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) own = make_plan (worker->fixture, device);
  g_autoptr (TplanPlan) loaded = NULL;

  for (int i = 0; i < N_PLANS; i++)
    {
      g_autoptr (TplanSession) session
          = tplan_session_new (worker->plans[i], N_POOL, &error);
      Array y;

      g_assert_no_error (error);
      for (int k = 0; k < 20; k++)
        {
          run (session, worker->number, y);
          assert_near (y, worker->expected[worker->number]);
        }
      g_assert_true (tplan_plan_check (worker->plans[i], &error));
      g_assert_no_error (error);
    }
  g_assert_true (tplan_plan_save (own, path, &error));
  loaded = tplan_plan_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_get_cost_ns (loaded), ==,
                   tplan_plan_get_cost_ns (own));
  return NULL;
}

/* One session, whoever has the lock. */
static gpointer
take_turns (gpointer data)
{
  const Worker *worker = data;
  Array y;

  for (int k = 0; k < 50; k++)
    {
      pthread_mutex_lock (worker->turn);
      run (worker->handed, worker->number, y);
      pthread_mutex_unlock (worker->turn);
      assert_near (y, worker->expected[worker->number]);
    }
  return NULL;
}

static void
run_threads (const Worker *model_worker, GThreadFunc function)
{
  GThread *threads[N_THREADS];
  Worker workers[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    {
      workers[i] = *model_worker;
      workers[i].number = i;
      threads[i] = g_thread_new ("worker", function, &workers[i]);
    }
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

/* By a plan of its own on "ref". */
static void
compute_expected (const Fixture *fixture, Array *expected)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, "ref");
  g_autoptr (TplanSession) session = try_session (plan);

  for (int i = 0; i < N_THREADS; i++)
    run (session, i, expected[i]);
}

static void
test_shared (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) first = make_plan (fixture, data);
  g_autoptr (TplanPlan) second = make_plan (fixture, "ref");
  TplanPlan *const plans[N_PLANS] = { first, second };
  g_autoptr (TplanSession) session = try_session (first);
  Array expected[N_THREADS];
  const Worker worker
      = { .fixture = fixture, .plans = plans, .expected = expected };

  if (session == NULL)
    return;
  compute_expected (fixture, expected);
  run_threads (&worker, use_everything);
}

static void
test_turns (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, data);
  g_autoptr (TplanSession) session = try_session (plan);
  pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  Array expected[N_THREADS];
  const Worker worker
      = { .handed = session, .turn = &turn, .expected = expected };

  if (session == NULL)
    return;
  compute_expected (fixture, expected);
  run_threads (&worker, take_turns);
  pthread_mutex_destroy (&turn);
}

/* ---- a long time -------------------------------------------------------- */

static int
count_descriptors (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  int n = 0;

  g_assert_nonnull (dir);
  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* ASan has a heap of its own, and keeps what is freed for long: there only what
 * is not freed counts. */
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes (void); /* gcc has no header */

static size_t
get_heap_bytes (void)
{
  return __sanitizer_get_current_allocated_bytes ();
}

static gint64
get_resident_pages (void)
{
  return 0;
}
#else
static size_t
get_heap_bytes (void)
{
  return mallinfo2 ().uordblks;
}

static gint64
get_resident_pages (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  words = g_strsplit (text, " ", 3);
  return g_ascii_strtoll (words[1], NULL, 10);
}
#endif

#ifdef __SANITIZE_THREAD__
#define MORE_PAGES G_MAXINT32 /* the detector remembers what was accessed */
#else
#define MORE_PAGES 64
#endif

/* Not a byte of heap more, nor a descriptor; some pages for stacks being used
 * deeper and libraries being touched. */
static void
test_endurance (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, data);
  g_autoptr (TplanSession) session = try_session (plan);
  gint64 pages;
  int n_descriptors;
  size_t heap;
  Array y;

  if (session == NULL)
    return;
  for (int i = 0; i < 100; i++)
    run (session, i, y);
  n_descriptors = count_descriptors ();
  pages = get_resident_pages ();
  heap = get_heap_bytes ();
  for (int i = 0; i < N_RUNS; i++)
    run (session, i, y);
  g_test_message ("heap %zu -> %zu bytes", heap, get_heap_bytes ());
  g_assert_cmpuint (get_heap_bytes (), <=, heap + 4096);
  g_assert_cmpint (get_resident_pages (), <=, pages + MORE_PAGES);
  g_assert_cmpint (count_descriptors (), ==, n_descriptors);
}

/* Sessions come and go without leaving anything behind. */
static void
test_sessions (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TplanPlan) plan = make_plan (fixture, data);
  g_autoptr (TplanSession) first = try_session (plan);
  int n_descriptors = 0;
  Array y;

  if (first == NULL)
    return;
  for (int i = 0; i < 30; i++)
    {
      g_autoptr (TplanSession) session = try_session (plan);

      run (session, i, y);
      if (i == 0)
        n_descriptors = count_descriptors ();
    }
  g_assert_cmpint (count_descriptors (), <=, n_descriptors);
}

static void
add (const char *name, const char *device,
     void (*test) (Fixture *, gconstpointer))
{
  g_autofree char *path = g_strdup_printf ("/threads/%s/%s", name, device);

  g_test_add (path, Fixture, device, set_up, test, tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("shared", "cpu", test_shared);
  add ("turns", "cpu", test_turns);
  add ("endurance", "cpu", test_endurance);
  add ("sessions", "cpu", test_sessions);
#ifndef __SANITIZE_THREAD__
  /* Drivers are not instrumented: their locks are not seen. */
  add ("shared", "opencl:0", test_shared);
  add ("turns", "opencl:0", test_turns);
  add ("endurance", "opencl:0", test_endurance);
  add ("sessions", "opencl:0", test_sessions);
#endif
  return g_test_run ();
}
