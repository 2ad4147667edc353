/* mutations-ends-shares.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on three devices and more: what shares have. */
#include "config.h"

#include "mutations-ends.h"

#define ANY "tgm"

/* Of some end that has weights: others are not read, and have neither prices nor rows. */
static TpShareProof *
pick_proof (const TpMix *mix)
{
  const TpRoomEnds *ends = tp_test_ends_get (mix);
  int end = pick (ends->n_ends);

  while (ends->weights[end * mix->proof->n_engines] == 0)
    end = (end + 1) % ends->n_ends;
  return ends->shares->pdata[end * mix->n_parts + pick (mix->n_parts)];
}

/* Of some row, one for each device; NULL: there is none. */
static gint64 *
find_amounts (const TpMix *mix, TpTestEndsShare *out)
{
  const TpShareRow *row
      = tp_test_ends_find (mix, ANY, out) ? out->record : NULL;

  return row == NULL ? NULL
                     : &tp_array_index (out->proof->room->amounts, gint64,
                                        row->first);
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

static gboolean
no_room (TpMix *mix)
{
  g_clear_pointer (&pick_proof (mix)->room, tp_share_bound_free);
  return TRUE;
}

static gboolean
cut_besides (TpMix *mix)
{
  tp_pointers_add (tp_test_ends_get (mix)->bounds, tp_memory_bound_new ());
  return TRUE;
}

static gboolean
short_amounts (TpMix *mix)
{
  TpTestEndsShare it;
  TpArray *amounts;

  if (!tp_test_ends_find (mix, ANY, &it))
    return FALSE;
  amounts = it.proof->room->amounts;
  tp_array_set_size (amounts, amounts->len - 1);
  return TRUE;
}

static gboolean
huge_amount (TpMix *mix)
{
  TpTestEndsShare it;
  gint64 *amounts = find_amounts (mix, &it);

  if (amounts != NULL)
    amounts[0] = G_MAXINT64;
  return amounts != NULL;
}

/* ---- units and ends -------------------------------------------------------------- */

TP_TEST_SPOIL_FOUND (no_unit, TpShareProof, pick_proof (mix), unit = 0)
TP_TEST_SPOIL_FOUND (huge_unit, TpShareProof, pick_proof (mix), unit = (1 << 20) + 1)

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
  const TpRoomEnds *ends = tp_test_ends_get (mix);
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
turn_rows (TpMix *mix)
{
  TpTestEndsShare it;
  TpShareRow *rows, kept;

  if (!tp_test_ends_find (mix, ANY, &it) || it.all->len < 2)
    return FALSE;
  rows = it.record;
  kept = rows[0];
  rows[0] = rows[1];
  rows[1] = kept;
  return TRUE;
}

static gboolean
bytes_of_copy (TpMix *mix)
{
  TpTestEndsShare it;

  if (!tp_test_ends_find (mix, "m", &it))
    return FALSE;
  *it.kind = 'g';
  return TRUE;
}

/* ---- amounts -------------------------------------------------------------------- */

/* None is 0 then. */
static gboolean
raise_amounts (TpMix *mix)
{
  TpTestEndsShare it;
  gint64 *amounts = find_amounts (mix, &it), more = 1 + pick (9);

  for (int d = 0; amounts != NULL && d < mix->parts[0].plan->n_devices; d++)
    amounts[d] += more;
  return amounts != NULL;
}

static gboolean
negative_amount (TpMix *mix)
{
  TpTestEndsShare it;
  gint64 *amounts = find_amounts (mix, &it);

  if (amounts != NULL)
    amounts[pick (mix->parts[0].plan->n_devices)] = -1 - pick (100);
  return amounts != NULL;
}

/* Where its op may not be. */
static gboolean
amount_nowhere (TpMix *mix)
{
  TpTestEndsShare it;
  gint64 *amounts = find_amounts (mix, &it);

  for (int d = 0; amounts != NULL && d < it.part->plan->n_devices; d++)
    if (tp_costs_node (it.part->plan->costs, *it.op, d)->time_ns
        == TP_COST_NONE)
      {
        amounts[d] = 1 + pick (100);
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
  MUTATION (rule_out_all),
  MUTATION (turn_rows),
  MUTATION (bytes_of_copy),
  MUTATION (raise_amounts),
  MUTATION (negative_amount),
  MUTATION (amount_nowhere),
  { NULL, NULL },
};
