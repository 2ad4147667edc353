/* test-alone.c: the checker without the planner, which is not linked: a plan and
 * its proof written by hand. */
#include "config.h"

#include "format/graph-load.h"
#include "ir/graph-digest.h"
#include "planner/check/check.h"

#include <string.h>

static const char graph_text[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,"
      "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [4]}],"
      "\"outputs\": [\"y\"], \"ops\": [{\"name\": \"o\", \"type\": \"Magic\","
      "\"inputs\": [\"x\"], \"outputs\": [\"y\"], \"shapes\": [[4]],"
      "\"cost\": {\"cpu\": 10}}]}";
static const char *const devices[] = { "cpu", "opencl:0", NULL };

typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
} Fixture;

/* 10 on the host; on the device 3, and 2 to get there and 4 to get back. */
static TpCosts *
make_costs (const TpGraph *graph, const TpGroups *groups)
{
  TpCosts *costs = tp_costs_new (2, devices, graph, groups);

  tp_costs_node (costs, 0, 0)->time_ns = 10;
  tp_costs_node (costs, 0, 1)->time_ns = 3;
  tp_costs_feed (costs, graph->inputs[0], 1)->time_ns = 2;
  tp_costs_fetch (costs, graph->inputs[0], 1)->time_ns = 5;
  tp_costs_feed (costs, graph->outputs[0], 1)->time_ns = 6;
  tp_costs_fetch (costs, graph->outputs[0], 1)->time_ns = 4;
  tp_costs_seal (costs);
  return costs;
}

/* Of op, input (whose copies x -> op are fed) and output (that the caller reads). */
static const gint64 flows[] = {
  3, 9,                       /* s -> op -> t */
  2, 2, 0, 0,                 /* x on the second: fed, and its reader; on the first */
  0, 0, 4, 4,                 /* y on the second; on the first: made, and the caller */
};

static TpPlan *
make_plan (const TpGraph *graph)
{
  TpPlan *plan = tp_plan_new ();
  int x = graph->inputs[0], y = graph->outputs[0];
  const TpTransfer transfers[] = { { x, 0, 1, 16, 2 }, { y, 1, 0, 16, 4 } };

  g_assert_cmpint (x, <, y);
  plan->graph_name = g_strdup ("g");
  plan->graph_digest = tp_graph_digest (graph);
  plan->objective = g_strdup ("time");
  plan->devices = g_strdupv ((char **) devices);
  plan->n_devices = 2;
  plan->n_placements = 1;
  plan->placements = g_new0 (TpPlacement, 1);
  plan->placements[0] = (TpPlacement){ .device = 1, .cheapest = 1, .time_ns = 3,
                                            .margin_ns = -1 };
  plan->groups = tp_groups_new ();
  plan->all_groups = tp_groups_new ();
  plan->n_transfers = 2;
  plan->transfers = g_memdup2 (transfers, sizeof transfers);
  plan->cost_ns = plan->bound_ns = plan->best_single_ns = 9;
  plan->best_single = 1;
  plan->costs = make_costs (graph, plan->all_groups);
  plan->costs_digest = g_strdup (plan->costs->digest);
  plan->certificate = g_strdup ("min-cut");
  plan->flows = g_memdup2 (flows, sizeof flows);
  plan->n_flows = G_N_ELEMENTS (flows);
  return plan;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  f->graph = tp_graph_load_json ("g.json", graph_text, strlen (graph_text),
                                 NULL, &error);
  g_assert_no_error (error);
  f->plan = make_plan (f->graph);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  tp_plan_unref (f->plan);
  tp_graph_unref (f->graph);
}

static void
assert_refused (Fixture *f, const char *reason)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  g_assert_false (tp_check (f->plan, f->graph, reasons));
  for (guint i = 0; i < reasons->len; i++)
    if (strstr (reasons->pdata[i], reason) != NULL)
      return;
  g_error ("no reason has '%s'; the first is '%s'", reason,
           (char *) reasons->pdata[0]);
}

static void
test_good (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (!tp_check (f->plan, f->graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
}

/* A plan that is what it says, but not the cheapest. */
static void
test_dearer (Fixture *f, gconstpointer data)
{
  f->plan->placements[0] = (TpPlacement){ .time_ns = 10, .margin_ns = -1 };
  f->plan->n_transfers = 0;
  f->plan->cost_ns = 10;
  assert_refused (f, "not proved cheapest");
  f->plan->bound_ns = 10;
  assert_refused (f, "proves a bound of 9");
}

static void
test_unproved (Fixture *f, gconstpointer data)
{
  f->plan->flows[1] = 8;
  assert_refused (f, "not conserved");
  f->plan->flows[1] = 11;
  assert_refused (f, "n0 -> t does not take flow 11");
  f->plan->flows[1] = 9;
  f->plan->flows[4] = 1;
  assert_refused (f, "is not called for");
  f->plan->flows[4] = 0;
  f->plan->n_flows--;
  assert_refused (f, "there are 9, the graph has 10 arcs");
}

static void
test_objective (Fixture *f, gconstpointer data)
{
  g_free (f->plan->objective);
  f->plan->objective = g_strdup ("beauty");
  assert_refused (f, "objective 'beauty' is unknown");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/alone/good", test_good },
    { "/alone/dearer", test_dearer },
    { "/alone/unproved", test_unproved },
    { "/alone/objective", test_objective },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test,
                tear_down);
  return g_test_run ();
}
