/* test-lookup.c: costs from the table: what holds, what is stale, what is
 * estimated. Rows are made by hand; no device is opened. */
#include "config.h"

#include "calib-graphs.h"
#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "calib/facts.h"
#include "format/graph-load.h"
#include "ir/roots.h"
#include "lookup-fixture.h"
#include "runtime/device.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <glib/gstdio.h>
#include <string.h>

static void
test_known (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpCosts) costs = NULL;

  put_all (fixture, fixture->db, put_device (fixture->db, "cpu", NULL));
  fixture->options.is_stale_error = TRUE;
  costs = look_up (fixture);
  g_assert_cmpint (fixture->options.warnings->len, ==, 0);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, ==, KNOWN_NS);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->spread_ns, ==, KNOWN_NS / 50);
  g_assert_cmpstr (tp_costs_node (costs, 0, 0)->schedule, ==, KNOWN_SCHEDULE);
  g_assert_cmpint (tp_costs_group (costs, 0, 0)->time_ns, ==, KNOWN_NS);
  g_assert_cmpstr (tp_costs_group (costs, 0, 0)->schedule, ==, KNOWN_SCHEDULE);
  g_assert_false (tp_costs_group (costs, 0, 0)->is_estimated);
}

/* Measured with @n_threads, "opencl:0" as a driver for this CPU or as another device;
 * FALSE: the CPU has no name. */
static gboolean
put_two_devices (Fixture *fixture, int n_threads, gboolean is_this_cpu)
{
  static const char *const devices[] = { "cpu", "opencl:0" };
  g_autofree char *host = tp_facts_gather ("cpu", n_threads);
  g_autofree char *driver = tp_facts_gather ("opencl:0", n_threads);
  g_autofree char *cpu = tp_facts_dup_cpu_of (host);
  g_autofree char *identity = g_strdup_printf (
      "opencl;%s;1.0", is_this_cpu ? cpu : "big gpu");

  if (*cpu == 0)
    g_test_skip ("the CPU has no name");
  fixture->options.devices = devices;
  fixture->options.n_devices = 2;
  fixture->options.n_threads = n_threads;
  put_all (fixture, fixture->db, put_device (fixture->db, "cpu", host));
  put_all (fixture, fixture->db,
           put_device_as (fixture->db, "opencl:0", driver, identity));
  return *cpu != 0;
}

/* A driver that runs on this CPU is no second processor. */
static void
test_same_silicon (Fixture *fixture, gconstpointer data)
{
  for (int is_same = 0; is_same < 2; is_same++)
    {
      g_autoptr (TpCosts) costs = NULL;

      if (!put_two_devices (fixture, 0, is_same))
        return;
      costs = look_up (fixture);
      g_assert_cmpint (fixture->options.warnings->len, ==, is_same);
    }
  g_assert_nonnull (strstr (get_warning (fixture), "second processor"));
}

/* But with a thread each they have a processor each, where there are as many. */
static void
test_own_processors (Fixture *fixture, gconstpointer data)
{
  int n = tp_threads_count_processors ();

  for (int few = 0; few < 2; few++)
    {
      g_autoptr (TpCosts) costs = NULL;

      if (!put_two_devices (fixture, few ? 1 : n, TRUE))
        return;
      costs = look_up (fixture);
      g_assert_true (costs->is_same_silicon);
      g_assert_cmpint (costs->has_own_processors, ==, few && n >= 2);
      g_assert_cmpint (tp_costs_is_one_engine (costs), ==, !few || n < 2);
    }
}

/* One changed fact, by name. */
static void
test_stale (Fixture *fixture, gconstpointer data)
{
  static const struct { const char *key, *message; } cases[] = {
    { "cpu=", "cpu was 'x" }, { "cpu-features=", "cpu-features was 'x" },
    { "threads=", "threads was 'x" }, { "codegen=", "codegen was 'x" },
  };
  g_autofree char *now = tp_facts_gather ("cpu", 0);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *changed = g_strconcat (cases[i].key, "x", NULL);
      g_auto (GStrv) lines = g_strsplit (now, "\n", -1);
      g_autofree char *facts = NULL;
      g_autoptr (TpCosts) costs = NULL;
      g_autoptr (GError) error = NULL;
      gint64 device;

      for (int j = 0; lines[j] != NULL; j++)
        if (g_str_has_prefix (lines[j], cases[i].key))
          set_text (&lines[j], changed);
      facts = g_strjoinv ("\n", lines);
      device = put_device (fixture->db, "cpu", facts);
      put_all (fixture, fixture->db, device);
      g_ptr_array_set_size (fixture->options.warnings, 0);
      fixture->options.is_stale_error = FALSE;
      costs = look_up (fixture);
      g_assert_nonnull (strstr (get_warning (fixture), cases[i].message));
      g_assert_true (tp_costs_node (costs, 0, 0)->is_estimated);
      g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, !=, KNOWN_NS);
      g_assert_null (tp_costs_node (costs, 0, 0)->schedule);
      fixture->options.is_stale_error = TRUE;
      g_assert_null (tp_cost_db_lookup (fixture->db, fixture->graph,
                                        fixture->groups, &fixture->options,
                                        &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      tp_cost_db_forget (fixture->db, device, NULL);
    }
}

/* A driver file that is not what it was. */
static void
test_stale_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *now = tp_facts_gather ("cpu", 0);
  g_autofree char *gone = g_strconcat (now, "file:/nonexistent/libx.so=1:2\n",
                                       NULL);
  g_autofree char *other = g_strdup_printf ("%sfile:%s=1:2\n", now,
                                            fixture->path);
  g_autofree char *difference = tp_facts_compare (gone, now);

  g_assert_nonnull (strstr (difference, "libx.so is gone"));
  g_free (difference);
  difference = tp_facts_compare (other, now);
  g_assert_nonnull (strstr (difference, "cost.db has changed"));
  g_assert_null (tp_facts_compare (now, now));
}

static void
test_never_measured (Fixture *fixture, gconstpointer data)
{
  static const char *const both[] = { "cpu", "opencl:0" };
  g_autoptr (TpCosts) doubted = NULL;
  g_autoptr (TpCosts) costs = NULL;

  fixture->options.devices = both;
  fixture->options.n_devices = 2;
  doubted = look_up (fixture);
  g_assert_cmpint (tp_costs_node (doubted, 0, 1)->time_ns, ==, TP_COST_NONE);
  /* one line each, with what it costs the one that has a rival */
  g_assert_cmpint (fixture->options.warnings->len, ==, 2);
  g_assert_null (strstr (fixture->options.warnings->pdata[0], "none of"));
  g_assert_nonnull (strstr (fixture->options.warnings->pdata[1],
                            "never measured: its times are estimates, and it "
                            "may have none of"));
  g_ptr_array_set_size (fixture->options.warnings, 0);
  fixture->options.trusts_estimates = TRUE;
  costs = look_up (fixture);
  g_assert_cmpint (fixture->options.warnings->len, ==, 2);
  for (int device = 0; device < 2; device++)
    {
      g_assert_true (tp_costs_node (costs, 0, device)->is_estimated);
      g_assert_cmpint (tp_costs_node (costs, 0, device)->time_ns, >, 0);
      g_assert_cmpint (tp_costs_node (costs, 0, device)->spread_ns, >, 0);
    }
  g_assert_cmpint (tp_costs_feed (costs, 0, 1)->time_ns, >, 0);
  g_assert_true (tp_costs_feed (costs, 0, 1)->is_estimated);
}

static void
test_transfers (Fixture *fixture, gconstpointer data)
{
  static const char *const both[] = { "cpu", "opencl:0" };
  g_autoptr (TpCosts) costs = NULL;

  put_device (fixture->db, "opencl:0", NULL);
  fixture->options.devices = both;
  fixture->options.n_devices = 2;
  costs = look_up (fixture);
  g_assert_cmpint (costs->latencies_ns[1], ==, 5000);
  g_assert_cmpint (costs->latencies_ns[2 + 1], ==, 7000);
  for (int i = 0; i < fixture->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &fixture->graph->tensors[i];

      if (tp_tensor_is_constant (tensor))
        continue;
      g_assert_cmpint (tp_costs_feed (costs, i, 1)->time_ns, ==,
                       5000 + tensor->size_bytes / 2);
      g_assert_cmpint (tp_costs_fetch (costs, i, 1)->time_ns, ==,
                       7000 + tensor->size_bytes / 4);
      g_assert_false (tp_costs_fetch (costs, i, 1)->is_estimated);
      g_assert_cmpint (tp_costs_fetch (costs, i, 0)->time_ns, ==, 0);
    }
}

static void
set_map (TpCostDb *db)
{
  static const TpFitPoint there[] = { { 64, 2000 }, { 1 << 20, 2000 } };
  static const TpFitPoint back[] = { { 64, 9000 }, { 1 << 20, 9000 } };
  g_autoptr (GPtrArray) rows = tp_cost_db_list_devices (db, "opencl:0", NULL);
  TpDeviceRow *row = g_ptr_array_index (rows, 0);
  gboolean is_put;

  tp_fit_keep_points (&row->map_to_device, there, G_N_ELEMENTS (there));
  tp_fit_keep_points (&row->map_to_host, back, G_N_ELEMENTS (back));
  row->map_permille = 100;
  is_put = tp_cost_db_put_device (db, row, NULL);
  g_assert_true (is_put);
}

/* Where that is asked for, what passes from op to op is handed over. */
static void
test_mapped (Fixture *fixture, gconstpointer data)
{
  static const char *const both[] = { "cpu", "opencl:0" };
  g_autofree gboolean *are_ends = tp_roots_find_ends (fixture->graph);
  g_autoptr (TpCosts) apart = NULL;
  g_autoptr (TpCosts) costs = NULL;
  int n_inner = 0;

  put_device (fixture->db, "opencl:0", NULL);
  set_map (fixture->db);
  fixture->options.devices = both;
  fixture->options.n_devices = 2;
  apart = look_up (fixture);
  fixture->options.wants_maps = TRUE;
  costs = look_up (fixture);
  g_assert_null (apart->is_mapped);
  g_assert_true (tp_costs_is_mapped (costs, 1));
  g_assert_false (tp_costs_is_mapped (costs, 0));
  g_assert_cmpstr (costs->digest, !=, apart->digest);
  for (int i = 0; i < fixture->graph->n_tensors; i++)
    {
      const TpCost *feed = tp_costs_feed (costs, i, 1);
      const TpCost *fetch = tp_costs_fetch (costs, i, 1);
      gboolean is_inner = !are_ends[i]
                          && !tp_tensor_is_resident (&fixture->graph->tensors[i]);

      n_inner += is_inner;
      g_assert_cmpint (feed->time_ns, ==,
                       is_inner ? 2000 : tp_costs_feed (apart, i, 1)->time_ns);
      g_assert_cmpint (fetch->time_ns, ==,
                       is_inner ? 9000 : tp_costs_fetch (apart, i, 1)->time_ns);
      if (is_inner)
        g_assert_cmpint (fetch->spread_ns, ==, 900);
    }
  g_assert_cmpint (n_inner, >, 0);
}

/* What copies of the input cost, from and to each place. */
static void
assert_copies (Fixture *fixture, const char *const *devices,
               const gint64 (*expected)[3])
{
  int input = fixture->graph->inputs[0];
  g_autoptr (TpCosts) costs = NULL;

  fixture->options.devices = devices;
  fixture->options.n_devices = 2;
  costs = look_up (fixture);
  for (int from = TP_COSTS_HOST; from < 2; from++)
    for (int to = TP_COSTS_HOST; to < 2; to++)
      g_assert_cmpint (tp_costs_copy (costs, input, from, to).time_ns, ==,
                       expected[from + 1][to + 1]);
}

/* Rows and columns: host memory, first device, second device. */
static void
test_any_host (Fixture *fixture, gconstpointer data)
{
  static const char *const second[] = { "opencl:0", "ref" };
  static const char *const none[] = { "opencl:0", "opencl:1" };
  static const char *const both[] = { "sim:gflops=1,gbps=4,launch=1us",
                                      "sim:gflops=1,gbps=2,launch=1us" };
  static const char *const links[] = { "sim:gflops=1,gbps=1,link=1GB/s+2us",
                                       "sim:gflops=1,gbps=1,link=2GB/s+1us" };
  int input = fixture->graph->inputs[0];
  gint64 bytes = fixture->graph->tensors[input].size_bytes;
  gint64 feed = 5000 + bytes / 2, fetch = 7000 + bytes / 4;
  const gint64 for_second[3][3]
      = { { 0, feed, 0 }, { fetch, 0, fetch }, { 0, feed, 0 } };
  const gint64 for_none[3][3] = { { 0, feed, feed },
                                  { fetch, 0, fetch + feed },
                                  { fetch, fetch + feed, 0 } };
  /* a copy within host memory reads and writes every byte */
  const gint64 for_both[3][3]
      = { { 0, 0, bytes }, { 0, 0, bytes }, { bytes, bytes, 0 } };
  gint64 slow = 2000 + bytes, fast = 1000 + bytes / 2;
  const gint64 for_links[3][3] = { { 0, slow, fast },
                                   { slow, 0, slow + fast },
                                   { fast, slow + fast, 0 } };

  put_device (fixture->db, "opencl:0", NULL);
  put_device (fixture->db, "opencl:1", NULL);
  g_assert_cmpint (bytes % 4, ==, 0);
  assert_copies (fixture, second, for_second);
  assert_copies (fixture, none, for_none);
  assert_copies (fixture, both, for_both);
  assert_copies (fixture, links, for_links);
}

/* A larger kernel of a measured family, ten times off its roofline, is expected
 * to be about as far off. */
static void
test_neighbour (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TpGraph) wide = make_small_graph (4096);
  g_autoptr (TpKeys) keys = tp_keys_new (wide, NULL, FALSE);
  const TpKey *known = &fixture->keys->keys[0], *unknown = &keys->keys[0];
  g_autoptr (TpCosts) costs = NULL;
  TpMachine machine = { .peak_gflops = 100, .bandwidth_gbps = 10,
                        .launch_ns = 1000, .full_points = 1,
                        .double_rate = 0.5 };
  gint64 known_ns = tp_machine_estimate_ns (&machine, &known->work);
  gint64 unknown_ns = tp_machine_estimate_ns (&machine, &unknown->work);
  const TpCost *cost;

  g_assert_cmpstr (known->family, ==, unknown->family);
  g_assert_cmpstr (known->digest, !=, unknown->digest);
  put_entry (fixture->db, put_device (fixture->db, "cpu", NULL), known,
             10 * known_ns);
  costs = tp_cost_db_lookup (fixture->db, wide, NULL, &fixture->options, NULL);
  cost = tp_costs_node (costs, 0, 0);
  g_assert_true (cost->is_estimated);
  g_assert_cmpint (cost->time_ns, >, 9 * unknown_ns);
  g_assert_cmpint (cost->time_ns, <, 11 * unknown_ns);
  g_assert_cmpint (cost->spread_ns, >, cost->time_ns / 10);
  g_assert_nonnull (strstr (get_warning (fixture), "estimates"));
}

static void
test_failed (Fixture *fixture, gconstpointer data)
{
  gint64 device = put_device (fixture->db, "cpu", NULL);
  g_autoptr (TpCosts) costs = NULL;

  put_all (fixture, fixture->db, device);
  put_entry (fixture->db, device, &fixture->keys->keys[1], -1);
  costs = look_up (fixture);
  g_assert_cmpint (tp_costs_node (costs, 1, 0)->time_ns, ==, TP_COST_NONE);
  g_assert_cmpstr (tp_costs_node (costs, 1, 0)->reason, ==, "it burnt");
  /* a group with it would put it where it cannot be */
  g_assert_cmpint (tp_costs_group (costs, 0, 0)->time_ns, ==, TP_COST_NONE);
}

/* An estimated group promises no more than its nodes allow. */
static void
test_group_bounds (Fixture *fixture, gconstpointer data)
{
  gint64 device = put_device (fixture->db, "cpu", NULL);
  g_autoptr (TpCosts) costs = NULL;
  const TpCost *group;

  put_entry (fixture->db, device, &fixture->keys->keys[0], 40000);
  put_entry (fixture->db, device, &fixture->keys->keys[1], 30000);
  costs = look_up (fixture);
  group = tp_costs_group (costs, 0, 0);
  g_assert_true (group->is_estimated);
  g_assert_cmpint (group->time_ns, >=, 40000);
  g_assert_cmpint (group->time_ns, <=, 70000);
}

static void
test_system (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "s.db", NULL);
  g_autoptr (TpCosts) costs = NULL;
  TpCostDb *system = tp_cost_db_open (path, FALSE, NULL);

  put_all (fixture, system, put_device (system, "cpu", NULL));
  tp_cost_db_close (system);
  /* the own table has the device, and one kernel measured anew */
  put_entry (fixture->db, put_device (fixture->db, "cpu", NULL),
             &fixture->keys->keys[0], 777);
  tp_cost_db_close (fixture->db);
  g_setenv ("TPLAN_SYSTEM_COST", path, TRUE);
  fixture->db = tp_cost_db_open (fixture->path, TRUE, NULL);
  costs = look_up (fixture);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, ==, 777);
  g_assert_cmpint (tp_costs_node (costs, 1, 0)->time_ns, ==, KNOWN_NS);
  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
}

static void
test_sim (Fixture *fixture, gconstpointer data)
{
  static const char *const devices[] = {
    "cpu", "sim:gflops=2000,gbps=200,launch=8us,link=12GB/s+8us"
  };
  g_autoptr (TpCosts) costs = NULL;

  put_all (fixture, fixture->db, put_device (fixture->db, "cpu", NULL));
  fixture->options.devices = devices;
  fixture->options.n_devices = 2;
  costs = look_up (fixture);
  g_assert_true (costs->is_simulated);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, ==, KNOWN_NS);
  g_assert_cmpint (tp_costs_node (costs, 0, 1)->time_ns, >=, 8000);
  g_assert_cmpint (tp_costs_feed (costs, 0, 1)->time_ns, >=, 8000);
  g_assert_cmpint (fixture->options.warnings->len, ==, 0);
}

static void
test_names (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "cpux", "cp", "", "ref:0", "cpu:",
                                       "sim", ":0" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;

      fixture->options.devices = &names[i];
      g_assert_null (tp_cost_db_lookup (fixture->db, fixture->graph, NULL,
                                        &fixture->options, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
      g_assert_nonnull (strstr (error->message, "'sim:PROFILE'"));
    }
}

/* Costs given in the file count, and make opaque ops placeable. */
static void
test_given (Fixture *fixture, gconstpointer data)
{
  const char *text =
      "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,"
      "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [4]}],"
      "\"outputs\": [\"y\"], \"ops\": [{\"name\": \"o\", \"type\": \"Magic\","
      "\"inputs\": [\"x\"], \"outputs\": [\"y\"], \"shapes\": [[4]],"
      "\"cost\": {\"cpu\": 99}}]}";
  static const char *const both[] = { "cpu", "opencl:0" };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_load_json ("g.json", text, strlen (text),
                                                  NULL, &error);
  g_autoptr (TpCosts) costs = NULL;

  g_assert_no_error (error);
  fixture->options.devices = both;
  fixture->options.n_devices = 2;
  costs = tp_cost_db_lookup (fixture->db, graph, NULL, &fixture->options,
                             &error);
  g_assert_no_error (error);
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, ==, 99);
  g_assert_false (tp_costs_node (costs, 0, 0)->is_estimated);
  g_assert_cmpint (tp_costs_node (costs, 0, 1)->time_ns, ==, TP_COST_NONE);
  g_assert_nonnull (tp_costs_node (costs, 0, 1)->reason);
}

/* The op with a cost of its own is not undercut by a group around it, though
 * that was measured. */
static void
test_given_in_group (Fixture *fixture, gconstpointer data)
{
  gint64 device = put_device (fixture->db, "cpu", NULL);
  TpNodeCost cost = { .device = "cpu", .time_ns = 99999999 };
  g_autoptr (TpCosts) costs = NULL;

  put_all (fixture, fixture->db, device);
  fixture->graph->nodes[1].n_costs = 1;
  fixture->graph->nodes[1].costs = &cost;
  costs = look_up (fixture);
  fixture->graph->nodes[1].n_costs = 0;
  g_assert_cmpint (tp_costs_node (costs, 0, 0)->time_ns, ==, KNOWN_NS);
  g_assert_cmpint (tp_costs_node (costs, 1, 0)->time_ns, ==, 99999999);
  g_assert_cmpint (tp_costs_group (costs, 0, 0)->time_ns, ==, TP_COST_NONE);
  g_assert_nonnull (tp_costs_group (costs, 0, 0)->reason);
}

/* A plan of all ops took @median_ns where @predicted_ns was foretold. */
static void
put_whole (Fixture *fixture, gint64 device, gint64 predicted_ns,
           gint64 median_ns)
{
  g_autofree char *network = tp_keys_find_network (fixture->keys);
  g_autoptr (TpWholeRow) row = tp_whole_row_new ();
  gpointer rows[] = { row };
  g_autoptr (GError) error = NULL;

  set_text (&row->network, network);
  set_text (&row->digest, network);
  row->device = device;
  row->measured_us = 1;
  row->n_devices = 1;
  row->predicted_ns = row->kernels_ns = predicted_ns;
  row->median_ns = median_ns;
  row->n = 11;
  tp_cost_db_put_wholes (fixture->db, rows, 1, &error);
  g_assert_no_error (error);
}

/* By how much less the group takes than its two ops. */
static gint64
get_saving (const TpCosts *costs)
{
  return tp_costs_node (costs, 0, 0)->time_ns
         + tp_costs_node (costs, 1, 0)->time_ns
         - tp_costs_group (costs, 0, 0)->time_ns;
}

/* What whole plans took moves all figures of a device alike: what is fused is not
 * for it to say, however little is saved, and however that is rounded. */
static void
test_whole_keeps_groups (Fixture *fixture, gconstpointer data)
{
  static const struct { gint64 fused_ns; gboolean pays; } cases[]
      = { { 2 * KNOWN_NS + 1000, TRUE }, /* within noise */
          { 3 * KNOWN_NS, FALSE } };
  gint64 device = put_device (fixture->db, "cpu", NULL);

  put_all (fixture, fixture->db, device);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      put_entry (fixture->db, device,
                 &fixture->keys->keys[fixture->graph->n_nodes],
                 cases[i].fused_ns);
      for (int k = -50; k <= 50; k++)
        {
          g_autoptr (TpCosts) costs = NULL;

          put_whole (fixture, device, 1000000, 1000000 + k * 1237);
          costs = look_up (fixture);
          g_assert_cmpint (costs->errors->n_wholes[0], ==, 1);
          g_assert_true ((get_saving (costs) > 0) == cases[i].pays);
        }
    }
}

static gboolean
has_device (const char *name)
{
  int n;
  const TpDeviceOps *const *list = tp_device_list (&n);

  for (int i = 0; i < n; i++)
    if (strcmp (list[i]->name, name) == 0)
      return TRUE;
  return FALSE;
}

static void
test_skipped (Fixture *fixture, gconstpointer data)
{
  g_test_skip ("built without this device");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
    const char *device;       /* that must be built in */
  } tests[] = {
    { "/lookup/known", test_known, "cpu" },
    { "/lookup/same-silicon", test_same_silicon, "cpu" },
    { "/lookup/own-processors", test_own_processors, "cpu" },
    { "/lookup/stale", test_stale, "cpu" },
    { "/lookup/stale-file", test_stale_file, "ref" },
    { "/lookup/never-measured", test_never_measured, "opencl" },
    { "/lookup/transfers", test_transfers, "opencl" },
    { "/lookup/mapped", test_mapped, "opencl" },
    { "/lookup/any-host", test_any_host, "opencl" },
    { "/lookup/neighbour", test_neighbour, "cpu" },
    { "/lookup/failed", test_failed, "cpu" },
    { "/lookup/group-bounds", test_group_bounds, "cpu" },
    { "/lookup/system", test_system, "cpu" },
    { "/lookup/sim", test_sim, "sim" },
    { "/lookup/names", test_names, "ref" },
    { "/lookup/given", test_given, "opencl" },
    { "/lookup/given-in-group", test_given_in_group, "cpu" },
    { "/lookup/whole-keeps-groups", test_whole_keeps_groups, "cpu" },
  };

  g_setenv ("TPLAN_SYSTEM_COST", "/nonexistent/cost.db", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up,
                has_device (tests[i].device) ? tests[i].test : test_skipped,
                tear_down);
  return g_test_run ();
}
