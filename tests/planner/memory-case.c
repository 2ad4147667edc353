/* memory-case.c: see memory-case.h. */
#include "config.h"

#include "memory-case.h"

#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "graph/graph-stream.h"
#include "ir/execution.h"
#include "ir/units.h"
#include "planner/place.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *const device_names[]
    = { "cpu", "opencl:0", "opencl:1", "opencl:2", NULL };

typedef struct
{
  TpGraphBuilder *builder;
  GPtrArray *tensors;         /* names, in no order of size */
  GArray *counts;             /* gint64: elements of each */
  int maker;                  /* op that makes the next of state "s", where ops are to
                               * be on one device; -1: there is none */
} Draft;

#define N_STATE 7000          /* elements of it */

static gint64
random_count (void)
{
  return g_test_rand_int_range (1, 17) * 1024
         + (g_test_rand_int_range (0, 4) == 0 ? 3 : 0);
}

static char *
take_name (Draft *draft, char *name, gint64 count)
{
  g_ptr_array_add (draft->tensors, name);
  g_array_append_val (draft->counts, count);
  return name;
}

static void
add_input (Draft *draft, const char *name)
{
  gint64 count = random_count ();
  TpDimSpec dim = { count, NULL };
  TpTensorSpec spec = { name, TPLAN_DTYPE_FLOAT32, 1, &dim, name };

  tp_graph_builder_add_input (draft->builder, &spec, NULL);
  take_name (draft, g_strdup (name), count);
}

/* Caller frees. */
static char *
add_weight (Draft *draft, int index)
{
  char *name = g_strdup_printf ("w%d", index);
  const TpTensor w = { .name = name, .dtype = TPLAN_DTYPE_FLOAT32, .rank = 1,
                       .dims = (gint64[]){ random_count () },
                       .init = { .kind = TP_INIT_FILL, .value = 1 } };

  tp_graph_builder_add_constant (draft->builder, &w, name, NULL);
  return name;
}

/* Mostly one of the last. */
static int
pick (const Draft *draft)
{
  int n = (int) draft->tensors->len;

  return g_test_rand_int_range (
      g_test_rand_int_range (0, 4) > 0 ? MAX (0, n - 2) : 0, n);
}

/* The same bytes under another name. */
static void
add_view (Draft *draft, int index)
{
  g_autofree char *name = g_strdup_printf ("view%d", index);
  int from = pick (draft);
  const char *input = draft->tensors->pdata[from], *output;
  TpNode node = { .type = "Squeeze", .name = name, .place = name };
  TpNodeNames names
      = { .inputs = &input, .n_inputs = 1, .outputs = &output, .n_outputs = 1 };

  output = take_name (draft, g_strdup_printf ("v%d", index),
                      g_array_index (draft->counts, gint64, from));
  tp_graph_builder_add_node (draft->builder, &node, names, NULL);
}

/* Reads the state, or is with others. */
static void
choose_together (const Draft *draft, int index, TpNode *node,
                 const char **inputs, int *n_inputs)
{
  static const char *const sets[] = { "A", "B", "C" };
  int set = g_test_rand_int_range (0, 9);

  if (index == 0 || index == draft->maker || set == 8)
    inputs[(*n_inputs)++] = "s";
  else if (set < (int) G_N_ELEMENTS (sets))
    node->colocation = sets[set];
}

static void
add_output (Draft *draft, const char *op, gboolean is_state,
            const char **out_name)
{
  g_autoptr (GError) error = NULL;
  TpDimSpec dim = { is_state ? N_STATE : random_count (), NULL };
  TpTensorSpec spec = { NULL, TPLAN_DTYPE_FLOAT32, 1, &dim, op };

  *out_name = spec.name = take_name (
      draft, g_strdup_printf ("%s_%s", op, *out_name), dim.value);
  tp_graph_builder_declare (draft->builder, &spec, &error);
  g_assert_no_error (error);
}

static void
add_op (Draft *draft, int index)
{
  g_autoptr (GError) error = NULL;
  static const TpNodeCost unused = { .device = "cpu", .time_ns = 1 };
  g_autofree char *name = g_strdup_printf ("op%d", index);
  g_autofree char *weight = NULL;
  TpNode node = { .type = "Fancy", .name = name, .place = name, .n_costs = 1,
                  .costs = &unused };
  const char *inputs[5], *outputs[2] = { "0", "1" };
  TpNodeNames names = { .inputs = inputs, .outputs = outputs };
  int n = g_test_rand_int_range (1, 3);

  for (names.n_inputs = 0; names.n_inputs < n; names.n_inputs++)
    inputs[names.n_inputs] = draft->tensors->pdata[pick (draft)];
  if (g_test_rand_int_range (0, 3) > 0)
    inputs[names.n_inputs++] = weight = add_weight (draft, index);
  else if (g_test_rand_bit ())
    inputs[names.n_inputs++] = "shared";
  if (draft->maker >= 0)
    choose_together (draft, index, &node, inputs, &names.n_inputs);
  names.n_outputs = g_test_rand_int_range (0, 6) == 0 ? 2 : 1;
  for (int i = 0; i < names.n_outputs; i++)
    add_output (draft, name, i == 0 && index == draft->maker, &outputs[i]);
  tp_graph_builder_add_node (draft->builder, &node, names, &error);
  g_assert_no_error (error);
}

static void
add_state (const Draft *draft)
{
  const TpDimSpec dim = { N_STATE, NULL };
  const TpTensorSpec s = { "s", TPLAN_DTYPE_FLOAT32, 1, &dim, "s" };
  g_autofree char *next = g_strdup_printf ("op%d_0", draft->maker);

  g_assert_true (tp_graph_builder_add_state (draft->builder, &s, next, NULL));
}

/* The last tensor, and some others; but none that is state. */
static void
add_outputs (const Draft *draft)
{
  g_autofree char *next = g_strdup_printf ("op%d_0", draft->maker);
  guint last = draft->tensors->len - 1;

  last -= g_str_equal (draft->tensors->pdata[last], next);
  for (guint i = MIN (2, last); i <= last; i++)
    if ((i == last || g_test_rand_int_range (0, 8) == 0)
        && !g_str_equal (draft->tensors->pdata[i], next))
      g_assert_true (tp_graph_builder_add_output (
          draft->builder, draft->tensors->pdata[i], "outputs", NULL));
}

static TpGraph *
new_graph (int n_ops, gboolean is_together)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("memory", 17);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (gint64));
  const TpTensor shared = { .name = "shared", .dtype = TPLAN_DTYPE_FLOAT32,
                            .rank = 1, .dims = (gint64[]){ 5000 },
                            .init = { .kind = TP_INIT_FILL, .value = 1 } };
  Draft draft = { builder, tensors, counts, is_together ? n_ops - 1 : -1 };
  TpGraph *graph;

  tp_graph_builder_add_constant (builder, &shared, "shared", NULL);
  add_input (&draft, "x");
  add_input (&draft, "y");
  if (is_together)
    add_state (&draft);
  for (int i = 0; i < n_ops; i++)
    if (i > 0 && i != draft.maker && g_test_rand_int_range (0, 8) == 0)
      add_view (&draft, i);
    else
      add_op (&draft, i);
  add_outputs (&draft);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* ---- groups and costs --------------------------------------------------- */

/* The op after @node that does not stream. */
static int
find_next (const TpGraph *graph, int node)
{
  do
    node++;
  while (node < graph->n_nodes && tp_node_is_stream (&graph->nodes[node]));
  return node;
}

/* Whether all that @node makes is for the next op alone. */
static gboolean
leads_on (const TpGraph *graph, int node)
{
  const TpNode *it = &graph->nodes[node];
  const TpTensor *output = &graph->tensors[it->outputs[0]];
  int next = find_next (graph, node);

  return it->n_outputs == 1 && output->n_consumers == 1 && !output->is_output
         && output->consumers[0] == next && !tp_node_is_view (it)
         && next < graph->n_nodes && !tp_node_is_view (&graph->nodes[next]);
}

/* With @has_claims some are what a graph claims: any runs of ops, which may have several
 * results. */
static TpGroups *
new_groups (const TpGraph *graph, gboolean has_claims)
{
  TpGroups *groups = tp_groups_new ();
  g_autofree int *nodes = g_new (int, graph->n_nodes + 1);
  gboolean is_claimed = FALSE;
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      if (tp_node_is_stream (&graph->nodes[i]))
        continue;
      if (n == 0 && has_claims)
        is_claimed = g_test_rand_bit ();
      nodes[n++] = i;
      if ((is_claimed || leads_on (graph, i))
          && g_test_rand_int_range (0, 3) > 0)
        continue;
      if (n > 1)
        tp_groups_add_copy (groups, &(TpGroup){ .n_nodes = n, .nodes = nodes, .is_claimed = is_claimed });
      n = 0;
    }
  return groups;
}

static TpCost
random_cost (int low, int high)
{
  return (TpCost){ .time_ns = g_test_rand_int_range (low, high + 1) };
}

/* Ops that are to be together have one left that all can be on. */
static int
choose_gap (const TpGraph *graph, int node, int n_devices)
{
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[node];

  return index >= 0 ? index % n_devices : g_test_rand_int_range (0, n_devices);
}

static TpCosts *
new_costs (int n, int host, const TpGraph *graph, const TpGroups *groups)
{
  TpCosts *costs = tp_costs_new (n, device_names, graph, groups);
  int copy = g_test_rand_bit () ? 50 : 400;

  costs->host = host;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      *tp_costs_node (costs, i, 0) = random_cost (50, 2000);
      for (int d = 1; d < n; d++)
        *tp_costs_node (costs, i, d) = random_cost (10, 1000);
      if (graph->nodes[i].pins == NULL && g_test_rand_int_range (0, 10) == 0)
        tp_costs_node (costs, i, choose_gap (graph, i, n))->time_ns
            = TP_COST_NONE;
    }
  for (int i = 0; i < groups->n_groups; i++)
    for (int d = 0; d < n; d++)
      if (g_test_rand_int_range (0, 5) > 0)
        *tp_costs_group (costs, i, d) = random_cost (10, 2000);
  for (int i = 0; i < n * graph->n_tensors; i++)
    {
      *tp_costs_feed (costs, i / n, i % n) = random_cost (0, copy);
      *tp_costs_fetch (costs, i / n, i % n) = random_cost (0, copy);
    }
  tp_costs_seal (costs);
  return costs;
}

static TpTestCase *
new_case (int n_devices, int n_ops, gboolean is_together, gboolean has_claims)
{
  TpTestCase *test = g_new0 (TpTestCase, 1);

  test->graph = new_graph (n_ops, is_together);
  test->groups = new_groups (test->graph, has_claims);
  test->costs
      = new_costs (n_devices, g_test_rand_int_range (TP_COSTS_HOST, n_devices),
                   test->graph, test->groups);
  return test;
}

TpTestCase *
tp_memory_case_new_for (int n_devices, int n_ops)
{
  return new_case (n_devices, n_ops, FALSE, FALSE);
}

TpTestCase *
tp_memory_case_new_together (int n_devices, int n_ops)
{
  return new_case (n_devices, n_ops, TRUE, FALSE);
}

TpTestCase *
tp_memory_case_new_claimed (int n_devices, int n_ops)
{
  return new_case (n_devices, n_ops, FALSE, TRUE);
}

/* Takes @graph. */
static TpGraph *
stream_some (TpGraph *graph, const char *host, int most)
{
  g_autoptr (TpGraph) plain = graph;
  g_autofree const char **names = g_new0 (const char *, graph->n_tensors + 1);
  g_autoptr (GError) error = NULL;
  TpGraph *streamed;
  int n = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    if (tp_graph_can_stream (graph, i)
        && graph->tensors[i].n_consumers <= most && g_test_rand_bit ())
      {
        names[n++] = graph->tensors[i].name;
        most -= graph->tensors[i].n_consumers;
      }
  streamed = tp_graph_stream (graph, names, host, &error);
  g_assert_no_error (error);
  return streamed;
}

TpTestCase *
tp_memory_case_new_streamed (int n_ops, int most)
{
  TpTestCase *test = g_new0 (TpTestCase, 1);
  int host = g_test_rand_int_range (0, 2);

  test->graph = stream_some (new_graph (n_ops, FALSE), device_names[host], most);
  test->groups = new_groups (test->graph, FALSE);
  test->costs = new_costs (2, host, test->graph, test->groups);
  return test;
}

TpTestCase *
tp_memory_case_new (int n_ops)
{
  return tp_memory_case_new_for (2, n_ops);
}

/* ---- what it takes ------------------------------------------------------ */

static gboolean
is_fused (const TpTestCase *test, int group, const guint8 *devices)
{
  const TpGroup *it = &test->groups->groups[group];
  int device = devices[it->nodes[0]];
  gint64 fused = tp_costs_group (test->costs, group, device)->time_ns;
  gint64 apart = 0;

  for (int k = 0; k < it->n_nodes; k++)
    {
      gint64 time_ns = tp_costs_node (test->costs, it->nodes[k], device)->time_ns;

      if (devices[it->nodes[k]] != device || time_ns == TP_COST_NONE)
        return FALSE;
      apart += time_ns;
    }
  return fused < apart;
}

void
tp_memory_case_count (const TpTestCase *test, const guint8 *devices,
                      gint64 *out_bytes)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autofree int *places = g_new (int, test->graph->n_nodes + 1);
  TpPlaced placed
      = { test->costs->n_devices, test->costs->host, places, groups, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpExecution) execution = NULL;

  for (int i = 0; i < test->graph->n_nodes; i++)
    places[i] = devices[i];
  for (int i = 0; i < test->groups->n_groups; i++)
    if (!test->groups->groups[i].is_claimed && is_fused (test, i, devices))
      tp_groups_add (groups, test->groups->groups[i].nodes,
                     test->groups->groups[i].n_nodes);
  execution = tp_execution_new (test->graph, &placed, &error);
  g_assert_no_error (error);
  for (int d = 0; d < test->costs->n_devices; d++)
    out_bytes[d] = execution->memory[d].arena_bytes
                   + execution->memory[d].weight_bytes;
}

gboolean
tp_memory_case_fits (const TpTestCase *test, const guint8 *devices,
                     const gint64 *limits)
{
  gint64 bytes[TP_TEST_MAX_DEVICES];

  if (limits == NULL)
    return TRUE;
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < test->costs->n_devices; d++)
    if (limits[d] != 0 && bytes[d] > limits[d])
      return FALSE;
  return TRUE;
}

TpPlan *
tp_memory_case_place (const TpTestCase *test, const gint64 *limits, int n_cuts)
{
  const TpPlaceOptions options
      = { .objective = "time", .limits = limits, .n_cuts = n_cuts };
  g_autoptr (GError) error = NULL;
  TpPlan *plan = tp_place_with (test->graph, test->groups, test->costs,
                                &options, &error);

  if (plan == NULL)
    g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  return plan;
}

TpPlan *
tp_memory_case_place_tight (const TpTestCase *test, int n_cuts,
                            gint64 *out_limits)
{
  g_autoptr (TpPlan) cheapest = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (cheapest);
  TpPlan *plan;

  tp_memory_case_count (test, devices, out_limits);
  out_limits[0] = 0;
  out_limits[1] = out_limits[1] / 2 + 1;
  plan = tp_memory_case_place (test, out_limits, n_cuts);
  if (plan == NULL || plan->memory_proof != NULL)
    return plan;
  tp_plan_unref (plan);
  return NULL;
}

/* ---- the other checker ---------------------------------------------------- */

/* A line for each of @argv after the first two; frees (). */
static char **
run_python (GPtrArray *argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;

  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL,
                NULL, &out, NULL, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (out, "\n", -1);
}

void
tp_memory_case_check_second (const char *script, TpMemoryCaseWrite write,
                             gconstpointer data, guint n)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *python = g_find_program_in_path ("python3");
  g_auto (GStrv) lines = NULL;

  if (python == NULL)
    {
      g_test_skip ("no python3");
      g_rmdir (folder);
      return;
    }
  g_ptr_array_add (argv, g_strdup (python));
  g_ptr_array_add (argv,
                   g_test_build_filename (G_TEST_DIST, "..", script, NULL));
  write (folder, argv, data);
  g_assert_cmpuint (argv->len, >, n + 2);
  lines = run_python (argv);
  for (guint i = 2; i + 1 < argv->len; i++)
    {
      g_assert_nonnull (lines[i - 2]);
      g_test_message ("%s", lines[i - 2]);
      if (strstr (lines[i - 2], "/good") != NULL)
        g_assert_true (g_str_has_suffix (lines[i - 2], ": valid"));
      else
        g_assert_nonnull (strstr (lines[i - 2], ": not valid: "));
      g_remove (argv->pdata[i]);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}
