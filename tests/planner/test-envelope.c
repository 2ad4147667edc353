/* test-envelope.c: the cheapest plan as something takes longer, against plans for
 * many values of it. */
#include "config.h"

#include "ir/envelope.h"
#include "planner/envelope.h"
#include "planner/place.h"
#include "random-graph.h"

#include "include/tplan.h"

#include <math.h>

#define N_VALUES 40
#define MAX_TERM 1000         /* of the fractions that are tried */

/* By other words than those of the planner: kernels of a device, or copies. */
static void
scale_case (TpTestCase *test, int device, gint64 p, gint64 q)
{
  TpCosts *costs = test->costs;
  int n = costs->n_devices;

  for (int d = 0; d < n; d++)
    {
      gint64 kernels = d == device ? p : q;
      gint64 copies = device == TP_SCALE_COPIES ? p : q;

      for (int i = 0; i < costs->n_nodes; i++)
        if (tp_costs_node (costs, i, d)->time_ns != TP_COST_NONE)
          tp_costs_node (costs, i, d)->time_ns *= kernels;
      for (int i = 0; i < costs->n_groups; i++)
        if (tp_costs_group (costs, i, d)->time_ns != TP_COST_NONE)
          tp_costs_group (costs, i, d)->time_ns *= kernels;
      for (int i = 0; i < costs->n_tensors; i++)
        {
          tp_costs_feed (costs, i, d)->time_ns *= copies;
          tp_costs_fetch (costs, i, d)->time_ns *= copies;
        }
    }
  tp_costs_seal (costs);
}

static TpCosts *
dup_costs (const TpTestCase *test)
{
  const TpCosts *from = test->costs;
  TpCosts *to = tp_costs_new (from->n_devices,
                              (const char *const *) from->devices,
                              test->graph, test->groups);
  gsize n = from->n_devices;

  to->host = from->host;
  memcpy (to->nodes, from->nodes, n * from->n_nodes * sizeof *to->nodes);
  memcpy (to->groups, from->groups, n * from->n_groups * sizeof *to->groups);
  memcpy (to->feeds, from->feeds, n * from->n_tensors * sizeof *to->feeds);
  memcpy (to->fetches, from->fetches,
          n * from->n_tensors * sizeof *to->fetches);
  return to;
}

static const TpPiece *
find_piece (const TpEnvelope *envelope, double x)
{
  int i = 0;

  while (i + 1 < envelope->n_pieces && envelope->pieces[i].to < x)
    i++;
  return &envelope->pieces[i];
}

/* What the envelope says for p / q is what a plan for that costs, and what its
 * placement does. */
static void
check_value (const TpTestCase *test, const TpEnvelope *envelope, int device,
             gint64 p, gint64 q)
{
  const TpPiece *piece = find_piece (envelope, (double) p / q);
  TpTestCase scaled = { test->graph, test->groups, dup_costs (test) };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = NULL;

  scale_case (&scaled, device, p, q);
  plan = tp_place (scaled.graph, scaled.groups, scaled.costs, "time", &error);
  g_assert_no_error (error);
  g_assert_cmpint (piece->fixed_ns * q + piece->scaled_ns * p, ==,
                   plan->cost_ns);
  g_assert_cmpint (tp_test_case_cost (&scaled, piece->devices), ==,
                   plan->cost_ns);
  tp_costs_unref (scaled.costs);
}

/* Pieces follow each other from end to end, ever flatter. */
static void
check_shape (const TpEnvelope *envelope, const TpScale *scale)
{
  int n = envelope->n_pieces;

  g_assert_cmpint (n, >=, 1);
  g_assert_cmpint (envelope->n_plans, <=, MAX (2, 2 * n - 1));
  g_assert_true (envelope->is_proved);
  g_assert_true (envelope->pieces[0].from == scale->low);
  g_assert_true (envelope->pieces[n - 1].to == scale->high);
  for (int i = 0; i + 1 < n; i++)
    {
      const TpPiece *it = &envelope->pieces[i];

      g_assert_cmpfloat (it->from, <=, it->to);
      g_assert_true (it->to == it[1].from);
      g_assert_cmpint (it->scaled_ns, >, it[1].scaled_ns);
      g_assert_cmpint (it->fixed_ns, <, it[1].fixed_ns);
    }
}

static void
test_grid (void)
{
  int most = 0;

  for (int i = 0; i < 150; i++)
    {
      const TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, 60));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpScale scale
          = { g_test_rand_int_range (TP_SCALE_COPIES, 2), 0.001, 1000 };
      g_autoptr (GError) error = NULL;
      g_autoptr (TpEnvelope) envelope = tp_envelope_find (
          test->graph, test->groups, test->costs, &scale, &error);

      g_assert_no_error (error);
      check_shape (envelope, &scale);
      for (int k = 0; k < N_VALUES; k++)
        check_value (test, envelope, scale.device,
                     g_test_rand_int_range (1, MAX_TERM),
                     g_test_rand_int_range (1, MAX_TERM));
      most = MAX (most, envelope->n_pieces);
    }
  g_assert_cmpint (most, >, 3);
}

/* One op, which is left for the second device when its copies cost what it gains. */
static void
test_one (void)
{
  const TpTestSpec spec = { .n_ops = 1, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpScale scale = { TP_SCALE_COPIES, 0.01, 100 };
  g_autoptr (TpEnvelope) envelope = NULL;
  int n_fetched = 0; /* it may make two */

  tp_costs_node (test->costs, 0, 0)->time_ns = 1000;
  tp_costs_node (test->costs, 0, 1)->time_ns = 400;
  for (int i = 0; i < test->costs->n_tensors; i++)
    {
      const TpTensor *it = &test->graph->tensors[i];
      gboolean is_made = it->producer == 0 && it->is_output;

      tp_costs_feed (test->costs, i, 1)->time_ns = 0;
      tp_costs_fetch (test->costs, i, 1)->time_ns
          = is_made && n_fetched++ == 0 ? 300 : 0;
    }
  envelope = tp_envelope_find (test->graph, test->groups, test->costs, &scale,
                               NULL);
  g_assert_cmpint (envelope->n_pieces, ==, 2);
  g_assert_cmpint (envelope->pieces[0].devices[0], ==, 1);
  g_assert_cmpint (envelope->pieces[1].devices[0], ==, 0);
  g_assert_cmpfloat (fabs (envelope->pieces[0].to - 2), <, 1e-12);
  g_assert_cmpint (envelope->n_plans, ==, 3);
}

/* Costs that cannot be multiplied are refused, and so is what has no device. */
static void
test_refused (void)
{
  const TpTestSpec spec = { .n_ops = 3, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpScale scale = { TP_SCALE_COPIES, 0.37, 1.7 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpEnvelope) envelope = NULL;

  tp_costs_node (test->costs, 0, 0)->time_ns = G_GINT64_CONSTANT (1) << 58;
  tp_costs_node (test->costs, 0, 1)->time_ns = G_GINT64_CONSTANT (1) << 58;
  envelope = tp_envelope_find (test->graph, test->groups, test->costs, &scale,
                               &error);
  g_assert_null (envelope);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/envelope/grid", test_grid);
  g_test_add_func ("/envelope/one", test_one);
  g_test_add_func ("/envelope/refused", test_refused);
  return g_test_run ();
}
