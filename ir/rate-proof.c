/* rate-proof.c: see rate-proof.h. */
#include "config.h"

#include "ir/rate-proof.h"

TpRateProof *
tp_rate_proof_new (void)
{
  return g_new0 (TpRateProof, 1);
}

void
tp_rate_proof_free (TpRateProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->arcs);
  g_free (proof);
}
