/* share-price.c: see share-price.h.
 *
 * What a device holds when an op begins has a price, for which placements that fit pay
 * no more than for the limit. So what all cost at least with prices, less that, is no
 * more than any that fits costs: a concave function of the prices. Of devices that share
 * memory what fits pays most with as much of it on the dearest as there may be, then on the
 * next. One price for all rows comes first: where what is cheap with it holds too much it
 * rises, else it falls. Then all prices are found at once by cutting planes (limit-master.c).
 * Messages are kept from price to price. */
#include "config.h"

#include "planner/share-price.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/limit-master.h"
#include "planner/limit-pool.h"
#include "planner/share-climb.h"
#include "planner/share-move.h"
#include "planner/share-tree.h"

#include <string.h>

#define MAX_ROWS 7            /* of prices: no sum of messages overflows */
#define MAX_BYTES (G_GINT64_CONSTANT (1) << 28) /* of messages, about */
#define TRIES 16              /* of one price */
#define ALL_TRIES 32          /* of all */
#define MOST_PRICE 64         /* of what the best costs by the limit */
#define FIRST_SWEEPS 24
#define SWEEPS 6              /* after a price has changed */
#define WORK (G_GINT64_CONSTANT (1) << 26) /* messages looked at: a second or two */

typedef struct
{
  const TpProblem *problem;
  TpLimitHeld held;
  TpArray *prices;            /* TpMemoryPrice: being tried */
  TpShareModel *model;        /* with them */
  TpShareState state;
  int *all;                   /* [op]: every op */
  gint8 *chosen;              /* what was cheap last */
  gint64 chosen_cost;         /* with the prices then */
  guint most_rows;
  TpShareRoom *room;          /* (unowned): placements that fit */
  gint64 best;                /* bound, with the prices of the proof */
  TpShareProof *proof;        /* (unowned) */
  gint64 work;                /* done with models before */
} Search;

static void
search_clear (Search *search)
{
  tp_limit_held_clear (&search->held);
  tp_share_state_clear (&search->state);
  g_clear_pointer (&search->model, tp_share_model_free);
  tp_array_unref (search->prices);
  g_free (search->all);
  g_free (search->chosen);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static TpMemoryPrice *
get_price (const Search *search, int row)
{
  return &tp_array_index (search->prices, TpMemoryPrice, row);
}

static gint64
get_limit (const Search *search, int device)
{
  return tp_pools_get_limit (search->problem->costs, search->problem->limits,
                             device);
}

static gboolean
may_go_on (const Search *search)
{
  return search->best < tp_share_room_get_cost (search->room)
         && search->work + search->model->work < WORK;
}

/* ---- bounds --------------------------------------------------------------- */

/* The limit of what @device shares with others; 0: none. */
static gint64
get_pool (const Search *search, int device)
{
  int row = tp_pools_find (search->problem->costs, device);

  return row < 0 ? 0 : search->problem->limits[row];
}

/* Which bytes placements that fit pay most for: [device]. */
static void
fill_dearest (const Search *search, gint64 *out)
{
  gint64 prices[TP_SHARE_MAX_DEVICES] = { 0 };

  for (guint i = 0; i < search->prices->len; i++)
    prices[get_price (search, (int) i)->device]
        += get_price (search, (int) i)->price;
  tp_limit_fill_dearest (search->problem, prices, out);
}

/* What placements that fit pay for memory at most. */
static gint64
sum_limits (const Search *search)
{
  gint64 bytes[TP_SHARE_MAX_DEVICES], sum = 0;
  TpLimitWide shared = 0;

  fill_dearest (search, bytes);
  for (guint i = 0; i < search->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (search, (int) i);

      if (get_pool (search, it->device) > 0)
        shared += (TpLimitWide) it->price * bytes[it->device];
      else
        sum += tp_limit_price (it->price, bytes[it->device]);
    }
  return sum + (gint64) (shared >> 30);
}

/* Keeps what proves most. */
static void
take_bound (Search *search)
{
  gint64 bound = tp_share_state_bound (&search->state) - sum_limits (search);

  bound = MIN (bound, tp_share_room_get_cost (search->room));
  if (bound <= search->best)
    return;
  search->best = bound;
  tp_share_bound_free (search->proof->room);
  search->proof->room = tp_share_tree_write (&search->state, NULL);
  search->proof->room_ns = search->best;
  tp_array_set_size (search->proof->prices, 0);
  tp_array_append_vals (search->proof->prices, search->prices->data,
                        search->prices->len);
}

/* What is cheap with these prices is offered, and says which of them are to change. */
static void
climb (Search *search, int n_sweeps)
{
  TpShareModel *model = search->model;
  gsize n = model->n_ops;
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);
  gint64 cost;

  for (int i = 0; i < n_sweeps; i++)
    tp_share_state_sweep (&search->state, search->all, (int) n);
  take_bound (search);
  for (gsize i = 0; i < n; i++)
    devices[i] = (guint8) tp_share_state_choose (&search->state, (int) i);
  tp_share_model_spread (model, devices);
  cost = tp_share_model_cost (model, devices);
  tp_share_move_improve (model, devices, &cost);
  model->work += (gint64) model->n_devices * model->n_devices
                 * (model->n_ops + model->members->len);
  tp_share_room_offer (search->room, devices);
  memcpy (search->chosen, devices, n);
  search->chosen_cost = cost;
}

/* ---- rows ----------------------------------------------------------------- */

/* A row more, with the messages there are. FALSE: costs are too large. */
static gboolean
rebuild (Search *search)
{
  g_autoptr (TpShareModel) before = g_steal_pointer (&search->model);
  g_auto (TpShareState) kept = search->state;
  guint n = before == NULL ? 0 : before->members->len;

  search->state = (TpShareState){ .model = NULL };
  search->work += before == NULL ? 0 : before->work;
  search->model = tp_share_model_new_priced (search->problem, &search->held,
                                             search->prices, TP_SHARE_MAX_UNIT,
                                             NULL);
  if (search->model == NULL)
    return FALSE;
  tp_share_state_init (&search->state, search->model);
  for (guint i = 0; i < n; i++)
    tp_share_state_add (&search->state, (int) i,
                        &kept.messages[(gsize) i * before->n_devices]);
  return TRUE;
}

static gboolean
has_row (const Search *search, const TpMemoryPrice *price)
{
  for (guint i = 0; i < search->prices->len; i++)
    if (get_price (search, (int) i)->device == price->device
        && get_price (search, (int) i)->step == price->step)
      return TRUE;
  return FALSE;
}

/* By how much @devices holds too much in the row. */
static gint64
find_over (const Search *search, const gint8 *devices,
           const TpMemoryPrice *row)
{
  return tp_limit_held_sum (&search->held, devices, row->device, row->step)
         - get_limit (search, row->device);
}

/* By how much all that share with @device hold too much, each where it holds most. */
static gint64
find_pool_over (const Search *search, const gint8 *devices, int device)
{
  int row = tp_pools_find (search->problem->costs, device), step;
  gint64 sum = 0;

  if (get_pool (search, device) <= 0)
    return 0;
  for (int d = 0; d < search->problem->n_devices; d++)
    if (tp_pools_is_in (search->problem->costs, row, d))
      sum += tp_limit_held_peak (&search->held, devices, d, &step);
  return sum - search->problem->limits[row];
}

/* Where @devices holds most on @device, if that is too much, by itself or, if @is_shared,
 * with what shares its memory, and there is none yet. */
static void
add_row (Search *search, const gint8 *devices, int device, gboolean is_shared)
{
  TpMemoryPrice price = { device, 0, 0 };
  gint64 over;

  if (get_limit (search, device) <= 0 || search->prices->len >= search->most_rows)
    return;
  tp_limit_held_peak (&search->held, devices, device, &price.step);
  over = is_shared ? find_pool_over (search, devices, device)
                   : find_over (search, devices, &price);
  if (over > 0 && !has_row (search, &price))
    tp_array_append_val (search->prices, price);
}

/* Of what was cheap last. There are few prices: of what is shared where no device has a new
 * one. */
static void
add_rows (Search *search)
{
  int n = search->problem->n_devices;
  guint before = search->prices->len;

  for (int d = 0; d < n; d++)
    add_row (search, search->chosen, d, FALSE);
  if (search->prices->len > before)
    return;
  for (int d = 0; d < n; d++)
    add_row (search, search->chosen, d, TRUE);
}

/* Where all that can on one device is too much for it: what leaves one would go to
 * another that has no price. */
static void
add_first_rows (Search *search)
{
  gsize n = search->problem->graph->n_nodes;
  g_autofree guint8 *devices = tp_new0 (guint8, n + 1);

  for (int d = 0; d < search->problem->n_devices; d++)
    {
      tp_share_move_start (search->model, d, devices);
      add_row (search, (const gint8 *) devices, d, FALSE);
    }
}

static void
set_price (Search *search, int row, gint64 price)
{
  get_price (search, row)->price = price;
  tp_share_model_set_price (search->model, row, get_price (search, row));
}

/* What a price starts from: a share of what is to be proved, for all bytes. */
static gint64
guess_price (const Search *search)
{
  gint64 cost = tp_share_room_get_cost (search->room);
  gint64 gap = cost == TP_COST_NONE ? search->best : cost - search->best;
  TpLimitWide price = (TpLimitWide) MAX (gap, 1) << 30;

  price /= 16 * (TpLimitWide) MAX (search->held.all_bytes, 1);
  return (gint64) CLAMP (price, 1, (TpLimitWide) search->model->max_price);
}

/* Whether more is held than may be in any row, or by those together that share. */
static gboolean
is_over (const Search *search)
{
  for (guint i = 0; i < search->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (search, (int) i);

      if (find_over (search, search->chosen, it) > 0
          || find_pool_over (search, search->chosen, it->device) > 0)
        return TRUE;
    }
  return FALSE;
}

static void
set_prices (Search *search, gint64 price)
{
  for (guint i = 0; i < search->prices->len; i++)
    set_price (search, (int) i, price);
}

/* As the proof has them; those that came later cost nothing. */
static void
recall_prices (Search *search)
{
  const TpArray *best = search->proof->prices;

  for (guint i = 0; i < search->prices->len; i++)
    set_price (search, (int) i,
               i < best->len && search->proof->room != NULL
                   ? tp_array_index (best, TpMemoryPrice, i).price : 0);
}

/* One price of all rows: towards that at which as much is held as may be. */
static void
climb_one (Search *search)
{
  gint64 low = 0, high = 0, price = 0;

  for (int i = 0; i < TRIES && may_go_on (search); i++)
    {
      gint64 next;

      *(is_over (search) ? &low : &high) = price;
      next = high > 0 ? low + (high - low) / 2
             : price > 0 ? 4 * MIN (price, search->model->max_price / 4)
                         : guess_price (search);
      if (next == price || (high > 0 && high - low <= high / 64))
        break;
      price = next;
      set_prices (search, price);
      climb (search, SWEEPS);
    }
  recall_prices (search);
}

/* Of all rows at once. */
typedef struct
{
  Search *search;
  TpLimitMaster master;
  gboolean has_begun;
} Ascent;

static void
ascent_clear (Ascent *it)
{
  tp_limit_master_clear (&it->master);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ascent, ascent_clear)

/* What was cheap last, as a plane of prices. */
static void
add_column (const Search *search, TpLimitMaster *master)
{
  TpLimitColumn column = { .cost = (double) search->chosen_cost };
  gint64 bytes[TP_SHARE_MAX_DEVICES];

  fill_dearest (search, bytes);
  for (guint i = 0; i < search->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (search, (int) i);
      gint64 limit = get_limit (search, it->device);
      gint64 held = find_over (search, search->chosen, it) + limit;

      column.cost -= (double) tp_limit_price (it->price, held);
      column.over[i] = (double) (held - bytes[it->device]) / (double) limit;
    }
  tp_limit_master_add (master, column);
}

static gboolean
try (gpointer data)
{
  Ascent *it = data;

  if (it->has_begun)
    climb (it->search, SWEEPS);
  it->has_begun = TRUE;
  if (!may_go_on (it->search))
    return FALSE;
  add_column (it->search, &it->master);
  return TRUE;
}

/* Every other time halfway to those of the proof. They are tried whether they promise more
 * or not: messages are kept, and rise. */
static gboolean
next (gpointer data, int round)
{
  Ascent *it = data;
  Search *search = it->search;
  const TpArray *best = search->proof->prices;
  TpLimitPrices found;

  tp_limit_master_find (&it->master, (int) search->prices->len, 0, &found);
  for (guint i = 0; i < search->prices->len; i++)
    {
      gint64 limit = get_limit (search, get_price (search, (int) i)->device);
      double price = tp_limit_master_get_price (&it->master, found.prices[i],
                                                (double) limit);
      gint64 kept = i < best->len ? tp_array_index (best, TpMemoryPrice, i).price
                                  : 0;

      if (round % 2 == 0)
        price = (price + (double) kept) / 2;
      set_price (search, (int) i,
                 (gint64) MIN (price, (double) search->model->max_price));
    }
  return TRUE;
}

static void
climb_all (Search *search)
{
  static const TpLimitAscent ascent = { try, next };
  g_auto (Ascent) it = { .search = search };
  gint64 cost = tp_share_room_get_cost (search->room);

  tp_limit_master_init (&it.master, 1);
  tp_limit_master_reset (&it.master,
                         cost == TP_COST_NONE ? search->best : cost, MOST_PRICE);
  tp_limit_master_climb (&ascent, ALL_TRIES + 1, &it);
  recall_prices (search);
}

/* FALSE: there is none to climb by. */
static gboolean
climb_rows (Search *search)
{
  if (search->prices->len == 0 || !rebuild (search))
    return FALSE;
  recall_prices (search);
  climb (search, FIRST_SWEEPS);
  climb_all (search);
  return may_go_on (search);
}

void
tp_share_price_search (const TpProblem *problem, const guint8 *cheapest,
                       TpShareRoom *room, gint64 bound, TpShareProof *proof)
{
  gsize n = problem->graph->n_nodes;
  g_auto (Search) search = { .problem = problem, .room = room, .best = bound,
                             .proof = proof };

  search.prices = tp_array_new (sizeof (TpMemoryPrice));
  search.all = tp_new (int, n + 1);
  search.chosen = tp_memdup (cheapest, n + 1);
  for (gsize i = 0; i < n; i++)
    search.all[i] = (int) i;
  tp_limit_held_init (&search.held, problem);
  if (!rebuild (&search))
    return;
  search.most_rows = (guint) MIN (
      MAX_BYTES / (16 * (gint64) search.model->n_sets
                   * (problem->graph->n_tensors + 1)),
      MAX_ROWS);
  add_first_rows (&search);
  if (search.prices->len == 0 || !rebuild (&search))
    return;
  climb (&search, FIRST_SWEEPS);
  climb_one (&search);
  for (guint before = 0; before < search.prices->len && climb_rows (&search);)
    {
      before = search.prices->len;
      climb (&search, SWEEPS);
      add_rows (&search);
    }
}
