/* chain-case.c: see chain-case.h. */
#include "config.h"

#include "chain-case.h"

#include "ir/interference.h"

static gboolean
is_later (const TpGroup *group, int k, int node)
{
  for (k++; k < group->n_nodes; k++)
    if (group->nodes[k] == node)
      return TRUE;
  return FALSE;
}

/* As tp_fuse_find () makes them: each value but the last is read by one later op of
 * the group alone, in chains by the next. Others could wait for themselves. */
static gboolean
has_chains (const TpTestCase *test)
{
  for (int g = 0; g < test->groups->n_groups; g++)
    {
      const TpGroup *group = &test->groups->groups[g];

      for (int k = 0; k + 1 < group->n_nodes; k++)
        {
          const TpNode *node = &test->graph->nodes[group->nodes[k]];

          for (int o = 0; o < node->n_outputs; o++)
            {
              const TpTensor *it = &test->graph->tensors[node->outputs[o]];

              if (it->is_output || it->n_consumers != 1
                  || !is_later (group, k, it->consumers[0]))
                return FALSE;
            }
        }
    }
  return TRUE;
}

/* Where one of more than two devices is the host, any may be. */
static TpTestSpec
make_spec (int n_ops, int n_devices)
{
  TpTestSpec spec = tp_test_spec_steady (n_ops);

  if (n_devices > 2 && spec.host >= 0)
    spec.host = g_test_rand_int_range (0, n_devices);
  spec.n_devices = n_devices;
  return spec;
}

TpTestCase *
tp_test_chain_case_new (int most)
{
  return tp_test_chain_case_new_for (
      most, g_test_rand_bit () ? 2 : g_test_rand_int_range (3, 5));
}

TpTestCase *
tp_test_chain_case_new_for (int most, int n_devices)
{
  for (;;)
    {
      TpTestSpec spec
          = make_spec (g_test_rand_int_range (1, most + 1), n_devices);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);

      if (has_chains (test))
        return g_steal_pointer (&test);
    }
}

void
tp_test_case_slow (TpTestCase *test)
{
  int n = 3 * test->costs->n_devices;
  int least = g_test_rand_bit () ? 1 : 600;

  test->costs->speeds = g_new (int, n * n);
  for (int i = 0; i < n * n; i++)
    test->costs->speeds[i] = i / n == i % n || g_test_rand_bit ()
                                 ? TP_SPEED_ALONE
                                 : g_test_rand_int_range (least, TP_SPEED_ALONE);
  tp_costs_seal (test->costs);
}
