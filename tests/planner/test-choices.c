/* test-choices.c: which groups the checker finds to be offered, by their times, against
 * those that the planner offers. */
#include "config.h"

#include "fuse-case.h"
#include "planner/check/check-offers.h"
#include "planner/fuse.h"
#include "planner/offer.h"
#include "random-net.h"

#include <string.h>

#define N_RANDOM 300

static const char *const devices[] = { "cpu", "opencl:0", NULL };

static gint64
draw_time (void)
{
  return g_test_rand_int_range (0, 10) == 0 ? TP_COST_NONE
                                            : g_test_rand_int_range (0, 30);
}

static TpCosts *
draw_costs (const TpGraph *graph, const TpGroups *family)
{
  TpCosts *costs = tp_costs_new (2, devices, graph, family);

  gboolean has_guesses = g_test_rand_bit ();

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  for (int i = 0; i < costs->n_nodes + costs->n_groups; i++)
    costs->kernels[i] = g_test_rand_int_range (0, i + 1);
  for (int i = 0; i < 2 * costs->n_nodes; i++)
    costs->nodes[i] = (TpCost){ .time_ns = draw_time (),
                                .is_estimated = has_guesses && g_test_rand_bit () };
  for (int i = 0; i < 2 * costs->n_groups; i++)
    costs->groups[i] = (TpCost){
      .time_ns = draw_time (),
      .is_estimated = has_guesses && g_test_rand_bit () };
  for (int i = 0; i < 2 * costs->n_groups; i++)
    if (costs->groups[i].time_ns != TP_COST_NONE)
      costs->groups[i].time_ns *= family->groups[i / 2].n_nodes / 2;
  return costs;
}

static void
copy_costs (TpCosts *to, const TpCosts *from)
{
  memcpy (to->nodes, from->nodes, 2 * sizeof (TpCost) * from->n_nodes);
  memcpy (to->groups, from->groups, 2 * sizeof (TpCost) * from->n_groups);
  to->kernels
      = g_memdup2 (from->kernels,
                   sizeof (int) * (gsize) (from->n_nodes + from->n_groups + 1));
}

/* Chosen twice, with the costs that are left. */
static void
test_offered (void)
{
  int n_wholes = 0, n_chains = 0, n_second = 0;

  for (int round = 0; round < 3 * N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph = random_net_new (FALSE, g_test_rand_int_range (5, 40));
      g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL, NULL);
      g_autoptr (TpCosts) costs = draw_costs (graph, family);
      g_autoptr (TpCosts) again = tp_costs_new (2, devices, graph, family);
      g_autoptr (TpGroups) have = NULL, want = NULL;
      TpCheckerFault fault;
      g_autofree char *has = NULL, *should = NULL, *digest = NULL, *other = NULL;

      copy_costs (again, costs);
      have = tp_checker_choose (family, graph, costs);
      want = tp_offer_choose (family, graph, again);
      has = fuse_case_write (have, graph);
      should = fuse_case_write (want, graph);
      g_assert_cmpstr (has, ==, should);
      digest = tp_costs_compute_digest (costs);
      other = tp_costs_compute_digest (again);
      g_assert_cmpstr (digest, ==, other);
      g_assert_true (tp_checker_is_choice (family, have, &fault));
      n_chains += have->n_groups > 0 && have->n_groups < family->n_groups
                  && have->groups[have->n_groups - 1].n_nodes
                         != family->groups[family->n_groups - 1].n_nodes;
      n_wholes += have->n_groups < family->n_groups;
      n_second += have->n_groups > 0
                  && have->groups[have->n_groups - 1].is_second;
    }
  g_assert_cmpint (n_second, >, 0);
  g_assert_cmpint (n_wholes, >, N_RANDOM / 10);
  g_assert_cmpint (n_chains, >, N_RANDOM / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/choices/random", test_offered);
  return g_test_run ();
}
