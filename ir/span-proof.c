/* span-proof.c: see span-proof.h. */
#include "config.h"

#include "ir/span-proof.h"

#include "ir/guard.h"

TpSpanProof *
tp_span_proof_new (int n_nodes, int n_transfers)
{
  g_autoptr (TpSpanProof) proof = tp_new0 (TpSpanProof, 1);

  proof->n_nodes = n_nodes;
  proof->n_transfers = n_transfers;
  proof->starts = tp_new0 (gint64, (gsize) n_nodes + 1);
  proof->fetch_starts = tp_new0 (gint64, (gsize) n_transfers + 1);
  proof->feed_starts = tp_new0 (gint64, (gsize) n_transfers + 1);
  return g_steal_pointer (&proof);
}

void
tp_span_proof_free (TpSpanProof *proof)
{
  if (proof == NULL)
    return;
  g_free (proof->starts);
  g_free (proof->fetch_starts);
  g_free (proof->feed_starts);
  g_free (proof->waists);
  g_free (proof->tree);
  g_free (proof);
}
