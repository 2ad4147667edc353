/* mutations-ends.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on any devices: shares, rows of shares and prices. */
#include "config.h"

#include "mutations-ends.h"

#include <string.h>

#define COPIES "hdt"
#define GAINS "ceg"
#define BYTES "m"
#define ANY COPIES GAINS BYTES
#define TOGETHER "k"

/* ---- where they are ------------------------------------------------------------- */

static TpArray *
get_all (const TpTestEndsShare *it)
{
  return it->bound != NULL ? it->bound->shares : it->proof->room->rows;
}

static void
set_share (TpTestEndsShare *out, guint i)
{
  if (out->bound != NULL)
    {
      TpMemoryShare *it = &tp_array_index (out->all, TpMemoryShare, i);

      out->record = it;
      out->kind = &it->kind;
      out->index = &it->index;
      out->row = &it->row;
      out->op = &it->op;
    }
  else
    {
      TpShareRow *it = &tp_array_index (out->all, TpShareRow, i);

      out->record = it;
      out->kind = &it->kind;
      out->index = &it->index;
      out->row = &it->row;
      out->op = &it->op;
    }
}

/* Of bound @i, of so many of each end. FALSE: there are no more. */
static gboolean
set_bound (const TpMix *mix, guint i, TpTestEndsShare *out)
{
  const TpRoomEnds *ends = tp_test_ends_get (mix);

  if (i >= ends->bounds->len + ends->shares->len)
    return FALSE;
  *out = (TpTestEndsShare){ .part = &mix->parts[i % (guint) mix->n_parts] };
  if (ends->bounds->len > 0)
    out->bound = ends->bounds->pdata[i];
  else
    out->proof = ends->shares->pdata[i];
  out->prices = out->bound != NULL ? out->bound->prices : out->proof->prices;
  return TRUE;
}

gboolean
tp_test_ends_find (const TpMix *mix, const char *kinds, TpTestEndsShare *out)
{
  for (guint i = 0; set_bound (mix, i, out); i++)
    {
      out->all = get_all (out);
      for (guint k = 0; k < out->all->len; k++)
        {
          set_share (out, k);
          if (strchr (kinds, *out->kind) != NULL)
            return TRUE;
        }
    }
  return FALSE;
}

/* ---- prices ---------------------------------------------------------------------- */

/* NULL: there is none. */
static TpMemoryPrice *
find_price (const TpMix *mix)
{
  TpTestEndsShare it;

  for (guint i = 0; set_bound (mix, i, &it); i++)
    if (it.prices->len > 0)
      return &tp_array_index (it.prices, TpMemoryPrice,
                              pick ((int) it.prices->len));
  return NULL;
}

#define SPOIL(name, change) TP_TEST_SPOIL_FOUND (name, TpMemoryPrice, find_price (mix), change)

SPOIL (negative_price, price = -1 - pick (1000))
SPOIL (price_elsewhere, device = mix->parts[0].plan->n_devices + pick (3))
SPOIL (price_before_all, device = -1 - pick (2))
SPOIL (price_never, step = 1 << 20)
SPOIL (price_too_early, step = -1)

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
  TpTestEndsShare it;

  if (!tp_test_ends_find (mix, BYTES, &it))
    return FALSE;
  tp_array_set_size (it.prices, 0);
  return TRUE;
}

/* ---- shares ---------------------------------------------------------------------- */

static gboolean
share_twice (TpMix *mix)
{
  TpTestEndsShare it;
  g_autofree void *copy = NULL;

  if (!tp_test_ends_find (mix, ANY, &it))
    return FALSE;
  copy = g_memdup2 (it.record, it.all->size);
  tp_array_append_vals (it.all, copy, 1);
  return TRUE;
}

#define SPOIL_SHARE(name, kinds, field, value)                                 \
  static gboolean name (TpMix *mix)                                            \
  {                                                                            \
    TpTestEndsShare it;                                                        \
    gboolean is_any = tp_test_ends_find (mix, kinds, &it);                     \
                                                                               \
    if (is_any)                                                                \
      *it.field = value;                                                       \
    return is_any;                                                             \
  }

SPOIL_SHARE (share_of_nobody, ANY TOGETHER, op, 1 << 20)
SPOIL_SHARE (share_of_no_op, ANY TOGETHER, op, -1)
SPOIL_SHARE (share_of_nothing, ANY, index, 1 << 20)
SPOIL_SHARE (share_before_all, ANY TOGETHER, index, -1)
SPOIL_SHARE (share_of_no_price, BYTES, row, *it.row + 100)
SPOIL_SHARE (share_of_price_before, BYTES, row, -1)
SPOIL_SHARE (unknown_kind, ANY, kind, 'x')

/* Who makes what is copied does not read it. */
static gboolean
share_of_maker (TpMix *mix)
{
  TpTestEndsShare it;

  if (!tp_test_ends_find (mix, COPIES, &it)
      || it.part->graph->tensors[*it.index].producer < 0)
    return FALSE;
  *it.op = it.part->graph->tensors[*it.index].producer;
  return TRUE;
}

/* Of the tensor as if it were a group. */
static gboolean
gain_of_copy (TpMix *mix)
{
  TpTestEndsShare it;

  if (!tp_test_ends_find (mix, COPIES, &it)
      || *it.index < it.part->plan->all_groups->n_groups)
    return FALSE;
  *it.kind = it.bound != NULL ? 'c' : 'g';
  return TRUE;
}

static gboolean
copy_of_constant (TpMix *mix)
{
  TpTestEndsShare it;
  const TpGraph *graph
      = tp_test_ends_find (mix, COPIES, &it) ? it.part->graph : NULL;

  for (int i = 0; graph != NULL && i < graph->n_tensors; i++)
    if (tp_tensor_is_resident (&graph->tensors[i]))
      {
        *it.index = i;
        return TRUE;
      }
  return FALSE;
}

#define MUTATION(name) { "ends-" #name, name }

const TpTestMixMutation tp_test_ends_mutations[] = {
  MUTATION (negative_price),
  MUTATION (price_elsewhere),
  MUTATION (price_before_all),
  MUTATION (price_never),
  MUTATION (price_too_early),
  MUTATION (price_without_limit),
  MUTATION (drop_prices),
  MUTATION (share_twice),
  MUTATION (share_of_nobody),
  MUTATION (share_of_no_op),
  MUTATION (share_of_nothing),
  MUTATION (share_before_all),
  MUTATION (share_of_no_price),
  MUTATION (share_of_price_before),
  MUTATION (unknown_kind),
  MUTATION (share_of_maker),
  MUTATION (gain_of_copy),
  MUTATION (copy_of_constant),
  { NULL, NULL },
};
