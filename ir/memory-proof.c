/* memory-proof.c: see memory-proof.h. */
#include "config.h"

#include "ir/memory-proof.h"

#include "ir/array.h"

TpMemoryBound *
tp_memory_bound_new (void)
{
  g_autoptr (TpMemoryBound) bound = g_new0 (TpMemoryBound, 1);

  bound->has_costs = TRUE;
  bound->prices = tp_array_new (sizeof (TpMemoryPrice));
  bound->shares = tp_array_new (sizeof (TpMemoryShare));
  return g_steal_pointer (&bound);
}

void
tp_memory_bound_free (TpMemoryBound *bound)
{
  if (bound == NULL)
    return;
  tp_array_unref (bound->prices);
  tp_array_unref (bound->shares);
  g_free (bound);
}

TpMemoryProof *
tp_memory_proof_new (void)
{
  g_autoptr (TpMemoryProof) proof = g_new0 (TpMemoryProof, 1);

  proof->bounds = tp_pointers_new ((GDestroyNotify) tp_memory_bound_free);
  proof->entries = tp_array_new (sizeof (TpProofEntry));
  return g_steal_pointer (&proof);
}

void
tp_memory_proof_free (TpMemoryProof *proof)
{
  if (proof == NULL)
    return;
  tp_pointers_free (proof->bounds);
  tp_array_unref (proof->entries);
  g_free (proof);
}
