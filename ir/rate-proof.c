/* rate-proof.c: see rate-proof.h. */
#include "config.h"

#include "ir/rate-proof.h"

#include "ir/guard.h"

TpRateEnd *
tp_rate_end_new (guint rented, guint without)
{
  TpRateEnd *end = tp_new0 (TpRateEnd, 1);

  end->rented = rented;
  end->without = without;
  end->divisor = 1;
  return end;
}

void
tp_rate_end_free (TpRateEnd *end)
{
  if (end == NULL)
    return;
  g_clear_pointer (&end->shares, tp_share_proof_free);
  g_clear_pointer (&end->tree, tp_memory_proof_free);
  g_free (end);
}

TpRateProof *
tp_rate_proof_new (void)
{
  g_autoptr (TpRateProof) proof = tp_new0 (TpRateProof, 1);

  proof->ends = tp_pointers_new ((GDestroyNotify) tp_rate_end_free);
  proof->fitting = tp_pointers_new ((GDestroyNotify) tp_rate_end_free);
  return g_steal_pointer (&proof);
}

gint64
tp_rate_proof_get_bound (const TpRateProof *proof)
{
  return proof->room != NULL ? proof->room->bound_ns : proof->bound;
}

void
tp_rate_proof_free (TpRateProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->flows);
  tp_room_proof_free (proof->room);
  tp_pointers_free (proof->ends);
  tp_pointers_free (proof->fitting);
  g_free (proof);
}
