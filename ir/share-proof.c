/* share-proof.c: see share-proof.h. */
#include "config.h"

#include "ir/share-proof.h"

TpShareBound *
tp_share_bound_new (void)
{
  g_autoptr (TpShareBound) bound = g_new0 (TpShareBound, 1);

  bound->rows = tp_array_new (sizeof (TpShareRow));
  bound->amounts = tp_array_new (sizeof (gint64));
  return g_steal_pointer (&bound);
}

TpShareBound *
tp_share_bound_copy (const TpShareBound *bound)
{
  g_autoptr (TpShareBound) copy = tp_share_bound_new ();

  tp_array_append_vals (copy->rows, bound->rows->data, bound->rows->len);
  tp_array_append_vals (copy->amounts, bound->amounts->data,
                        bound->amounts->len);
  return g_steal_pointer (&copy);
}

void
tp_share_bound_free (TpShareBound *bound)
{
  if (bound == NULL)
    return;
  tp_array_unref (bound->rows);
  tp_array_unref (bound->amounts);
  g_free (bound);
}

TpShareProof *
tp_share_proof_new (void)
{
  g_autoptr (TpShareProof) proof = g_new0 (TpShareProof, 1);

  proof->unit = 1;
  proof->bounds = tp_pointers_new ((GDestroyNotify) tp_share_bound_free);
  proof->entries = tp_array_new (sizeof (TpShareEntry));
  proof->prices = tp_array_new (sizeof (TpMemoryPrice));
  return g_steal_pointer (&proof);
}

TpShareProof *
tp_share_proof_new_priced (void)
{
  g_autoptr (TpShareProof) proof = tp_share_proof_new ();

  proof->room = tp_share_bound_new ();
  return g_steal_pointer (&proof);
}

void
tp_share_proof_free (TpShareProof *proof)
{
  if (proof == NULL)
    return;
  tp_pointers_free (proof->bounds);
  tp_array_unref (proof->entries);
  tp_array_unref (proof->prices);
  tp_share_bound_free (proof->room);
  g_free (proof);
}
