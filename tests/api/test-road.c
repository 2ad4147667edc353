/* test-road.c: the road from a model to a plan, with all its options. */
#include "api/graph.h"
#include "api/plan.h"
#include "api/road.h"
#include "format/plan-json.h"
#include "planner/fuse.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder;
  char *graph_path, *table_path;
} Fixture;

static const char *const on_ref[] = { "ref", NULL };
static const char *const on_sims[]
    = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };

/* y = tanh (relu (x + x)) */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, 64]}], \"outputs\": [\"y\"],"
      " \"ops\": ["
      "  {\"name\": \"sum\", \"type\": \"Add\", \"inputs\": [\"x\", \"x\"],"
      "   \"outputs\": [\"a\"]},"
      "  {\"name\": \"relu\", \"type\": \"Relu\", \"inputs\": [\"a\"],"
      "   \"outputs\": [\"b\"]},"
      "  {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": [\"b\"],"
      "   \"outputs\": [\"y\"]}]}";

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("tplan-road-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->graph_path = g_build_filename (fixture->folder, "g.json", NULL);
  fixture->table_path = g_build_filename (fixture->folder, "cost.db", NULL);
  g_file_set_contents (fixture->graph_path, model, -1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *journal
      = g_strconcat (fixture->table_path, "-journal", NULL);

  g_remove (fixture->graph_path);
  g_remove (fixture->table_path);
  g_remove (journal);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->graph_path);
  g_free (fixture->table_path);
  g_free (fixture->folder);
}

/* @notes: (nullable) */
static TplanPlan *
take_road (Fixture *fixture, const char *const *devices,
           const TpRoadOptions *options, TpRoadNotes *notes, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (fixture->graph_path, NULL, &local);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, devices, 1, &local);

  g_assert_no_error (local);
  return tp_road_plan (graph, costs, options, notes, error);
}

static char *
plan_to_json (const TplanPlan *plan)
{
  return tp_plan_to_json (tp_api_get_plan (plan),
                          tp_api_get_graph (tplan_plan_get_graph (plan)));
}

/* Options that are all zero make the plan of the public call. */
static void
test_defaults (Fixture *fixture, gconstpointer data)
{
  const TpRoadOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan
      = take_road (fixture, on_sims, &options, NULL, &error);
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (fixture->graph_path, NULL, NULL);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, on_sims, 1, NULL);
  g_autoptr (TplanPlan) other
      = tplan_graph_optimize (graph, costs, NULL, NULL);
  g_autofree char *got = NULL, *want = NULL;

  g_assert_no_error (error);
  got = plan_to_json (plan);
  want = plan_to_json (other);
  g_assert_cmpstr (got, ==, want);
}

/* What lacks is told, and only of devices that could be measured. */
static void
test_notes (Fixture *fixture, gconstpointer data)
{
  const TpRoadOptions options = { 0 };
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  g_auto (TpRoadNotes) of_sims = { NULL, 0, 0 };
  g_autoptr (TplanPlan) plan
      = take_road (fixture, on_ref, &options, &notes, NULL);
  g_autoptr (TplanPlan) simulated
      = take_road (fixture, on_sims, &options, &of_sims, NULL);

  g_assert_nonnull (plan);
  g_assert_cmpint (notes.n_ops, ==, 3);
  g_assert_cmpint (notes.n_unmeasured, ==, 3);
  g_assert_cmpint (notes.warnings->len, ==, 1);
  g_assert_nonnull (strstr (notes.warnings->pdata[0], "never measured"));
  g_assert_nonnull (simulated);
  g_assert_cmpint (of_sims.n_unmeasured, ==, 0);
  g_assert_cmpint (of_sims.warnings->len, ==, 0);
}

/* They are told where there is no plan, too. */
static void
test_notes_without_plan (Fixture *fixture, gconstpointer data)
{
  const TpRoadOptions options = { .objective = "joy" };
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  g_autoptr (GError) error = NULL;

  g_assert_null (take_road (fixture, on_ref, &options, &notes, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_assert_nonnull (strstr (error->message, "'joy'"));
  g_assert_cmpint (notes.n_unmeasured, ==, 3);
  g_assert_cmpint (notes.warnings->len, ==, 1);
}

static void
test_stale (Fixture *fixture, gconstpointer data)
{
  const TpRoadOptions options = { .is_stale_error = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  g_assert_null (take_road (fixture, on_ref, &options, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE);
  g_clear_error (&error);
  plan = take_road (fixture, on_sims, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (plan);
}

static void
test_measured (Fixture *fixture, gconstpointer data)
{
  TpCalibReport report = { 0 };
  const TpRoadOptions options
      = { .is_measured = TRUE, .is_stale_error = TRUE, .report = &report };
  g_auto (TpRoadNotes) notes = { NULL, 0, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan
      = take_road (fixture, on_ref, &options, &notes, &error), again = NULL;
  int n_samples = report.n_samples;

  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_count_estimated (plan), ==, 0);
  g_assert_cmpint (notes.n_unmeasured, ==, 0);
  g_assert_cmpint (n_samples, >, 0);
  g_assert_cmpint (report.n_failed, ==, 0);
  g_assert_cmpint (report.time_ns, >, 0);
  again = take_road (fixture, on_ref, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (report.n_samples, ==, n_samples); /* nothing was left to do */
}

/* Figures as they are in the table, and no tie broken; made-up ones have no
 * noise, so nothing changes. */
static void
test_exact (Fixture *fixture, gconstpointer data)
{
  const TpRoadOptions options[] = { { .is_measured = TRUE },
                                    { .is_exact = TRUE } };
  g_autoptr (TplanPlan) drawn
      = take_road (fixture, on_ref, &options[0], NULL, NULL);
  g_autoptr (TplanPlan) exact
      = take_road (fixture, on_ref, &options[1], NULL, NULL);
  g_autoptr (TplanPlan) made_up
      = take_road (fixture, on_sims, &(TpRoadOptions){ 0 }, NULL, NULL);
  g_autoptr (TplanPlan) made_up_exact
      = take_road (fixture, on_sims, &options[1], NULL, NULL);
  g_autofree char *a = plan_to_json (made_up);
  g_autofree char *b = plan_to_json (made_up_exact);

  g_assert_nonnull (tp_api_get_plan (drawn)->costs->kernels);
  g_assert_null (tp_api_get_plan (exact)->costs->kernels);
  g_assert_cmpint (tp_api_get_plan (exact)->tie_price_ns, ==, 0);
  g_assert_cmpint (strcmp (a, b), !=, 0); /* a plan says how it was asked */
  *strstr (a, "\n \"sha256\"") = *strstr (b, "\n \"sha256\"") = 0;
  g_assert_cmpstr (strstr (a, "\"facts\""), ==, strstr (b, "\"facts\""));
}

/* Every rule of the table may be left out; what is in none is told, with those
 * there are. */
static void
test_rules (Fixture *fixture, gconstpointer data)
{
  const char *const wrong[] = { tp_fuse_list ()[0], "frobnicate", NULL };
  const TpRoadOptions fused = { 0 };
  const TpRoadOptions alone = { .no_fuse = tp_fuse_list () };
  const TpRoadOptions bad = { .no_fuse = wrong };
  g_autoptr (TplanPlan) with
      = take_road (fixture, on_sims, &fused, NULL, NULL);
  g_autoptr (TplanPlan) without
      = take_road (fixture, on_sims, &alone, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (tp_api_get_plan (with)->all_groups->n_groups, >, 0);
  g_assert_cmpint (tp_api_get_plan (without)->all_groups->n_groups, ==, 0);
  g_assert_null (take_road (fixture, on_sims, &bad, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_assert_nonnull (strstr (error->message, "'frobnicate'"));
  for (int i = 0; tp_fuse_list ()[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, tp_fuse_list ()[i]));
}

static TplanPlan *
optimize_within (const Fixture *fixture, const char *limit, GError **error)
{
  const char *const limits[] = { limit, NULL };
  const TplanOptimizeOptions options = { .memory_limits = limits };
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (fixture->graph_path, NULL, NULL);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, on_sims, 1, NULL);

  return tplan_graph_optimize_full (graph, costs, &options, error);
}

/* A limit is kept to, and what the plan cannot go below is that within it. */
static void
test_limits (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plain
      = take_road (fixture, on_sims, &(TpRoadOptions){ 0 }, NULL, NULL);
  g_autoptr (TplanPlan) loose
      = optimize_within (fixture, "sim:desktop-cpu=1G", &error);
  g_autoptr (TplanPlan) tight = NULL, bad = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_get_cost_ns (loose), ==,
                   tplan_plan_get_cost_ns (plain));
  tight = optimize_within (fixture, "sim:desktop-cpu=20K", &error);
  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_get_devices (tight, NULL)[0].peak_bytes, <=,
                   20 << 10);
  g_assert_cmpint (tplan_plan_get_cost_ns (tight), >,
                   tplan_plan_get_cost_ns (plain));
  g_assert_cmpint (tplan_plan_get_bound_ns (tight), ==,
                   tplan_plan_get_cost_ns (tight));
  g_assert_true (tplan_plan_check (tight, &error));
  g_assert_no_error (error);
  bad = optimize_within (fixture, "sim:desktop-cpu", &error);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

static TplanPlan *
optimize_reserving (const Fixture *fixture, const char *limit,
                    const char *reserve, GError **error)
{
  const char *const limits[] = { limit, NULL };
  const char *const reserves[] = { reserve, NULL };
  const TplanOptimizeOptions options
      = { .memory_limits = limits, .memory_reserves = reserves };
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (fixture->graph_path, NULL, NULL);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, on_sims, 1, NULL);

  return tplan_graph_optimize_full (graph, costs, &options, error);
}

/* A limit less a reserve plans as the lower limit does. The plan says both, also once
 * it was read again. */
static void
test_reserves (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) lower
      = optimize_within (fixture, "sim:desktop-cpu=20K", &error);
  g_autoptr (TplanPlan) plan = optimize_reserving (
      fixture, "sim:desktop-cpu=30K", "sim:desktop-cpu=10K", &error);
  g_autoptr (TplanPlan) back = NULL;
  g_autoptr (GBytes) first = NULL, second = NULL;
  const TpPlan *inner;

  g_assert_no_error (error);
  g_assert_true (tplan_plan_check (plan, &error));
  g_assert_no_error (error);
  g_assert_cmpint (tplan_plan_get_cost_ns (plan), ==,
                   tplan_plan_get_cost_ns (lower));
  inner = tp_api_get_plan (plan);
  g_assert_cmpint (inner->memory_limits[0], ==, 20 << 10);
  g_assert_cmpint (inner->memory_reserves[0], ==, 10 << 10);
  g_assert_cmpint (inner->memory_reserves[1], ==, 0);
  g_assert_null (tp_api_get_plan (lower)->memory_reserves);
  first = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
  back = tplan_plan_new_from_bytes (first, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (tp_api_get_plan (back)->memory_reserves[0], ==, 10 << 10);
  second = tplan_plan_to_bytes (back, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (first, second));
}

/* Of what is refused nothing is planned, whoever asks. */
static void
test_bad_reserves (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *limit, *reserve, *says;
  } cases[] = {
    { "sim:desktop-cpu=1G", "sim:desktop-cpu", "reserve of memory" },
    { "sim:desktop-cpu=1G", "cpu=1M", "reserve of memory 'cpu=1M'" },
    { "sim:desktop-cpu=1M", "sim:desktop-cpu=1M", "limit of 1048576" },
    { NULL, "sim:laptop-gpu=1T", "leaves nothing" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (optimize_reserving (fixture, cases[i].limit,
                                         cases[i].reserve, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

static TplanPlan *
optimize_rated (const Fixture *fixture, const char *objective,
                const char *watts, GError **error)
{
  const char *const stated[] = { watts, NULL };
  const char *const prices[]
      = { "sim:desktop-cpu=0.1/h", "sim:laptop-gpu=1/h:use", NULL };
  const TplanOptimizeOptions options
      = { .objective = objective, .watts = stated, .prices = prices };
  g_autoptr (TplanGraph) graph
      = tplan_graph_load (fixture->graph_path, NULL, NULL);
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table_path, on_sims, 1, NULL);

  return tplan_graph_optimize_full (graph, costs, &options, error);
}

/* Watts and prices that are stated override what is known, and are in the plan. */
static void
test_rates (Fixture *fixture, gconstpointer data)
{
  static const char *const objectives[] = { "energy", "price", "time" };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    {
      g_autoptr (TplanPlan) plan = optimize_rated (
          fixture, objectives[i], "sim:desktop-cpu=90:9:1.5", &error);
      const TpRate *rates;

      g_assert_no_error (error);
      g_assert_true (tplan_plan_check (plan, &error));
      g_assert_no_error (error);
      rates = tp_api_get_plan (plan)->costs->rates;
      g_assert_cmpint (rates[0].busy_mw, ==, 90000);
      g_assert_cmpint (rates[0].copy_mw, ==, 1500);
      g_assert_cmpint (rates[0].price, ==, TP_RATE_PARTS / 10);
      g_assert_cmpint (rates[1].busy_mw, >, rates[1].idle_mw);
      g_assert_true (rates[1].is_per_use);
    }
  g_assert_null (optimize_rated (fixture, "energy", "cpu=9", &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

/* What a run is foretold to take: all that it costs, or until its schedule ends. */
static void
test_run_time (Fixture *fixture, gconstpointer data)
{
  static const char *const objectives[] = { "time", "throughput", "makespan" };
  const char *const pins[] = { "relu=sim:laptop-gpu", NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (objectives); i++)
    {
      const TpRoadOptions options = { .objective = objectives[i], .pins = pins };
      g_autoptr (GError) error = NULL;
      g_autoptr (TplanPlan) plan
          = take_road (fixture, on_sims, &options, NULL, &error);
      gint64 cost_ns = tplan_plan_get_cost_ns (plan), low, high;
      gint64 run_ns = tplan_plan_get_run_ns (plan);
      const TpSpanProof *proof = tp_api_get_plan (plan)->span_proof;

      g_assert_no_error (error);
      g_assert_cmpint (proof != NULL, ==, i == 2);
      g_assert_cmpint (run_ns, ==, proof != NULL ? proof->span_ns : cost_ns);
      g_assert_cmpint (run_ns, <=, cost_ns);
      g_assert_true (tplan_plan_get_interval_ns (plan, &low, &high));
      g_assert_true (low <= run_ns && run_ns <= high);
      g_assert_true (tplan_plan_check (plan, &error));
      g_assert_no_error (error);
    }
}

/* Each op has a reason that its figures bear out. */
static void
test_reasons (Fixture *fixture, gconstpointer data)
{
  const char *const pins[] = { "relu=sim:laptop-gpu", NULL };
  const TpRoadOptions options = { .pins = pins }, free = { 0 };
  g_autoptr (TplanPlan) alone
      = take_road (fixture, on_ref, &free, NULL, NULL);
  g_autoptr (TplanPlan) pinned
      = take_road (fixture, on_sims, &options, NULL, NULL);
  g_autoptr (TplanPlan) plan = take_road (fixture, on_sims, &free, NULL, NULL);
  const TpPlan *inner = tp_api_get_plan (plan);

  g_assert_cmpstr (tplan_plan_find_reason (alone, "relu"), ==, "alone");
  g_assert_cmpstr (tplan_plan_find_reason (pinned, "relu"), ==, "pinned");
  g_assert_null (tplan_plan_find_reason (pinned, "nosuch"));
  for (int i = 0; i < 3; i++)
    {
      int here = inner->placements[i].device;
      gint64 gain = tp_costs_node (inner->costs, i, 1 - here)->time_ns
                    - tp_costs_node (inner->costs, i, here)->time_ns;
      const char *op = tp_api_get_graph (tplan_plan_get_graph (plan))
                           ->nodes[i].name;

      g_assert_cmpstr (tplan_plan_find_reason (plan, op), ==,
                       gain > 0    ? "faster"
                       : gain == 0 ? "equal"
                                   : "neighbours");
    }
}

typedef struct
{
  const char *text;
  int code;                   /* -1: holds */
} Required;

/* One op of three is on the second device. */
static void
test_require (Fixture *fixture, gconstpointer data)
{
  static const Required cases[] = {
    { "sim:laptop-gpu>=33%ops", -1 },
    { "sim:laptop-gpu>=34%ops", TPLAN_ERROR_INFEASIBLE },
    { "sim:laptop-gpu<=33%ops", TPLAN_ERROR_INFEASIBLE },
    { "sim:desktop-cpu<=66.7%ops", -1 },
    { "sim:desktop-cpu>=0%time", -1 },
    { "sim:desktop-cpu>=100%time", TPLAN_ERROR_INFEASIBLE },
    { "sim:laptop>=1%ops", TPLAN_ERROR_USAGE },
    { "cpu>=1%ops", TPLAN_ERROR_USAGE },
    { "sim:laptop-gpu>=%ops", TPLAN_ERROR_USAGE },
    { "sim:laptop-gpu>=101%ops", TPLAN_ERROR_USAGE },
    { "sim:laptop-gpu>=nan%ops", TPLAN_ERROR_USAGE },
    { "sim:laptop-gpu>=5%bytes", TPLAN_ERROR_USAGE },
    { "sim:laptop-gpu=5%ops", TPLAN_ERROR_USAGE },
    { "", TPLAN_ERROR_USAGE },
  };
  const char *const pins[]
      = { "*=sim:desktop-cpu", "relu=sim:laptop-gpu", NULL };
  const TpRoadOptions options = { .pins = pins };
  g_autoptr (TplanPlan) plan
      = take_road (fixture, on_sims, &options, NULL, NULL);
  const TplanDevice *devices = tplan_plan_get_devices (plan, NULL);

  g_assert_cmpint (devices[0].time_ns, >, 0);
  g_assert_cmpint (devices[0].time_ns + devices[1].time_ns, <,
                   tplan_plan_get_cost_ns (plan)); /* the rest are copies */
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (tplan_plan_require (plan, cases[i].text, &error), ==,
                       cases[i].code < 0);
      if (cases[i].code >= 0)
        g_assert_error (error, TPLAN_ERROR, cases[i].code);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/road/defaults", test_defaults },
    { "/road/notes", test_notes },
    { "/road/notes-without-plan", test_notes_without_plan },
    { "/road/stale", test_stale },
    { "/road/measured", test_measured },
    { "/road/exact", test_exact },
    { "/road/rules", test_rules },
    { "/road/limits", test_limits },
    { "/road/reserves", test_reserves },
    { "/road/reserves-refused", test_bad_reserves },
    { "/road/rates", test_rates },
    { "/road/run-time", test_run_time },
    { "/road/reasons", test_reasons },
    { "/road/require", test_require },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run,
                tear_down);
  return g_test_run ();
}
