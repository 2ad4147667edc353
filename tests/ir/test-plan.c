/* test-plan.c: plans as files: whole, the same twice, and never believed. */
#include "config.h"

#include "format/graph-load.h"
#include "format/plan-json.h"
#include "format/plan-save.h"
#include "format/plan-load.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/plan-memory.h"
#include "ir/plan.h"

#include <glib/gstdio.h>
#include <string.h>

static const char graph_text[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,\n"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": "
      "[\"N\", 4]}],\n"
      " \"dims\": {\"N\": 2}, \"outputs\": [\"z\"],\n"
      " \"ops\": [{\"name\": \"a\", \"type\": \"Relu\", \"inputs\": [\"x\"], "
      "\"outputs\": [\"y\"]},\n"
      "  {\"name\": \"b \\\"q\\\"\", \"type\": \"Tanh\", \"inputs\": [\"y\"], "
      "\"outputs\": [\"z\"]}]}\n";

typedef struct
{
  char *folder, *graph_path, *plan_path;
  TpGraph *graph;
  TpPlan *plan;
} Fixture;

static void
fill_costs (TpPlan *plan, const TpGraph *graph)
{
  plan->costs
      = tp_costs_new (2, (const char *const *) plan->devices, graph,
                      plan->all_groups);
  for (int i = 0; i < 4; i++)
    plan->costs->nodes[i] = (TpCost) { .time_ns = 10 + i,
                                         .spread_ns = 1,
                                         .is_estimated = i == 2 };
  *tp_costs_node (plan->costs, 1, 1)
      = (TpCost) { .time_ns = TP_COST_NONE, .reason = "no kernel" };
  *tp_costs_group (plan->costs, 0, 0) = (TpCost) { .time_ns = 15 };
  tp_costs_feed (plan->costs, 0, 1)->time_ns = 7;
  tp_costs_seal (plan->costs);
  plan->costs_digest = g_strdup (plan->costs->digest);
}

/* A plan with one of everything; not a good one. */
static TpPlan *
make_plan (const TpGraph *graph)
{
  TpPlan *plan = tp_plan_new ();
  const char *const devices[] = { "cpu", "opencl:0", NULL };
  const gint64 flows[] = { 5, 7, 0 };

  plan->graph_path = g_strdup ("g.json");
  plan->graph_name = g_strdup ("g");
  plan->graph_digest = tp_graph_digest (graph);
  plan->objective = g_strdup ("time");
  plan->devices = g_strdupv ((char **) devices);
  plan->n_devices = 2;
  plan->n_placements = 2;
  plan->placements = g_new0 (TpPlacement, 2);
  plan->placements[0] = (TpPlacement) { 0, 1, 1, FALSE, 11, 1, -1, NULL };
  plan->placements[1] = (TpPlacement) { 1, 0, 0, TRUE, 12, 1, 3,
                                         g_strdup ("window lanes=8; \"x\"") };
  plan->groups = tp_groups_new ();
  plan->all_groups = tp_groups_new ();
  tp_groups_add (plan->all_groups, (const int[]) { 0, 1 }, 2);
  tp_groups_add (plan->groups, (const int[]) { 0, 1 }, 2);
  plan->n_transfers = 1;
  plan->transfers = g_new0 (TpTransfer, 1);
  plan->transfers[0]
      = (TpTransfer) { 0, 0, 1, graph->tensors[0].size_bytes, 7 };
  plan->cost_ns = plan->bound_ns = 30;
  plan->best_single = 0;
  plan->best_single_ns = 40;
  plan->n_estimated = 1;
  plan->certificate = g_strdup ("min-cut");
  plan->n_flows = 3;
  plan->flows = g_memdup2 (flows, sizeof flows);
  fill_costs (plan, graph);
  tp_plan_count_memory (plan, graph);
  return plan;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = NULL;

  (void) data;
  f->folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  f->graph_path = g_build_filename (f->folder, "g.json", NULL);
  f->plan_path = g_build_filename (f->folder, "p.json", NULL);
  g_assert_true (g_file_set_contents (f->graph_path, graph_text, -1, NULL));
  raw = tp_graph_load (f->graph_path, NULL, &error);
  g_assert_no_error (error);
  f->graph = tp_graph_prepare (raw, &error);
  g_assert_no_error (error);
  g_assert_cmpint (f->graph->n_nodes, ==, 2);
  f->plan = make_plan (f->graph);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  tp_plan_unref (f->plan);
  tp_graph_unref (f->graph);
  g_remove (f->plan_path);
  g_remove (f->graph_path);
  g_rmdir (f->folder);
  g_free (f->folder);
  g_free (f->graph_path);
  g_free (f->plan_path);
}

static void
expect_refused (Fixture *f, const char *text, gssize size, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;

  g_assert_true (g_file_set_contents (f->plan_path, text, size, NULL));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  if (plan != NULL)
    g_error ("accepted: %s", what);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_true (strstr (error->message, "tplan optimize") != NULL
                 || strstr (error->message, "--graph") != NULL);
  g_assert_null (graph);
}

static void
test_round_trip (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autofree char *first = tp_plan_to_json (f->plan, f->graph);
  g_autofree char *second = NULL;

  (void) data;
  g_assert_true (tp_plan_save (f->plan, f->graph, f->plan_path, &error));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  second = tp_plan_to_json (plan, graph);
  g_assert_cmpstr (first, ==, second);
  g_assert_cmpint (plan->placements[0].device, ==, 1);
  g_assert_null (plan->placements[0].schedule);
  g_assert_cmpstr (plan->placements[1].schedule, ==,
                   "window lanes=8; \"x\"");
  g_assert_cmpint (plan->n_flows, ==, 3);
  g_assert_cmpint (plan->flows[1], ==, 7);
  g_assert_cmpstr (tp_costs_node (plan->costs, 1, 1)->reason, ==,
                   "no kernel");
  g_assert_true (tp_costs_node (plan->costs, 1, 0)->is_estimated);
  g_assert_cmpstr (graph->nodes[1].name, ==, "b \"q\"");
}

/* A broken tie, and what is known of figures that were measured. */
static void
test_tie (Fixture *f, gconstpointer data)
{
  TpCosts *costs = f->plan->costs;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  int kernels[8] = { 2, 2 };

  (void) data;
  g_assert_cmpint (costs->n_nodes + costs->n_groups, <, 8);
  f->plan->tie_price_ns = 5;
  f->plan->placements[0].cheapest = 0;
  f->plan->tie_flows = g_new0 (gint64, 3);
  f->plan->tie_flows[2] = 9;
  costs->kernels = g_memdup2 (kernels, sizeof kernels);
  tp_costs_node (costs, 0, 0)->measured_ns = 12;
  tp_costs_seal (costs);
  g_free (f->plan->costs_digest);
  f->plan->costs_digest = g_strdup (costs->digest);
  g_assert_true (tp_plan_save (f->plan, f->graph, f->plan_path, &error));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (plan->tie_price_ns, ==, 5);
  g_assert_cmpint (plan->placements[0].cheapest, ==, 0);
  g_assert_cmpint (plan->placements[1].cheapest, ==, 0);
  g_assert_cmpint (plan->tie_flows[2], ==, 9);
  g_assert_cmpint (tp_costs_get_kernel (plan->costs, 1), ==, 2);
  g_assert_cmpint (tp_costs_node (plan->costs, 0, 0)->measured_ns, ==, 12);
}

/* No byte of the file may change or go, and none may come but space. */
static void
test_bytes (Fixture *f, gconstpointer data)
{
  g_autofree char *text = tp_plan_to_json (f->plan, f->graph);
  gsize size = strlen (text);
  g_autofree char *copy = g_malloc (size + 2);

  (void) data;
  for (gsize i = 0; i < size; i++)
    {
      memcpy (copy, text, size + 1);
      copy[i] ^= 1 << g_test_rand_int_range (0, 8);
      expect_refused (f, copy, size, "a changed byte");
      if (i % 7 == 0 && i < size - 1) /* whose newline may go */
        expect_refused (f, text, i, "a cut file");
    }
  memcpy (copy, text, size);
  copy[size] = 'x';
  expect_refused (f, copy, size + 1, "a byte too many");
}

/* Gives @text, changed, the digest it should have. */
static char *
sign_again (const char *text)
{
  const char *last = strstr (text, " \"sha256\": \"");
  g_autofree char *body = g_strndup (text, last - text);
  g_autofree char *digest
      = g_compute_checksum_for_string (G_CHECKSUM_SHA256, body, -1);

  return g_strdup_printf ("%s \"sha256\": \"%s\"\n}\n", body, digest);
}

/* @text with the first @what replaced and signed again. */
static char *
forge (const char *text, const char *what, const char *by)
{
  const char *at = strstr (text, what);
  g_autofree char *before = NULL;
  g_autofree char *forged = NULL;

  if (at == NULL)
    g_error ("no '%s' in %s", what, text);
  before = g_strndup (text, at - text);
  forged = g_strconcat (before, by, at + strlen (what), NULL);
  return sign_again (forged);
}

/* Signed lies about form, range and index. */
static void
test_signed_lies (Fixture *f, gconstpointer data)
{
  static const char *const lies[][2] = {
    { "\"op\": \"a\"", "\"op\": \"c\"" },
    { "\"op\": \"a\"", "\"op\": \"b \\\"q\\\"\"" },
    { "\"device\": \"opencl:0\"", "\"device\": \"opencl:7\"" },
    { "\"time_ns\": 11", "\"time_ns\": -11" },
    { "\"schedule\": \"window", "\"schedule\": 5, \"note\": \"window" },
    { "\"time_ns\": 11", "\"time_ns\": 1.5" },
    { "\"time_ns\": 11", "\"time_ns\": 9223372036854775807" },
    { "\"time_ns\": 11", "\"time_ns\": 99999999999999999999" },
    { "\"margin_at_least\": true", "\"margin_at_least\": false" },
    { "\"spread_ns\": 1", "\"spread_ns\": \"1\"" },
    { "\"tensor\": \"x\"", "\"tensor\": \"w\"" },
    { "\"bytes\": 32", "\"bytes\": 31" },
    { "\"to\": \"opencl:0\"", "\"to\": null" },
    { "[\"cpu\", \"opencl:0\"]", "[\"cpu\", \"cpu\"]" },
    { "[\"cpu\", \"opencl:0\"]", "[]" },
    { "\"best_single\": \"cpu\"", "\"best_single\": \"gpu\"" },
    { "  7,\n", "  -7,\n" },
    { "  7,\n", "  7.0,\n" },
    { "  7,\n", "  \"7\",\n" },
    { "  7,\n", "  [7],\n" },
    { "[10, 1]", "[10, 1, \"guessed\"]" },
    { "[10, 1]", "[11, 1]" },
    { "[10, 1]", "10" },
    { "\"host\": \"cpu\"", "\"host\": \"opencl:0\"" },
    { "\"host\": \"cpu\"", "\"host\": \"gpu\"" },
    { "\"host\": \"cpu\"", "\"host\": 0" },
    { "\"certificate\": \"min-cut\"", "\"certificate\": 7" },
    { "\"no kernel\"", "\"no idea\"" },
    { "\"ops\": [", "\"oops\": [" },
    { "\"producer\": null", "\"producer\": \"a\"" },
    { "\"readers\": [\"a\"]", "\"readers\": []" },
    { "\"output\": true", "\"output\": false" },
    { ", \"output\": true", "" },
    { "\"output\": true", "\"output\": true, \"constant\": true" },
    { "\"threads\": 0", "\"threads\": -1" },
    { "\"objective\": ", "\"no_fuse\": 1, \"objective\": " },
    { "\"device\": \"cpu\"", "\"pins\": [\"cpu\"], \"device\": \"cpu\"" },
    { "\"cost_ns\": 30", "\"cost_ns\": 30, \"cost_ns\": 31" },
    { "\"simulated\": false", "\"simulated\": 0" },
    { "\"format\": \"tplan-plan/3\"", "\"format\": \"tplan-plan/2\"" },
    { "\"graph\": \"g.json\"", "\"graph\": 7" },
    { "\"groups\": [", "\"groups\": [[], " },
    { "\"groups\": [", "\"groups\": [[\"a\", \"b\", \"c\"], " },
  };
  g_autofree char *text = tp_plan_to_json (f->plan, f->graph);

  (void) data;
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      g_autofree char *lie = forge (text, lies[i][0], lies[i][1]);

      expect_refused (f, lie, -1, lies[i][1]);
    }
}

static TpPlan *
load_text (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  TpPlan *plan;

  g_assert_true (g_file_set_contents (f->plan_path, text, -1, NULL));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  return plan;
}

/* Space is nobody's business, and the digest holds for the text without; for
 * bytes that are signed as they are too. */
static void
test_space (Fixture *f, gconstpointer data)
{
  g_autofree char *text = tp_plan_to_json (f->plan, f->graph);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *wide = g_strjoinv ("\n\t\r\n  ", lines);
  g_autofree char *flat = g_strjoinv (" ", lines);
  g_autofree char *forged
      = forge (text, "\"cost_ns\": 30,", "\"cost_ns\":30 ,");
  g_autofree char *other = forge (text, "\"exact\": false", "\"exact\": true");
  const char *const texts[] = { wide, flat, forged, other };

  (void) data;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TpPlan) plan = load_text (f, texts[i]);
      g_autofree char *again = tp_plan_to_json (plan, f->graph);

      g_assert_cmpint (strcmp (again, text) == 0, ==, i < 3);
    }
}

/* How figures were looked up comes back. */
static void
test_origin (Fixture *f, gconstpointer data)
{
  const char *const no_fuse[] = { "prologue", NULL };
  const char *const facts[] = { "cpu=it\nthreads=3", "", NULL };
  g_autofree char *text = NULL;
  g_autoptr (TpPlan) plan = NULL;

  (void) data;
  f->plan->no_fuse = g_strdupv ((char **) no_fuse);
  f->plan->origin = (TpPlanOrigin){ 3, TRUE, TRUE, TRUE,
                                    g_strdupv ((char **) facts),
                                    g_strdup ("a \"b\"") };
  text = tp_plan_to_json (f->plan, f->graph);
  plan = load_text (f, text);
  g_assert_true (plan->origin.n_threads == 3);
  g_assert_true (plan->origin.is_exact && plan->origin.trusts_estimates);
  g_assert_true (plan->origin.is_relaxed);
  g_assert_cmpstr (plan->origin.facts[0], ==, facts[0]);
  g_assert_cmpstr (plan->origin.machine, ==, "a \"b\"");
  g_assert_cmpstr (plan->no_fuse[0], ==, "prologue");
}

/* Any kind is read, but it is named. */
static void
test_certificate (Fixture *f, gconstpointer data)
{
  static const char key[] = " \"certificate\": \"min-cut\",\n";
  g_autofree char *text = tp_plan_to_json (f->plan, f->graph);
  g_autofree char *silent = forge (text, key, "");
  g_autofree char *new = forge (text, key, " \"certificate\": \"new\",\n");
  g_autoptr (TpPlan) other = load_text (f, new);

  (void) data;
  g_assert_cmpstr (other->certificate, ==, "new");
  expect_refused (f, silent, -1, "no certificate");
}

static void
test_host (Fixture *f, gconstpointer data)
{
  g_autofree char *text = tp_plan_to_json (f->plan, f->graph);
  g_autofree char *silent = forge (text, " \"host\": \"cpu\",\n", "");
  g_autofree char *far_text = NULL;
  g_autoptr (TpPlan) far = NULL;

  (void) data;
  expect_refused (f, silent, -1, "no host");
  f->plan->costs->host = TP_COSTS_HOST;
  tp_costs_seal (f->plan->costs);
  g_free (f->plan->costs_digest);
  f->plan->costs_digest = g_strdup (f->plan->costs->digest);
  f->plan->transfers[0].from = TP_COSTS_HOST;
  far_text = tp_plan_to_json (f->plan, f->graph);
  g_assert_nonnull (strstr (far_text, " \"host\": null,"));
  g_assert_nonnull (strstr (far_text, "\"from\": \"host\""));
  far = load_text (f, far_text);
  g_assert_cmpint (far->costs->host, ==, TP_COSTS_HOST);
  g_assert_cmpint (far->transfers[0].from, ==, TP_COSTS_HOST);
  g_assert_cmpint (far->transfers[0].to, ==, 1);
}

static void
test_other_graph (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autofree char *other = g_strdup (graph_text);

  (void) data;
  g_assert_true (tp_plan_save (f->plan, f->graph, f->plan_path, &error));
  strstr (other, "\"N\": 2")[5] = '3';
  g_assert_true (g_file_set_contents (f->graph_path, other, -1, NULL));
  g_assert_null (tp_plan_load (f->plan_path, &graph, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, f->plan->graph_digest));
  g_assert_true (strstr (error->message, "tplan optimize") != NULL
                 || strstr (error->message, "--graph") != NULL);
}

static void
test_dims (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;
  g_autofree char *other = g_strdup (graph_text);

  (void) data;
  f->plan->dims = tp_dims_new ();
  tp_dims_set (f->plan->dims, "N", 2);
  g_assert_true (tp_plan_save (f->plan, f->graph, f->plan_path, &error));
  strstr (other, "\"N\": 2")[5] = '3'; /* a default the plan overrides */
  g_assert_true (g_file_set_contents (f->graph_path, other, -1, NULL));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->tensors[graph->inputs[0]].dims[0], ==, 2);
}

/* What is counted stands there. */
static void
test_uncounted (Fixture *f, gconstpointer data)
{
  g_autofree char *text = NULL;

  (void) data;
  f->plan->placements[0].device = 0;
  tp_plan_count_memory (f->plan, f->graph);
  g_clear_pointer (&f->plan->weight_bytes, g_free);
  text = tp_plan_to_json (f->plan, f->graph);
  expect_refused (f, text, -1, "no weights");
}

static void
test_pins (Fixture *f, gconstpointer data)
{
  const char *const pins[] = { "*=cpu", "b*=opencl:0", NULL };
  const char *const bad[] = { "c*=cpu", "a", "=cpu", "a=", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) pinned = tp_graph_pin (f->graph, pins, &error);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan = NULL;

  (void) data;
  g_assert_no_error (error);
  g_assert_cmpstr (pinned->nodes[0].pins[0], ==, "cpu");
  g_assert_cmpstr (pinned->nodes[1].pins[0], ==, "opencl:0");
  g_assert_null (f->graph->nodes[0].pins);
  for (int i = 0; bad[i] != NULL; i++)
    {
      const char *const one[] = { bad[i], NULL };
      g_autoptr (GError) local = NULL;

      g_assert_null (tp_graph_pin (f->graph, one, &local));
      g_assert_error (local, TPLAN_ERROR, TPLAN_ERROR_USAGE);
    }
  f->plan->pins = g_strdupv ((char **) pins);
  g_free (f->plan->graph_digest);
  f->plan->graph_digest = tp_graph_digest (pinned);
  g_assert_true (tp_plan_save (f->plan, pinned, f->plan_path, &error));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (graph->nodes[1].pins[0], ==, "opencl:0");
}

/* An Identity that stays, since the plan says that it did. */
static void
test_no_pass (Fixture *f, gconstpointer data)
{
  const char *const names[] = { "identity", NULL };
  const TpPassOptions options = { .left_out = names };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = NULL, ready = NULL, graph = NULL;
  g_autoptr (TpPlan) made = NULL, plan = NULL;

  (void) data;
  g_string_append (text, graph_text);
  g_string_replace (text, "Tanh", "Identity", 1);
  g_assert_true (g_file_set_contents (f->graph_path, text->str, -1, NULL));
  raw = tp_graph_load (f->graph_path, NULL, &error);
  ready = tp_graph_prepare_with (raw, &options, &error);
  g_assert_no_error (error);
  made = make_plan (ready);
  g_assert_true (tp_plan_save (made, ready, f->plan_path, &error));
  g_assert_null (tp_plan_load (f->plan_path, &graph, NULL));
  made->no_pass = g_strdupv ((char **) names);
  g_assert_true (tp_plan_save (made, ready, f->plan_path, &error));
  plan = tp_plan_load (f->plan_path, &graph, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (graph->nodes[1].type, ==, "Identity");
  g_assert_cmpstr (plan->no_pass[0], ==, "identity");
  g_assert_null (plan->no_pass[1]);
}

/* Names of vertices, in messages. */
static void
test_vertices (Fixture *f, gconstpointer data)
{
  static const char *const names[]
      = { "s", "t", "n7", "h7", "d7", "g7c", "g7d", "k7" };
  char name[TP_CUT_VERTEX_NAME];

  (void) f;
  (void) data;
  for (int i = 0; i < TP_N_CUT_VERTICES; i++)
    g_assert_cmpstr (tp_cut_vertex_write ((TpCutVertex){ i, 7 }, name), ==,
                     names[i]);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/plan/round-trip", test_round_trip },
    { "/plan/tie", test_tie },
    { "/plan/bytes", test_bytes },
    { "/plan/signed-lies", test_signed_lies },
    { "/plan/space", test_space },
    { "/plan/origin", test_origin },
    { "/plan/certificate", test_certificate },
    { "/plan/host", test_host },
    { "/plan/other-graph", test_other_graph },
    { "/plan/dims", test_dims },
    { "/plan/uncounted", test_uncounted },
    { "/plan/pins", test_pins },
    { "/plan/no-pass", test_no_pass },
    { "/plan/vertices", test_vertices },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test,
                tear_down);
  return g_test_run ();
}
