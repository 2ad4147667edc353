/* mutations-bytes.c: ways to spoil what a plan says that it takes of memory, which the
 * file shows to be wrong; tp_check () leaves that to who lays it out. */
#include "config.h"

#include "mutations.h"

#define FAR (G_GINT64_CONSTANT (1) << 40)

static gboolean
raise_peak (TpPlan *plan, const TpTestCase *test)
{
  plan->peak_bytes[pick (2)] = FAR;
  return TRUE;
}

static gboolean
raise_weights (TpPlan *plan, const TpTestCase *test)
{
  plan->weight_bytes[pick (2)] = FAR;
  return TRUE;
}

/* Where a constant is read. */
static gboolean
lower_weights (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < test->graph->n_tensors; i++)
    {
      const TpTensor *it = &test->graph->tensors[i];

      if (!tp_tensor_is_constant (it) || it->n_consumers == 0)
        continue;
      plan->weight_bytes[plan->placements[it->consumers[0]].device] = 0;
      return TRUE;
    }
  return FALSE;
}

const TpTestMutation tp_test_byte_mutations[] = {
  { "raise-peak", raise_peak },
  { "raise-weights", raise_weights },
  { "lower-weights", lower_weights },
  { NULL, NULL },
};
