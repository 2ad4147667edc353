/* test-posterior.c: figures drawn to others of their kind, against the truth they
 * were made from. */
#include "config.h"

#include "calib/posterior.h"
#include "tests/calib/draw-normal.h"

#include <math.h>
#include <string.h>

#define N 200
#define TIME_NS 1e6

static const char *const names[] = { "cpu", "opencl:0", NULL };

/* Figures of N nodes, of which every two in a row make a group. */
typedef struct
{
  TpGraph graph;
  TpGroups *groups;
  TpCosts *costs;
  double ratio[N], gain[N / 2]; /* the truth: logs */
  double expected[N];
} Case;

/* A measurement of @true_ns, @sd off in its log. */
static TpCost
measure (double true_ns, double sd)
{
  double time_ns = true_ns * exp (tp_test_draw_normal (sd));

  return (TpCost){ .time_ns = (gint64) time_ns,
                   .spread_ns = (gint64) (time_ns * sd * TP_COST_SPREADS) };
}

/* Ratios of the devices vary by @tau about 1, gains of groups about 0.8. */
static void
case_init (Case *c, double tau, double sd)
{
  memset (c, 0, sizeof *c);
  c->graph.n_nodes = N;
  c->groups = tp_groups_new ();
  for (int g = 0; g < N / 2; g++)
    tp_groups_add (c->groups, (const int[]){ 2 * g, 2 * g + 1 }, 2);
  c->costs = tp_costs_new (2, names, &c->graph, c->groups);
  for (int i = 0; i < N; i++)
    {
      double true_ns = TIME_NS * exp (g_test_rand_double_range (-2, 2));

      c->ratio[i] = tp_test_draw_normal (tau);
      *tp_costs_node (c->costs, i, 0) = measure (true_ns, sd);
      *tp_costs_node (c->costs, i, 1)
          = measure (true_ns * exp (c->ratio[i]), sd);
      c->expected[i] = -0.4;
    }
}

static void
case_clear (Case *c)
{
  tp_costs_unref (c->costs);
  tp_groups_free (c->groups);
}

/* Root of the mean square by which ratios are off. */
static double
find_error (const Case *c)
{
  double sum = 0;

  for (int i = 0; i < N; i++)
    {
      double ratio
          = log ((double) tp_costs_node (c->costs, i, 1)->time_ns
                 / tp_costs_node (c->costs, i, 0)->time_ns);

      sum += pow (ratio - c->ratio[i], 2);
    }
  return sqrt (sum / N);
}

static void
test_exact (void)
{
  Case c;
  g_autofree TpCost *kept = NULL;

  case_init (&c, 0.5, 0.05);
  for (int i = 0; i < 2 * N; i++)
    c.costs->nodes[i].spread_ns = 0;
  kept = g_memdup2 (c.costs->nodes, 2 * N * sizeof *kept);
  tp_posterior_draw (c.costs, c.groups, c.expected);
  g_assert_cmpmem (c.costs->nodes, 2 * N * sizeof *kept, kept,
                   2 * N * sizeof *kept);
  case_clear (&c);
}

/* One silicon: what is left of the noise is a small part of it. Two: what was
 * measured stays, or nearly. */
static void
test_error (void)
{
  static const struct
  {
    double tau, sd, most;     /* of the error before */
  } cases[] = { { 0, 0.1, 0.3 },     { 0.02, 0.1, 0.5 },
                { 0.1, 0.1, 0.95 },  { 1, 0.05, 1.05 },
                { 0.02, 0.01, 1.05 }, { 2, 0.2, 1.05 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Case c;
      double before;

      case_init (&c, cases[i].tau, cases[i].sd);
      before = find_error (&c);
      tp_posterior_draw (c.costs, c.groups, c.expected);
      g_assert_cmpfloat (find_error (&c), <, before * cases[i].most);
      case_clear (&c);
    }
}

/* The noisier of two figures moves, what was measured is kept, and no spread
 * grows. */
static void
test_shares (void)
{
  Case c;
  g_autofree TpCost *kept = NULL;
  double moved[2] = { 0 };

  case_init (&c, 0.02, 0.02);
  for (int i = 0; i < N; i++)
    *tp_costs_node (c.costs, i, 1)
        = measure (tp_costs_node (c.costs, i, 0)->time_ns, 0.2);
  kept = g_memdup2 (c.costs->nodes, 2 * N * sizeof *kept);
  tp_posterior_draw (c.costs, c.groups, c.expected);
  for (int i = 0; i < 2 * N; i++)
    {
      const TpCost *now = &c.costs->nodes[i];

      moved[i % 2] += fabs (log ((double) now->time_ns / kept[i].time_ns));
      if (now->time_ns != kept[i].time_ns)
        g_assert_cmpint (now->measured_ns, ==, kept[i].time_ns);
      g_assert_cmpfloat ((double) now->spread_ns / now->time_ns, <=,
                         1.001 * kept[i].spread_ns / kept[i].time_ns);
    }
  g_assert_cmpfloat (moved[1], >, 50 * moved[0]);
  case_clear (&c);
}

/* Whatever stands in a hundred places counts as what it is: one measurement. */
static void
test_repeated (void)
{
  Case many, one;
  int kernels[N + N / 2] = { 0 };

  case_init (&many, 0.05, 0.1);
  memcpy (&one, &many, sizeof one);
  for (int i = 100; i < N; i++)
    {
      kernels[i] = 7;
      for (int d = 0; d < 2; d++)
        *tp_costs_node (many.costs, i, d) = *tp_costs_node (many.costs, 100, d);
    }
  many.costs->kernels = g_memdup2 (kernels, sizeof kernels);
  one.costs = tp_costs_new (2, names, &one.graph, one.groups);
  memcpy (one.costs->nodes, many.costs->nodes,
          2 * 101 * sizeof *one.costs->nodes);
  tp_posterior_draw (many.costs, many.groups, NULL);
  tp_posterior_draw (one.costs, one.groups, NULL);
  for (int i = 0; i < N; i++)
    for (int d = 0; d < 2; d++)
      g_assert_cmpint (
          tp_costs_node (many.costs, i, d)->time_ns, ==,
          tp_costs_node (one.costs, MIN (i, 100), d)->time_ns);
  tp_costs_unref (one.costs);
  case_clear (&many);
}

/* What was not measured neither moves nor moves others. */
static void
test_estimates (void)
{
  Case c;
  TpCost kept, other;

  case_init (&c, 0.02, 0.1);
  for (int i = 1; i < N; i++)
    tp_costs_node (c.costs, i, 1)->is_estimated = TRUE;
  tp_costs_node (c.costs, 5, 1)->time_ns = 40 * TIME_NS;
  tp_costs_node (c.costs, 6, 1)->time_ns = TP_COST_NONE;
  tp_costs_node (c.costs, 7, 0)->time_ns = 0;
  kept = *tp_costs_node (c.costs, 5, 1);
  other = *tp_costs_node (c.costs, 0, 1);
  tp_posterior_draw (c.costs, c.groups, c.expected);
  g_assert_cmpmem (tp_costs_node (c.costs, 5, 1), sizeof kept, &kept,
                   sizeof kept);
  /* the only one of its kind is the mean */
  g_assert_cmpint (tp_costs_node (c.costs, 0, 1)->time_ns, ==, other.time_ns);
  g_assert_cmpint (tp_costs_node (c.costs, 6, 1)->time_ns, ==, TP_COST_NONE);
  g_assert_cmpint (tp_costs_node (c.costs, 7, 0)->time_ns, ==, 0);
  case_clear (&c);
}

/* Gains are drawn to what is expected, and to how far all are from that. */
static void
test_groups (void)
{
  double before = 0, after = 0;
  Case c;

  case_init (&c, 0, 0.001);
  for (int g = 0; g < N / 2; g++)
    {
      double sum = tp_costs_node (c.costs, 2 * g, 0)->time_ns
                   + tp_costs_node (c.costs, 2 * g + 1, 0)->time_ns;
      TpCost *group = tp_costs_group (c.costs, g, 0);

      c.expected[2 * g] = g % 2 ? -0.5 : -0.1;
      c.gain[g] = c.expected[2 * g] + 0.15;
      *group = measure (sum * exp (c.gain[g]), 0.1);
      before += pow (log (group->time_ns / sum) - c.gain[g], 2);
    }
  tp_posterior_draw (c.costs, c.groups, c.expected);
  for (int g = 0; g < N / 2; g++)
    {
      double sum = tp_costs_node (c.costs, 2 * g, 0)->time_ns
                   + tp_costs_node (c.costs, 2 * g + 1, 0)->time_ns;

      after += pow (log (tp_costs_group (c.costs, g, 0)->time_ns / sum)
                        - c.gain[g], 2);
    }
  g_assert_cmpfloat (after, <, 0.3 * before);
  case_clear (&c);
}

/* Groups that should gain and lose by less than noise may are as fast as their ops;
 * those that lose for certain stay slow, and so do those of which nothing is known
 * and those that are exact. */
static void
test_losses (void)
{
  static const struct
  {
    double loss, sd, expected;
    gboolean is_believed;
  } kinds[] = { { 0.05, 0.06, -0.1, FALSE }, { 0.5, 0.02, -0.1, TRUE },
                { 0.05, 0.06, NAN, TRUE }, { 0.05, 0, -0.1, TRUE } };
  Case c;

  case_init (&c, 0, 0.001);
  for (int g = 0; g < N / 2; g++)
    {
      double sum = tp_costs_node (c.costs, 2 * g, 0)->time_ns
                   + tp_costs_node (c.costs, 2 * g + 1, 0)->time_ns;
      int kind = g % G_N_ELEMENTS (kinds);
      TpCost *group = tp_costs_group (c.costs, g, 0);

      c.expected[2 * g] = kinds[kind].expected;
      group->time_ns = sum * exp (kinds[kind].loss);
      group->spread_ns = group->time_ns * kinds[kind].sd * TP_COST_SPREADS;
    }
  tp_posterior_draw (c.costs, c.groups, c.expected);
  for (int g = 0; g < N / 2; g++)
    {
      gint64 sum = tp_costs_node (c.costs, 2 * g, 0)->time_ns
                   + tp_costs_node (c.costs, 2 * g + 1, 0)->time_ns;
      const TpCost *group = tp_costs_group (c.costs, g, 0);

      if (kinds[g % G_N_ELEMENTS (kinds)].is_believed)
        g_assert_cmpint (group->time_ns, >, sum);
      else
        {
          g_assert_cmpint (group->time_ns, ==, sum - 1);
          g_assert_cmpint (group->measured_ns, >, sum);
        }
    }
  case_clear (&c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/posterior/exact", test_exact);
  g_test_add_func ("/posterior/error", test_error);
  g_test_add_func ("/posterior/shares", test_shares);
  g_test_add_func ("/posterior/repeated", test_repeated);
  g_test_add_func ("/posterior/estimates", test_estimates);
  g_test_add_func ("/posterior/groups", test_groups);
  g_test_add_func ("/posterior/losses", test_losses);
  return g_test_run ();
}
