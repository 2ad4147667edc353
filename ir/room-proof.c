/* room-proof.c: see room-proof.h. */
#include "config.h"

#include "ir/room-proof.h"

#include "ir/guard.h"

#include <string.h>

TpPath *
tp_path_new (int n_tensors)
{
  g_autoptr (TpPath) path = g_new0 (TpPath, 1);

  path->tensors = tp_new0 (int, n_tensors);
  path->n_tensors = n_tensors;
  return g_steal_pointer (&path);
}

TpPath *
tp_path_copy (const TpPath *path)
{
  TpPath *copy = tp_path_new (path->n_tensors);

  copy->weight = path->weight;
  memcpy (copy->tensors, path->tensors, sizeof (int) * (gsize) path->n_tensors);
  return copy;
}

void
tp_path_free (TpPath *path)
{
  if (path == NULL)
    return;
  g_free (path->tensors);
  g_free (path);
}

TpRoomEnds *
tp_room_ends_new (void)
{
  TpRoomEnds *ends = g_new0 (TpRoomEnds, 1);

  ends->bounds = tp_pointers_new ((GDestroyNotify) tp_memory_bound_free);
  ends->shares = tp_pointers_new ((GDestroyNotify) tp_share_proof_free);
  return ends;
}

void
tp_room_ends_free (TpRoomEnds *ends)
{
  if (ends == NULL)
    return;
  g_free (ends->tree);
  g_free (ends->weights);
  tp_pointers_free (ends->bounds);
  tp_pointers_free (ends->shares);
  g_free (ends);
}

TpRoomProof *
tp_room_proof_new (int n_engines)
{
  g_autoptr (TpRoomProof) proof = g_new0 (TpRoomProof, 1);

  proof->weights = g_new0 (gint64, n_engines);
  proof->paths = tp_pointers_new ((GDestroyNotify) tp_path_free);
  return g_steal_pointer (&proof);
}

void
tp_room_proof_free (TpRoomProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->weights);
  tp_pointers_free (proof->paths);
  tp_memory_proof_free (proof->tree);
  tp_share_proof_free (proof->shares);
  tp_room_ends_free (proof->ends);
  g_free (proof);
}
