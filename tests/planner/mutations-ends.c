/* mutations-ends.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on two devices: its shares and prices. */
#include "config.h"

#include "mix-case.h"
#include "mutations.h"

#include <string.h>

#define FAR (G_GINT64_CONSTANT (1) << 62)

static TpRoomEnds *
get_ends (const TpMix *mix)
{
  return mix->proof->room->ends;
}

/* Whose weights are some. */
static gboolean
is_bound (const TpMix *mix, int end)
{
  return get_ends (mix)->weights[6 * end] > 0;
}

/* NULL: none has one. */
static TpMemoryPrice *
find_price (const TpMix *mix)
{
  const TpPointers *bounds = get_ends (mix)->bounds;

  for (guint i = 0; i < bounds->len; i++)
    {
      const TpMemoryBound *bound = bounds->pdata[i];

      if (bound->prices->len > 0)
        return &tp_array_index (bound->prices, TpMemoryPrice, 0);
    }
  return NULL;
}

/* Some share of one of @kinds, and the bound and the part it is of; NULL: there is none. */
static TpMemoryShare *
find_share (const TpMix *mix, const char *kinds, TpMemoryBound **out, int *part)
{
  const TpPointers *bounds = get_ends (mix)->bounds;

  for (guint i = 0; i < bounds->len; i++)
    for (guint k = 0; k < ((TpMemoryBound *) bounds->pdata[i])->shares->len; k++)
      {
        TpMemoryShare *it;

        *out = bounds->pdata[i];
        *part = (int) i % mix->n_parts;
        it = &tp_array_index ((*out)->shares, TpMemoryShare, k);
        if (strchr (kinds, it->kind) != NULL)
          return it;
      }
  return NULL;
}

static TpMemoryShare *
find_any_share (const TpMix *mix, const char *kinds)
{
  TpMemoryBound *bound;
  int part;

  return find_share (mix, kinds, &bound, &part);
}

/* ---- what no file says, or only who lays arenas out sees ---------------------- */

static gboolean
many_prices (TpMix *mix)
{
  TpMemoryBound *bound = get_ends (mix)->bounds->pdata[0];
  TpMemoryPrice price = { 0, 0, 0 };

  if (!is_bound (mix, 0))
    return FALSE;
  while (bound->prices->len <= TP_MEMORY_MAX_PRICES)
    tp_array_append_val (bound->prices, price);
  return TRUE;
}

static gboolean
turn_shares (TpMix *mix)
{
  TpMemoryBound *bound;
  TpMemoryShare *first, kept;
  int part;

  if (find_share (mix, "hdcemk", &bound, &part) == NULL || bound->shares->len < 2)
    return FALSE;
  first = &tp_array_index (bound->shares, TpMemoryShare, 0);
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
  TpRoomEnds *ends = get_ends (mix);
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

/* What is found is changed so. */
#define SPOIL(name, type, find, change)                                        \
  static gboolean name (TpMix *mix)                                            \
  {                                                                            \
    type *it = find;                                                           \
                                                                               \
    if (it != NULL)                                                            \
      it->change;                                                              \
    return it != NULL;                                                         \
  }

/* ---- prices ---------------------------------------------------------------------- */

SPOIL (negative_price, TpMemoryPrice, find_price (mix), price = -1 - pick (1000))
SPOIL (price_elsewhere, TpMemoryPrice, find_price (mix), device = 2 + pick (3))
SPOIL (price_before_all, TpMemoryPrice, find_price (mix), device = -1 - pick (2))
SPOIL (price_never, TpMemoryPrice, find_price (mix), step = 1 << 20)
SPOIL (price_too_early, TpMemoryPrice, find_price (mix), step = -1)

static gboolean
price_without_limit (TpMix *mix)
{
  TpMemoryPrice *price = find_price (mix);

  if (price != NULL)
    mix->memory_limits[price->device] = 0;
  return price != NULL;
}

static gboolean
drop_prices (TpMix *mix)
{
  TpMemoryBound *bound;
  int part;

  if (find_share (mix, "m", &bound, &part) == NULL)
    return FALSE;
  tp_array_set_size (bound->prices, 0);
  return TRUE;
}

static gboolean
memory_alone (TpMix *mix)
{
  TpMemoryBound *bound = get_ends (mix)->bounds->pdata[0];

  bound->has_costs = FALSE;
  return is_bound (mix, 0);
}

/* ---- shares ---------------------------------------------------------------------- */

SPOIL (negative_share, TpMemoryShare, find_any_share (mix, "hdcem"), amount = -1 - pick (5))
SPOIL (large_share, TpMemoryShare, find_any_share (mix, "hdcem"), amount = FAR / 2)

static gboolean
repeat_share (TpMix *mix)
{
  TpMemoryBound *bound;
  int part;
  TpMemoryShare *share = find_share (mix, "hdcem", &bound, &part), copy;

  if (share == NULL)
    return FALSE;
  copy = *share;
  tp_array_append_val (bound->shares, copy);
  return TRUE;
}

SPOIL (share_of_nobody, TpMemoryShare, find_any_share (mix, "hdcemk"), op = 1 << 20)
SPOIL (share_of_no_op, TpMemoryShare, find_any_share (mix, "hdcemk"), op = -1)

/* Who makes what is copied does not read it. */
static gboolean
share_of_maker (TpMix *mix)
{
  TpMemoryBound *bound;
  int part;
  TpMemoryShare *share = find_share (mix, "hd", &bound, &part);

  if (share == NULL
      || mix->parts[part].graph->tensors[share->index].producer < 0)
    return FALSE;
  share->op = mix->parts[part].graph->tensors[share->index].producer;
  return TRUE;
}

SPOIL (share_of_nothing, TpMemoryShare, find_any_share (mix, "hdcem"), index = 1 << 20)
SPOIL (share_before_all, TpMemoryShare, find_any_share (mix, "hdcemk"), index = -1)
SPOIL (share_of_no_price, TpMemoryShare, find_any_share (mix, "m"), row += 100)
SPOIL (share_of_price_before, TpMemoryShare, find_any_share (mix, "m"), row = -1)
SPOIL (copy_with_price, TpMemoryShare, find_any_share (mix, "hd"), row = 1)
SPOIL (gain_with_price, TpMemoryShare, find_any_share (mix, "ce"), row = 1)
SPOIL (unknown_kind, TpMemoryShare, find_any_share (mix, "hdcem"), kind = 'x')

/* Of the tensor as if it were a group. */
static gboolean
gain_of_copy (TpMix *mix)
{
  TpMemoryBound *bound;
  int part;
  TpMemoryShare *share = find_share (mix, "hd", &bound, &part);

  if (share == NULL
      || share->index < mix->parts[part].plan->all_groups->n_groups)
    return FALSE;
  share->kind = 'c';
  return TRUE;
}

static gboolean
copy_of_constant (TpMix *mix)
{
  TpMemoryBound *bound;
  int part;
  TpMemoryShare *share = find_share (mix, "hd", &bound, &part);
  const TpGraph *graph = share == NULL ? NULL : mix->parts[part].graph;

  for (int i = 0; graph != NULL && i < graph->n_tensors; i++)
    if (tp_tensor_is_resident (&graph->tensors[i]))
      {
        share->index = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
share_of_no_colocation (TpMix *mix)
{
  TpMemoryBound *bound = get_ends (mix)->bounds->pdata[0];
  TpMemoryShare share = { 'k', mix->parts[0].graph->n_colocations, 0, 0, 0 };

  tp_array_append_val (bound->shares, share);
  return is_bound (mix, 0);
}

/* Amounts of what is together add up to nothing. */
SPOIL (raise_together, TpMemoryShare, find_any_share (mix, "k"), amount += 1 + pick (5))

#define MUTATION(name) { "ends-" #name, name }

const TpTestMixMutation tp_test_ends_mutations[] = {
  MUTATION (many_prices),
  MUTATION (turn_shares),
  MUTATION (rule_out_plan),
  MUTATION (negative_price),
  MUTATION (price_elsewhere),
  MUTATION (price_before_all),
  MUTATION (price_never),
  MUTATION (price_too_early),
  MUTATION (price_without_limit),
  MUTATION (drop_prices),
  MUTATION (memory_alone),
  MUTATION (negative_share),
  MUTATION (large_share),
  MUTATION (repeat_share),
  MUTATION (share_of_nobody),
  MUTATION (share_of_no_op),
  MUTATION (share_of_maker),
  MUTATION (share_of_nothing),
  MUTATION (share_before_all),
  MUTATION (share_of_no_price),
  MUTATION (share_of_price_before),
  MUTATION (copy_with_price),
  MUTATION (gain_with_price),
  MUTATION (unknown_kind),
  MUTATION (gain_of_copy),
  MUTATION (copy_of_constant),
  MUTATION (share_of_no_colocation),
  MUTATION (raise_together),
  { NULL, NULL },
};
