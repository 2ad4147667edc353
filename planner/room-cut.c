/* room-cut.c: see room-cut.h. Graphs have nothing in common but engines and memory, and these
 * are paid for: so each has a cut of its own (limit-cut.c), or shares (room-shares.c). Prices
 * may differ from graph to graph; what fits pays no more than the highest of each device come
 * to for its limit. */
#include "config.h"

#include "planner/room-cut.h"

#include "ir/guard.h"
#include "planner/limit-cut.h"
#include "planner/limit-pool.h"
#include "planner/load-bound.h"
#include "planner/room-shares.h"
#include "planner/share-model.h"

#include <string.h>

#define MOST_WEIGHTS (1 << 22) /* finer than what is rounded up */
#define DEAREST 256            /* all bytes there are, against all else */

typedef struct
{
  const TpRoomGame *game;
  TpRoomCut *cut;
  gint64 total;               /* what weights and prices add up to, about */
  const TpRoomChoice *choice;
  const gint8 *fixed;
  const TpRoomCut *near;      /* (nullable) */
  gint64 highest[TP_SHARE_MAX_DEVICES]; /* [device]: sums of prices */
  TpLimitWide least;          /* weighted, but for what is paid for limits */
} Cutting;

/* ---- weights and prices ------------------------------------------------------ */

/* What is left is for memory. */
static gint64
get_total (const TpProblem *whole)
{
  gint64 limit = whole->n_devices > 2 ? TP_SHARE_LIMIT / DEAREST
                                      : TP_PROBLEM_LIMIT / 4;

  return MIN (MOST_WEIGHTS, limit / (whole->sum + 1));
}

static gint64
round_weights (Cutting *it)
{
  const TpRoomGame *game = it->game;
  gboolean is_one = tp_costs_is_one_engine (game->whole.costs);
  gint64 *weights = it->cut->weights;

  for (int e = 0; e < game->model->n_engines; e++)
    {
      double share = it->choice->shares[is_one ? 0 : e];

      weights[e] = MAX ((gint64) (share * (double) it->total), 1);
    }
  return tp_load_sum_weights (game->model, weights);
}

/* To what is in the same place, if anything is; of shares, whose rows keep their places, it
 * is by itself. */
static void
add_price (TpArray *prices, TpMemoryPrice price, gboolean is_shared)
{
  for (guint i = 0; i < prices->len && !is_shared; i++)
    {
      TpMemoryPrice *it = &tp_array_index (prices, TpMemoryPrice, i);

      if (it->device == price.device && it->step == price.step)
        {
          it->price += price.price;
          return;
        }
    }
  tp_array_append_val (prices, price);
}

/* Of a part, none above @most. */
static TpArray *
list_prices (const Cutting *it, int part, gint64 most)
{
  const TpRoomGame *game = it->game;
  g_autoptr (TpArray) prices = tp_array_new (sizeof (TpMemoryPrice));
  int n = game->whole.n_devices;

  for (int i = 0; i < game->n_rows; i++)
    {
      const TpRoomRow *row = &game->rows[i];
      double price = it->choice->shares[game->model->n_engines + i]
                     * (double) it->total * it->choice->full
                     / (double) row->limit * (double) (1 << 30);
      gint64 whole = (gint64) MIN (price, (double) most);

      for (int d = 0; d < n && (whole > 0 || n > 2); d++)
        if (row->devices >> d & 1)
          add_price (prices,
                     (TpMemoryPrice){ d, row->steps[n * part + d], whole },
                     n > 2);
    }
  return g_steal_pointer (&prices);
}

static void
take_highest (Cutting *it, const TpArray *prices)
{
  gint64 sums[TP_SHARE_MAX_DEVICES] = { 0 };

  for (guint i = 0; i < prices->len; i++)
    {
      const TpMemoryPrice *price = &tp_array_index (prices, TpMemoryPrice, i);

      sums[price->device] += price->price;
    }
  for (int d = 0; d < it->game->whole.n_devices; d++)
    it->highest[d] = MAX (it->highest[d], sums[d]);
}

/* ---- cuts -------------------------------------------------------------------- */

/* Of two devices. */
static void
cut_part (Cutting *it, int part, const gint64 *weights)
{
  const TpRoomPart *own = &it->game->parts[part];
  int n = own->problem->graph->n_nodes;
  g_autoptr (TpProblem) weighed = tp_problem_weigh (own->problem, weights);
  g_autoptr (TpLimitModel) model = NULL;
  g_autoptr (TpLimitCut) cut = NULL;
  g_autoptr (TpArray) prices = NULL;
  gint64 most;

  weighed->limits = it->game->whole.limits;
  model = tp_limit_model_new (weighed);
  most = tp_limit_held_max_price (&model->held, model->limits, model->sum);
  prices = list_prices (it, part, most / MAX (it->game->n_rows, 1));
  take_highest (it, prices);
  cut = tp_limit_cut_new (model, prices, TRUE, it->fixed + own->first);
  it->least += (TpLimitWide) cut->value - cut->offset - model->constant;
  for (int i = 0; i < n; i++)
    it->cut->devices[own->first + i] = (guint8) cut->devices[i];
  it->cut->n_shares += cut->bound->shares->len + 1;
  tp_pointers_add (it->cut->bounds, g_steal_pointer (&cut->bound));
}

/* Of more. */
static void
share_part (Cutting *it, int part, const gint64 *weights)
{
  const TpRoomPart *own = &it->game->parts[part];
  g_autoptr (TpProblem) weighed
      = tp_load_bound_weigh (own->problem, weights, it->fixed + own->first);
  g_autoptr (TpArray) prices = list_prices (it, part, TP_PROBLEM_LIMIT);
  g_autoptr (TpShareProof) shares = tp_room_shares_find (
      weighed, &it->game->held[part], prices,
      it->near == NULL ? NULL : it->near->shares->pdata[part],
      it->cut->devices + own->first);

  take_highest (it, shares->prices);
  it->least += shares->room_ns;
  it->cut->n_shares += shares->room->rows->len + 1;
  tp_pointers_add (it->cut->shares, g_steal_pointer (&shares));
}

static void
prove_part (Cutting *it, int part)
{
  const TpRoomGame *game = it->game;
  gint64 weights[TP_LOAD_MAX_ENGINES];

  for (int e = 0; e < game->model->n_engines; e++)
    weights[e] = it->cut->weights[e] * game->parts[part].n_runs;
  if (game->whole.n_devices > 2)
    share_part (it, part, weights);
  else
    cut_part (it, part, weights);
}

/* What all pay for memory at most. */
static TpLimitWide
pay_limits (const TpRoomGame *game, const gint64 *highest)
{
  gint64 bytes[TP_SHARE_MAX_DEVICES];
  TpLimitWide sum = 0;

  tp_limit_fill_dearest (&game->whole, highest, bytes);
  for (int d = 0; d < game->whole.n_devices; d++)
    sum += (TpLimitWide) highest[d] * bytes[d];
  return sum >> 30;
}

TpRoomCut *
tp_room_cut_new (const TpRoomGame *game, const TpRoomChoice *choice,
                 const gint8 *fixed, const TpRoomCut *near)
{
  g_autoptr (TpRoomCut) cut = g_new0 (TpRoomCut, 1);
  Cutting it = { game, cut, get_total (&game->whole), choice, fixed, near,
                 { 0 }, 0 };
  gint64 sum = round_weights (&it);
  TpLimitWide least;

  cut->bounds = tp_pointers_new ((GDestroyNotify) tp_memory_bound_free);
  cut->shares = tp_pointers_new ((GDestroyNotify) tp_share_proof_free);
  cut->devices = tp_new0 (guint8, (gsize) game->whole.graph->n_nodes + 1);
  for (int i = 0; i < game->n_parts; i++)
    prove_part (&it, i);
  least = MAX (it.least - pay_limits (game, it.highest), 0);
  cut->bound_ns = (gint64) MIN ((least + sum - 1) / sum, TP_COST_NONE - 1);
  return g_steal_pointer (&cut);
}

void
tp_room_cut_free (TpRoomCut *cut)
{
  if (cut == NULL)
    return;
  tp_pointers_free (cut->bounds);
  tp_pointers_free (cut->shares);
  g_free (cut->devices);
  g_free (cut);
}
