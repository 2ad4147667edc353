/* test-mapped.c: sessions in which the host works in memory of another device: results
 * are right however ops are placed, nothing overwrites what is still read, nor what a
 * kernel under way reads; and where nothing can be mapped, tensors are copied. */
#include "config.h"

#include "../ir/random-model.h"
#include "nets.h"
#include "runtime/session-private.h"

#include <string.h>

#define TOLERANCE 1e-5
#define N_ROUNDS 1
#define N_RANDOM 4             /* cases: programs take long to build */
#define SIM "sim:gflops=100,gbps=10,link=5GB/s+9us,map=3us"

static const char *const nets[] = { net_mlp, net_image, net_branches };

typedef struct
{
  const char *devices;
  int host, mapped;
} Case;

static const Case cases[] = {
  { "cpu opencl:1", 0, 1 },      { "opencl:1 cpu", 1, 0 },
  { "ref opencl:1", 0, 1 },      { "cpu " SIM, 0, 1 },
  { SIM " ref", 1, 0 },          { "cpu opencl:1 ref", 0, 1 },
  { "ref cpu opencl:1", 0, 2 },  { "cpu opencl:0 opencl:1", 0, 2 },
};

static void
map (TpPlan *plan, const TpGraph *graph, const Case *it)
{
  gboolean is_mapped;

  plan->costs = tp_costs_new (plan->n_devices,
                              (const char *const *) plan->devices, graph,
                              plan->groups);
  plan->costs->host = it->host;
  plan->costs->is_mapped = g_new0 (gboolean, plan->n_devices);
  is_mapped = tp_costs_map (plan->costs, it->mapped);
  g_assert_true (is_mapped);
}

/* How many tensors two devices have in common. */
static int
count_common (const TpExecution *execution)
{
  int n = 0;

  for (int i = 0; i < execution->n_actions; i++)
    n += execution->actions[i].kind == TP_DO_MOVE
         && execution->actions[i].src == execution->actions[i].dst;
  return n;
}

/* ---- results ----------------------------------------------------------------- */

/* What is not yet or no longer alive becomes NaN. */
static gboolean
poison (TpSession *session, int action, gboolean is_before, gpointer data,
        GError **error)
{
  (void) data;
  for (int i = 0; i < session->execution->n_storages; i++)
    {
      const TpStorage *storage = &session->execution->storages[i];
      TpDevice *device = tp_session_get_device (session, i)->device;
      g_autofree void *nan = g_malloc (storage->size_bytes);

      if (storage->is_constant
          || action != (is_before ? storage->first : storage->last))
        continue;
      memset (nan, 0xff, storage->size_bytes);
      if (!tp_device_write (device, session->slots[0].bufs[i], nan,
                            storage->size_bytes, error)
          || !device->ops->launch (device, NULL, error))
        return FALSE;
    }
  return TRUE;
}

static void
check_run (TpSession *session, NetRun *run, gboolean is_poisoned)
{
  g_autoptr (GError) error = NULL;
  const void *const *inputs = (const void *const *) run->inputs;

  net_run_clear_outputs (run);
  if (is_poisoned)
    tp_session_run_watched (session, inputs, run->outputs,
                            (TpSessionWatch){ poison, NULL }, &error);
  else
    tp_session_run (session, inputs, run->outputs, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
}

/* Returns how many tensors were handed over; -1: no session can be had. */
static int
check_plan (TpGraph *graph, TpPlan *plan, gboolean is_apart)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NetRun) run = NULL;
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  if (session == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
      return -1;
    }
  g_assert_cmpint (session->is_apart, ==, is_apart);
  run = net_run_new (graph, TP_DOMAIN_ANY);
  for (int i = 0; i < 4; i++)
    check_run (session, run, i % 2);
  return count_common (session->execution);
}

static int
check_graph (TpGraph *graph, const Case *it, gboolean is_apart)
{
  int n_common = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (TpPlan) plan = net_plan_random (graph, it->devices);

      map (plan, graph, it);
      n_common += MAX (check_plan (graph, plan, is_apart), 0);
    }
  return n_common;
}

static void
test_nets (gconstpointer data)
{
  const Case *it = data;
  int n_common = 0;

  if (!net_need_devices (it->devices))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autoptr (TpGraph) graph = net_load_prepared (nets[i]);

      n_common += check_graph (graph, it, FALSE);
    }
  g_assert_cmpint (n_common, >, 0);
}

static void
test_random (gconstpointer data)
{
  const Case *it = data;
  int n_common = 0;

  if (!net_need_devices (it->devices))
    return;
  for (int i = 0; i < 200 && n_common < 2; i++)
    {
      g_autoptr (TpGraph) graph = random_model (3);

      n_common += check_graph (graph, it, FALSE);
    }
  g_assert_cmpint (n_common, >=, 2);
}

/* ---- kernels under way --------------------------------------------------------- */

/* The host makes b where a was, which a kernel is still reading. */
static const char slow[]
    = "{'format': 'tplan-graph/1', 'name': 'slow', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [1024, 1024]}],"
      " 'outputs': ['y'], 'ops': ["
      "  {'name': 'a', 'type': 'Tanh', 'inputs': ['x'], 'outputs': ['a']},"
      "  {'name': 'k', 'type': 'Erf', 'inputs': ['a'], 'outputs': ['k']},"
      "  {'name': 'b', 'type': 'Sigmoid', 'inputs': ['x'], 'outputs': ['b']},"
      "  {'name': 'c', 'type': 'Mul', 'inputs': ['b', 'b'], 'outputs': ['c']},"
      "  {'name': 'y', 'type': 'Add', 'inputs': ['k', 'c'],"
      "   'outputs': ['y']}]}";

static gint64
find_offset (const TpSession *session, int node)
{
  const TpExecution *execution = session->execution;
  int storage = tp_execution_find_storage (
      execution, execution->graph->nodes[node].outputs[0], 1);

  return execution->storages[storage].offset;
}

static void
test_under_way (void)
{
  static const Case it = { "cpu opencl:1", 0, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load (slow);
  g_autoptr (TpPlan) plan = net_plan (graph, it.devices, "01011");
  g_autoptr (NetRun) run = NULL;
  g_autoptr (TpSession) session = NULL;

  if (!net_need_devices (it.devices))
    return;
  map (plan, graph, &it);
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_common (session->execution), ==, 2);
  g_assert_cmpint (find_offset (session, 0), ==, find_offset (session, 2));
  run = net_run_new (graph, TP_DOMAIN_ANY);
  for (int i = 0; i < 10; i++)
    check_run (session, run, FALSE);
}

/* ---- where nothing is mapped -------------------------------------------------- */

static void
test_unmapped (void)
{
  static const Case it = { "cpu opencl:1", 0, 1 };
  g_autoptr (TpGraph) graph = net_load_prepared (net_branches);

  if (!net_need_devices (it.devices))
    return;
  g_setenv ("TPLAN_OPENCL_SHARE", "no", TRUE);
  g_assert_cmpint (check_graph (graph, &it, TRUE), ==, 0);
  g_unsetenv ("TPLAN_OPENCL_SHARE");
}

/* ---- runs in flight ------------------------------------------------------------- */

#define N_SLOTS 3

typedef struct
{
  TpSession *session;
  NetRun *run;
  int slot;
} Flight;

static gpointer
fly (gpointer data)
{
  const Flight *flight = data;
  NetRun *run = flight->run;

  for (int i = 0; i < 10; i++)
    {
      g_autoptr (GError) error = NULL;

      net_run_clear_outputs (run);
      tp_session_run_in_slot (flight->session, flight->slot,
                              (const void *const *) run->inputs, run->outputs,
                              &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
    }
  return NULL;
}

static void
test_in_flight (void)
{
  static const Case it = { "cpu opencl:1", 0, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load (slow);
  g_autoptr (TpPlan) plan = net_plan (graph, it.devices, "01011");
  g_autoptr (TpSession) session = NULL;
  GThread *threads[N_SLOTS];
  Flight flights[N_SLOTS];

  if (!net_need_devices (it.devices))
    return;
  map (plan, graph, &it);
  session = tp_session_new_in_flight (graph, plan, N_SLOTS, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (session->is_apart);
  for (int i = 0; i < N_SLOTS; i++)
    {
      flights[i]
          = (Flight){ session, net_run_new (graph, TP_DOMAIN_ANY), i };
      threads[i] = g_thread_new ("run", fly, &flights[i]);
    }
  for (int i = 0; i < N_SLOTS; i++)
    {
      g_thread_join (threads[i]);
      net_run_free (flights[i].run);
    }
}

int
main (int argc, char **argv)
{
  /* PoCL shows two devices then; the second works while the host goes on. */
  g_setenv ("POCL_DEVICES", "pthread basic", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strconcat ("/mapped/nets/", cases[i].devices, NULL);
      g_autofree char *random
          = g_strconcat ("/mapped/random/", cases[i].devices, NULL);

      g_test_add_data_func (path, &cases[i], test_nets);
      if (i < N_RANDOM)
        g_test_add_data_func (random, &cases[i], test_random);
    }
  g_test_add_func ("/mapped/under-way", test_under_way);
  g_test_add_func ("/mapped/unmapped", test_unmapped);
  g_test_add_func ("/mapped/in-flight", test_in_flight);
  return g_test_run ();
}
