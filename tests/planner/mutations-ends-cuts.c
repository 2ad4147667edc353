/* mutations-ends-cuts.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on two devices: what cuts have. */
#include "config.h"

#include "mutations-ends.h"

#define FAR (G_GINT64_CONSTANT (1) << 62)

/* Of the first end, as far as it has weights. */
static TpMemoryBound *
get_first (const TpMix *mix)
{
  TpRoomEnds *ends = tp_test_ends_get (mix);

  return ends->weights[0] > 0 ? ends->bounds->pdata[0] : NULL;
}

/* ---- what no file says, or only who lays arenas out sees ---------------------- */

static gboolean
many_prices (TpMix *mix)
{
  TpMemoryBound *bound = get_first (mix);
  TpMemoryPrice price = { 0, 0, 0 };

  while (bound != NULL && bound->prices->len <= TP_MEMORY_MAX_PRICES)
    tp_array_append_val (bound->prices, price);
  return bound != NULL;
}

static gboolean
turn_shares (TpMix *mix)
{
  TpTestEndsShare it;
  TpMemoryShare *first, kept;

  if (!tp_test_ends_find (mix, "hdcemk", &it) || it.all->len < 2)
    return FALSE;
  first = &tp_array_index (it.all, TpMemoryShare, 0);
  kept = first[0];
  first[0] = first[1];
  first[1] = kept;
  return TRUE;
}

static int
get_device (const TpMix *mix, int op)
{
  int part = 0;

  while (op >= mix->parts[part].graph->n_nodes)
    op -= mix->parts[part++].graph->n_nodes;
  return mix->parts[part].plan->placements[op].device;
}

/* Past what is below entry @at of the tree; counts its ends. */
static int
skip (const TpRoomEnds *ends, int at, int *n_ends)
{
  for (int n_open = 1; n_open > 0; at++)
    {
      n_open += ends->tree[at] == TP_LOAD_END ? -1 : 1;
      *n_ends += ends->tree[at] == TP_LOAD_END;
    }
  return at;
}

/* As if what is planned did not fit. */
static gboolean
rule_out_plan (TpMix *mix)
{
  TpRoomEnds *ends = tp_test_ends_get (mix);
  int at = 0, end = 0;

  while (ends->tree[at] != TP_LOAD_END)
    {
      int device = get_device (mix, ends->tree[at]);

      at = device == 0 ? at + 1 : skip (ends, at + 1, &end);
    }
  for (int e = 0; e < 6; e++)
    ends->weights[6 * end + e] = 0;
  return TRUE;
}

/* ---- shares ---------------------------------------------------------------------- */

/* NULL: there is none. */
static TpMemoryShare *
find_share (const TpMix *mix, const char *kinds)
{
  TpTestEndsShare it;

  return tp_test_ends_find (mix, kinds, &it) ? it.record : NULL;
}

#define SPOIL(name, kinds, change)                                             \
  TP_TEST_SPOIL_FOUND (name, TpMemoryShare, find_share (mix, kinds), change)

SPOIL (negative_share, "hdcem", amount = -1 - pick (5))
SPOIL (large_share, "hdcem", amount = FAR / 2)
SPOIL (copy_with_price, "hd", row = 1)
SPOIL (gain_with_price, "ce", row = 1)
/* Amounts of what is together add up to nothing. */
SPOIL (raise_together, "k", amount += 1 + pick (5))
TP_TEST_SPOIL_FOUND (memory_alone, TpMemoryBound, get_first (mix), has_costs = FALSE)

static gboolean
share_of_no_colocation (TpMix *mix)
{
  TpMemoryBound *bound = get_first (mix);
  TpMemoryShare share = { 'k', mix->parts[0].graph->n_colocations, 0, 0, 0 };

  if (bound != NULL)
    tp_array_append_val (bound->shares, share);
  return bound != NULL;
}

#define MUTATION(name) { "cut-ends-" #name, name }

const TpTestMixMutation tp_test_cut_ends_mutations[] = {
  MUTATION (many_prices),
  MUTATION (turn_shares),
  MUTATION (rule_out_plan),
  MUTATION (memory_alone),
  MUTATION (negative_share),
  MUTATION (large_share),
  MUTATION (copy_with_price),
  MUTATION (gain_with_price),
  MUTATION (share_of_no_colocation),
  MUTATION (raise_together),
  { NULL, NULL },
};
