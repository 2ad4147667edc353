/* test-plans.c: plans of small graphs on made-up machines, as text. A changed
 * plan shows in review: TPLAN_UPDATE_PLANS=1 writes the texts anew. */
#include "config.h"

#include "format/graph-load.h"
#include "machine/machine-costs.h"
#include "machine/machine.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/margin.h"
#include "planner/offer.h"
#include "planner/place.h"

typedef struct
{
  const char *name;           /* of the text: tests/plans/<name>.txt */
  const char *graph;          /* tests/plans/<graph>.json */
  const char *host, *device;  /* profiles, figures, or files in machines/ */
} PlanCase;

static const PlanCase cases[] = {
  { "mlp-server", "mlp", "server-cpu", "server-gpu" },
  { "mlp-laptop", "mlp", "laptop-cpu", "integrated-gpu" },
  { "mlp-odd-board", "mlp", "edge-cpu", "odd-board.conf" },
  { "residual-desktop", "residual", "edge-cpu", "desktop-gpu" },
  { "residual-slow-link", "residual", "gflops=100,gbps=20,launch=1us",
    "gflops=4000,gbps=200,launch=5us,link=1GB/s+20us" },
  { "residual-far-link", "residual", "gflops=100,gbps=20,launch=1us",
    "gflops=4000,gbps=200,launch=5us,link=0.1GB/s+200us" },
  { "dense-integrated", "dense", "edge-cpu", "integrated-gpu" },
  { "joined-laptop", "joined", "laptop-cpu", "integrated-gpu" },
  { "pinned-desktop", "pinned", "laptop-cpu", "desktop-gpu" },
  { "pinned-odd-board", "pinned", "edge-cpu", "odd-board.conf" },
};

static TpMachine *
find_machine (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path
      = g_str_has_suffix (name, ".conf")
            ? g_test_build_filename (G_TEST_DIST, "..", "machines", name, NULL)
            : g_strdup (name);
  TpMachine *machine = tp_machine_parse (path, &error);

  g_assert_no_error (error);
  return machine;
}

static TpCosts *
find_costs (const PlanCase *it, const TpGraph *graph, const TpGroups *groups)
{
  static const char *const names[] = { "cpu", "opencl:0", NULL };
  g_autoptr (TpMachine) host = find_machine (it->host);
  g_autoptr (TpMachine) device = find_machine (it->device);
  g_autoptr (TpWorks) works = tp_works_new (graph, groups);
  TpCosts *costs = tp_costs_new (2, names, graph, groups);

  tp_machine_fill_costs (host, 0, works, costs);
  tp_machine_fill_costs (device, 1, works, costs);
  tp_costs_seal (costs);
  return costs;
}

/* Microseconds: finer figures depend on how work is counted. */
static double
micro (gint64 time_ns)
{
  return time_ns / 1e3;
}

static void
print_ops (GString *out, const TpPlan *plan, const TpGraph *graph)
{
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      g_string_append_printf (out, "op %-10s %-8s %9.1f us",
                              graph->nodes[i].name, plan->devices[it->device],
                              micro (it->time_ns));
      if (it->margin_ns >= 0)
        g_string_append_printf (out, "  margin %.1f us",
                                micro (it->margin_ns));
      g_string_append_c (out, '\n');
    }
}

static char *
plan_to_text (const TpPlan *plan, const TpGraph *graph)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "cost %.1f us, best single ",
                          micro (plan->cost_ns));
  if (plan->best_single < 0)
    g_string_append (out, "none\n");
  else
    g_string_append_printf (out, "%s %.1f us\n",
                            plan->devices[plan->best_single],
                            micro (plan->best_single_ns));
  print_ops (out, plan, graph);
  for (int g = 0; g < plan->groups->n_groups; g++)
    {
      g_string_append (out, "group");
      for (int k = 0; k < plan->groups->groups[g].n_nodes; k++)
        g_string_append_printf (
            out, " %s", graph->nodes[plan->groups->groups[g].nodes[k]].name);
      g_string_append_c (out, '\n');
    }
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      g_string_append_printf (out, "copy %s to %s, %" G_GINT64_FORMAT
                                   " bytes, %.1f us\n",
                              graph->tensors[it->tensor].name,
                              plan->devices[it->to], it->size_bytes,
                              micro (it->time_ns));
    }
  return g_string_free (out, FALSE);
}

static void
compare_text (const char *name, const char *text)
{
  g_autofree char *file = g_strconcat (name, ".txt", NULL);
  g_autofree char *path
      = g_test_build_filename (G_TEST_DIST, "..", "plans", file, NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("TPLAN_UPDATE_PLANS") != NULL)
    g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &expected, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_plan (gconstpointer data)
{
  const PlanCase *it = data;
  g_autofree char *file = g_strconcat (it->graph, ".json", NULL);
  g_autofree char *path
      = g_test_build_filename (G_TEST_DIST, "..", "plans", file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, &error);
  g_autoptr (TpGroups) all = NULL, groups = NULL;
  g_autoptr (TpCosts) costs = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  all = tp_fuse_find_all (graph, NULL, NULL);
  costs = find_costs (it, graph, all);
  groups = tp_offer_choose (all, graph, costs);
  plan = tp_place (graph, groups, costs, "time", &error);
  g_assert_no_error (error);
  g_assert_true (tp_place_margins (plan, graph, &error));
  g_assert_true (tp_check (plan, graph, reasons));
  text = plan_to_text (plan, graph);
  compare_text (it->name, text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/plans/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_plan);
    }
  return g_test_run ();
}
