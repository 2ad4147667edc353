/* test-machine.c: machines written down, and times from them. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "machine/machine-costs.h"
#include "machine/machine.h"

#include <glib/gstdio.h>
#include <string.h>

static void
test_profiles (void)
{
  const char *const *names = tp_machine_list ();

  g_assert_cmpint (g_strv_length ((char **) names), >=, 8);
  for (int i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpMachine) machine = tp_machine_parse (names[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (machine->name, ==, names[i]);
      g_assert_cmpfloat (machine->launch_ns, >, 0);
      g_assert_cmpint (machine->memory_bytes, >=, G_GINT64_CONSTANT (1) << 32);
      g_assert_cmpint (g_str_has_suffix (names[i], "-gpu"), ==,
                       machine->link_gbps > 0);
    }
}

static void
test_units (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpMachine) m = tp_machine_parse (
      "gflops=2TFLOP/s, gbps=500MB/s ,launch=1.5ms,link=0.5TB/s+2us,"
      "full=100,memory=1.5GiB,missing=Erf+Softmax,pool=host-2",
      &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (m->peak_gflops, ==, 2000);
  g_assert_cmpfloat (m->bandwidth_gbps, ==, 0.5);
  g_assert_cmpfloat (m->launch_ns, ==, 1.5e6);
  g_assert_cmpfloat (m->link_gbps, ==, 500);
  g_assert_cmpfloat (m->link_latency_ns, ==, 2000);
  g_assert_cmpint (m->memory_bytes, ==, G_GINT64_CONSTANT (3) << 29);
  g_assert_cmpstr (m->missing_ops[1], ==, "Softmax");
  g_assert_cmpstr (m->pool, ==, "host-2");
}

static void
test_refused (void)
{
  const char *const bad[] = {
    "no-such-machine", "gflops=1",          "gflops=x,gbps=1",
    "gflops=-1,gbps=1", "gflops=nan,gbps=1", "gflops=1,gbps=inf",
    "gflops=1,gbps=1,launch=3parsec",       "gflops=1,gbps=1,link=+3us",
    "gflops=1,gbps=1,colour=red",           "gflops=1,gbps=1,full=0",
    "gflops=1,gbps=1,memory=9999999999TiB", "gflops=1,gbps",
    "./no-such-file.conf",                  "",
    "gflops=1,gbps=1,pool=",                "gflops=1,gbps=1,pool=sim:x",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpMachine) machine = tp_machine_parse (bad[i], &error);

      g_assert_null (machine);
      g_assert_nonnull (error);
      g_assert_true (error->domain == TPLAN_ERROR);
    }
}

/* What is wrong is named, with what may have been meant. */
static void
test_named (void)
{
  const char *const cases[][2] = {
    { "gflop=1,gbps=1", "unknown key 'gflop' (did you mean 'gflops'?)" },
    { "gflops=1,gbps=1,lnk=1GB/s", "unknown key 'lnk' (did you mean 'link'?)" },
    { "gflops=1,gbps=1,gflops=2", "'gflops' stands twice" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (tp_machine_parse (cases[i][0], &error));
      g_assert_nonnull (strstr (error->message, cases[i][1]));
    }
}

static void
test_other_group (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "box.conf", NULL);

  g_assert_true (g_file_set_contents (
      path, "[machine]\ngflops=1\ngbps=1\n[link]\ngbps=12\n", -1, NULL));
  g_assert_null (tp_machine_parse (path, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "unknown group [link]"));
  g_remove (path);
  g_rmdir (folder);
}

static void
test_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "box.conf", NULL);
  g_autoptr (TpMachine) machine = NULL;

  g_assert_true (g_file_set_contents (
      path,
      "[machine]\ndescription=a box\ngflops=10\ngbps=1\nlink=1GB/s+1us\n"
      "missing=Conv;Softmax\n",
      -1, NULL));
  machine = tp_machine_parse (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (machine->description, ==, "a box");
  g_assert_cmpfloat (machine->link_latency_ns, ==, 1000);
  g_assert_cmpstr (machine->missing_ops[0], ==, "Conv");
  g_remove (path);
  g_rmdir (folder);
}

/* Compute-bound, memory-bound, starved, and over the link. */
static void
test_estimate (void)
{
  g_autoptr (TpMachine) m = tp_machine_parse (
      "gflops=10,gbps=2,launch=100ns,link=1GB/s+500ns,full=1000", NULL);
  TpWork work = { .flops = 100000, .read_bytes = 10, .n_points = 2000 };

  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 10000);
  work.n_points = 500;
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 20000);
  work.read_bytes = 100000;
  work.written_bytes = 20000;
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 60000);
  work.double_flops = 100000; /* in half the speed, or what is stated */
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 60000);
  work.flops = 200000;
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 60000);
  m->double_rate = 0.125;
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 100 + 180000);
  work.flops = work.double_flops = 0;
  work.n_kernels = 3;
  g_assert_cmpint (tp_machine_estimate_ns (m, &work), ==, 300 + 60000);
  g_assert_cmpint (tp_machine_transfer_ns (m, 1000), ==, 1500);
  m->link_gbps = 0;
  g_assert_cmpint (tp_machine_transfer_ns (m, 1000), ==, 1000);
}

static TpGraph *
load_graph (void)
{
  static const char text[]
      = "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,"
        "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", "
        "\"shape\": [2, 8]}], \"outputs\": [\"z\"], \"ops\": ["
        "{\"name\": \"a\", \"type\": \"Relu\", \"inputs\": [\"x\"], "
        "\"outputs\": [\"y\"]},"
        "{\"name\": \"b\", \"type\": \"Tanh\", \"inputs\": [\"y\"], "
        "\"outputs\": [\"w\"], \"cost\": {\"cpu\": 77}},"
        "{\"name\": \"c\", \"type\": \"Softmax\", \"inputs\": [\"w\"], "
        "\"outputs\": [\"z\"]}]}";
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw
      = tp_graph_load_json ("g.json", text, sizeof text - 1, NULL, &error);
  TpGraph *graph;

  g_assert_no_error (error);
  graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  return graph;
}

/* Estimated, given in the graph, missing, fused, and over the link. */
static void
test_fill_costs (void)
{
  const char *const devices[] = { "cpu", "sim:x", NULL };
  g_autoptr (TpGraph) graph = load_graph ();
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autoptr (TpMachine) host = tp_machine_parse ("desktop-cpu", NULL);
  g_autoptr (TpMachine) gpu = tp_machine_parse (
      "gflops=1,gbps=1,launch=1ms,link=1GB/s+5us,missing=Softmax", NULL);
  g_autoptr (TpCosts) costs = NULL;
  g_autoptr (TpWorks) works = NULL;
  int x = graph->inputs[0];

  tp_groups_add (groups, (const int[]) { 0, 1 }, 2);
  works = tp_works_new (graph, groups);
  costs = tp_costs_new (2, devices, graph, groups);
  g_assert_false (costs->is_simulated);
  tp_machine_fill_costs (host, 0, works, costs);
  tp_machine_fill_costs (gpu, 1, works, costs);
  g_assert_true (costs->is_simulated);
  g_assert_true (tp_costs_node (costs, 0, 0)->is_estimated);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, >=, 1000);
  g_assert_cmpint (tp_costs_node (costs, 1, 0)->time_ns, ==, 77);
  g_assert_false (tp_costs_node (costs, 1, 0)->is_estimated);
  g_assert_cmpint (tp_costs_node (costs, 1, 1)->time_ns, >=, 1000000);
  g_assert_cmpint (tp_costs_node (costs, 2, 1)->time_ns, ==, TP_COST_NONE);
  g_assert_nonnull (tp_costs_node (costs, 2, 1)->reason);
  g_assert_cmpint (tp_costs_group (costs, 0, 1)->time_ns, <, 1100000);
  g_assert_cmpint (tp_costs_feed (costs, x, 1)->time_ns, ==, 5000 + 64);
  g_assert_cmpint (tp_costs_fetch (costs, x, 0)->time_ns, ==, 0);
  g_assert_cmpint (costs->latencies_ns[0], ==, 0);
  g_assert_cmpint (costs->latencies_ns[1], ==, 5000);
  g_assert_cmpint (costs->latencies_ns[2 + 1], ==, 5000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/machine/profiles", test_profiles);
  g_test_add_func ("/machine/units", test_units);
  g_test_add_func ("/machine/refused", test_refused);
  g_test_add_func ("/machine/named", test_named);
  g_test_add_func ("/machine/other-group", test_other_group);
  g_test_add_func ("/machine/file", test_file);
  g_test_add_func ("/machine/estimate", test_estimate);
  g_test_add_func ("/machine/fill-costs", test_fill_costs);
  return g_test_run ();
}
