/* mutations-fitting-shares.c: ways to spoil what a plan for energy or price on three
 * devices and more proves by shares of what fits into limits of memory. */
#include "config.h"

#include "mutations.h"

/* By prices on what is held, or of all, whether they fit or not; NULL: none is. */
static TpShareProof *
pick_shares (const TpPlan *plan, gboolean is_priced)
{
  const TpPointers *ends = plan->rate_proof->fitting;

  for (guint i = 0; i < ends->len; i++)
    {
      TpShareProof *it = ((TpRateEnd *) ends->pdata[i])->shares;

      if (it != NULL && (it->room != NULL && it->prices->len > 0) == is_priced)
        return it;
    }
  return NULL;
}

static TpShareProof *
pick_priced (const TpPlan *plan)
{
  return pick_shares (plan, TRUE);
}

static TpShareProof *
pick_free (const TpPlan *plan)
{
  return pick_shares (plan, FALSE);
}

static gboolean
lower_priced (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_priced (plan);

  return shares != NULL && shares->room_ns-- > 0;
}

static gboolean
raise_priced (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_priced (plan);

  if (shares != NULL)
    shares->room_ns = G_GINT64_CONSTANT (1) << 61;
  return shares != NULL;
}

static TpMemoryPrice *
pick_price (const TpPlan *plan)
{
  TpShareProof *shares = pick_priced (plan);

  return shares == NULL ? NULL
                        : &tp_array_index (shares->prices, TpMemoryPrice,
                                           pick ((int) shares->prices->len));
}

static gboolean
lower_price (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price != NULL)
    price->price = -1 - pick (1000);
  return price != NULL;
}

static gboolean
price_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price != NULL)
    price->device = plan->n_devices + pick (3);
  return price != NULL;
}

static gboolean
price_never (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryPrice *price = pick_price (plan);

  if (price != NULL)
    price->step = plan->n_placements + pick (3);
  return price != NULL;
}

static gboolean
no_unit (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_priced (plan);

  if (shares != NULL)
    shares->unit = pick (2) ? 0 : (1 << 20) + 1;
  return shares != NULL;
}

static gboolean
row_twice (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_priced (plan);
  TpShareRow row;

  if (shares == NULL || shares->room->rows->len == 0)
    return FALSE;
  row = tp_array_index (shares->room->rows, TpShareRow, 0);
  tp_array_append_val (shares->room->rows, row);
  return TRUE;
}

/* Some row; NULL: there is none. */
static TpShareRow *
pick_row (const TpShareProof *shares)
{
  return shares == NULL || shares->room->rows->len == 0
             ? NULL
             : &tp_array_index (shares->room->rows, TpShareRow,
                                pick ((int) shares->room->rows->len));
}

static gboolean
row_of_nobody (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (pick_priced (plan));

  if (row != NULL)
    row->op = plan->n_placements + pick (3);
  return row != NULL;
}

static gboolean
row_of_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (pick_priced (plan));

  if (row != NULL)
    row->index += test->graph->n_tensors + test->groups->n_groups;
  return row != NULL;
}

static gboolean
negative_amount (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_priced (plan);
  TpShareRow *row = pick_row (shares);

  if (row != NULL)
    tp_array_index (shares->room->amounts, gint64,
                    row->first + (guint) pick (plan->n_devices))
        = -1;
  return row != NULL;
}

/* ---- of all, that fit or not ---- */

static gboolean
no_bounds (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_free (plan);

  if (shares != NULL)
    tp_pointers_cut (shares->bounds, 0);
  return shares != NULL;
}

static gboolean
no_tree (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_free (plan);

  if (shares != NULL)
    tp_array_set_size (shares->entries, 0);
  return shares != NULL;
}

static gboolean
end_twice (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_free (plan);
  TpShareEntry last;

  if (shares == NULL)
    return FALSE;
  last = tp_array_index (shares->entries, TpShareEntry, shares->entries->len - 1);
  tp_array_append_val (shares->entries, last);
  return TRUE;
}

static gboolean
free_without_unit (TpPlan *plan, const TpTestCase *test)
{
  TpShareProof *shares = pick_free (plan);

  if (shares != NULL)
    shares->unit = 0;
  return shares != NULL;
}

const TpTestMutation tp_test_fitting_share_mutations[] = {
  { "lower-priced", lower_priced },
  { "raise-priced", raise_priced },
  { "lower-price", lower_price },
  { "price-nowhere", price_nowhere },
  { "price-never", price_never },
  { "no-unit", no_unit },
  { "row-twice", row_twice },
  { "row-of-nobody", row_of_nobody },
  { "row-of-nothing", row_of_nothing },
  { "negative-amount", negative_amount },
  { "no-bounds", no_bounds },
  { "no-tree", no_tree },
  { "end-twice", end_twice },
  { "free-without-unit", free_without_unit },
  { NULL, NULL },
};
