/* test-memory.c: what sessions take: arenas as the plan foretells them, in which
 * nothing overwrites what is still read, and what is counted beside. */
#include "config.h"

#include "ir/plan-memory.h"
#include "nets.h"
#include "planner/fuse.h"
#include "runtime/session-private.h"

#include <string.h>

#define TOLERANCE 1e-5

static gboolean
fill_with_nan (TpSession *session, int storage, GError **error)
{
  TpDevice *device = tp_session_get_device (session, storage)->device;
  int tensor = session->execution->storages[storage].tensor;
  gint64 size = session->graph->tensors[tensor].size_bytes;
  g_autofree void *poison = g_malloc (size);

  memset (poison, 0xff, size);
  return tp_device_write (device, session->slots[0].bufs[storage], poison, size,
                          error);
}

/* What is not yet or no longer alive becomes NaN. */
static gboolean
poison (TpSession *session, int action, gboolean is_before, gpointer data,
        GError **error)
{
  int *n_poisoned = data;

  for (int i = 0; i < session->execution->n_storages; i++)
    {
      const TpStorage *storage = &session->execution->storages[i];

      if (storage->is_constant
          || action != (is_before ? storage->first : storage->last))
        continue;
      if (!fill_with_nan (session, i, error))
        return FALSE;
      (*n_poisoned)++;
    }
  return TRUE;
}

static void
check_poisoned (TpGraph *graph, TpPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);
  int n_poisoned = 0;

  g_assert_no_error (error);
  g_assert_true (tp_session_run_watched (
      session, (const void *const *) run->inputs, run->outputs,
      (TpSessionWatch){ poison, &n_poisoned }, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
  g_assert_cmpint (n_poisoned, ==,
                   2 * session->execution->n_storages);
}

static void
test_arena (void)
{
  for (gsize i = 0; i < NET_N_ALL - 1; i++)
    for (int round = 0; round < 8; round++)
      {
        g_autoptr (TpGraph) graph = net_load_prepared (net_all[i]);
        g_autoptr (TpPlan) plan = net_plan_random (graph, "ref ref");

        check_poisoned (graph, plan);
      }
}

/* What a plan foretells is what its session takes, to the byte. */
static void
check_foretold (TpGraph *graph, TpPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  g_assert_no_error (error);
  tp_plan_count_memory (plan, graph);
  for (int i = 0; i < plan->n_devices; i++)
    {
      TpSessionMemory memory;

      tp_session_get_memory (session, i, &memory);
      g_assert_cmpint (plan->peak_bytes[i], ==, memory.arena_bytes);
      g_assert_cmpint (memory.workspace_bytes, >=, 0);
    }
}

/* Between two devices that both have memory of their own, and no others. */
static void
test_staging (void)
{
  static const struct
  {
    const char *devices;
    gboolean is_wanted;
  } cases[] = {
    { "ref ref", FALSE },
    { "ref sim:laptop-gpu", FALSE },
    { "sim:laptop-gpu ref", FALSE },
    { "sim:laptop-cpu sim:laptop-gpu", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
      g_autoptr (TpPlan) plan = net_plan (graph, cases[i].devices, "01");
      g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL,
                                                      &error);

      g_assert_no_error (error);
      g_assert_cmpint (session->slots[0].staging != NULL, ==, cases[i].is_wanted);
      net_check (graph, plan, TOLERANCE);
    }
}

/* Weights and scratch are counted apart from the arena; nothing is left out. */
static void
test_counted_apart (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "ref", "0");
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);
  TpSessionMemory memory;

  g_assert_no_error (error);
  tp_plan_count_memory (plan, graph);
  tp_session_get_memory (session, 0, &memory);
  g_assert_cmpint (plan->weight_bytes[0], ==, 4 * (37 * 48 + 48 + 11 * 48));
  g_assert_cmpint (memory.weight_bytes, ==, plan->weight_bytes[0]);
  /* the doubles of fc1: x, w1, b1 and h0 */
  g_assert_cmpint (memory.workspace_bytes, ==,
                   8 * (5 * 37 + 37 * 48 + 48 + 5 * 48));
}

static void
test_foretold (gconstpointer devices)
{
  int n_rounds = g_getenv ("TPLAN_TEST_FULL") != NULL ? 4 : 1;

  if (!net_need_devices (devices))
    return;
  for (gsize i = 0; i < NET_N_ALL; i++)
    for (int round = 0; round < n_rounds; round++)
      {
        g_autoptr (TpGraph) graph = net_load_prepared (net_all[i]);
        g_autoptr (TpPlan) random = net_plan_random (graph, devices);
        g_autoptr (TpPlan) fused = net_plan (graph, devices, "0");
        g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);

        check_foretold (graph, random);
        for (int k = 0; k < groups->n_groups; k++)
          tp_groups_add (fused->groups, groups->groups[k].nodes,
                         groups->groups[k].n_nodes);
        check_foretold (graph, fused);
      }
}

/* A chain needs two tensors at a time, however long it is. */
static void
test_arena_is_small (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'name': 'chain', 'opset': 17,"
      " 'inputs': [{'name': 't0', 'dtype': 'float32', 'shape': [2048]}],"
      " 'outputs': ['t20'], 'ops': [");
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (TpSession) session = NULL;

  for (int i = 0; i < 20; i++)
    g_string_append_printf (text, "%s{'name': 'n%d', 'type': 'Tanh', 'inputs': "
                            "['t%d'], 'outputs': ['t%d']}", i > 0 ? ", " : "",
                            i, i, i + 1);
  g_string_append (text, "]}");
  graph = net_load (text->str);
  plan = net_plan (graph, "ref", "0");
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (session->slots[0].arenas[0].size_bytes, ==, 2 * 8192);
}

static void
test_memory_limit (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (
      graph, "ref sim:gflops=10,gbps=10,launch=1us,link=1GB/s+1us,memory=4KiB",
      "01");
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  g_assert_null (session);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < NET_N_PAIRS; i++)
    {
      g_autofree char *path = g_strconcat ("/memory/foretold/", net_pairs[i], NULL);

      g_test_add_data_func (path, net_pairs[i], test_foretold);
    }
  g_test_add_func ("/memory/arena", test_arena);
  g_test_add_func ("/memory/arena-is-small", test_arena_is_small);
  g_test_add_func ("/memory/staging", test_staging);
  g_test_add_func ("/memory/counted-apart", test_counted_apart);
  g_test_add_func ("/memory/limit", test_memory_limit);
  return g_test_run ();
}
