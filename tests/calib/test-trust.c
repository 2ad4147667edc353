/* test-trust.c: guesses of a device beside the host win nothing that was measured
 * elsewhere, and nothing from the host. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/trust.h"

#define MEASURED 1000
#define GUESSED 10

static const char *const both[] = { "cpu", "opencl:0", NULL };
static const char *const simulated[] = { "cpu", "sim:laptop-gpu", NULL };

typedef struct
{
  TpGraph *graph;
  TpGroups *groups;
  TpCosts *costs;
} Fixture;

static void
set (TpCost *cost, gint64 time_ns)
{
  cost->time_ns = time_ns;
  cost->is_estimated = time_ns == GUESSED;
}

/* Measured on the host, guessed on the other device; one group of two. */
static void
fill (Fixture *fixture, const char *const *devices, gint64 on_host)
{
  fixture->costs = tp_costs_new (2, devices, fixture->graph, fixture->groups);
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    {
      set (tp_costs_node (fixture->costs, i, 0), on_host);
      set (tp_costs_node (fixture->costs, i, 1), GUESSED);
    }
  set (tp_costs_group (fixture->costs, 0, 0), on_host);
  set (tp_costs_group (fixture->costs, 0, 1), GUESSED);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->graph = make_small_graph (16);
  fixture->groups = tp_groups_new ();
  tp_groups_add (fixture->groups, (const int[]) { 0, 1 }, 2);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tp_costs_unref (fixture->costs);
  tp_groups_free (fixture->groups);
  tp_graph_unref (fixture->graph);
}

static gint64
get_node (const Fixture *fixture, int node)
{
  return tp_costs_node (fixture->costs, node, 1)->time_ns;
}

static gint64
get_group (const Fixture *fixture)
{
  return tp_costs_group (fixture->costs, 0, 1)->time_ns;
}

static void
test_measured_host (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  for (int i = 0; i < fixture->graph->n_nodes; i++)
    {
      g_assert_cmpint (get_node (fixture, i), ==, TP_COST_NONE);
      g_assert_nonnull (tp_costs_node (fixture->costs, i, 1)->reason);
      g_assert_cmpint (tp_costs_node (fixture->costs, i, 0)->time_ns, ==,
                       MEASURED);
    }
  g_assert_cmpint (get_group (fixture), ==, TP_COST_NONE);
}

/* The host's guesses are as good as any: it is what runs without a device. */
static void
test_guessed_host (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, GUESSED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, TP_COST_NONE);
  g_assert_cmpint (tp_costs_node (fixture->costs, 0, 0)->time_ns, ==, GUESSED);
  g_assert_cmpint (tp_costs_group (fixture->costs, 0, 0)->time_ns, ==,
                   GUESSED);
}

/* What was measured on the device stays; a group of such ops that was not would
 * save by guess. */
static void
test_measured_device (Fixture *fixture, gconstpointer data)
{
  fill (fixture, both, MEASURED);
  set (tp_costs_node (fixture->costs, 0, 1), MEASURED);
  set (tp_costs_node (fixture->costs, 1, 1), MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, MEASURED);
  g_assert_cmpint (get_node (fixture, 3), ==, TP_COST_NONE);
  g_assert_cmpint (get_group (fixture), ==, TP_COST_NONE);
}

/* An op that can run nowhere else keeps what there is. */
static void
test_only_there (Fixture *fixture, gconstpointer data)
{
  const char *pins[] = { "opencl:0", NULL };

  fill (fixture, both, MEASURED);
  fixture->graph->nodes[3].pins = pins;
  tp_costs_node (fixture->costs, 0, 0)->time_ns = TP_COST_NONE;
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  fixture->graph->nodes[3].pins = NULL;
  g_assert_cmpint (get_node (fixture, 0), ==, GUESSED);
  g_assert_cmpint (get_node (fixture, 1), ==, TP_COST_NONE);
  g_assert_cmpint (get_node (fixture, 3), ==, GUESSED);
}

/* A made-up device is guesses by nature. */
static void
test_simulated (Fixture *fixture, gconstpointer data)
{
  fill (fixture, simulated, MEASURED);
  tp_trust_measured (fixture->costs, fixture->graph, fixture->groups);
  g_assert_cmpint (get_node (fixture, 0), ==, GUESSED);
  g_assert_cmpint (get_group (fixture), ==, GUESSED);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/trust/measured-host", test_measured_host },
    { "/trust/guessed-host", test_guessed_host },
    { "/trust/measured-device", test_measured_device },
    { "/trust/only-there", test_only_there },
    { "/trust/simulated", test_simulated },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
