/* injected-stream.c: calls on weights that are streamed, and on batches in parts. See
 * injected-calls.h. */
#include "config.h"

#include "injected-calls.h"

static const char *const pins[] = { "*=sim:laptop-gpu", NULL };
static const char *const limits[] = { "sim:laptop-gpu=4M", NULL };
static const TplanOptimizeOptions options
    = { .pins = pins, .memory_limits = limits, .streams_weights = TRUE };

/* A chain of ops, each of which has a weight of 64 KiB. */
static GBytes *
make_model (int n_ops)
{
  g_autoptr (GString) text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"opset\": 17, \"inputs\": "
      "[{\"name\": \"t0\", \"shape\": [16384]}], \"initializers\": [");

  for (int i = 0; i < n_ops; i++)
    g_string_append_printf (text, "%s{\"name\": \"w%d\", \"shape\": [16384], "
                            "\"fill\": %d}", i > 0 ? ", " : "", i, i);
  g_string_append_printf (text, "], \"outputs\": [\"t%d\"], \"ops\": [",
                          n_ops);
  for (int i = 0; i < n_ops; i++)
    g_string_append_printf (text, "%s{\"name\": \"op%d\", \"type\": \"Mul\", "
                            "\"inputs\": [\"t%d\", \"w%d\"], \"outputs\": "
                            "[\"t%d\"]}", i > 0 ? ", " : "", i, i, i, i + 1);
  g_string_append (text, "]}");
  return g_string_free_to_bytes (g_steal_pointer (&text));
}

void
injected_prepare_heavy (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->more_bytes = make_model (injected_n_ops / 4);
  fixture->heavy = tplan_graph_new_from_bytes (fixture->more_bytes, NULL, &error);
  g_assert_no_error (error);
}

void
injected_prepare_streamed (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;
  g_autofree char *last = NULL;

  injected_prepare_heavy (fixture);
  plan = tplan_graph_optimize_full (fixture->heavy, fixture->costs, &options,
                                    &error);
  g_assert_no_error (error);
  last = g_strdup_printf ("op%d:stream", injected_n_ops / 4 - 1);
  g_assert_cmpstr (tplan_plan_find_reason (plan, last), ==, "streamed");
  fixture->bytes = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
}

gboolean
injected_stream (Fixture *fixture, GError **error)
{
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->heavy, fixture->costs, &options, error);

  return plan != NULL;
}

/* ---- micro-batches --------------------------------------------------------- */

static const TplanOptimizeOptions in_parts = { .n_micro_batches = 3 };

void
injected_prepare_parts (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  injected_prepare_heavy (fixture);
  plan = tplan_graph_optimize_full (fixture->heavy, fixture->costs, &in_parts,
                                    &error);
  g_assert_no_error (error);
  g_assert_nonnull (tplan_plan_find_device (plan, "op0:2"));
  fixture->bytes = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
}

gboolean
injected_split (Fixture *fixture, GError **error)
{
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->heavy, fixture->costs, &in_parts, error);

  return plan != NULL;
}
