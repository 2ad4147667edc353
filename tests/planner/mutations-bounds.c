/* mutations-bounds.c: ways to spoil the bounds that prove a plan within limits of
 * memory: their shares and prices. */
#include "config.h"

#include "ir/memory-proof.h"
#include "mutations.h"

/* Of those that an end of the tree needs, so that it is looked at. */
static TpMemoryBound *
pick_bound (const TpPlan *plan)
{
  const TpArray *entries = plan->memory_proof->entries;
  int n = (int) entries->len, first = pick (n);

  for (int i = 0; i < n; i++)
    {
      const TpProofEntry *it
          = &tp_array_index (entries, TpProofEntry, (first + i) % n);

      if (it->kind == TP_PROOF_BOUND)
        return plan->memory_proof->bounds->pdata[it->index];
    }
  return NULL;
}

static TpMemoryShare *
pick_share (const TpPlan *plan)
{
  const TpMemoryBound *bound = pick_bound (plan);

  return bound == NULL || bound->shares->len == 0
             ? NULL
             : &tp_array_index (bound->shares, TpMemoryShare,
                                pick ((int) bound->shares->len));
}

static TpMemoryPrice *
pick_price (const TpPlan *plan)
{
  const TpMemoryBound *bound = pick_bound (plan);

  return bound == NULL || bound->prices->len == 0
             ? NULL
             : &tp_array_index (bound->prices, TpMemoryPrice,
                                pick ((int) bound->prices->len));
}

static gboolean
drop_bounds (TpPlan *plan, const TpTestCase *test)
{
  gboolean is_used = pick_bound (plan) != NULL;

  tp_pointers_cut (plan->memory_proof->bounds, 0);
  return is_used;
}

static gboolean
raise_share (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->amount += G_GINT64_CONSTANT (1) << 40;
  return share != NULL;
}

static gboolean
lower_share (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->amount = share->kind == 'k' ? share->amount - 1 : -1;
  return share != NULL;
}

static gboolean
repeat_share (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryBound *bound = pick_bound (plan);
  TpMemoryShare share;

  if (bound == NULL || bound->shares->len == 0)
    return FALSE;
  share = tp_array_index (bound->shares, TpMemoryShare, 0);
  share.amount = 0;
  tp_array_append_val (bound->shares, share);
  return TRUE;
}

static gboolean
share_to_nobody (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->op = plan->n_placements + pick (3);
  return share != NULL;
}

static gboolean
share_of_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->index += test->graph->n_tensors + test->groups->n_groups;
  return share != NULL;
}

static gboolean
share_of_no_row (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->row += 1000;
  return share != NULL;
}

static gboolean
share_of_no_kind (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_share (plan);

  if (share != NULL)
    share->kind = 'x';
  return share != NULL;
}

/* Some share of a colocation. */
static TpMemoryShare *
pick_together (const TpPlan *plan)
{
  const TpPointers *bounds = plan->memory_proof->bounds;

  for (guint b = 0; b < bounds->len; b++)
    {
      const TpMemoryBound *bound = bounds->pdata[b];

      for (guint i = 0; i < bound->shares->len; i++)
        if (tp_array_index (bound->shares, TpMemoryShare, i).kind == 'k')
          return &tp_array_index (bound->shares, TpMemoryShare, i);
    }
  return NULL;
}

/* They no longer add up to nothing. */
static gboolean
raise_together (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_together (plan);

  if (share != NULL)
    share->amount += 1 + pick (3);
  return share != NULL;
}

static gboolean
together_with_another (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryShare *share = pick_together (plan);

  if (share == NULL)
    return FALSE;
  for (int i = 0; i < plan->n_placements; i++)
    if (test->graph->colocation_of[i] != share->index)
      {
        share->op = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
lower_price (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price != NULL)
    price->price = -1;
  return price != NULL;
}

static gboolean
price_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price != NULL)
    price->step = plan->n_placements + pick (3);
  return price != NULL;
}

static gboolean
price_without_limit (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price == NULL || plan->memory_limits[0] > 0)
    return FALSE;
  price->device = 0;
  return TRUE;
}

const TpTestMutation tp_test_bound_mutations[] = {
  { "drop-memory-bounds", drop_bounds },
  { "raise-memory-share", raise_share },
  { "lower-memory-share", lower_share },
  { "repeat-memory-share", repeat_share },
  { "share-to-nobody", share_to_nobody },
  { "share-of-nothing", share_of_nothing },
  { "share-of-no-row", share_of_no_row },
  { "share-of-no-kind", share_of_no_kind },
  { "raise-together-share", raise_together },
  { "together-with-another", together_with_another },
  { "lower-memory-price", lower_price },
  { "price-nowhere", price_nowhere },
  { "price-without-limit", price_without_limit },
  { NULL, NULL },
};
