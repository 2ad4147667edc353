/* test-mix.c: several graphs planned together, written, read back, checked, and run
 * side by side from many threads. Against the shared library, as a user would. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <tplan.h>

#define N 64
#define N_RUNS 100
#define N_THREADS 3           /* for each graph */

/* y = x * x + x, and y = x * x - x */
static const char *const models[] = {
  "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
  " \"shape\": [64]}], \"outputs\": [\"y\"], \"ops\": ["
  " {\"name\": \"square\", \"type\": \"Mul\", \"inputs\": [\"x\", \"x\"],"
  "  \"outputs\": [\"s\"]}, {\"name\": \"sum\", \"type\": \"Add\","
  "  \"inputs\": [\"s\", \"x\"], \"outputs\": [\"y\"]}]}",
  "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
  " \"shape\": [64]}], \"outputs\": [\"y\"], \"ops\": ["
  " {\"name\": \"square\", \"type\": \"Mul\", \"inputs\": [\"x\", \"x\"],"
  "  \"outputs\": [\"s\"]}, {\"name\": \"difference\", \"type\": \"Sub\","
  "  \"inputs\": [\"s\", \"x\"], \"outputs\": [\"y\"]}]}",
};

typedef struct
{
  char *folder, *paths[2], *table, *saved;
  TplanGraph *graphs[2];
  TplanCosts *costs;
} Fixture;

/* @devices: ended by NULL. */
static void
set_up (Fixture *fixture, const char *const *devices)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-mix-XXXXXX", NULL);
  fixture->table = g_build_filename (fixture->folder, "cost.db", NULL);
  fixture->saved = g_build_filename (fixture->folder, "mix.json", NULL);
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("g%d.json", i);

      fixture->paths[i] = g_build_filename (fixture->folder, name, NULL);
      g_assert_true (g_file_set_contents (fixture->paths[i], models[i], -1,
                                          NULL));
      fixture->graphs[i] = tplan_graph_load (fixture->paths[i], NULL, &error);
      g_assert_no_error (error);
    }
  fixture->costs = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture)
{
  for (int i = 0; i < 2; i++)
    {
      tplan_graph_free (fixture->graphs[i]);
      g_remove (fixture->paths[i]);
      g_free (fixture->paths[i]);
    }
  tplan_costs_close (fixture->costs);
  g_remove (fixture->table);
  g_remove (fixture->saved);
  g_rmdir (fixture->folder);
  g_free (fixture->table);
  g_free (fixture->saved);
  g_free (fixture->folder);
}

static TplanMix *
plan (const Fixture *fixture, const char *first, const char *second,
      const TplanOptimizeOptions *options, GError **error)
{
  const TplanMixGraph asked[] = { { "plus", first, fixture->graphs[0] },
                                  { "minus", second, fixture->graphs[1] } };

  return tplan_mix_optimize (asked, 2, fixture->costs, options, error);
}

static void
test_made (void)
{
  static const char *const devices[]
      = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL, again = NULL;
  const TplanMixPart *parts;
  double bound, busy;
  int n;

  set_up (&fixture, devices);
  mix = plan (&fixture, "300/s", "4ms", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_mix_save (mix, fixture.saved, &error));
  again = tplan_mix_load (fixture.saved, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_mix_check (again, &error));
  parts = tplan_mix_get_parts (again, &n);
  g_assert_cmpint (n, ==, 2);
  g_assert_cmpstr (parts[1].name, ==, "minus");
  g_assert_cmpint (parts[1].n_runs, ==, 1);
  g_assert_cmpint (parts[1].span_ns, ==, 4000000);
  g_assert_cmpstr (tplan_plan_find_device (parts[0].plan, "square"), ==,
                   tplan_plan_find_device (tplan_mix_get_parts (mix, NULL)->plan,
                                           "square"));
  busy = tplan_mix_get_busy (again, &bound);
  g_assert_cmpfloat (busy, ==, tplan_mix_get_busy (mix, NULL));
  g_assert_true (bound > 0 && bound <= busy && busy <= 1);
  tear_down (&fixture);
}

/* The same from memory, with the graphs in their order, and only with all of them. */
static void
test_bytes (void)
{
  static const char *const devices[]
      = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL, again = NULL, swapped = NULL, named = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GBytes *graphs[2];
  char *text;
  gsize size;

  set_up (&fixture, devices);
  mix = plan (&fixture, "300/s", "4ms", NULL, &error);
  g_assert_true (tplan_mix_save (mix, fixture.saved, &error));
  g_assert_true (g_file_get_contents (fixture.saved, &text, &size, NULL));
  bytes = g_bytes_new_take (text, size);
  for (int i = 0; i < 2; i++)
    graphs[i] = g_bytes_new_static (models[i], strlen (models[i]));
  again = tplan_mix_new_from_bytes (bytes, graphs, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_mix_check (again, &error));
  named = tplan_mix_new_from_bytes (bytes, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (tplan_mix_new_from_bytes (bytes, graphs, 1, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "1 graphs were given"));
  g_clear_error (&error);
  g_assert_null (
      tplan_mix_new_from_bytes (graphs[0], graphs, 2, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_clear_error (&error);
  g_bytes_unref (graphs[1]);
  graphs[1] = g_bytes_ref (graphs[0]);
  swapped = tplan_mix_new_from_bytes (bytes, graphs, 2, NULL, &error);
  g_assert_null (swapped);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  for (int i = 0; i < 2; i++)
    g_bytes_unref (graphs[i]);
  tear_down (&fixture);
}

static void
expect (const Fixture *fixture, const char *rate,
        const TplanOptimizeOptions *options, TplanError code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = plan (fixture, "1/s", rate, options, &error);

  g_assert_null (mix);
  g_assert_error (error, TPLAN_ERROR, (int) code);
}

static void
test_refused (void)
{
  static const char *const devices[]
      = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };
  static const char *const tight[]
      = { "sim:desktop-cpu=1", "sim:laptop-gpu=1", NULL };
  const TplanOptimizeOptions other = { .objective = "energy" };
  const TplanOptimizeOptions small = { .memory_limits = tight };
  static const char *const loose[]
      = { "sim:desktop-cpu=1G", "sim:laptop-gpu=1G", NULL };
  static const char *const most[] = { "sim:desktop-cpu=1073741823",
                                      "sim:laptop-gpu=1073741823", NULL };
  const TplanOptimizeOptions reserving
      = { .memory_limits = loose, .memory_reserves = most };
  const TplanOptimizeOptions all
      = { .memory_limits = loose, .memory_reserves = loose };
  Fixture fixture;
  TplanMixGraph twice[2];
  g_autoptr (GError) error = NULL;

  set_up (&fixture, devices);
  expect (&fixture, "often", NULL, TPLAN_ERROR_USAGE);
  expect (&fixture, "1000000000/s", NULL, TPLAN_ERROR_LIMIT);
  expect (&fixture, "1ns", NULL, TPLAN_ERROR_LIMIT);
  expect (&fixture, "2000ns", &other, TPLAN_ERROR_USAGE);
  expect (&fixture, "1/s", &small, TPLAN_ERROR_INFEASIBLE);
  expect (&fixture, "1/s", &reserving, TPLAN_ERROR_INFEASIBLE);
  expect (&fixture, "1/s", &all, TPLAN_ERROR_USAGE);
  twice[0] = twice[1] = (TplanMixGraph){ "one", "1/s", fixture.graphs[0] };
  g_assert_null (tplan_mix_optimize (twice, 2, fixture.costs, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (tplan_mix_optimize (twice, 0, fixture.costs, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_null (tplan_mix_load (fixture.paths[0], NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  tear_down (&fixture);
}

/* ---- side by side --------------------------------------------------------- */

typedef struct
{
  TplanSession *session;
  int sign;                   /* of the second term */
  int seed;
} Runner;

/* Small whole numbers: exact on every device. */
static gpointer
run_often (gpointer data)
{
  const Runner *runner = data;
  g_autoptr (GError) error = NULL;

  for (int round = 0; round < N_RUNS; round++)
    {
      float x[N], y[N];
      const void *inputs[] = { x };
      void *outputs[] = { y };

      for (int i = 0; i < N; i++)
        x[i] = (float) (runner->seed * 5 + round + i);
      tplan_session_run (runner->session, inputs, outputs, &error);
      g_assert_no_error (error);
      for (int i = 0; i < N; i++)
        g_assert_cmpfloat (y[i], ==,
                           x[i] * x[i] + (float) runner->sign * x[i]);
    }
  return NULL;
}

/* The mix may go before its sessions. */
static void
run_all (TplanSession *const *sessions)
{
  Runner runners[2 * N_THREADS];
  GThread *threads[2 * N_THREADS];

  for (int i = 0; i < 2 * N_THREADS; i++)
    {
      runners[i] = (Runner){ sessions[i % 2], i % 2 == 0 ? 1 : -1, i };
      threads[i] = g_thread_new ("runner", run_often, &runners[i]);
    }
  for (int i = 0; i < 2 * N_THREADS; i++)
    g_thread_join (threads[i]);
}

static void
test_runs (gconstpointer device)
{
  const char *const devices[] = { device, NULL };
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL;
  TplanSession *sessions[2] = { NULL, NULL };

  set_up (&fixture, devices);
  mix = plan (&fixture, "3/s", "2/s", NULL, &error);
  for (int i = 0; i < 2 && mix != NULL; i++)
    {
      const TplanSessionOptions options = { .n_in_flight = 1 + i };

      sessions[i] = tplan_mix_new_session (mix, i, &options, &error);
      if (sessions[i] == NULL)
        break;
    }
  g_clear_pointer (&mix, tplan_mix_free);
  if (error != NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
      g_test_skip (error->message);
    }
  else
    run_all (sessions);
  tplan_session_free (sessions[0]);
  tplan_session_free (sessions[1]);
  tear_down (&fixture);
}

/* ---- memory ---------------------------------------------------------------- */

#define MOST_SESSIONS 64
#define N_MAKERS 4

/* A session of the first plan; NULL: it is too much beside others. */
static TplanSession *
make (const TplanMix *mix)
{
  const TplanSessionOptions options = { .n_threads = 1 };
  g_autoptr (GError) error = NULL;
  TplanSession *session = tplan_mix_new_session (mix, 0, &options, &error);

  if (session == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "the plans' limit"));
      g_assert_nonnull (strstr (error->message, "free other sessions"));
    }
  return session;
}

/* As many as there is room for. */
static int
make_all (const TplanMix *mix, TplanSession **sessions)
{
  int n = 0;

  while (n < MOST_SESSIONS && (sessions[n] = make (mix)) != NULL)
    n++;
  return n;
}

typedef struct
{
  const TplanMix *mix;
  TplanSession *sessions[MOST_SESSIONS];
  int n;
} Maker;

static gpointer
make_some (gpointer data)
{
  Maker *maker = data;

  maker->n = make_all (maker->mix, maker->sessions);
  return NULL;
}

static int
free_all (TplanSession **sessions, int n)
{
  for (int i = 0; i < n; i++)
    tplan_session_free (sessions[i]);
  return n;
}

/* From several threads there is room for as many. */
static int
make_from_threads (const TplanMix *mix)
{
  Maker makers[N_MAKERS];
  GThread *threads[N_MAKERS];
  int n = 0;

  for (int i = 0; i < N_MAKERS; i++)
    {
      makers[i] = (Maker){ .mix = mix };
      threads[i] = g_thread_new ("maker", make_some, &makers[i]);
    }
  for (int i = 0; i < N_MAKERS; i++)
    g_thread_join (threads[i]);
  for (int i = 0; i < N_MAKERS; i++)
    n += free_all (makers[i].sessions, makers[i].n);
  return n;
}

/* What plans that were made together take is held to one limit, whoever makes sessions
 * of them and when: those that are freed give theirs back. */
static void
test_memory (void)
{
  static const char *const devices[] = { "ref", NULL };
  static const char *const limits[] = { "ref=64K", NULL };
  const TplanOptimizeOptions within = { .memory_limits = limits };
  const TplanSessionOptions many = { .n_threads = 1, .n_in_flight = 64 };
  TplanSession *sessions[MOST_SESSIONS];
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL, again = NULL;
  g_autoptr (TplanSession) other = NULL, alone = NULL;
  int n;

  set_up (&fixture, devices);
  mix = plan (&fixture, "3/s", "2/s", &within, &error);
  g_assert_no_error (error);
  n = make_all (mix, sessions);
  g_assert_true (n > 2 && n < MOST_SESSIONS);
  other = tplan_mix_new_session (mix, 1, &many, &error);
  g_assert_null (other);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "have fewer in flight"));
  g_clear_error (&error);

  /* one of a part that is taken for itself is one of them */
  alone = tplan_session_new (tplan_mix_get_parts (mix, NULL)[0].plan, 1, &error);
  g_assert_null (alone);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_clear_error (&error);
  tplan_session_free (sessions[--n]);
  alone = tplan_session_new (tplan_mix_get_parts (mix, NULL)[0].plan, 1, &error);
  g_assert_no_error (error);
  g_assert_null (make (mix));

  /* other plans have other limits */
  g_assert_true (tplan_mix_save (mix, fixture.saved, &error));
  again = tplan_mix_load (fixture.saved, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (make_from_threads (again), ==, n + 1);
  g_clear_pointer (&alone, tplan_session_free);
  free_all (sessions, n);
  g_assert_cmpint (make_from_threads (mix), ==, n + 1);
  tear_down (&fixture);
}

/* Where no limit is given, and no device says what it has, there is none. */
static void
test_no_limit (void)
{
  static const char *const devices[] = { "ref", NULL };
  TplanSession *sessions[MOST_SESSIONS];
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL;

  set_up (&fixture, devices);
  mix = plan (&fixture, "3/s", "2/s", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (free_all (sessions, make_all (mix, sessions)), ==,
                   MOST_SESSIONS);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mix/made", test_made);
  g_test_add_func ("/mix/bytes", test_bytes);
  g_test_add_func ("/mix/refused", test_refused);
  g_test_add_func ("/mix/memory", test_memory);
  g_test_add_func ("/mix/no-limit", test_no_limit);
  g_test_add_data_func ("/mix/runs/ref", "ref", test_runs);
  g_test_add_data_func ("/mix/runs/cpu", "cpu", test_runs);
  g_test_add_data_func ("/mix/runs/opencl", "opencl:0", test_runs);
  return g_test_run ();
}
