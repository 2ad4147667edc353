/* mutations-bytes.c: ways to spoil what a plan says that it takes of memory, which the
 * file shows to be wrong; tp_check () leaves that to who lays it out. */
#include "config.h"

#include "mutations.h"

#define FAR (G_GINT64_CONSTANT (1) << 40)

TP_TEST_SPOIL (raise_peak, plan->peak_bytes[pick (2)] = FAR)
TP_TEST_SPOIL (raise_weights, plan->weight_bytes[pick (2)] = FAR)

const TpTestMutation tp_test_byte_mutations[] = {
  { "raise-peak", raise_peak },
  { "raise-weights", raise_weights },
  { NULL, NULL },
};
