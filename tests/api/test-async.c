/* test-async.c: runs that are submitted and waited for, from many threads. Built
 * with --enable-sanitizers=thread it is the search for data races. */
#include "plan-on.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 64
#define N_RUNS 200
#define N_THREADS 8

/* y = x * x + x */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
      " \"shape\": [64]}], \"outputs\": [\"y\"], \"ops\": ["
      " {\"name\": \"square\", \"type\": \"Mul\", \"inputs\": [\"x\", \"x\"],"
      "  \"outputs\": [\"s\"]}, {\"name\": \"sum\", \"type\": \"Add\","
      "  \"inputs\": [\"s\", \"x\"], \"outputs\": [\"y\"]}]}";

typedef struct
{
  float x[N], y[N];
} Data;

static void
fill (Data *data, int seed)
{
  for (int i = 0; i < N; i++)
    data->x[i] = (float) (seed * 7 + i);
  memset (data->y, 0xff, sizeof data->y);
}

/* Small whole numbers: exact on every device. */
static void
assert_done (const Data *data)
{
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (data->y[i], ==, data->x[i] * data->x[i] + data->x[i]);
}

static void
assert_untouched (const Data *data)
{
  Data fresh;

  memset (fresh.y, 0xff, sizeof fresh.y);
  g_assert_cmpmem (data->y, sizeof data->y, fresh.y, sizeof fresh.y);
}

static TplanRun *
submit (TplanSession *session, Data *data)
{
  const void *inputs[] = { data->x };
  void *outputs[] = { data->y };
  g_autoptr (GError) error = NULL;
  TplanRun *run = tplan_session_submit (session, inputs, outputs, &error);

  g_assert_no_error (error);
  memset (inputs, 0, sizeof inputs); /* the lists are copied */
  memset (outputs, 0, sizeof outputs);
  return run;
}

/* Where runs go, and how many at a time. */
typedef struct
{
  const char *device;
  int n_in_flight;
} Place;

static TplanSession *
make_session (const Place *place)
{
  const TplanSessionOptions options
      = { .n_threads = 2, .n_in_flight = place->n_in_flight };
  g_autoptr (TplanPlan) plan = tp_test_plan_on (place->device, model, 2);
  g_autoptr (GError) error = NULL;
  TplanSession *session
      = plan == NULL ? NULL : tplan_session_new_full (plan, &options, &error);

  g_assert_no_error (error);
  return session;
}

static void
expect_success (TplanRun *run)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tplan_run_wait (run, &error));
  g_assert_no_error (error);
  g_assert_true (tplan_run_is_done (run));
  g_assert_false (tplan_run_cancel (run));
}

static void
expect_interrupted (TplanRun *run)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tplan_run_is_done (run));
  for (int i = 0; i < 2; i++)
    {
      g_assert_false (tplan_run_wait (run, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED);
      g_clear_error (&error);
    }
}

/* Many are submitted; each does its own work, in the order submitted: when the last
 * is done, all are, if they run one by one. */
static void
test_many (gconstpointer data_of_test)
{
  const Place *place = data_of_test;
  g_autoptr (TplanSession) session = make_session (place);
  g_autofree Data *data = g_new (Data, N_RUNS);
  TplanRun *runs[N_RUNS];

  if (session == NULL)
    return;
  for (int i = 0; i < N_RUNS; i++)
    {
      fill (&data[i], i);
      runs[i] = submit (session, &data[i]);
    }
  expect_success (runs[N_RUNS - 1]);
  for (int i = 0; i < N_RUNS; i++)
    {
      g_assert_true (place->n_in_flight > 1 || tplan_run_is_done (runs[i]));
      expect_success (runs[i]);
      assert_done (&data[i]);
      tplan_run_free (runs[i]);
    }
  g_assert_cmpint (tplan_session_get_time_ns (session), >, 0);
}

/* Of those cancelled none has touched its arrays; all others are done. */
static void
test_cancel (gconstpointer place)
{
  g_autoptr (TplanSession) session = make_session (place);
  g_autofree Data *data = g_new (Data, N_RUNS);
  TplanRun *runs[N_RUNS];
  gboolean is_cancelled[N_RUNS] = { FALSE };

  if (session == NULL)
    return;
  for (int i = 0; i < N_RUNS; i++)
    {
      fill (&data[i], i);
      runs[i] = submit (session, &data[i]);
    }
  for (int i = N_RUNS - 1; i >= 0; i -= 3)
    is_cancelled[i] = tplan_run_cancel (runs[i]);
  for (int i = 0; i < N_RUNS; i++)
    {
      if (is_cancelled[i])
        expect_interrupted (runs[i]);
      else
        expect_success (runs[i]);
      tplan_run_free (runs[i]);
      if (is_cancelled[i])
        assert_untouched (&data[i]);
      else
        assert_done (&data[i]);
    }
}

/* Freeing the session ends what was not begun; handles stay good. What was let go
 * of touches nothing any more. */
static void
test_freed (gconstpointer place)
{
  TplanSession *session = make_session (place);
  g_autofree Data *data = g_new (Data, N_RUNS);
  TplanRun *runs[N_RUNS];

  if (session == NULL)
    return;
  for (int i = 0; i < N_RUNS; i++)
    {
      fill (&data[i], i);
      runs[i] = submit (session, &data[i]);
    }
  for (int i = N_RUNS / 2; i < N_RUNS; i++)
    {
      tplan_run_free (runs[i]);
      fill (&data[i], i);
    }
  tplan_session_free (session);
  for (int i = 0; i < N_RUNS / 2; i++)
    {
      if (tplan_run_wait (runs[i], NULL))
        assert_done (&data[i]);
      else
        expect_interrupted (runs[i]);
      tplan_run_free (runs[i]);
    }
  for (int i = N_RUNS / 2; i < N_RUNS; i++)
    assert_untouched (&data[i]);
}

/* ---- threads ---------------------------------------------------------------- */

static gpointer
use_session (gpointer session)
{
  for (int i = 0; i < 50; i++)
    {
      g_autoptr (GError) error = NULL;
      Data first, second;
      const void *const inputs[] = { second.x };
      void *const outputs[] = { second.y };
      g_autoptr (TplanRun) run = NULL;

      fill (&first, i);
      fill (&second, i + 1);
      run = submit (session, &first);
      g_assert_true (tplan_session_run (session, inputs, outputs, &error));
      g_assert_no_error (error);
      assert_done (&second);
      g_assert_cmpint (tplan_session_get_time_ns (session), >, 0);
      g_assert_null (tplan_session_get_fallback (session));
      while (i % 2 == 0 && !tplan_run_is_done (run))
        g_usleep (10);
      expect_success (run);
      assert_done (&first);
    }
  return NULL;
}

/* All threads use one session, each way at once. */
static void
test_threads (gconstpointer place)
{
  g_autoptr (TplanSession) session = make_session (place);
  GThread *threads[N_THREADS];

  if (session == NULL)
    return;
  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("user", use_session, session);
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

/* ---- processes -------------------------------------------------------------- */

#ifndef __SANITIZE_THREAD__
/* A child submits to the session of its parent, whose thread it has not. */
static void
test_fork (gconstpointer place)
{
  g_autoptr (TplanSession) session = make_session (place);
  TplanRun *old;
  Data data;
  int status;
  pid_t child;

  if (session == NULL)
    return;
  fill (&data, 1);
  old = submit (session, &data);
  expect_success (old);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (TplanRun) run = NULL;

      alarm (120);
      expect_success (old);
      fill (&data, 2);
      run = submit (session, &data);
      expect_success (run);
      assert_done (&data);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  fill (&data, 3);
  tplan_run_free (old);
  old = submit (session, &data);
  expect_success (old);
  assert_done (&data);
  tplan_run_free (old);
}
#endif

/* ---- steps ------------------------------------------------------------------ */

static TplanSession *
make_profiled (const char *device, gboolean is_profiled)
{
  const TplanSessionOptions options
      = { .n_threads = 1, .is_profiled = is_profiled };
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (GError) error = NULL;
  TplanSession *session
      = plan == NULL ? NULL : tplan_session_new_full (plan, &options, &error);

  g_assert_no_error (error);
  return session;
}

static gint64
sum_steps (TplanSession *session, int *out_n_ops)
{
  g_autoptr (GError) error = NULL;
  gint64 sum_ns = 0;
  int n;
  const TplanStep *steps = tplan_session_get_steps (session, &n, &error);

  g_assert_no_error (error);
  *out_n_ops = 0;
  for (int i = 0; i < n; i++)
    {
      g_assert_true ((steps[i].op == NULL) != (steps[i].tensor == NULL));
      g_assert_true ((steps[i].op == NULL) == (steps[i].n_ops == 0));
      g_assert_true ((steps[i].op == NULL) == (steps[i].reason == NULL));
      g_assert_nonnull (steps[i].device);
      g_assert_cmpint (steps[i].predicted_ns, >=, 0);
      *out_n_ops += steps[i].n_ops;
      sum_ns += steps[i].measured_ns;
    }
  return sum_ns;
}

/* All ops are in some step; what steps took adds up to no more than the run, and
 * only where runs are profiled. */
static void
test_steps (gconstpointer data_of_test)
{
  const char *device = ((const Place *) data_of_test)->device;

  for (int is_profiled = 0; is_profiled < 2; is_profiled++)
    {
      g_autoptr (TplanSession) session = make_profiled (device, is_profiled);
      TplanRun *run;
      Data data;
      int n_ops;

      if (session == NULL)
        return;
      g_assert_cmpint (sum_steps (session, &n_ops), ==, 0);
      g_assert_cmpint (n_ops, ==, 2);
      fill (&data, 5);
      run = submit (session, &data);
      expect_success (run);
      tplan_run_free (run);
      assert_done (&data);
      if (is_profiled)
        g_assert_cmpint (sum_steps (session, &n_ops), >, 0);
      g_assert_cmpint (sum_steps (session, &n_ops), <=,
                       tplan_session_get_time_ns (session) * is_profiled);
    }
}

/* Made-up devices keep what was foretold, copies and all. */
static void
test_foretold (void)
{
  g_autoptr (TplanSession) session = make_profiled ("sim:laptop-gpu", TRUE);
  TplanRun *run;
  const TplanStep *steps;
  gboolean has_copy = FALSE;
  Data data;
  int n;

  g_assert_nonnull (session);
  fill (&data, 5);
  run = submit (session, &data);
  expect_success (run);
  tplan_run_free (run);
  steps = tplan_session_get_steps (session, &n, NULL);
  for (int i = 0; i < n; i++)
    {
      has_copy |= steps[i].tensor != NULL;
      g_assert_cmpint (steps[i].measured_ns, ==, steps[i].predicted_ns);
      if (steps[i].op != NULL)
        g_assert_cmpstr (steps[i].reason, ==, "alone");
    }
  g_assert_true (has_copy);
}

static void
expect_refused (const char *device, int n_in_flight, TplanError code)
{
  const TplanSessionOptions options
      = { .n_threads = 1, .n_in_flight = n_in_flight };
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (plan);
  g_assert_null (tplan_session_new_full (plan, &options, &error));
  g_assert_error (error, TPLAN_ERROR, (gint) code);
}

static void
test_refused (void)
{
  expect_refused ("ref", 65, TPLAN_ERROR_USAGE);
  expect_refused ("sim:laptop-gpu", 2, TPLAN_ERROR_UNSUPPORTED);
}

static void
add (const Place *place)
{
  const struct
  {
    const char *name;
    GTestDataFunc test;
  } cases[] = { { "many", test_many },       { "cancel", test_cancel },
                { "freed", test_freed },     { "threads", test_threads },
                { "steps", test_steps } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/async/%s/%s/%d", cases[i].name, place->device,
                             place->n_in_flight);

      g_test_add_data_func (path, place, cases[i].test);
    }
}

static const Place hosts[]
    = { { "ref", 1 }, { "ref", 4 }, { "cpu", 1 }, { "cpu", 4 } };
#ifndef __SANITIZE_THREAD__
static const Place others[] = { { "opencl:0", 1 }, { "opencl:0", 4 } };
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    add (&hosts[i]);
#ifndef __SANITIZE_THREAD__
  /* Drivers are not instrumented; threads after a fork are not supported. */
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    add (&others[i]);
  g_test_add_data_func ("/async/fork/cpu/1", &hosts[2], test_fork);
  g_test_add_data_func ("/async/fork/cpu/4", &hosts[3], test_fork);
#endif
  g_test_add_func ("/async/foretold", test_foretold);
  g_test_add_func ("/async/refused", test_refused);
  return g_test_run ();
}
