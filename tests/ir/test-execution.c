/* test-execution.c: placements spelled out: actions, lifetimes and arenas. */
#include "config.h"

#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "ir/execution.h"
#include "quoted-graph.h"

#include <string.h>

/* add reads both inputs, late reads the second again; v is a view. */
static const char net[]
    = "{'format': 'tplan-graph/1', 'name': 'net', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [1024]},"
      "            {'name': 'z', 'dtype': 'float32', 'shape': [32, 64]}],"
      " 'outputs': ['y', 'x', 'w'],"
      " 'initializers': ["
      "  {'name': 's', 'dtype': 'int64', 'shape': [1], 'data': [2048]},"
      "  {'name': 'w', 'dtype': 'float32', 'shape': [1024],"
      "   'random': {'seed': 1, 'std': 1}}],"
      " 'ops': ["
      "  {'name': 'add', 'type': 'Add', 'inputs': ['x', 'w'],"
      "   'outputs': ['a']},"
      "  {'name': 'tanh', 'type': 'Tanh', 'inputs': ['a'],"
      "   'outputs': ['t']},"
      "  {'name': 'view', 'type': 'Reshape', 'inputs': ['z', 's'],"
      "   'outputs': ['v']},"
      "  {'name': 'cat', 'type': 'Concat', 'inputs': ['t', 'v'],"
      "   'outputs': ['y'], 'attrs': {'axis': 0}}]}";

static TpGraph *
load (const char *text)
{
  return test_load_quoted (text);
}

/* Node i on device @places[i]; '-': does not run. */
static TpExecution *
spell_out_mapped (const TpGraph *graph, const char *places,
                  const TpGroups *groups, int host, const gboolean *is_mapped)
{
  g_autoptr (GError) error = NULL;
  g_autofree int *devices = g_new (int, graph->n_nodes);
  TpExecution *execution;
  int n_devices = MAX (1, host + 1);

  g_assert_cmpint (strlen (places), ==, graph->n_nodes);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      devices[i] = places[i] == '-' ? -1 : places[i] - '0';
      n_devices = MAX (n_devices, devices[i] + 1);
    }
  execution = tp_execution_new (
      graph, &(TpPlaced){ n_devices, host, devices, groups, is_mapped },
      &error);
  g_assert_no_error (error);
  return execution;
}

static TpExecution *
spell_out_beside (const TpGraph *graph, const char *places,
                  const TpGroups *groups, int host)
{
  return spell_out_mapped (graph, places, groups, host, NULL);
}

static TpExecution *
spell_out (const TpGraph *graph, const char *places, const TpGroups *groups)
{
  return spell_out_beside (graph, places, groups, 0);
}

/* "feed x>1", "launch add", "move a>0", "fetch y<1", ... */
static char *
to_text (const TpExecution *execution)
{
  static const char *const names[]
      = { "launch", "move", "feed", "fetch", "pass", "emit" };
  const TpGraph *graph = execution->graph;
  GString *text = g_string_new (NULL);

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *it = &execution->actions[i];
      const TpPlacedUnit *unit
          = it->unit < 0 ? NULL : &execution->units->units[it->unit];

      g_string_append_printf (
          text, "%s%s %s", i > 0 ? ", " : "", names[it->kind],
          unit != NULL ? graph->nodes[unit->nodes[unit->n_nodes - 1]].name
                       : graph->tensors[it->tensor].name);
      if (it->dst >= 0)
        g_string_append_printf (text, ">%d", it->to);
      else if (it->src >= 0)
        g_string_append_printf (text, "<%d", it->from);
    }
  return g_string_free (text, FALSE);
}

static void
assert_actions (const TpExecution *execution, const char *expected)
{
  g_autofree char *text = to_text (execution);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_actions (void)
{
  g_autoptr (TpGraph) graph = load (net);
  g_autoptr (TpExecution) one = spell_out (graph, "0000", NULL);
  g_autoptr (TpExecution) two = spell_out (graph, "0110", NULL);
  g_autoptr (TpExecution) end = spell_out (graph, "0001", NULL);

  assert_actions (one, "feed x>0, feed z>0, launch add, launch tanh, "
                       "launch cat, fetch y<0, pass x, emit w");
  assert_actions (two, "feed x>0, feed z>0, launch add, move a>1, "
                       "launch tanh, move t>0, launch cat, fetch y<0, "
                       "pass x, emit w");
  assert_actions (end, "feed x>0, feed z>1, launch add, launch tanh, "
                       "move t>1, launch cat, fetch y<1, pass x, emit w");
}

/* An output that is read elsewhere too is fetched from the host where it is there,
 * else from where it was made. */
static void
test_host (void)
{
  g_autofree char *text = g_strdup (net);
  char *outputs = strstr (text, "['y', 'x', 'w']");
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpExecution) first = NULL;
  g_autoptr (TpExecution) second = NULL;
  g_autoptr (TpExecution) none = NULL;

  memcpy (outputs, "['y', 't', 'w']", strlen ("['y', 't', 'w']"));
  graph = load (text);
  first = spell_out_beside (graph, "0001", NULL, 0);
  second = spell_out_beside (graph, "0001", NULL, 1);
  none = spell_out_beside (graph, "1110", NULL, TP_COSTS_HOST);
  assert_actions (first, "feed x>0, feed z>1, launch add, launch tanh, "
                         "move t>1, fetch t<0, launch cat, fetch y<1, "
                         "emit w");
  assert_actions (second, "feed x>0, feed z>1, launch add, launch tanh, "
                          "move t>1, fetch t<1, launch cat, fetch y<1, "
                          "emit w");
  assert_actions (none, "feed x>1, feed z>0, launch add, launch tanh, "
                        "move t>0, fetch t<1, launch cat, fetch y<0, "
                        "emit w");
}

/* What the host and the device that is mapped both have lies on that once, from when
 * it is written by either until neither reads it; nothing else changes. */
static void
test_mapped (void)
{
  static const gboolean second[] = { FALSE, TRUE, FALSE };
  g_autoptr (TpGraph) graph = load (net);
  g_autoptr (TpExecution) two
      = spell_out_mapped (graph, "0110", NULL, 0, second);
  g_autoptr (TpExecution) apart = spell_out (graph, "0110", NULL);
  g_autoptr (TpExecution) other
      = spell_out_mapped (graph, "0110", NULL, 1, second);
  g_autofree char *text = to_text (apart), *expected = to_text (other);
  int a = graph->nodes[0].outputs[0], t = graph->nodes[1].outputs[0];
  const TpStorage *its
      = &two->storages[tp_execution_find_storage (two, a, 0)];

  assert_actions (two, text);
  g_assert_cmpstr (text, ==, expected); /* a host is not mapped to itself */
  g_assert_cmpint (two->n_storages, ==, apart->n_storages - 2);
  g_assert_cmpint (tp_execution_find_storage (two, a, 1), ==,
                   tp_execution_find_storage (two, a, 0));
  g_assert_cmpint (tp_execution_find_storage (two, t, 1), ==,
                   tp_execution_find_storage (two, t, 0));
  g_assert_cmpint (its->device, ==, 1);
  g_assert_cmpint (its->first, ==, 2); /* after two inputs were fed */
  g_assert_cmpint (two->memory[0].arena_bytes
                       + two->memory[1].arena_bytes, <,
                   apart->memory[0].arena_bytes
                       + apart->memory[1].arena_bytes);
}

/* z is read by the last op alone, yet it is there from the start: the most alive
 * are x, z and a, or z, t and y. */
static void
test_memory (void)
{
  g_autoptr (TpGraph) graph = load (net);
  g_autoptr (TpExecution) one = spell_out (graph, "0000", NULL);
  g_autoptr (TpExecution) two = spell_out (graph, "1100", NULL);

  g_assert_cmpint (one->memory[0].bound_bytes, ==, 4096 + 8192 + 12288);
  g_assert_cmpint (one->memory[0].arena_bytes, ==, 4096 + 8192 + 12288);
  g_assert_cmpint (one->memory[0].weight_bytes, ==, 4096);
  g_assert_cmpint (two->memory[1].arena_bytes, ==, 2 * 4096);
  g_assert_cmpint (two->memory[1].weight_bytes, ==, 4096);
  g_assert_cmpint (two->memory[0].weight_bytes, ==, 0);
}

/* What a group makes for itself takes no memory. */
static void
test_groups (void)
{
  g_autoptr (TpGraph) graph = load (net);
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpExecution) execution = NULL;

  tp_groups_add (groups, (const int[]) { 0, 1 }, 2);
  execution = spell_out (graph, "1100", groups);
  assert_actions (execution, "feed x>1, feed z>0, launch tanh, move t>0, "
                             "launch cat, fetch y<0, pass x, emit w");
  g_assert_cmpint (execution->units->units[0].n_read, ==, 1);
  g_assert_cmpint (execution->units->units[0].n_written, ==, 1);
  g_assert_cmpint (tp_execution_find_storage (
                       execution, graph->nodes[0].outputs[0], 1), ==, -1);
  g_assert_cmpint (execution->memory[1].weight_bytes, ==, 4096);
}

/* Part of a graph: what the rest would make is there when it is read. */
static void
test_part (void)
{
  g_autoptr (TpGraph) graph = load (net);
  g_autoptr (TpExecution) execution = spell_out (graph, "---0", NULL);
  int storage = tp_execution_find_storage (execution,
                                           graph->nodes[1].outputs[0], 0);

  assert_actions (execution, "feed z>0, launch cat, fetch y<0, pass x, "
                             "emit w");
  g_assert_cmpint (execution->storages[storage].first, ==, 1);
  g_assert_cmpint (execution->storages[storage].last, ==, 1);
}

static void
assert_refused (const TpGraph *graph, const char *places, const int *nodes,
                int n_nodes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpExecution) execution = NULL;
  g_autofree int *devices = g_new (int, graph->n_nodes);

  for (int i = 0; i < graph->n_nodes; i++)
    devices[i] = places[i] - '0';
  tp_groups_add (groups, nodes, n_nodes);
  execution = tp_execution_new (
      graph, &(TpPlaced){ 2, 0, devices, groups, NULL }, &error);
  g_assert_null (execution);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
}

static void
test_bad_groups (void)
{
  g_autoptr (TpGraph) graph = load (net);
  static const char late[]
      = "{'format': 'tplan-graph/1', 'name': 'late', 'opset': 17,"
        " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [4]}],"
        " 'outputs': ['b', 'c', 'd'], 'ops': ["
        "  {'name': 'a', 'type': 'Tanh', 'inputs': ['x'],"
        "   'outputs': ['a']},"
        "  {'name': 'b', 'type': 'Tanh', 'inputs': ['a'],"
        "   'outputs': ['b']},"
        "  {'name': 'c', 'type': 'Tanh', 'inputs': ['b'],"
        "   'outputs': ['c']},"
        "  {'name': 'd', 'type': 'Tanh', 'inputs': ['c'],"
        "   'outputs': ['d']}]}";
  g_autoptr (TpGraph) chain = load (late);

  assert_refused (graph, "0000", (const int[]) { 1, 0 }, 2);
  assert_refused (graph, "0000", (const int[]) { 0, 0 }, 2);
  assert_refused (graph, "0000", (const int[]) { 0, 4 }, 2);
  assert_refused (graph, "0000", (const int[]) { -1, 1 }, 2);
  assert_refused (graph, "0100", (const int[]) { 0, 1 }, 2);
  assert_refused (chain, "0000", (const int[]) { 0, 3 }, 2); /* hides a */
  assert_refused (chain, "0000", (const int[]) { 2, 3 }, 2); /* hides c */
}

/* ---- at random ------------------------------------------------------------ */

static TpGraph *
random_graph (int n_ops)
{
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'name': 'net', 'opset': 17,"
      " 'inputs': [{'name': 't0', 'dtype': 'float32', 'shape': [32, 32]},"
      "            {'name': 't1', 'dtype': 'float32', 'shape': [32, 32]}],"
      " 'outputs': [");

  for (int i = 0; i <= n_ops; i++)
    if (g_test_rand_int_range (0, 8) == 0)
      g_string_append_printf (text, "'t%d', ", i);
  g_string_append_printf (text, "'t%d'], 'initializers': [{'name': 's', "
                          "'dtype': 'int64', 'shape': [2], 'data': [32, 32]}],"
                          " 'ops': [", n_ops + 1);
  for (int i = 0; i < n_ops; i++)
    {
      gboolean is_view = g_test_rand_int_range (0, 4) == 0;
      int a = g_test_rand_int_range (0, i + 2);
      int b = g_test_rand_int_range (MAX (0, i - 2), i + 2);

      g_string_append_printf (text, "%s{'type': '%s', 'inputs': ['t%d', ",
                              i > 0 ? ", " : "", is_view ? "Reshape" : "Add",
                              a);
      if (is_view)
        g_string_append (text, "'s'");
      else
        g_string_append_printf (text, "'t%d'", b);
      g_string_append_printf (text, "], 'outputs': ['t%d']}", i + 2);
    }
  g_string_append (text, "]}");
  return load (text->str);
}

static gboolean
overlap (const TpStorage *a, const TpStorage *b)
{
  return a->device == b->device && a->first <= b->last && b->first <= a->last
         && a->offset < b->offset + b->size_bytes
         && b->offset < a->offset + a->size_bytes;
}

static void
check_use (const TpExecution *execution, int tensor, int device, int action)
{
  int storage = tp_execution_find_storage (execution, tensor, device);

  g_assert_cmpint (storage, >=, 0);
  g_assert_cmpint (execution->storages[storage].first, <=, action);
  g_assert_cmpint (execution->storages[storage].last, >=, action);
}

static void
check_lives (const TpExecution *execution)
{
  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      g_assert_cmpint (it->first, >=, 0);
      g_assert_cmpint (it->offset % TP_ARENA_ALIGN, ==, 0);
      g_assert_cmpint (it->offset + it->size_bytes, <=,
                       execution->memory[it->device].arena_bytes);
      for (int k = 0; k < i; k++)
        g_assert_false (overlap (it, &execution->storages[k]));
    }
  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *it = &execution->actions[i];
      const TpPlacedUnit *unit
          = it->unit < 0 ? NULL : &execution->units->units[it->unit];

      for (int k = 0; unit != NULL && k < unit->n_read + unit->n_written; k++)
        check_use (execution, unit->tensors[k], unit->device, i);
      if (it->src >= 0)
        check_use (execution, it->tensor,
                   execution->storages[it->src].device, i);
      if (it->dst >= 0)
        check_use (execution, it->tensor,
                   execution->storages[it->dst].device, i);
    }
}

static void
test_random (void)
{
  for (int round = 0; round < 200; round++)
    {
      const gboolean is_mapped[] = { round & 1, round & 2, round & 4 };
      g_autoptr (TpGraph) graph
          = random_graph (g_test_rand_int_range (1, 40));
      g_autofree char *places = g_strnfill (graph->n_nodes, '0');
      g_autoptr (TpExecution) execution = NULL;

      for (int i = 0; i < graph->n_nodes; i++)
        places[i] += g_test_rand_int_range (0, 3);
      execution = spell_out_mapped (graph, places, NULL, round % 4 - 1,
                                    is_mapped);
      check_lives (execution);
      for (int i = 0; i < execution->n_devices; i++)
        g_assert_cmpint (execution->memory[i].bound_bytes, <=,
                         execution->memory[i].arena_bytes);
    }
}

static void
assert_same (const TpExecution *a, const TpExecution *b)
{
  g_autofree char *text = to_text (a);

  assert_actions (b, text);
  g_assert_cmpint (a->n_storages, ==, b->n_storages);
  for (int i = 0; i < a->n_storages; i++)
    {
      const TpStorage *it = &a->storages[i], *its = &b->storages[i];

      g_assert_cmpint (it->tensor, ==, its->tensor);
      g_assert_cmpint (it->first, ==, its->first);
      g_assert_cmpint (it->last, ==, its->last);
      g_assert_cmpint (it->offset, ==, its->offset);
    }
  g_assert_cmpmem (a->memory, a->n_devices * sizeof a->memory[0],
                   b->memory, b->n_devices * sizeof b->memory[0]);
}

/* One placement after the other in the same memory, with errors between. */
static void
test_again (void)
{
  g_autoptr (TpGraph) graph = random_graph (40);
  g_autoptr (TpExecution) again = tp_execution_new_empty (graph, 3);
  g_auto (TpScratch) scratch = { 0 };

  for (int round = 0; round < 100; round++)
    {
      g_autofree int *places = g_new (int, graph->n_nodes);
      g_autoptr (TpGroups) groups = tp_groups_new ();
      g_autoptr (TpExecution) alone = NULL;
      const gboolean is_mapped[] = { round & 1, round & 2, round & 4 };
      const TpPlaced placed = { 3, round % 3, places, groups, is_mapped };

      for (int i = 0; i < graph->n_nodes; i++)
        places[i] = round % 2 == 0 ? g_test_rand_int_range (0, 3) : 1;
      if (round % 4 == 1)
        tp_groups_add (groups, (const int[]) { 1, 0 }, 2);
      else if (round % 4 == 3)
        tp_groups_add (groups, (const int[]) { round % 40 }, 1);
      alone = tp_execution_new (graph, &placed, NULL);
      g_assert_cmpint (tp_execution_set (again, &placed, &scratch, NULL), ==,
                       alone != NULL);
      if (alone == NULL)
        continue;
      for (int i = 0; i < 3; i++)
        tp_execution_lay_out (again, i, &scratch);
      assert_same (again, alone);
    }
}

/* Ops that read what was made anywhere before; many outputs. */
static TpGraph *
large_graph (int n_ops)
{
  static const TpDimSpec row[] = { { 4, NULL } };
  const TpTensorSpec input = { "t0", TPLAN_DTYPE_FLOAT32, 1, row, "t0" };
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("large", 17);
  TpGraph *graph;

  tp_graph_builder_add_input (builder, &input, NULL);
  for (int i = 0; i < n_ops; i++)
    {
      g_autofree char *far = g_strdup_printf (
          "t%d", g_test_rand_int_range (0, i + 1));
      g_autofree char *near = g_strdup_printf ("t%d", i);
      g_autofree char *made = g_strdup_printf ("t%d", i + 1);
      const char *inputs[] = { far, near }, *outputs[] = { made };
      TpNode node = { .type = "Add", .name = made, .place = made };
      TpNodeNames names = { 2, inputs, 1, outputs };

      tp_graph_builder_add_node (builder, &node, names, NULL);
      if (i % 6 == 0 || i == n_ops - 1)
        tp_graph_builder_add_output (builder, made, made, NULL);
    }
  graph = tp_graph_builder_finish (builder, NULL, NULL);
  g_assert_nonnull (graph);
  return graph;
}

/* Seconds, not minutes: in no step does the work grow with the square of the
 * ops. */
static void
test_large (void)
{
  const int n_ops = 200000;
  g_autoptr (TpGraph) graph = large_graph (n_ops);
  g_autofree char *places = g_malloc0 (n_ops + 1);
  g_autoptr (TpExecution) execution = NULL;

  for (int i = 0; i < n_ops; i++)
    places[i] = '0' + g_test_rand_bit ();
  execution = spell_out (graph, places, NULL);
  g_assert_cmpint (execution->units->n, ==, n_ops);
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (execution->memory[i].arena_bytes, >=,
                     execution->memory[i].bound_bytes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/execution/actions", test_actions);
  g_test_add_func ("/execution/host", test_host);
  g_test_add_func ("/execution/mapped", test_mapped);
  g_test_add_func ("/execution/memory", test_memory);
  g_test_add_func ("/execution/groups", test_groups);
  g_test_add_func ("/execution/part", test_part);
  g_test_add_func ("/execution/bad-groups", test_bad_groups);
  g_test_add_func ("/execution/random", test_random);
  g_test_add_func ("/execution/again", test_again);
  g_test_add_func ("/execution/large", test_large);
  return g_test_run ();
}
