/* load-proof.c: see load-proof.h. */
#include "config.h"

#include "ir/load-proof.h"

TpLoadProof *
tp_load_proof_new (int n_engines)
{
  TpLoadProof *proof = g_new0 (TpLoadProof, 1);

  proof->n_engines = n_engines;
  proof->low_ns = proof->high_ns = -1;
  proof->loads = g_new0 (gint64, n_engines);
  return proof;
}

gint64
tp_load_proof_get_bound (const TpLoadProof *proof)
{
  return proof->room != NULL ? proof->room->bound_ns : proof->bound_ns;
}

void
tp_load_proof_free (TpLoadProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->loads);
  g_free (proof->weights);
  g_free (proof->tree);
  g_free (proof->flows);
  tp_room_proof_free (proof->room);
  tp_pointers_free (proof->shares);
  g_free (proof->share_units);
  g_free (proof);
}
