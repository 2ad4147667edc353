#include "config.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "planner/check/check.h"
#include "random-graph.h"

#include <math.h>
#include <string.h>

static const TpDimSpec row[] = { { 4, NULL } };
static const char *const device_names[]
    = { "cpu", "opencl:0", "opencl:1", "opencl:2", NULL };
static const char *const pin_both[] = { "cpu", "opencl:0", NULL };
static const char *const pin_cpu[] = { "cpu", NULL };
static const char *const pin_device[] = { "opencl:0", NULL };
static const char *const pin_other[] = { "opencl:7", "opencl:0", NULL };
static const char *const *const pin_sets[]
    = { pin_cpu, pin_device, pin_other, pin_both };

TpTestSpec
tp_test_spec_random (int n_ops)
{
  return (TpTestSpec){
    .n_ops = n_ops,
    .max_cost = g_test_rand_bit () ? 6 : 1000,
    .has_pins = g_test_rand_int_range (0, 3) == 0,
    .has_gaps = g_test_rand_int_range (0, 3) == 0,
    .has_groups = g_test_rand_bit (),
    .host = g_test_rand_int_range (TP_COSTS_HOST, 2),
    .has_kernels = g_test_rand_bit (),
  };
}

TpTestSpec
tp_test_spec_together (int n_ops)
{
  TpTestSpec spec = tp_test_spec_random (n_ops);

  spec.has_together = g_test_rand_bit ();
  spec.has_state = !spec.has_pins && g_test_rand_bit ();
  return spec;
}

TpTestSpec
tp_test_spec_steady (int n_ops)
{
  TpTestSpec spec = tp_test_spec_together (n_ops);

  spec.is_steady = TRUE;
  return spec;
}

/* ---- graph ------------------------------------------------------------- */

typedef struct
{
  TpGraphBuilder *builder;
  GPtrArray *tensors;         /* names */
} Draft;

static const char *
pick_input (const Draft *draft)
{
  int n = (int) draft->tensors->len;
  int from = g_test_rand_bit () ? MAX (0, n - 4) : 0;

  return g_ptr_array_index (draft->tensors, g_test_rand_int_range (from, n));
}

/* Some ops are with others; those have a device in common, by the name. */
static void
choose_together (TpNode *node, gboolean has_pins)
{
  static const char *const names[] = { "A", "B", "C" };
  int name = g_test_rand_int_range (0, 9);

  if (name >= (int) G_N_ELEMENTS (names))
    return;
  node->colocation = names[name];
  if (has_pins)
    node->pins = g_test_rand_int_range (0, 4) > 0 ? NULL
                 : name % 2 == 0                  ? pin_cpu
                                                  : pin_device;
}

static void
add_op (Draft *draft, int index, const TpTestSpec *made)
{
  g_autoptr (GError) error = NULL;
  static const TpNodeCost unused = { .device = "cpu", .time_ns = 1 };
  g_autofree char *name = g_strdup_printf ("op%d", index);
  TpNode node = { .type = "Fancy", .name = name, .place = name, .n_costs = 1,
                  .costs = &unused };
  const char *inputs[3], *outputs[2];
  TpNodeNames names = { .inputs = inputs, .outputs = outputs };

  names.n_inputs = g_test_rand_int_range (1, 4);
  names.n_outputs = g_test_rand_int_range (0, 4) == 0 ? 2 : 1;
  for (int i = 0; i < names.n_inputs; i++)
    inputs[i] = i == 0 && index == 0 && made->has_state ? "s"
                                                        : pick_input (draft);
  if (made->has_pins && g_test_rand_int_range (0, 4) == 0)
    node.pins = pin_sets[g_test_rand_int_range (0, G_N_ELEMENTS (pin_sets))];
  if (made->has_together)
    choose_together (&node, made->has_pins);
  for (int i = 0; i < names.n_outputs; i++)
    {
      char *output = g_strdup_printf ("%s_%d", name, i);
      TpTensorSpec spec = { output, TPLAN_DTYPE_FLOAT32, 1, row, output };

      g_ptr_array_add (draft->tensors, output);
      outputs[i] = output;
      tp_graph_builder_declare (draft->builder, &spec, &error);
      g_assert_no_error (error);
    }
  tp_graph_builder_add_node (draft->builder, &node, names, &error);
  g_assert_no_error (error);
}

static void
add_sources (Draft *draft)
{
  const TpTensorSpec x = { "x", TPLAN_DTYPE_FLOAT32, 1, row, "x" };
  const TpTensorSpec y = { "y", TPLAN_DTYPE_FLOAT32, 1, row, "y" };
  const TpTensor w = { .name = "w",
                       .dtype = TPLAN_DTYPE_FLOAT32,
                       .rank = 1,
                       .dims = (gint64[]){ 4 },
                       .init = { .kind = TP_INIT_FILL, .value = 1 } };
  const char *names[] = { "x", "y", "w" };

  for (int i = 0; i < 3; i++)
    g_ptr_array_add (draft->tensors, g_strdup (names[i]));
  tp_graph_builder_add_input (draft->builder, &x, NULL);
  tp_graph_builder_add_input (draft->builder, &y, NULL);
  tp_graph_builder_add_constant (draft->builder, &w, "w", NULL);
}

/* Read by the first op; what the second or the last makes takes its place. */
static void
add_state (const Draft *draft, const TpTestSpec *made)
{
  const TpTensorSpec s = { "s", TPLAN_DTYPE_FLOAT32, 1, row, "s" };
  g_autofree char *next
      = g_strdup_printf ("op%d_0", g_test_rand_bit () ? MIN (1, made->n_ops - 1)
                                                      : made->n_ops - 1);

  g_assert_true (tp_graph_builder_add_state (
      draft->builder, &s, made->is_steady ? NULL : next, NULL));
  g_ptr_array_add (draft->tensors, g_strdup ("s"));
}

static void
add_output (const Draft *draft, const char *name)
{
  g_autoptr (GError) error = NULL;

  tp_graph_builder_add_output (draft->builder, name, "outputs", &error);
  g_assert_no_error (error);
}

/* The last tensor, or an input where that is a state, and some others. */
static void
add_outputs (const Draft *draft)
{
  TpDraft *made = draft->builder->draft;
  guint n = draft->tensors->len;

  for (guint i = 0; i < n; i++)
    {
      const char *name = draft->tensors->pdata[i];
      int index = tp_builder_get_tensor (draft->builder, name, "", NULL);

      if ((i + 1 == n || g_test_rand_int_range (0, 6) == 0)
          && tp_draft_tensor (made, index)->state == 0)
        add_output (draft, name);
    }
  if (made->outputs->len == 0)
    add_output (draft, "x");
}

static TpGraph *
new_graph (const TpTestSpec *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("random", 17);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (g_free);
  Draft draft = { builder, tensors };
  TpGraph *graph;

  add_sources (&draft);
  if (spec->has_state)
    add_state (&draft, spec);
  for (int i = 0; i < spec->n_ops; i++)
    add_op (&draft, i, spec);
  add_outputs (&draft);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* ---- costs and groups -------------------------------------------------- */

static TpGroups *
new_groups (const TpGraph *graph, gboolean is_empty)
{
  TpGroups *groups = tp_groups_new ();
  g_autofree int *nodes = g_new (int, graph->n_nodes + 1);
  int n = 0;

  for (int i = 0; i < graph->n_nodes && !is_empty; i++)
    {
      if (g_test_rand_int_range (0, 3) > 0)
        nodes[n++] = i;
      if (n > 1 && g_test_rand_bit ())
        {
          tp_groups_add (groups, nodes, n);
          n = 0;
        }
    }
  return groups;
}

static gboolean
is_allowed (const TpGraph *graph, int node, int device)
{
  const char *const *pins = graph->nodes[node].pins;

  return pins == NULL || g_strv_contains (pins, device_names[device]);
}

static TpCost
random_cost (int max)
{
  return (TpCost){ .time_ns = g_test_rand_int_range (0, max + 1),
                   .spread_ns = g_test_rand_int_range (0, 5),
                   .is_estimated = g_test_rand_bit () };
}

static void
fill_nodes (TpCosts *costs, const TpGraph *graph, const TpTestSpec *spec)
{
  for (int i = 0; i < graph->n_nodes; i++)
    {
      int keep = is_allowed (graph, i, 0) ? 0 : 1;

      if (spec->has_state)
        keep = 0;
      else if (graph->nodes[i].colocation != NULL)
        keep = (graph->nodes[i].colocation[0] - 'A') % 2;
      else if (keep == 0 && is_allowed (graph, i, 1) && g_test_rand_bit ())
        keep = 1;
      for (int d = 0; d < costs->n_devices; d++)
        if (d == keep || !spec->has_gaps || g_test_rand_int_range (0, 4) > 0)
          *tp_costs_node (costs, i, d) = random_cost (spec->max_cost);
        else
          tp_costs_node (costs, i, d)->reason
              = g_intern_static_string ("no such op");
    }
}

static void
fill_groups (TpCosts *costs, const TpGroups *groups, int max)
{
  for (int g = 0; g < groups->n_groups; g++)
    for (int d = 0; d < costs->n_devices; d++)
      if (g_test_rand_int_range (0, 5) > 0)
        *tp_costs_group (costs, g, d)
            = random_cost (max * groups->groups[g].n_nodes / 2);
}

/* Some of them in several places. */
static int *
new_kernels (const TpCosts *costs)
{
  int n = costs->n_nodes + costs->n_groups;
  int *kernels = g_new0 (int, n + 1);

  for (int i = 0; i < n; i++)
    kernels[i] = g_test_rand_int_range (0, 1 + (n + 1) / 2);
  return kernels;
}

TpTestCase *
tp_test_case_new (const TpTestSpec *spec)
{
  TpTestCase *test = g_new0 (TpTestCase, 1);
  int max_copy = g_test_rand_bit () ? spec->max_cost / 2 : 2;
  int n = spec->n_devices == 0 ? 2 : spec->n_devices;

  test->graph = new_graph (spec);
  test->groups = new_groups (test->graph, !spec->has_groups);
  test->costs = tp_costs_new (n, device_names, test->graph, test->groups);
  test->costs->host = spec->host;
  fill_nodes (test->costs, test->graph, spec);
  fill_groups (test->costs, test->groups, spec->max_cost);
  for (int i = 0; i < n * test->graph->n_tensors; i++)
    {
      *tp_costs_feed (test->costs, i / n, i % n) = random_cost (max_copy);
      *tp_costs_fetch (test->costs, i / n, i % n) = random_cost (max_copy);
    }
  if (spec->has_kernels)
    test->costs->kernels = new_kernels (test->costs);
  tp_costs_seal (test->costs);
  return test;
}

void
tp_test_case_free (TpTestCase *test)
{
  tp_graph_unref (test->graph);
  tp_groups_free (test->groups);
  tp_costs_unref (test->costs);
  g_free (test);
}

/* ---- what placements cost ---------------------------------------------- */

typedef void (*CopyFunc) (const TpCosts *costs, int tensor, int from, int to,
                          gpointer data);

static void
visit_copies (const TpTestCase *test, const guint8 *devices, CopyFunc visit,
              gpointer data)
{
  const TpGraph *graph = test->graph;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];
      int host = test->costs->host;
      int home = tensor->producer < 0 ? host : devices[tensor->producer];
      gboolean is_wanted[1 + TP_TEST_MAX_DEVICES] = { FALSE }; /* from host
                                                               * memory on */

      if (tp_tensor_is_constant (tensor) || tensor->state > 0)
        continue;
      is_wanted[1 + host] = tensor->is_output;
      for (int k = 0; k < tensor->n_consumers; k++)
        is_wanted[1 + devices[tensor->consumers[k]]] = TRUE;
      for (int to = TP_COSTS_HOST; to < test->costs->n_devices; to++)
        if (to != home && is_wanted[1 + to])
          visit (test->costs, i, home, to, data);
    }
}

static void
sum_copy (const TpCosts *costs, int tensor, int from, int to, gpointer data)
{
  *(gint64 *) data += tp_costs_copy (costs, tensor, from, to).time_ns;
}

static void
count_copy (const TpCosts *costs, int tensor, int from, int to, gpointer data)
{
  *(int *) data += tp_costs_copy (costs, tensor, from, to).time_ns > 0;
}

gint64
tp_test_case_copies (const TpTestCase *test, const guint8 *devices)
{
  gint64 sum = 0;

  visit_copies (test, devices, sum_copy, &sum);
  return sum;
}

int
tp_test_case_count (const TpTestCase *test, const guint8 *devices)
{
  int n = 0;

  visit_copies (test, devices, count_copy, &n);
  return n;
}

static gint64
group_saving (const TpTestCase *test, int group, const guint8 *devices)
{
  const TpGroup *it = &test->groups->groups[group];
  int device = devices[it->nodes[0]];
  gint64 fused = tp_costs_group (test->costs, group, device)->time_ns;
  gint64 apart = 0;

  for (int k = 0; k < it->n_nodes; k++)
    {
      if (devices[it->nodes[k]] != device)
        return 0;
      apart += tp_costs_node (test->costs, it->nodes[k], device)->time_ns;
    }
  return fused == TP_COST_NONE || fused >= apart ? 0 : apart - fused;
}

static gboolean
reads (const TpNode *node, int tensor)
{
  for (int k = 0; k < node->n_inputs; k++)
    if (node->inputs[k] == tensor)
      return TRUE;
  return FALSE;
}

/* Whether @node has to do with the one state there is, called "s". */
static gboolean
holds_state (const TpGraph *graph, int node)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0
        && (graph->tensors[i].producer == node
            || reads (&graph->nodes[node], i)))
      return TRUE;
  return FALSE;
}

static gboolean
is_state_together (const TpGraph *graph, const guint8 *devices)
{
  int place = -1;

  for (int i = 0; i < graph->n_nodes; i++)
    {
      if (!holds_state (graph, i))
        continue;
      if (place >= 0 && devices[i] != place)
        return FALSE;
      place = devices[i];
    }
  return TRUE;
}

/* By the names that ops have. Quadratic. */
static gboolean
are_together (const TpGraph *graph, const guint8 *devices)
{
  if (!is_state_together (graph, devices))
    return FALSE;
  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; graph->nodes[i].colocation != NULL && k < i; k++)
      if (g_strcmp0 (graph->nodes[i].colocation, graph->nodes[k].colocation)
              == 0
          && devices[i] != devices[k])
        return FALSE;
  return TRUE;
}

gint64
tp_test_case_cost (const TpTestCase *test, const guint8 *devices)
{
  gint64 sum = tp_test_case_copies (test, devices);

  if (!are_together (test->graph, devices))
    return TP_COST_NONE;
  for (int i = 0; i < test->graph->n_nodes; i++)
    {
      gint64 time_ns = tp_costs_node (test->costs, i, devices[i])->time_ns;

      if (time_ns == TP_COST_NONE || !is_allowed (test->graph, i, devices[i]))
        return TP_COST_NONE;
      sum += time_ns;
    }
  for (int g = 0; g < test->groups->n_groups; g++)
    sum -= group_saving (test, g, devices);
  return sum;
}

static void
load_copy (const TpCosts *costs, int tensor, int from, int to, gpointer data)
{
  gint64 *feeds = (gint64 *) data + costs->n_devices;
  gint64 *fetches = feeds + costs->n_devices;

  if (to >= 0 && to != costs->host)
    feeds[to] += tp_costs_feed (costs, tensor, to)->time_ns;
  if (from >= 0 && from != costs->host)
    fetches[from] += tp_costs_fetch (costs, tensor, from)->time_ns;
}

gboolean
tp_test_case_loads (const TpTestCase *test, const guint8 *devices,
                    gint64 *out_loads)
{
  memset (out_loads, 0, sizeof (gint64) * 3 * test->costs->n_devices);
  if (tp_test_case_cost (test, devices) == TP_COST_NONE)
    return FALSE;
  for (int i = 0; i < test->graph->n_nodes; i++)
    out_loads[devices[i]]
        += tp_costs_node (test->costs, i, devices[i])->time_ns;
  for (int g = 0; g < test->groups->n_groups; g++)
    out_loads[devices[test->groups->groups[g].nodes[0]]]
        -= group_saving (test, g, devices);
  visit_copies (test, devices, load_copy, out_loads);
  return TRUE;
}

/* [2 * device]: of feeding, of fetching. */
static void
spread_copy (const TpCosts *costs, int tensor, int from, int to, gpointer data)
{
  double *spreads = data;

  if (to >= 0 && to != costs->host)
    spreads[2 * to] += tp_costs_feed (costs, tensor, to)->spread_ns;
  if (from >= 0 && from != costs->host)
    spreads[2 * from + 1] += tp_costs_fetch (costs, tensor, from)->spread_ns;
}

/* [row]: the spread of what is paid there on @device. */
static double *
spread_rows (const TpTestCase *test, const guint8 *devices, int device)
{
  const TpCosts *costs = test->costs;
  int n = costs->n_nodes;
  double *spreads = g_new0 (double, n + costs->n_groups + 1);

  for (int i = 0; i < n; i++)
    if (devices[i] == device)
      spreads[i] = tp_costs_node (costs, i, device)->spread_ns;
  for (int g = 0; g < costs->n_groups; g++)
    {
      const TpGroup *group = &test->groups->groups[g];

      if (group_saving (test, g, devices) == 0
          || devices[group->nodes[0]] != device)
        continue;
      spreads[n + g] = tp_costs_group (costs, g, device)->spread_ns;
      for (int k = 0; k < group->n_nodes; k++)
        spreads[group->nodes[k]] = 0;
    }
  return spreads;
}

/* Of the kernels on @device: a variance. Quadratic. */
static double
rows_variance (const TpTestCase *test, const guint8 *devices,
               const guint8 *others, int device)
{
  g_autofree double *here = spread_rows (test, devices, device);
  g_autofree double *there = spread_rows (test, others, device);
  int n = test->costs->n_nodes + test->costs->n_groups;
  double sum = 0;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (i == k || (tp_costs_get_kernel (test->costs, i) != 0
                     && tp_costs_get_kernel (test->costs, i)
                            == tp_costs_get_kernel (test->costs, k)))
        sum += (here[i] - there[i]) * (here[k] - there[k]);
  return sum;
}

double
tp_test_case_noise (const TpTestCase *test, const guint8 *devices,
                    const guint8 *others)
{
  double here[2 * TP_TEST_MAX_DEVICES] = { 0 };
  double there[2 * TP_TEST_MAX_DEVICES] = { 0 }, variance = 0;

  visit_copies (test, devices, spread_copy, here);
  visit_copies (test, others, spread_copy, there);
  for (int i = 0; i < 2 * TP_TEST_MAX_DEVICES; i++)
    variance += (here[i] - there[i]) * (here[i] - there[i]);
  for (int d = 0; d < test->costs->n_devices; d++)
    variance += rows_variance (test, devices, others, d);
  return sqrt (variance) / 1.96;
}

guint8 *
tp_test_plan_devices (const TpPlan *plan)
{
  guint8 *devices = g_new0 (guint8, plan->n_placements + 1);

  for (int i = 0; i < plan->n_placements; i++)
    devices[i] = plan->placements[i].device;
  return devices;
}

TpProblem *
tp_test_case_problem (const TpTestCase *test)
{
  g_autoptr (GError) error = NULL;
  TpProblem *problem = tp_problem_new (test->graph, test->groups, test->costs,
                                       "time", &error);

  g_assert_no_error (error);
  return problem;
}

void
tp_test_assert_checked (const TpPlan *plan, const TpGraph *graph)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (!tp_check (plan, graph, reasons))
    g_error ("a good plan is refused: %s", (char *) reasons->pdata[0]);
  g_assert_cmpuint (reasons->len, ==, 0);
}
