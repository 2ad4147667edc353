/* test-plan-parts.c: what is asked of a plan, op by op. */
#include "config.h"

#include "ir/plan.h"

#define N_CHAIN 500000

/* A chain of ops, device by device in turn, a copy before each, groups of two:
 * what looks through a list for every op would take minutes. */
static void
test_long_chain (void)
{
  TpGraph graph = { .n_nodes = N_CHAIN, .n_tensors = N_CHAIN + 1 };
  TpPlan plan = { .n_placements = N_CHAIN, .n_transfers = N_CHAIN };
  g_autofree TpTensor *tensors = g_new0 (TpTensor, N_CHAIN + 1);
  g_autofree int *numbers = g_new (int, N_CHAIN + 1);
  g_autofree int *group_of_node = NULL;
  g_autofree gint64 *transfers_ns = NULL;

  plan.placements = g_new0 (TpPlacement, N_CHAIN);
  plan.transfers = g_new0 (TpTransfer, N_CHAIN);
  plan.groups = tp_groups_new ();
  for (int i = 0; i < N_CHAIN; i++)
    {
      numbers[i] = i;
      tensors[i] = (TpTensor){ .producer = i - 1, .n_consumers = 1,
                               .consumers = &numbers[i] };
      plan.placements[i] = (TpPlacement){ .node = i, .device = i % 2 };
      plan.transfers[i] = (TpTransfer){ .tensor = i, .from = (i + 1) % 2,
                                        .to = i % 2, .time_ns = i + 1 };
      if (i % 2 != 0)
        tp_groups_add (plan.groups, &numbers[i - 1], 2);
    }
  graph.tensors = tensors;
  group_of_node = tp_plan_map_groups (&plan, &graph);
  transfers_ns = tp_plan_sum_transfers (&plan, &graph);
  for (int i = 0; i < N_CHAIN; i++)
    {
      g_assert_cmpint (group_of_node[i], ==, i / 2);
      g_assert_cmpint (transfers_ns[i], ==, i + 1);
    }
  tp_groups_free (plan.groups);
  g_free (plan.placements);
  g_free (plan.transfers);
}

/* A copy is for the first op that reads it there; else for who made the tensor;
 * else, of an input that is an output, for none. */
static void
test_payers (void)
{
  const int readers[] = { 1, 2, 3 };
  TpTensor tensors[] = {
    { .producer = 0, .n_consumers = 3, .consumers = readers },
    { .producer = -1 },
  };
  TpPlacement placements[] = { { .node = 0 }, { .node = 1 },
                               { .node = 2, .device = 1 },
                               { .node = 3, .device = 1 } };
  TpTransfer transfers[] = { { 0, 0, 1, 4, 10 }, { 0, 0, 2, 4, 100 },
                             { 1, 0, 1, 4, 1000 } };
  const TpGraph graph = { .n_nodes = 4, .n_tensors = 2, .tensors = tensors };
  const TpPlan plan = { .n_placements = 4, .placements = placements,
                        .n_transfers = 3, .transfers = transfers };
  g_autofree gint64 *sums = tp_plan_sum_transfers (&plan, &graph);
  g_autofree int *group_of_node = tp_plan_map_groups (&plan, &graph);

  g_assert_cmpint (sums[0], ==, 100);
  g_assert_cmpint (sums[1], ==, 0);
  g_assert_cmpint (sums[2], ==, 10);
  g_assert_cmpint (sums[3], ==, 0);
  g_assert_cmpint (group_of_node[3], ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-parts/long-chain", test_long_chain);
  g_test_add_func ("/plan-parts/payers", test_payers);
  return g_test_run ();
}
