/* test-micro.c: batches in parts, by the library. */
#include "config.h"

#include "api/plan.h"
#include "include/tplan.h"

#include <string.h>

/* y = tanh (x + x), of a batch of 64 */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17, "
      "\"inputs\": [{\"name\": \"x\", \"shape\": [64, 64]}], "
      "\"outputs\": [\"y\"], \"ops\": [{\"name\": \"sum\", "
      "\"type\": \"Add\", \"inputs\": [\"x\", \"x\"], \"outputs\": "
      "[\"a\"]}, {\"name\": \"tanh\", \"type\": \"Tanh\", \"inputs\": "
      "[\"a\"], \"outputs\": [\"y\"]}]}";

static const char *const devices[]
    = { "sim:desktop-gpu", "sim:laptop-gpu", NULL };

typedef struct
{
  TplanGraph *graph;
  TplanCosts *costs;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (model, sizeof model - 1);
  g_autoptr (GError) error = NULL;

  fixture->graph = tplan_graph_new_from_bytes (bytes, NULL, &error);
  g_assert_no_error (error);
  fixture->costs
      = tplan_costs_open ("/nonexistent/cost.db", devices, 1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tplan_costs_close (fixture->costs);
  tplan_graph_free (fixture->graph);
}

static void
assert_sizes (const TplanPlan *plan, const gint64 *sizes, int n)
{
  const TpMicroBatches *made = &tp_api_get_plan (plan)->micro_batches;

  g_assert_cmpmem (made->sizes, made->n * sizeof made->sizes[0], sizes,
                   n * sizeof sizes[0]);
}

typedef struct
{
  gint64 sizes[3];
  int n_sizes;
  const char *says;           /* NULL: they are taken */
} Asked;

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  static const Asked cases[] = {
    { { 60, 4 }, 2, NULL },
    { { 1, 62, 1 }, 3, NULL },
    { { 60, 5 }, 2, "sum to it, which is 64" },
    { { 64, 0 }, 2, "sum to it, which is 64" },
    { { 64 }, 1, "cannot be split into 1 micro-batches" },
    { { 64 }, -1, "cannot be split into -1 micro-batches" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TplanOptimizeOptions options
          = { .micro_batches = cases[i].sizes,
              .n_micro_batches = cases[i].n_sizes };
      g_autoptr (GError) error = NULL;
      g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
          fixture->graph, fixture->costs, &options, &error);
      int n_ops;

      g_assert_cmpint (plan != NULL, ==, cases[i].says == NULL);
      if (plan == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
          g_assert_nonnull (strstr (error->message, cases[i].says));
          continue;
        }
      assert_sizes (plan, cases[i].sizes, cases[i].n_sizes);
      /* in each part both and a cut, and one that joins them */
      tplan_graph_get_ops (tplan_plan_get_graph (plan), &n_ops);
      g_assert_cmpint (n_ops, ==, 3 * cases[i].n_sizes + 1);
    }
}

/* As many as asked for; and the graph of a plan is not split again. */
static void
test_equal (Fixture *fixture, gconstpointer data)
{
  static const gint64 want[] = { 13, 13, 13, 13, 12 };
  const char *const pins[] = { "sum:3=sim:laptop-gpu", NULL };
  const TplanOptimizeOptions options
      = { .n_micro_batches = 5, .tries_micro_batches = TRUE };
  const TplanOptimizeOptions many = { .n_micro_batches = 65 };
  const TplanOptimizeOptions again = { .n_micro_batches = 2, .pins = pins };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->graph, fixture->costs, &options, &error);
  g_autoptr (TplanPlan) other = NULL;

  g_assert_no_error (error);
  assert_sizes (plan, want, G_N_ELEMENTS (want));
  other = tplan_graph_optimize_full (tplan_plan_get_graph (plan),
                                     fixture->costs, &again, &error);
  g_assert_no_error (error);
  assert_sizes (other, want, G_N_ELEMENTS (want));
  g_assert_cmpstr (tplan_plan_find_device (other, "sum:3"), ==,
                   "sim:laptop-gpu");
  g_assert_null (tplan_graph_optimize_full (fixture->graph, fixture->costs,
                                            &many, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

/* Two devices are never slower than the faster one alone, and what was found is no
 * dearer than parts that were asked for. */
static void
test_found (Fixture *fixture, gconstpointer data)
{
  const TplanOptimizeOptions whole = { .objective = "makespan" };
  const TplanOptimizeOptions asked
      = { .objective = "makespan", .n_micro_batches = 2 };
  const TplanOptimizeOptions found
      = { .objective = "makespan", .tries_micro_batches = TRUE };
  const TplanOptimizeOptions *const all[] = { &found, &whole, &asked };
  gint64 spans[3];

  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
          fixture->graph, fixture->costs, all[i], &error);

      g_assert_no_error (error);
      spans[i] = tp_api_get_plan (plan)->span_proof->span_ns;
    }
  g_assert_cmpint (spans[0], <=, spans[1]);
  g_assert_cmpint (spans[0], <=, spans[2]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/micro/sizes", Fixture, NULL, set_up, test_sizes, tear_down);
  g_test_add ("/micro/equal", Fixture, NULL, set_up, test_equal, tear_down);
  g_test_add ("/micro/found", Fixture, NULL, set_up, test_found, tear_down);
  return g_test_run ();
}
