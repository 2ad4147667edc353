/* room-proof.c: see room-proof.h. */
#include "config.h"

#include "ir/room-proof.h"

TpRoomProof *
tp_room_proof_new (int n_engines)
{
  g_autoptr (TpRoomProof) proof = g_new0 (TpRoomProof, 1);

  proof->weights = g_new0 (gint64, n_engines);
  return g_steal_pointer (&proof);
}

void
tp_room_proof_free (TpRoomProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->weights);
  tp_memory_proof_free (proof->tree);
  tp_share_proof_free (proof->shares);
  g_free (proof);
}
