/* test-plan-long.c: plans that are read in two threads come back as they were, or not at
 * all. */
#include "config.h"

#include "format/graph-load.h"
#include "format/plan-json.h"
#include "format/plan-load.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/plan-memory.h"

#include <string.h>

#define N_OPS 1500
#define LONG_BYTES (256 << 10) /* as format/plan-load-lines.c has it */

static char *
write_graph (void)
{
  GString *text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"t0\", "
      "\"shape\": [4]}], \"outputs\": [\"t1500\"], \"ops\": [");

  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (text,
                            "%s\n{\"type\": \"Relu\", \"inputs\": [\"t%d\"], "
                            "\"outputs\": [\"t%d\"]}",
                            i == 0 ? "" : ",", i, i + 1);
  g_string_append (text, "]}\n");
  return g_string_free (text, FALSE);
}

static TpGraph *
read_graph (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = tp_graph_read_bytes (
      "g.json", bytes, &(TpLoadOptions){ .is_in_memory = TRUE }, &error);
  TpGraph *graph;

  g_assert_no_error (error);
  graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  return graph;
}

static void
fill_tables (TpPlan *plan, const TpGraph *graph)
{
  plan->costs = tp_costs_new (2, (const char *const *) plan->devices, graph,
                              plan->all_groups);
  for (int i = 0; i < 2 * N_OPS; i++)
    plan->costs->nodes[i] = (TpCost){ .time_ns = 10 + i % 777 };
  for (int i = 0; i < graph->n_tensors; i++)
    *tp_costs_feed (plan->costs, i, 1) = *tp_costs_fetch (plan->costs, i, 1)
        = (TpCost){ .time_ns = 100 + i % 10, .is_estimated = TRUE };
  tp_costs_seal (plan->costs);
  plan->costs_digest = g_strdup (plan->costs->digest);
  plan->flows = g_new0 (gint64, N_OPS);
  plan->n_flows = N_OPS;
  for (int i = 0; i < N_OPS; i++)
    plan->flows[i] = i;
}

/* Not a good one. */
static TpPlan *
make_plan (const TpGraph *graph)
{
  TpPlan *plan = tp_plan_new ();
  const char *const devices[] = { "cpu", "opencl:0", NULL };

  plan->graph_name = g_strdup (graph->name);
  plan->graph_digest = tp_graph_digest (graph);
  plan->objective = g_strdup ("time");
  plan->certificate = g_strdup ("min-cut");
  plan->devices = g_strdupv ((char **) devices);
  plan->n_devices = 2;
  plan->n_placements = N_OPS;
  plan->placements = g_new0 (TpPlacement, N_OPS);
  for (int i = 0; i < N_OPS; i++)
    plan->placements[i] = (TpPlacement){ .node = i, .time_ns = 10 + 2 * i % 777,
                                         .margin_ns = i };
  plan->groups = tp_groups_new ();
  plan->all_groups = tp_groups_new ();
  fill_tables (plan, graph);
  tp_plan_count_memory (plan, graph);
  return plan;
}

static TpPlan *
load (GBytes *graph_bytes, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (TpGraph) graph = NULL;
  const TpPlanSource source
      = { .path = "p.json", .bytes = bytes, .graph = graph_bytes };

  return tp_plan_read_from (&source, &(TpLoadOptions){ 0 }, &graph, error);
}

static void
test_long (void)
{
  g_autofree char *graph_text = write_graph ();
  g_autoptr (GBytes) bytes = g_bytes_new (graph_text, strlen (graph_text));
  g_autoptr (TpGraph) graph = read_graph (bytes);
  g_autoptr (TpPlan) plan = make_plan (graph);
  g_autofree char *text = tp_plan_to_json (plan, graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) same = load (bytes, text, &error);
  g_autofree char *again = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (strlen (text), >, LONG_BYTES);
  again = tp_plan_to_json (same, graph);
  g_assert_cmpstr (again, ==, text);
  for (int i = 0; i < 40;)
    {
      gsize at = (gsize) g_test_rand_int_range (0, (gint) strlen (text));
      char was = text[at];
      g_autoptr (GError) refusal = NULL;

      if (!g_ascii_isdigit (was))
        continue;
      text[at] = was == '9' ? '8' : was + 1;
      g_assert_null (load (bytes, text, &refusal));
      g_assert_error (refusal, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      text[at] = was;
      i++;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-long/changed", test_long);
  return g_test_run ();
}
