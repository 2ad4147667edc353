/* test-flight.c: runs in flight: engines are held by one run at a time, the oldest
 * first, and results are those of single runs, bit for bit. */
#include "config.h"

#include "../ir/random-model.h"
#include "nets.h"
#include "runtime/engines.h"
#include "runtime/session-private.h"
#include "runtime/session-progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SLOTS 4
#define N_RUNS 50
#define HANGS_S 600           /* a child that takes longer hangs */

/* ---- engines --------------------------------------------------------------- */

#define N_ENGINES 3
#define N_TAKES 2000

typedef struct
{
  TpEngines *engines;
  gint n_holders[N_ENGINES];
  gint n_takes;
} Shared;

typedef struct
{
  Shared *shared;
  int slot;
  guint32 seed;
} Taker;

static void
take_once (Shared *shared, int engine, int slot)
{
  g_auto (TpEngineHold) hold = tp_engines_take (shared->engines, engine, slot);

  if (engine < 0)
    return;
  g_assert_cmpint (g_atomic_int_add (&shared->n_holders[engine], 1), ==, 0);
  g_thread_yield ();
  g_atomic_int_inc (&shared->n_takes);
  g_assert_cmpint (g_atomic_int_add (&shared->n_holders[engine], -1), ==, 1);
}

static gpointer
take_often (gpointer data)
{
  Taker *taker = data;
  Shared *shared = taker->shared;
  g_autoptr (GRand) rand = g_rand_new_with_seed (taker->seed);

  for (int i = 0; i < N_TAKES; i++)
    {
      int engine = g_rand_int_range (rand, -1, N_ENGINES);

      if (i % 10 == 0)
        tp_engines_begin (shared->engines, taker->slot);
      take_once (shared, engine, taker->slot);
    }
  return NULL;
}

static void
test_alone (void)
{
  Shared shared = { tp_engines_new (N_ENGINES), { 0 }, 0 };
  Taker takers[MOST_SLOTS];
  GThread *threads[MOST_SLOTS];

  tp_engines_join (shared.engines, MOST_SLOTS);
  for (int i = 0; i < MOST_SLOTS; i++)
    {
      takers[i] = (Taker){ &shared, i, g_test_rand_int () };
      threads[i] = g_thread_new ("taker", take_often, &takers[i]);
    }
  for (int i = 0; i < MOST_SLOTS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (shared.n_takes, >, MOST_SLOTS * N_TAKES / 2);
  tp_engines_unref (shared.engines);
}

typedef struct
{
  TpEngines *engines;
  int slot;
  GMutex *lock;
  GString *order;
} Waiter;

static gpointer
wait_once (gpointer data)
{
  Waiter *waiter = data;
  g_auto (TpEngineHold) hold
      = tp_engines_take (waiter->engines, 1, waiter->slot);

  g_mutex_lock (waiter->lock);
  g_string_append_printf (waiter->order, "%d", waiter->slot);
  g_mutex_unlock (waiter->lock);
  return NULL;
}

/* Runs begin as 2, 0, 3; slot 1 has the engine until all wait. Another engine is
 * free meanwhile. */
static void
test_oldest_first (void)
{
  static const int begun[] = { 2, 0, 3 };
  TpEngines *engines = tp_engines_new (N_ENGINES);
  g_autoptr (GString) order = g_string_new (NULL);
  Waiter waiters[G_N_ELEMENTS (begun)];
  GThread *threads[G_N_ELEMENTS (begun)];
  TpEngineHold hold, other;
  GMutex lock;

  g_mutex_init (&lock);
  tp_engines_join (engines, MOST_SLOTS);
  tp_engines_begin (engines, 1);
  hold = tp_engines_take (engines, 1, 1);
  other = tp_engines_take (engines, 2, 0);
  tp_engine_hold_clear (&other);
  for (gsize i = 0; i < G_N_ELEMENTS (begun); i++)
    tp_engines_begin (engines, begun[i]);
  for (gsize i = G_N_ELEMENTS (begun); i-- > 0;)
    {
      waiters[i] = (Waiter){ engines, begun[i], &lock, order };
      threads[i] = g_thread_new ("waiter", wait_once, &waiters[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (begun); i++)
    while (!tp_engines_is_waiting (engines, begun[i]))
      g_usleep (1000);
  tp_engine_hold_clear (&hold);
  for (gsize i = 0; i < G_N_ELEMENTS (begun); i++)
    g_thread_join (threads[i]);
  g_assert_cmpstr (order->str, ==, "203");
  tp_engines_unref (engines);
  g_mutex_clear (&lock);
}

#define N_PASSES 200
#define N_STEPS 30

/* A run that needs one engine after the other. */
typedef struct
{
  Shared *shared;
  GRand *rand;
  int engine;                 /* that it needs next; -1: it has ended */
  gint at, n_inside;
  int n_own;                  /* steps in the thread of the run */
} Passed;

static int
pass_on (gpointer data)
{
  Passed *passed = data;
  gint *n_holders = &passed->shared->n_holders[passed->engine];

  g_assert_cmpint (g_atomic_int_add (&passed->n_inside, 1), ==, 0);
  g_assert_cmpint (g_atomic_int_add (n_holders, 1), ==, 0);
  g_thread_yield ();
  g_assert_cmpint (g_atomic_int_add (n_holders, -1), ==, 1);
  passed->at++;
  passed->engine = passed->at == N_STEPS
                       ? -1
                       : g_rand_int_range (passed->rand, 0, N_ENGINES);
  g_assert_cmpint (g_atomic_int_add (&passed->n_inside, -1), ==, 1);
  return passed->engine;
}

static void
pass_once (Passed *passed, int slot)
{
  tp_engines_begin (passed->shared->engines, slot);
  passed->at = 0;
  passed->engine = g_rand_int_range (passed->rand, 0, N_ENGINES);
  while (passed->engine >= 0)
    {
      const TpEngineJob job = { passed->engine, slot, pass_on, passed };
      g_auto (TpEngineHold) hold = { NULL, -1, 0 };

      if (!tp_engines_pass (passed->shared->engines, &job, &hold))
        break;
      g_assert_cmpint (hold.engine, ==, passed->engine);
      passed->n_own++;
      pass_on (passed);
    }
  g_assert_cmpint (passed->at, ==, N_STEPS);
}

static gpointer
pass_often (gpointer data)
{
  Taker *taker = data;
  Passed passed = { .shared = taker->shared,
                    .rand = g_rand_new_with_seed (taker->seed) };

  for (int i = 0; i < N_PASSES; i++)
    pass_once (&passed, taker->slot);
  g_rand_free (passed.rand);
  return GINT_TO_POINTER (passed.n_own);
}

/* Every step is done once, in order, with its engine held by nobody else, whoever
 * does it. Alone a run does all of them itself. */
static void
test_pass (void)
{
  for (int n = 1; n <= MOST_SLOTS; n += MOST_SLOTS - 1)
    {
      Shared shared = { tp_engines_new (N_ENGINES), { 0 }, 0 };
      Taker takers[MOST_SLOTS];
      GThread *threads[MOST_SLOTS];
      int n_own = 0;

      tp_engines_join (shared.engines, n);
      for (int i = 0; i < n; i++)
        {
          takers[i] = (Taker){ &shared, i, g_test_rand_int () };
          threads[i] = g_thread_new ("passer", pass_often, &takers[i]);
        }
      for (int i = 0; i < n; i++)
        n_own += GPOINTER_TO_INT (g_thread_join (threads[i]));
      g_test_message ("%d of %d steps in threads of runs", n_own,
                      n * N_PASSES * N_STEPS);
      g_assert_true (n > 1 || n_own == N_PASSES * N_STEPS);
      tp_engines_unref (shared.engines);
    }
}

static int
end_at_once (gpointer run)
{
  (void) run;
  return -1;
}

static gpointer
pass_to_server (gpointer engines)
{
  const TpEngineJob job = { 0, 1, end_at_once, NULL };
  TpEngineHold hold;

  g_assert_false (tp_engines_pass (engines, &job, &hold));
  return NULL;
}

/* The thread of an engine waits when a child is forked, which has none, and frees
 * the engines all the same. */
static void
test_forked (void)
{
  g_autoptr (TpEngines) engines = tp_engines_new (N_ENGINES);
  TpEngineHold hold;
  GThread *thread;
  int status = -1;
  pid_t child;

  tp_engines_join (engines, 2);
  tp_engines_begin (engines, 0);
  tp_engines_begin (engines, 1);
  hold = tp_engines_take (engines, 0, 0);
  thread = g_thread_new ("passer", pass_to_server, engines);
  while (!tp_engines_is_waiting (engines, 1))
    g_usleep (1000);
  tp_engine_hold_clear (&hold);
  g_thread_join (thread);
  child = fork ();
  if (child == 0)
    {
      alarm (HANGS_S);
      tp_engines_unref (engines);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* Sessions come and go: each has slots of its own, and what was left is had again. */
static void
test_join (void)
{
  g_autoptr (TpEngines) engines = tp_engines_new (N_ENGINES);

  g_assert_cmpint (tp_engines_join (engines, 2), ==, 0);
  g_assert_cmpint (tp_engines_join (engines, 3), ==, 2);
  g_assert_cmpint (tp_engines_join (engines, 1), ==, 5);
  tp_engines_leave (engines, 2, 3);
  g_assert_cmpint (tp_engines_join (engines, 4), ==, 6);
  g_assert_cmpint (tp_engines_join (engines, 2), ==, 2);
  g_assert_cmpint (tp_engines_join (engines, 1), ==, 4);
}

/* What was held is counted once it is given back, of each engine by itself. */
static void
test_busy (void)
{
  g_autoptr (TpEngines) engines = tp_engines_new (N_ENGINES);
  TpEngineHold hold;

  tp_engines_join (engines, 1);
  tp_engines_begin (engines, 0);
  hold = tp_engines_take (engines, 1, 0);
  g_usleep (2000);
  g_assert_cmpint (tp_engines_get_busy_ns (engines, 1), ==, 0);
  tp_engine_hold_clear (&hold);
  g_assert_cmpint (tp_engines_get_busy_ns (engines, 1), >=, 2000000);
  g_assert_cmpint (tp_engines_get_busy_ns (engines, 0), ==, 0);
}

/* ---- sessions -------------------------------------------------------------- */

typedef struct
{
  TpSession *session;
  int n_slots;
  NetJob *jobs;
  gint n_taken;
} Flight;

typedef struct
{
  Flight *flight;
  int slot;
} Runner;

static gpointer
run_jobs (gpointer data)
{
  Runner *runner = data;
  Flight *flight = runner->flight;
  int i;

  while ((i = g_atomic_int_add (&flight->n_taken, 1)) < N_RUNS)
    {
      g_autoptr (GError) error = NULL;
      NetRun *run = flight->jobs[i].run;

      net_run_clear_outputs (run);
      tp_session_run_in_slot (flight->session, runner->slot,
                              (const void *const *) run->inputs, run->outputs,
                              &error);
      g_assert_no_error (error);
      net_job_check (&flight->jobs[i]);
    }
  return NULL;
}

static void
fly (Flight *flight)
{
  Runner runners[MOST_SLOTS];
  GThread *threads[MOST_SLOTS];

  flight->n_taken = 0;
  for (int i = 0; i < flight->n_slots; i++)
    {
      runners[i] = (Runner){ flight, i };
      threads[i] = g_thread_new ("runner", run_jobs, &runners[i]);
    }
  for (int i = 0; i < flight->n_slots; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (tp_session_get_time_ns (flight->session), >, 0);
}

/* Each run but those of the first has tensors of its own; weights are shared. */
static void
check_memory (const TpSession *session, const TpSession *single)
{
  for (int i = 0; i < session->plan->n_devices; i++)
    {
      TpSessionMemory many, one;

      tp_session_get_memory (session, i, &many);
      tp_session_get_memory (single, i, &one);
      g_assert_cmpint (many.arena_bytes, ==,
                       session->n_slots * one.arena_bytes);
      g_assert_cmpint (many.weight_bytes, ==, one.weight_bytes);
      g_assert_cmpint (many.workspace_bytes, ==, one.workspace_bytes);
    }
}

static void
check_flights (TpGraph *graph, TpPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpSession) single = tp_session_new (graph, plan, NULL, &error);
  const int counts[] = { 1, g_test_rand_int_range (2, MOST_SLOTS), MOST_SLOTS };
  NetJob jobs[N_RUNS];

  g_assert_no_error (error);
  for (int i = 0; i < N_RUNS; i++)
    net_job_init (&jobs[i], single, graph);
  for (gsize k = 0; k < G_N_ELEMENTS (counts); k++)
    {
      int n = counts[k];
      g_autoptr (TpSession) session
          = tp_session_new_in_flight (graph, plan, n, NULL, &error);
      Flight flight = { session, n, jobs, 0 };

      g_assert_no_error (error);
      check_memory (session, single);
      fly (&flight);
      if (n == MOST_SLOTS)
        {
          tp_session_follow (session);
          fly (&flight);
          g_assert_cmpuint (tp_session_count_progress (session), >, 0);
          g_assert_null (tp_session_describe_current (session));
        }
    }
  for (int i = 0; i < N_RUNS; i++)
    net_job_clear (&jobs[i]);
}

static const char *const nets[] = { net_mlp, net_image, net_branches, net_ends };

static void
test_nets (gconstpointer devices)
{
  if (!net_need_devices (devices))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autoptr (TpGraph) graph = net_load_prepared (nets[i]);
      g_autoptr (TpPlan) plan = net_plan_random (graph, devices);

      check_flights (graph, plan);
    }
}

/* FALSE: an op of it has no kernels. */
static gboolean
can_run (TpGraph *graph, TpPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  if (session == NULL)
    g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  return session != NULL;
}

static void
test_random (gconstpointer devices)
{
  int n_flown = 0;

  if (!net_need_devices (devices))
    return;
  for (int i = 0; i < 100 && n_flown < 1; i++)
    {
      g_autoptr (TpGraph) graph = random_model (3);
      g_autoptr (TpPlan) plan = net_plan_random (graph, devices);

      if (!can_run (graph, plan))
        continue;
      check_flights (graph, plan);
      n_flown++;
    }
  g_assert_cmpint (n_flown, ==, 1);
}

/* ---- what is refused ------------------------------------------------------- */

static void
test_simulated (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "sim:server-gpu", "0");

  g_assert_null (tp_session_new_in_flight (graph, plan, 2, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
}

/* What one run takes is the limit: a second has no room. */
static void
test_limit (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "ref", "0");
  g_autoptr (TpSession) single = tp_session_new (graph, plan, NULL, &error);
  g_autoptr (TpSession) limited = NULL;
  g_autofree char *expected = NULL;
  TpSessionMemory memory;

  g_assert_no_error (error);
  tp_session_get_memory (single, 0, &memory);
  plan->costs = tp_costs_new_sized (plan->n_devices,
                                    (const char *const *) plan->devices,
                                    &(TpCostRows){ 0, 0, 0 });
  plan->memory_limits = g_new0 (gint64, 2);
  plan->memory_limits[0] = memory.arena_bytes + memory.weight_bytes
                           + memory.workspace_bytes;
  limited = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (tp_session_new_in_flight (graph, plan, 2, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  expected = g_strdup_printf ("%" G_GINT64_FORMAT " more than the plan's limit",
                              memory.arena_bytes);
  g_assert_nonnull (strstr (error->message, expected));
  g_assert_nonnull (strstr (error->message, "2 runs in flight"));
  /* What is missing may come of a reserve. */
  g_clear_error (&error);
  g_clear_pointer (&limited, tp_session_free);
  plan->memory_reserves = g_new0 (gint64, 2);
  plan->memory_reserves[0] = memory.arena_bytes - 1;
  g_assert_null (tp_session_new_in_flight (graph, plan, 2, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message,
                            " 1 more than the plan's limit and reserve"));
  g_clear_error (&error);
  plan->memory_reserves[0]++;
  limited = tp_session_new_in_flight (graph, plan, 2, NULL, &error);
  g_assert_no_error (error);
}

static const char *const places[]
    = { "cpu", "opencl:0", "cpu opencl:0", "cpu ref", "opencl:0 cpu",
        "opencl:0 opencl:1", "cpu opencl:0 opencl:1" };

int
main (int argc, char **argv)
{
  /* PoCL shows two devices then. */
  g_setenv ("POCL_DEVICES", "pthread basic", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flight/engines/alone", test_alone);
  g_test_add_func ("/flight/engines/oldest-first", test_oldest_first);
  g_test_add_func ("/flight/engines/join", test_join);
  g_test_add_func ("/flight/engines/pass", test_pass);
  g_test_add_func ("/flight/engines/busy", test_busy);
  g_test_add_func ("/flight/engines/forked", test_forked);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_strconcat ("/flight/nets/", places[i], NULL);
      g_autofree char *random
          = g_strconcat ("/flight/random/", places[i], NULL);

      g_test_add_data_func (path, places[i], test_nets);
      g_test_add_data_func (random, places[i], test_random);
    }
  g_test_add_func ("/flight/simulated", test_simulated);
  g_test_add_func ("/flight/limit", test_limit);
  return g_test_run ();
}
