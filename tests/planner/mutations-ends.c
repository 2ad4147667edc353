/* mutations-ends.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory. */
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

static gint64 *
pick_weight (const TpMix *mix)
{
  return &get_ends (mix)->weights[pick (6)];
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
proof_of_one (TpMix *mix)
{
  g_clear_pointer (&mix->proof->room->ends, tp_room_ends_free);
  return TRUE;
}

static gboolean
tree_besides (TpMix *mix)
{
  mix->proof->room->tree = tp_memory_proof_new ();
  return TRUE;
}

static gboolean
shares_besides (TpMix *mix)
{
  mix->proof->room->shares = tp_share_proof_new ();
  return TRUE;
}

static gboolean
path_besides (TpMix *mix)
{
  tp_pointers_add (mix->proof->room->paths, tp_path_new (1));
  return TRUE;
}

static gboolean
negative_ends (TpMix *mix)
{
  get_ends (mix)->n_ends = -1;
  return TRUE;
}

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

/* ---- the bound ------------------------------------------------------------------ */

static gboolean
raise_room (TpMix *mix)
{
  mix->proof->room->bound_ns++;
  return TRUE;
}

static gboolean
lower_room (TpMix *mix)
{
  return mix->proof->room->bound_ns-- > 0;
}

/* As if nothing were known of limits. */
static gboolean
forget_room_bound (TpMix *mix)
{
  gboolean is_more = mix->proof->room->bound_ns > mix->proof->bound_ns;

  mix->proof->room->bound_ns = mix->proof->bound_ns;
  return is_more;
}

static gboolean
drop_limits (TpMix *mix)
{
  g_clear_pointer (&mix->memory_limits, g_free);
  return TRUE;
}

/* All that was too much fits then, or what is paid comes to more. */
static gboolean
raise_limits (TpMix *mix)
{
  for (int d = 0; d < 2; d++)
    mix->memory_limits[d] *= 1000;
  return mix->proof->room->bound_ns > mix->proof->bound_ns;
}

/* ---- the tree -------------------------------------------------------------------- */

static gboolean
cut_room_tree (TpMix *mix)
{
  return get_ends (mix)->n_entries-- > 0;
}

static gboolean
empty_room_tree (TpMix *mix)
{
  get_ends (mix)->n_entries = 0;
  return TRUE;
}

static void
insert (TpRoomEnds *ends, int at, int entry)
{
  ends->tree = g_renew (int, ends->tree, ends->n_entries + 1);
  for (int i = ends->n_entries++; i > at; i--)
    ends->tree[i] = ends->tree[i - 1];
  ends->tree[at] = entry;
}

static gboolean
add_room_end (TpMix *mix)
{
  insert (get_ends (mix), get_ends (mix)->n_entries, TP_LOAD_END);
  return TRUE;
}

static gboolean
room_root_alone (TpMix *mix)
{
  TpRoomEnds *ends = get_ends (mix);
  gboolean had = ends->n_entries > 1;

  ends->tree[0] = TP_LOAD_END;
  ends->n_entries = 1;
  return had;
}

static gboolean
room_unknown_op (TpMix *mix)
{
  int n = 0;

  for (int i = 0; i < mix->n_parts; i++)
    n += mix->parts[i].graph->n_nodes;
  insert (get_ends (mix), 0, n);
  return TRUE;
}

static gboolean
room_no_op (TpMix *mix)
{
  get_ends (mix)->tree[0] = -2;
  return TRUE;
}

static gboolean
fix_twice (TpMix *mix)
{
  TpRoomEnds *ends = get_ends (mix);

  if (ends->tree[0] == TP_LOAD_END)
    return FALSE;
  insert (ends, 1, ends->tree[0]);
  return TRUE;
}

static gboolean
drop_room_end (TpMix *mix)
{
  return get_ends (mix)->n_ends-- > 0;
}

static gboolean
drop_room_bound (TpMix *mix)
{
  TpPointers *bounds = get_ends (mix)->bounds;

  tp_pointers_cut (bounds, bounds->len - 1);
  return TRUE;
}

/* ---- weights --------------------------------------------------------------------- */

static gboolean
zero_room_weight (TpMix *mix)
{
  *pick_weight (mix) = 0;
  return is_bound (mix, 0) || get_ends (mix)->weights[1] > 0;
}

static gboolean
negative_room_weight (TpMix *mix)
{
  *pick_weight (mix) = -1 - pick (100);
  return TRUE;
}

static gboolean
huge_room_weight (TpMix *mix)
{
  *pick_weight (mix) = FAR;
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
  MUTATION (proof_of_one),
  MUTATION (tree_besides),
  MUTATION (shares_besides),
  MUTATION (path_besides),
  MUTATION (negative_ends),
  MUTATION (many_prices),
  MUTATION (turn_shares),
  MUTATION (rule_out_plan),
  MUTATION (raise_limits),
  MUTATION (raise_room),
  MUTATION (lower_room),
  MUTATION (forget_room_bound),
  MUTATION (drop_limits),
  MUTATION (cut_room_tree),
  MUTATION (empty_room_tree),
  MUTATION (add_room_end),
  MUTATION (room_root_alone),
  MUTATION (room_unknown_op),
  MUTATION (room_no_op),
  MUTATION (fix_twice),
  MUTATION (drop_room_end),
  MUTATION (drop_room_bound),
  MUTATION (zero_room_weight),
  MUTATION (negative_room_weight),
  MUTATION (huge_room_weight),
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
