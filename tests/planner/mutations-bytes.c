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

const TpTestMutation tp_test_byte_mutations[] = {
  { "raise-peak", raise_peak },
  { "raise-weights", raise_weights },
  { NULL, NULL },
};
