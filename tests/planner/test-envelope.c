/* test-envelope.c: the cheapest plan as one thing changes, against plans for many
 * values of it, and against all placements. */
#include "config.h"

#include "ir/envelope.h"
#include "place-case.h"
#include "planner/envelope.h"
#include "planner/place.h"
#include "planner/scale.h"
#include "random-rates.h"

#include "include/tplan.h"

#include <math.h>
#include <string.h>

#define N_VALUES 40
#define MAX_TERM 1000         /* of the fractions that are tried */
#define MAX_OPS 9             /* of graphs all of whose placements are tried */

/* By other words than those of the planner: what is taken p times, all else q times. */
static gint64
scale_copy (const TpScale *scale, gint64 time_ns, gint64 latency_ns, gint64 p,
            gint64 q)
{
  gint64 kept = scale->kind == TP_SCALE_BYTES ? MIN (latency_ns, time_ns) : 0;

  return scale->kind == TP_SCALE_KERNELS ? time_ns * q
                                         : kept * q + (time_ns - kept) * p;
}

static void
scale_case (TpTestCase *test, const TpScale *scale, gint64 p, gint64 q)
{
  TpCosts *costs = test->costs;
  int n = costs->n_devices;

  for (int d = 0; d < n; d++)
    {
      gint64 times
          = scale->kind == TP_SCALE_KERNELS && d == scale->device ? p : q;

      for (int i = 0; i < costs->n_nodes; i++)
        if (tp_costs_node (costs, i, d)->time_ns != TP_COST_NONE)
          tp_costs_node (costs, i, d)->time_ns *= times;
      for (int i = 0; i < costs->n_groups; i++)
        if (tp_costs_group (costs, i, d)->time_ns != TP_COST_NONE)
          tp_costs_group (costs, i, d)->time_ns *= times;
      for (int i = 0; i < costs->n_tensors; i++)
        {
          TpCost *feed = tp_costs_feed (costs, i, d);
          TpCost *fetch = tp_costs_fetch (costs, i, d);
          gboolean is_its = scale->device == TP_SCALE_ALL || scale->device == d;

          feed->time_ns = scale_copy (scale, feed->time_ns,
                                      costs->latencies_ns[d], is_its ? p : q, q);
          fetch->time_ns
              = scale_copy (scale, fetch->time_ns, costs->latencies_ns[n + d],
                            is_its ? p : q, q);
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
  memcpy (to->latencies_ns, from->latencies_ns,
          2 * n * sizeof *to->latencies_ns);
  return to;
}

static TpEnvelope *
find (const TpTestCase *test, const TpScale *scale)
{
  g_auto (TpLines) lines
      = { .graph = test->graph, .groups = test->groups };
  g_autoptr (GError) error = NULL;
  gboolean is_made = tp_scale_make_lines (scale, test->costs, &lines, &error);
  TpEnvelope *envelope = NULL;

  if (is_made)
    envelope = tp_envelope_find (&lines, scale->low, scale->high, &error);
  g_assert_no_error (error);
  return envelope;
}

static const TpPiece *
find_piece (const TpEnvelope *envelope, double x)
{
  int i = 0;

  while (i + 1 < envelope->n_pieces && envelope->pieces[i].to < x)
    i++;
  return &envelope->pieces[i];
}

/* Pieces follow each other from end to end, ever flatter. */
static void
check_shape (const TpEnvelope *envelope, const TpScale *scale)
{
  int n = envelope->n_pieces;

  g_assert_cmpint (n, >=, 1);
  g_assert_cmpint (envelope->n_plans, <=, 2 * n + 3);
  g_assert_true (envelope->is_proved);
  g_assert_true (envelope->pieces[0].from == scale->low);
  g_assert_true (envelope->pieces[n - 1].to == scale->high);
  for (int i = 0; i + 1 < n; i++)
    {
      const TpPiece *it = &envelope->pieces[i];

      g_assert_cmpfloat (it->from, <, it->to);
      g_assert_true (it->to == it[1].from);
      g_assert_cmpint (it->scaled, >, it[1].scaled);
      g_assert_cmpint (it->fixed, <, it[1].fixed);
    }
}

/* ---- times ---------------------------------------------------------------- */

/* What the envelope says for p / q is what a plan for that costs, and what its
 * placement does. */
static void
check_value (const TpTestCase *test, const TpEnvelope *envelope,
             const TpScale *scale, gint64 p, gint64 q)
{
  const TpPiece *piece = find_piece (envelope, (double) p / q);
  TpTestCase scaled = { test->graph, test->groups, dup_costs (test) };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = NULL;

  scale_case (&scaled, scale, p, q);
  plan = tp_place (scaled.graph, scaled.groups, scaled.costs, "time", &error);
  g_assert_no_error (error);
  g_assert_cmpint (piece->fixed * q + piece->scaled * p, ==, plan->cost_ns);
  g_assert_cmpint (tp_test_case_cost (&scaled, piece->devices), ==,
                   plan->cost_ns);
  tp_costs_unref (scaled.costs);
}

static void
draw_latencies (TpCosts *costs)
{
  for (int i = 0; i < 2 * costs->n_devices; i++)
    costs->latencies_ns[i] = g_test_rand_int_range (0, 8);
}

/* Of @kind; returns the most pieces there were. */
static int
try_grid (TpScaleKind kind, int n_rounds)
{
  int most = 0;

  for (int i = 0; i < n_rounds; i++)
    {
      const TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, 60));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpScale scale
          = { kind,
              g_test_rand_int_range (kind == TP_SCALE_KERNELS ? 0 : TP_SCALE_ALL,
                                     2),
              0.001, 1000 };
      g_autoptr (TpEnvelope) envelope = NULL;

      draw_latencies (test->costs);
      envelope = find (test, &scale);
      check_shape (envelope, &scale);
      for (int k = 0; k < N_VALUES; k++)
        check_value (test, envelope, &scale,
                     g_test_rand_int_range (1, MAX_TERM),
                     g_test_rand_int_range (1, MAX_TERM));
      most = MAX (most, envelope->n_pieces);
    }
  return most;
}

static void
test_grid (void)
{
  g_assert_cmpint (try_grid (TP_SCALE_KERNELS, 75), >, 3);
  g_assert_cmpint (try_grid (TP_SCALE_COPIES, 75), >, 3);
  g_assert_cmpint (try_grid (TP_SCALE_BYTES, 150), >, 3);
}

/* One op, which is left for the second device when its copies cost what it gains. */
static void
set_one (TpTestCase *test)
{
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
}

/* At @meeting the one gives way to the other. */
static void
check_one (const TpTestCase *test, TpScaleKind kind, double meeting)
{
  const TpScale scale = { kind, TP_SCALE_ALL, 0.01, 100 };
  g_autoptr (TpEnvelope) envelope = find (test, &scale);

  g_assert_cmpint (envelope->n_pieces, ==, 2);
  g_assert_cmpint (envelope->pieces[0].devices[0], ==, 1);
  g_assert_cmpint (envelope->pieces[1].devices[0], ==, 0);
  g_assert_cmpfloat (fabs (envelope->pieces[0].to - meeting), <, 1e-12);
  g_assert_cmpint (envelope->n_plans, ==, 3);
}

static void
test_one (void)
{
  const TpTestSpec spec = { .n_ops = 1, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);

  set_one (test);
  check_one (test, TP_SCALE_COPIES, 2);
  test->costs->latencies_ns[2 + 1] = 100; /* 600 = 100 + x 200 */
  check_one (test, TP_SCALE_BYTES, 2.5);
}

/* ---- rates ---------------------------------------------------------------- */

/* The least of all placements, of energy or price. */
static gint64
try_all (const TpTestCase *test, TpAim aim)
{
  int n = test->graph->n_nodes;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 least = G_MAXINT64;

  do
    {
      gint64 totals[TP_N_AIMS];

      if (tp_test_case_take (test, devices, totals))
        least = MIN (least, totals[aim]);
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return least;
}

/* What the envelope says for a rate is the least of all placements, and what its own
 * takes. */
static void
check_rate (TpTestCase *test, const TpEnvelope *envelope, const TpScale *scale,
            gint64 rate)
{
  const TpPiece *piece = find_piece (envelope, (double) rate);
  TpRate *it = &test->costs->rates[scale->device];
  TpAim aim = scale->kind == TP_SCALE_PRICE ? TP_AIM_PRICE : TP_AIM_ENERGY;
  gint64 totals[TP_N_AIMS], least;

  *(aim == TP_AIM_PRICE ? &it->price : &it->busy_mw) = rate;
  least = try_all (test, aim);
  g_assert_true (tp_test_case_take (test, piece->devices, totals));
  g_assert_cmpint (piece->fixed + piece->scaled * rate, ==, least);
  g_assert_cmpint (totals[aim], ==, least);
  g_assert_cmpint (totals[TP_AIM_TIME], ==, piece->time_ns);
}

static int
try_rates (TpScaleKind kind, int n_rounds)
{
  int most = 0;

  for (int i = 0; i < n_rounds; i++)
    {
      const TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      TpScale scale = { kind, g_test_rand_int_range (0, 2), 0, 40 };
      g_autoptr (TpEnvelope) envelope = NULL;

      tp_test_case_rate (test);
      if (kind == TP_SCALE_WATTS)
        scale.low = (double) test->costs->rates[scale.device].idle_mw;
      envelope = find (test, &scale);
      check_shape (envelope, &scale);
      for (int rate = (int) scale.low; rate <= scale.high; rate++)
        check_rate (test, envelope, &scale, rate);
      most = MAX (most, envelope->n_pieces);
    }
  return most;
}

/* On three devices plans may lack a proof; nothing is below what all placements come to,
 * and what is proved is that. */
static void
test_several (void)
{
  int n_proved = 0, n_rounds = 100;

  for (int i = 0; i < n_rounds; i++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 7));
      const TpScale scale
          = { TP_SCALE_PRICE, g_test_rand_int_range (0, 3), 0, 40 };
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpEnvelope) envelope = NULL;

      spec.n_devices = 3;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      envelope = find (test, &scale);
      n_proved += envelope->is_proved;
      for (int rate = 0; rate <= 40; rate++)
        {
          const TpPiece *piece = find_piece (envelope, rate);
          gint64 cost = piece->fixed + piece->scaled * rate, least;

          test->costs->rates[scale.device].price = rate;
          least = try_all (test, TP_AIM_PRICE);
          g_assert_cmpint (cost, >=, least);
          g_assert_true (cost == least || !envelope->is_proved);
        }
    }
  g_assert_cmpint (n_proved, >, n_rounds * 9 / 10);
}

static void
test_rates (void)
{
  g_assert_cmpint (try_rates (TP_SCALE_PRICE, 200), >, 2);
  g_assert_cmpint (try_rates (TP_SCALE_WATTS, 200), >, 2);
}

/* Where all is at the lower price and at the higher one, pieces end at the price where
 * both cost the same: one op of 1000 on the host, 400 and 100 for copies beside it, at 6
 * for the host and x for the device, which is paid by use: 500 (6 + x) = 6000. */
static void
test_one_price (void)
{
  const TpTestSpec spec = { .n_ops = 1, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpScale scale = { TP_SCALE_PRICE, 1, 0, TP_RATE_MAX };
  g_autoptr (TpEnvelope) envelope = NULL;

  set_one (test);
  for (int i = 0; i < test->costs->n_tensors; i++)
    tp_costs_fetch (test->costs, i, 1)->time_ns /= 3;
  test->costs->rates = g_new0 (TpRate, 3);
  test->costs->rates[0].price = 6;
  test->costs->rates[1].is_per_use = TRUE;
  envelope = find (test, &scale);
  g_assert_cmpint (envelope->n_pieces, ==, 2);
  g_assert_cmpint (envelope->pieces[0].devices[0], ==, 1);
  g_assert_cmpint (envelope->pieces[0].time_ns, ==, 500);
  g_assert_cmpint (envelope->pieces[1].time_ns, ==, 1000);
  g_assert_cmpfloat (fabs (envelope->pieces[0].to - 6), <, 1e-12);
}

/* ---- what is refused ------------------------------------------------------ */

/* Costs that cannot be multiplied are refused. */
static void
test_refused (void)
{
  const TpTestSpec spec = { .n_ops = 3, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpScale scale = { TP_SCALE_COPIES, TP_SCALE_ALL, 0.37, 1.7 };
  g_auto (TpLines) lines
      = { .graph = test->graph, .groups = test->groups };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpEnvelope) envelope = NULL;

  tp_costs_node (test->costs, 0, 0)->time_ns = G_GINT64_CONSTANT (1) << 58;
  tp_costs_node (test->costs, 0, 1)->time_ns = G_GINT64_CONSTANT (1) << 58;
  if (tp_scale_make_lines (&scale, test->costs, &lines, &error))
    envelope = tp_envelope_find (&lines, scale.low, scale.high, &error);
  g_assert_null (envelope);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

/* So are prices that nobody states. */
static void
test_not_stated (void)
{
  const TpTestSpec spec = { .n_ops = 3, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpScale scale = { TP_SCALE_PRICE, 1, 0, 10 };
  g_auto (TpLines) lines
      = { .graph = test->graph, .groups = test->groups };
  g_autoptr (GError) error = NULL;
  gboolean is_made = tp_scale_make_lines (&scale, test->costs, &lines, &error);

  g_assert_false (is_made);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/envelope/grid", test_grid);
  g_test_add_func ("/envelope/one", test_one);
  g_test_add_func ("/envelope/rates", test_rates);
  g_test_add_func ("/envelope/several", test_several);
  g_test_add_func ("/envelope/one-price", test_one_price);
  g_test_add_func ("/envelope/refused", test_refused);
  g_test_add_func ("/envelope/not-stated", test_not_stated);
  return g_test_run ();
}
