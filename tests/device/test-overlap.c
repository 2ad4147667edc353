/* test-overlap.c: sessions whose engines work at once: no two tasks that touch the
 * same bytes are ever free to run in either order, whatever the schedule; results
 * are those of one thing after the other, bit for bit, however long each takes;
 * and a task that fails ends the run, not the session. */
#include "config.h"

#include "../ir/random-model.h"
#include "nets.h"
#include "order-oracle.h"
#include "runtime/session-order.h"
#include "runtime/session-progress.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- schedules at random --------------------------------------------------- */

#define MOST_START 1000

static gint64
pick_start (void)
{
  return g_test_rand_int_range (0, MOST_START);
}

static gint64
pick_time (void)
{
  return g_test_rand_int_range (0, MOST_START / 10);
}

/* Copies as a planner would list them: of each tensor to each device. */
static void
add_transfers (TpPlan *plan, const TpGraph *graph)
{
  plan->transfers = g_new0 (TpTransfer, (gsize) graph->n_tensors
                                            * (plan->n_devices + 1));
  for (int i = 0; i < graph->n_tensors; i++)
    for (int to = TP_COSTS_HOST; to < plan->n_devices; to++)
      plan->transfers[plan->n_transfers++]
          = (TpTransfer){ .tensor = i, .from = 0, .to = to,
                          .time_ns = pick_time () };
}

static void
schedule_at_random (TpPlan *plan, const TpGraph *graph)
{
  TpSpanProof *proof;

  add_transfers (plan, graph);
  plan->span_proof = proof
      = tp_span_proof_new (graph->n_nodes, plan->n_transfers);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      proof->starts[i] = pick_start ();
      plan->placements[i].time_ns = pick_time ();
    }
  for (int i = 0; i < plan->n_transfers; i++)
    {
      proof->fetch_starts[i] = pick_start ();
      proof->feed_starts[i] = pick_start ();
    }
}

/* ---- a hand in every task -------------------------------------------------- */

static gint n_performed;
static gint fails_at = -1;    /* count of tasks; -1: never */
static gint is_slow;

gboolean __real_tp_session_perform_task (const TpSessionRun *run,
                                         const TpSessionTask *task,
                                         GError **error);
gboolean __wrap_tp_session_perform_task (const TpSessionRun *run,
                                         const TpSessionTask *task,
                                         GError **error);

/* g_test_rand is not for several threads. */
static guint
pick_delay_us (int count, int action)
{
  guint hash = (guint) count * 2654435761u ^ (guint) action * 40503u;

  return (hash >> 8) % 4 == 0 ? (hash >> 12) % 300 : 0;
}

gboolean
__wrap_tp_session_perform_task (const TpSessionRun *run,
                                const TpSessionTask *task, GError **error)
{
  int count = g_atomic_int_add (&n_performed, 1);

  if (g_atomic_int_get (&is_slow))
    g_usleep (pick_delay_us (count, task->action));
  if (count == g_atomic_int_get (&fails_at))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE, "made to fail");
      return FALSE;
    }
  return __real_tp_session_perform_task (run, task, error);
}

/* ---- results ---------------------------------------------------------------- */

static void
run_job (TpSession *session, const NetJob *job, GError **error)
{
  net_run_clear_outputs (job->run);
  tp_session_run (session, (const void *const *) job->run->inputs,
                  job->run->outputs, error);
}

static void
check_run (TpSession *session, const NetJob *job)
{
  g_autoptr (GError) error = NULL;

  run_job (session, job, &error);
  g_assert_no_error (error);
  net_job_check (job);
}

#define N_RUNS 5

static void
check_slow_runs (TpSession *session, const NetJob *job)
{
  is_slow = TRUE;
  for (int i = 0; i < N_RUNS; i++)
    check_run (session, job);
  is_slow = FALSE;
}

/* Each of some tasks fails once; the session runs on. */
static void
check_failures (TpSession *session, const NetJob *job, int n_tasks)
{
  for (int at = 0; at < n_tasks; at += 1 + n_tasks / 8)
    {
      g_autoptr (GError) error = NULL;

      n_performed = 0;
      fails_at = at;
      run_job (session, job, &error);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
      g_assert_cmpstr (error->message, ==, "made to fail");
      g_assert_cmpint (n_performed, <=, n_tasks);
      fails_at = -1;
      check_run (session, job);
    }
}

/* Steps have the times of a profiled run, each within it. */
static void
check_profile (TpSession *session, const NetJob *job)
{
  g_autoptr (GError) error = NULL;
  const TpSessionStep *steps;
  int n;

  tp_session_run_profiled (session, (const void *const *) job->run->inputs,
                           job->run->outputs, &error);
  g_assert_no_error (error);
  steps = tp_session_get_steps (session, &n);
  for (int i = 0; i < n; i++)
    {
      g_assert_cmpint (steps[i].begin_ns, >=, 0);
      g_assert_cmpint (steps[i].begin_ns + steps[i].measured_ns, <=,
                       tp_session_get_time_ns (session));
      g_assert_cmpint (steps[i].planned_ns, >=, -1);
    }
}

static void
check_progress (TpSession *session, const NetJob *job, int n_tasks)
{
  guint before;

  tp_session_follow (session);
  before = tp_session_count_progress (session);
  check_run (session, job);
  g_assert_cmpuint (tp_session_count_progress (session) - before, ==, n_tasks);
  g_assert_null (tp_session_describe_current (session));
}

static gboolean maps_first;   /* the first that is no host */

static void
map_first (TpPlan *plan, const TpGraph *graph)
{
  int host = 0, other = 0;

  if (!maps_first)
    return;
  while (host + 1 < plan->n_devices && strcmp (plan->devices[host], "cpu") != 0)
    host++;
  other = host == 0;
  plan->costs = tp_costs_new (plan->n_devices,
                              (const char *const *) plan->devices, graph,
                              plan->groups);
  plan->costs->host = host;
  plan->costs->is_mapped = g_new0 (gboolean, plan->n_devices);
  tp_costs_map (plan->costs, other);
}

/* FALSE: an op of it has no kernels, or nothing is to overlap. */
static gboolean
check_plan (TpGraph *graph, const char *devices)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = net_plan_random (graph, devices);
  g_autoptr (TpSession) plain = NULL;
  g_autoptr (TpSession) session = NULL;
  g_autoptr (TpSessionOrder) order = NULL;
  NetJob job;

  map_first (plan, graph);
  plain = tp_session_new (graph, plan, NULL, &error);
  if (plain == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
      return FALSE;
    }
  g_assert_null (plain->overlap);
  schedule_at_random (plan, graph);
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  if (session->overlap == NULL)
    return FALSE;
  order = tp_session_order_new (session);
  g_assert_cmpint (order_check (session, order), >, 0);
  net_job_init (&job, plain, graph);
  check_run (session, &job);
  check_slow_runs (session, &job);
  check_failures (session, &job, order->n_tasks);
  check_profile (session, &job);
  check_progress (session, &job, order->n_tasks);
  net_job_clear (&job);
  return TRUE;
}

static const char *const nets[] = { net_mlp, net_image, net_branches, net_ends };

static void
test_nets (gconstpointer devices)
{
  int n_overlapped = 0;

  if (!net_need_devices (devices))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autoptr (TpGraph) graph = net_load_prepared (nets[i]);

      n_overlapped += check_plan (graph, devices);
    }
  g_assert_cmpint (n_overlapped, >, 1);
}

static void
test_random (gconstpointer devices)
{
  int n_overlapped = 0;

  if (!net_need_devices (devices))
    return;
  for (int i = 0; i < 100 && n_overlapped < 1; i++)
    {
      g_autoptr (TpGraph) graph = random_model (3);

      n_overlapped += check_plan (graph, devices);
    }
  g_assert_cmpint (n_overlapped, ==, 1);
}

static void
test_mapped (gconstpointer devices)
{
  maps_first = TRUE;
  test_nets (devices);
  test_random (devices);
  maps_first = FALSE;
}

/* ---- states -------------------------------------------------------------------- */

/* Each of @n runs of @session has of the one before what it has one thing after the
 * other, in @plain. */
static void
check_state_runs (TpSession *plain, TpSession *session, int n)
{
  is_slow = TRUE;
  for (int i = 0; i < n; i++)
    {
      NetJob job;

      net_job_init (&job, plain, session->graph);
      check_run (session, &job);
      net_job_clear (&job);
    }
  is_slow = FALSE;
}

static void
test_states (gconstpointer devices)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_states);
  int n_overlapped = 0;

  if (!net_need_devices (devices))
    return;
  for (int i = 0; i < 8; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = net_plan_random (graph, devices);
      g_autoptr (TpSession) plain = tp_session_new (graph, plan, NULL, &error);
      g_autoptr (TpSession) session = NULL;
      g_autoptr (TpSessionOrder) order = NULL;

      g_assert_no_error (error);
      schedule_at_random (plan, graph);
      session = tp_session_new (graph, plan, NULL, &error);
      g_assert_no_error (error);
      if (session->overlap == NULL)
        continue;
      n_overlapped++;
      order = tp_session_order_new (session);
      order_check (session, order);
      check_state_runs (plain, session, N_RUNS);
    }
  g_assert_cmpint (n_overlapped, >, 1);
}

/* ---- what is refused --------------------------------------------------------- */

/* The threads stay behind. */
static void
test_fork (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_branches);
  g_autoptr (TpPlan) plan = net_plan_random (graph, "cpu opencl:0");
  g_autoptr (TpSession) session = NULL;
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  pid_t child;
  int status;

  if (!net_need_devices ("cpu opencl:0"))
    return;
  schedule_at_random (plan, graph);
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (session->overlap);
  child = fork ();
  if (child == 0)
    {
      gboolean is_good = tp_session_run (
          session, (const void *const *) run->inputs, run->outputs, &error);

      _exit (!is_good && g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE)
             && strstr (error->message, "forked") != NULL
                 ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* One device in host memory: there is nothing to overlap. */
static void
test_alone (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_branches);
  g_autoptr (TpPlan) plan = net_plan_random (graph, "ref");
  g_autoptr (TpSession) session = NULL;

  schedule_at_random (plan, graph);
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (session->overlap);
}

int
main (int argc, char **argv)
{
  static const char *const places[]
      = { "opencl:0", "cpu opencl:0", "opencl:0 cpu", "opencl:0 opencl:1",
          "cpu opencl:0 opencl:1", "sim:server-cpu sim:server-gpu" };
  static const char *const mapped[]
      = { "cpu opencl:1", "opencl:1 cpu opencl:0",
          "cpu sim:gflops=100,gbps=10,link=5GB/s+9us,map=3us" };

  /* PoCL shows two devices then. */
  g_setenv ("POCL_DEVICES", "pthread basic", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_strconcat ("/overlap/nets/", places[i], NULL);
      g_autofree char *random
          = g_strconcat ("/overlap/random/", places[i], NULL);
      g_autofree char *states
          = g_strconcat ("/overlap/states/", places[i], NULL);

      g_test_add_data_func (path, places[i], test_nets);
      g_test_add_data_func (random, places[i], test_random);
      g_test_add_data_func (states, places[i], test_states);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (mapped); i++)
    {
      g_autofree char *path = g_strconcat ("/overlap/mapped/", mapped[i], NULL);

      g_test_add_data_func (path, mapped[i], test_mapped);
    }
  g_test_add_func ("/overlap/fork", test_fork);
  g_test_add_func ("/overlap/alone", test_alone);
  return g_test_run ();
}
