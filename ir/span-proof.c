/* span-proof.c: see span-proof.h. */
#include "config.h"

#include "ir/span-proof.h"

#include "ir/guard.h"

TpSpanProof *
tp_span_proof_new (int n_nodes, int n_transfers)
{
  g_autoptr (TpSpanProof) proof = tp_new0 (TpSpanProof, 1);

  proof->low_ns = proof->high_ns = -1;
  proof->n_nodes = n_nodes;
  proof->n_transfers = n_transfers;
  proof->starts = tp_new0 (gint64, (gsize) n_nodes + 1);
  proof->fetch_starts = tp_new0 (gint64, (gsize) n_transfers + 1);
  proof->feed_starts = tp_new0 (gint64, (gsize) n_transfers + 1);
  return g_steal_pointer (&proof);
}

void
tp_span_proof_add_ends (TpSpanProof *proof)
{
  gsize n_transfers = (gsize) proof->n_transfers + 1;

  proof->ends = tp_new0 (gint64, (gsize) proof->n_nodes + 1);
  proof->fetch_ends = tp_new0 (gint64, n_transfers);
  proof->feed_ends = tp_new0 (gint64, n_transfers);
}

void
tp_span_proof_free (TpSpanProof *proof)
{
  if (proof == NULL)
    return;
  tp_room_proof_free (proof->room);
  g_free (proof->starts);
  g_free (proof->fetch_starts);
  g_free (proof->feed_starts);
  g_free (proof->ends);
  g_free (proof->fetch_ends);
  g_free (proof->feed_ends);
  g_free (proof->waists);
  g_free (proof->tree);
  g_free (proof);
}
