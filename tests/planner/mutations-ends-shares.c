/* mutations-ends-shares.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on three devices and more: its shares and prices. */
#include "config.h"

#include "mix-case.h"
#include "mutations.h"

#include <string.h>

static TpRoomEnds *
get_ends (const TpMix *mix)
{
  return mix->proof->room->ends;
}

/* Of some end that has weights: others are not read, and have neither prices nor rows. */
static TpShareProof *
pick_proof (const TpMix *mix)
{
  const TpRoomEnds *ends = get_ends (mix);
  int end = pick (ends->n_ends);

  while (ends->weights[end * mix->proof->n_engines] == 0)
    end = (end + 1) % ends->n_ends;
  return ends->shares->pdata[end * mix->n_parts + pick (mix->n_parts)];
}

/* NULL: there is none. */
static TpMemoryPrice *
find_price (const TpMix *mix)
{
  const TpPointers *shares = get_ends (mix)->shares;

  for (guint i = 0; i < shares->len; i++)
    {
      const TpShareProof *it = shares->pdata[i];

      if (it->prices->len > 0)
        return &tp_array_index (it->prices, TpMemoryPrice,
                                pick ((int) it->prices->len));
    }
  return NULL;
}

/* Some row of one of @kinds; of which part, and which proof it is of. NULL: there is none. */
static TpShareRow *
find_row (const TpMix *mix, const char *kinds, TpShareProof **out, int *part)
{
  const TpPointers *shares = get_ends (mix)->shares;

  for (guint i = 0; i < shares->len; i++)
    for (guint k = 0; k < ((TpShareProof *) shares->pdata[i])->room->rows->len; k++)
      {
        TpShareRow *it;

        *out = shares->pdata[i];
        *part = (int) i % mix->n_parts;
        it = &tp_array_index ((*out)->room->rows, TpShareRow, k);
        if (strchr (kinds, it->kind) != NULL)
          return it;
      }
  return NULL;
}

static TpShareRow *
find_any_row (const TpMix *mix, const char *kinds)
{
  TpShareProof *proof;
  int part;

  return find_row (mix, kinds, &proof, &part);
}

/* Its amounts, one for each device. */
static gint64 *
get_amounts (const TpShareProof *proof, const TpShareRow *row)
{
  return &tp_array_index (proof->room->amounts, gint64, row->first);
}

/* ---- what no file says, or the other checker has no limit for ------------------ */

static gboolean
many_prices (TpMix *mix)
{
  TpShareProof *proof = pick_proof (mix);
  TpMemoryPrice price = { 0, 0, 0 };

  while (mix->memory_limits[price.device] == 0)
    price.device++;
  while (proof->prices->len <= 16)
    tp_array_append_val (proof->prices, price);
  return TRUE;
}

TP_TEST_SPOIL_MIX (no_room,
                   g_clear_pointer (&pick_proof (mix)->room, tp_share_bound_free))
TP_TEST_SPOIL_MIX (cut_besides,
                   tp_pointers_add (get_ends (mix)->bounds, tp_memory_bound_new ()))

static gboolean
short_amounts (TpMix *mix)
{
  TpShareProof *proof;
  int part;

  if (find_row (mix, "tgm", &proof, &part) == NULL)
    return FALSE;
  tp_array_set_size (proof->room->amounts, proof->room->amounts->len - 1);
  return TRUE;
}

static gboolean
huge_amount (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "tgm", &proof, &part);

  if (row != NULL)
    get_amounts (proof, row)[0] = G_MAXINT64;
  return row != NULL;
}

/* ---- units and prices ----------------------------------------------------------- */

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

SPOIL (no_unit, TpShareProof, pick_proof (mix), unit = 0)
SPOIL (huge_unit, TpShareProof, pick_proof (mix), unit = (1 << 20) + 1)
SPOIL (negative_price, TpMemoryPrice, find_price (mix), price = -1 - pick (1000))
SPOIL (price_elsewhere, TpMemoryPrice, find_price (mix), device = mix->parts[0].plan->n_devices + pick (3))
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
  TpShareProof *proof;
  int part;

  if (find_row (mix, "m", &proof, &part) == NULL)
    return FALSE;
  tp_array_set_size (proof->prices, 0);
  return TRUE;
}

/* Whether an op that is fixed elsewhere is none of the @depth first, which are at the first end. */
static gboolean
is_any_free (const TpRoomEnds *ends, int depth)
{
  for (int i = depth; i < ends->n_entries; i++)
    {
      gboolean is_fixed = ends->tree[i] == TP_LOAD_END;

      for (int k = 0; k < depth; k++)
        is_fixed |= ends->tree[k] == ends->tree[i];
      if (!is_fixed)
        return TRUE;
    }
  return FALSE;
}

/* Of ops that are not all fixed. */
static gboolean
rule_out_all (TpMix *mix)
{
  const TpRoomEnds *ends = get_ends (mix);
  gboolean was_any = ends->weights[0] > 0;
  int depth = 0;

  while (ends->tree[depth] != TP_LOAD_END)
    depth++;
  for (int e = 0; e < mix->proof->n_engines; e++)
    ends->weights[e] = 0;
  return was_any && is_any_free (ends, depth);
}

/* ---- rows ----------------------------------------------------------------------- */

static gboolean
row_twice (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "tgm", &proof, &part), copy;

  if (row == NULL)
    return FALSE;
  copy = *row;
  tp_array_append_val (proof->room->rows, copy);
  return TRUE;
}

static gboolean
turn_rows (TpMix *mix)
{
  TpShareProof *proof;
  TpShareRow *rows, kept;
  int part;

  rows = find_row (mix, "tgm", &proof, &part);
  if (rows == NULL || proof->room->rows->len < 2)
    return FALSE;
  kept = rows[0];
  rows[0] = rows[1];
  rows[1] = kept;
  return TRUE;
}

SPOIL (row_of_nobody, TpShareRow, find_any_row (mix, "tgm"), op = 1 << 20)
SPOIL (row_of_no_op, TpShareRow, find_any_row (mix, "tgm"), op = -1)
SPOIL (row_of_nothing, TpShareRow, find_any_row (mix, "tgm"), index = 1 << 20)
SPOIL (row_before_all, TpShareRow, find_any_row (mix, "tgm"), index = -1)
SPOIL (row_of_no_price, TpShareRow, find_any_row (mix, "m"), row += 100)
SPOIL (row_of_price_before, TpShareRow, find_any_row (mix, "m"), row = -1)
SPOIL (unknown_kind, TpShareRow, find_any_row (mix, "tgm"), kind = 'x')
SPOIL (bytes_of_copy, TpShareRow, find_any_row (mix, "m"), kind = 'g')

/* Who makes what is copied does not read it. */
static gboolean
row_of_maker (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "t", &proof, &part);

  if (row == NULL || mix->parts[part].graph->tensors[row->index].producer < 0)
    return FALSE;
  row->op = mix->parts[part].graph->tensors[row->index].producer;
  return TRUE;
}

/* Of the tensor as if it were a group. */
static gboolean
gain_of_copy (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "t", &proof, &part);

  if (row == NULL
      || row->index < mix->parts[part].plan->all_groups->n_groups)
    return FALSE;
  row->kind = 'g';
  return TRUE;
}

static gboolean
copy_of_constant (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "t", &proof, &part);
  const TpGraph *graph = row == NULL ? NULL : mix->parts[part].graph;

  for (int i = 0; graph != NULL && i < graph->n_tensors; i++)
    if (tp_tensor_is_resident (&graph->tensors[i]))
      {
        row->index = i;
        return TRUE;
      }
  return FALSE;
}

/* ---- amounts -------------------------------------------------------------------- */

static gboolean
change_amounts (TpMix *mix, gint64 first, gint64 others)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "tgm", &proof, &part);

  for (int d = 0; row != NULL && d < mix->parts[0].plan->n_devices; d++)
    get_amounts (proof, row)[d] += d == 0 ? first : others;
  return row != NULL;
}

/* None is 0 then. */
TP_TEST_SPOIL_MIX_IF (raise_amounts, change_amounts (mix, 1 + pick (9), 1 + pick (9)))

static gboolean
negative_amount (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "tgm", &proof, &part);

  if (row != NULL)
    get_amounts (proof, row)[pick (mix->parts[0].plan->n_devices)]
        = -1 - pick (100);
  return row != NULL;
}

/* Where its op may not be. */
static gboolean
amount_nowhere (TpMix *mix)
{
  TpShareProof *proof;
  int part;
  TpShareRow *row = find_row (mix, "tgm", &proof, &part);

  for (int d = 0; row != NULL && d < mix->parts[part].plan->n_devices; d++)
    if (tp_costs_node (mix->parts[part].plan->costs, row->op, d)->time_ns
        == TP_COST_NONE)
      {
        get_amounts (proof, row)[d] = 1 + pick (100);
        return TRUE;
      }
  return FALSE;
}

#define MUTATION(name) { "shared-ends-" #name, name }

const TpTestMixMutation tp_test_shared_ends_mutations[] = {
  MUTATION (many_prices),
  MUTATION (no_room),
  MUTATION (cut_besides),
  MUTATION (short_amounts),
  MUTATION (huge_amount),
  MUTATION (no_unit),
  MUTATION (huge_unit),
  MUTATION (negative_price),
  MUTATION (price_elsewhere),
  MUTATION (price_before_all),
  MUTATION (price_never),
  MUTATION (price_too_early),
  MUTATION (price_without_limit),
  MUTATION (drop_prices),
  MUTATION (rule_out_all),
  MUTATION (row_twice),
  MUTATION (turn_rows),
  MUTATION (row_of_nobody),
  MUTATION (row_of_no_op),
  MUTATION (row_of_nothing),
  MUTATION (row_before_all),
  MUTATION (row_of_no_price),
  MUTATION (row_of_price_before),
  MUTATION (unknown_kind),
  MUTATION (bytes_of_copy),
  MUTATION (row_of_maker),
  MUTATION (gain_of_copy),
  MUTATION (copy_of_constant),
  MUTATION (raise_amounts),
  MUTATION (negative_amount),
  MUTATION (amount_nowhere),
  { NULL, NULL },
};
