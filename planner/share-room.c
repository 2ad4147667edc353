/* share-room.c: see share-room.h.
 *
 * Bytes are given a price on the devices that take too much: an op pays for its
 * weights and results where it is, and cuts find what is cheap then (share-move.c). The
 * price rises until all fits and is halved between what does and what does not, as
 * of a Lagrange multiplier. That finds no placement that is cheap for no price; so
 * from the best of them ops, and groups, move one by one while there is room.
 *
 * Ops that pay for bytes that are not alive when most is held pay for nothing: what
 * fits is asked of the layout that sessions use, never of prices. */
#include "config.h"

#include "planner/share-room.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/limit-layout.h"
#include "planner/share-fit.h"
#include "planner/share-move.h"
#include "planner/share-pair.h"

#include <string.h>

#define MAX_PAID (G_GINT64_CONSTANT (1) << 58) /* by all ops; no sum overflows */
#define WORK (G_GINT64_CONSTANT (1) << 26)     /* items looked at: a second */
#define N_PRICES 24
#define N_MERGED 10
#define MAX_PASSES 4

struct TpShareRoom
{
  TpShareModel *model;        /* (unowned) with prices while they are tried */
  guint8 *cheapest;
  TpLimitLayout layout;
  TpLimitHeld held;
  gint64 *own;                /* of @model, without prices */
  double *bytes;              /* [op] */
  double prices[TP_SHARE_MAX_DEVICES]; /* of a byte */
  double low[TP_SHARE_MAX_DEVICES], high[TP_SHARE_MAX_DEVICES];
  double first_price;
  guint8 *best, *nearest;
  gint64 cost, nearest_over;
  gint64 work_left;
  gint64 offers_left;         /* of it, for what is offered from elsewhere */
};

typedef TpShareRoom Room;

void
tp_share_room_free (TpShareRoom *room)
{
  if (room == NULL)
    return;
  if (room->own != NULL)
    memcpy (room->model->own, room->own,
            sizeof (gint64) * room->model->n_ops * room->model->n_devices);
  g_free (room->own);
  g_free (room->bytes);
  g_free (room->cheapest);
  g_free (room->best);
  g_free (room->nearest);
  tp_limit_layout_clear (&room->layout);
  tp_limit_held_clear (&room->held);
  g_free (room);
}

/* What it adds to where it is, if all lived for ever. */
static double
sum_bytes (const TpGraph *graph, const TpNode *node)
{
  double sum = 0;

  for (int i = 0; i < node->n_outputs; i++)
    sum += (double) graph->tensors[node->outputs[i]].size_bytes;
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && tp_tensor_is_resident (&graph->tensors[node->inputs[i]]))
      sum += (double) tp_tensor_get_resident_bytes (
          &graph->tensors[node->inputs[i]]);
  return sum;
}

TpShareRoom *
tp_share_room_new (TpShareModel *model, const guint8 *cheapest)
{
  g_autoptr (TpShareRoom) room = g_new0 (TpShareRoom, 1);
  const TpGraph *graph = model->problem->graph;
  gsize n = model->n_ops;
  double all_bytes = 1;

  *room = (TpShareRoom){ .model = model, .cost = TP_COST_NONE,
                         .nearest_over = G_MAXINT64, .work_left = WORK,
                         .offers_left = WORK };
  tp_limit_layout_init (&room->layout, model->problem);
  tp_limit_held_init (&room->held, model->problem);
  room->own = tp_memdup (model->own,
                         sizeof (gint64) * (n * model->n_devices + 1));
  room->bytes = tp_new0 (double, n + 1);
  room->cheapest = tp_memdup (cheapest, n + 1);
  room->best = tp_memdup (cheapest, n + 1);
  room->nearest = tp_memdup (cheapest, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      double bytes = sum_bytes (graph, &graph->nodes[i]);

      room->bytes[model->leads[i]] += bytes;
      all_bytes += bytes;
    }
  room->first_price = (double) tp_share_model_cost (model, cheapest)
                          * (double) model->unit / all_bytes / 16
                      + 1e-9;
  return g_steal_pointer (&room);
}

/* ---- what fits ---------------------------------------------------------- */

/* What it costs without prices. */
static gint64
find_cost (Room *room, const guint8 *devices)
{
  gint64 *priced = room->model->own, cost;

  room->model->own = room->own;
  cost = tp_share_model_cost (room->model, devices);
  room->model->own = priced;
  room->work_left -= room->model->n_ops + room->model->terms->len;
  return cost;
}

gboolean
tp_share_room_take (TpShareRoom *room, const guint8 *devices)
{
  gint64 cost = find_cost (room, devices), over;

  if (cost >= room->cost)
    return FALSE;
  over = tp_limit_layout_get_over (&room->layout, (const gint8 *) devices);
  room->work_left -= 8 * room->model->problem->graph->n_tensors;
  if (over < room->nearest_over)
    {
      room->nearest_over = over;
      memcpy (room->nearest, devices, room->model->n_ops);
    }
  if (over > 0)
    return FALSE;
  room->cost = cost;
  memcpy (room->best, devices, room->model->n_ops);
  return TRUE;
}

void
tp_share_room_offer_pairs (TpShareRoom *room)
{
  int k = room->model->n_devices;
  g_autofree guint8 *devices
      = tp_new0 (guint8, (gsize) room->model->n_ops + 1);

  for (int a = 0; a < k; a++)
    for (int b = a + 1; b < k; b++)
      if (tp_share_pair_place (room->model->problem, a, b, devices))
        tp_share_room_take (room, devices);
}

/* ---- prices ------------------------------------------------------------- */

static void
set_prices (Room *room)
{
  const TpShareModel *model = room->model;
  double most = (double) MAX_PAID / (model->n_ops + 1);
  int k = model->n_devices;

  for (int i = 0; i < model->n_ops * k; i++)
    if (room->own[i] != TP_COST_NONE)
      model->own[i]
          = room->own[i]
            + (gint64) MIN (room->prices[i % k] * room->bytes[i / k], most);
}

static gboolean
is_limited (const Room *room, int device)
{
  const TpProblem *problem = room->model->problem;

  return tp_pools_get_limit (problem->costs, problem->limits, device) > 0;
}

/* Of the device that takes too much, more; where all fits, less of all. */
static void
change_prices (Room *room, int over)
{
  for (int d = 0; d < room->model->n_devices; d++)
    {
      double *price = &room->prices[d];

      if (over >= 0 && d != over)
        continue;
      if (over >= 0)
        room->low[d] = *price;
      else
        room->high[d] = *price;
      if (room->high[d] > 0)
        *price = (room->low[d] + room->high[d]) / 2;
      else
        *price = *price > 0 ? 4 * *price : room->first_price;
    }
}

/* Of the best and of the cheap @devices, which does not fit, for each op the one or the
 * other, by what is cheap for one price of all bytes after the other. */
static void
merge (Room *room, const guint8 *devices)
{
  gsize n = room->model->n_ops;
  g_autofree guint8 *best = tp_memdup (room->best, n + 1);
  g_autofree guint8 *joined = tp_new0 (guint8, n + 1);
  double kept[TP_SHARE_MAX_DEVICES], low = 0, high = 0, price = 0;

  memcpy (kept, room->prices, sizeof kept);
  for (int i = 0; i < N_MERGED && room->work_left > 0; i++)
    {
      gint64 cost = TP_COST_NONE;
      gboolean fits;

      for (int d = 0; d < room->model->n_devices; d++)
        room->prices[d] = is_limited (room, d) ? price : 0;
      set_prices (room);
      tp_share_move_join (room->model, best, devices, joined, &cost);
      room->work_left -= (gint64) n + room->model->members->len;
      fits = tp_share_room_take (room, joined)
             || tp_limit_layout_get_over (&room->layout,
                                          (const gint8 *) joined) == 0;
      *(fits ? &high : &low) = price;
      if (fits && price <= 0)
        break;
      price = high > 0   ? (low + high) / 2
              : price > 0 ? 4 * price
                          : room->first_price;
    }
  memcpy (room->prices, kept, sizeof kept);
  set_prices (room);
}

/* The first @n ops as in @first, the others as in @second; whether that fits. */
static gboolean
offer_halves (Room *room, const guint8 *first, const guint8 *second, int n)
{
  gsize n_ops = room->model->n_ops;
  g_autofree guint8 *devices = tp_memdup (second, n_ops + 1);

  memcpy (devices, first, n);
  tp_share_model_spread (room->model, devices);
  if (tp_share_room_take (room, devices))
    return TRUE;
  room->work_left -= 8 * room->model->problem->graph->n_tensors;
  return tp_limit_layout_get_over (&room->layout, (const gint8 *) devices) == 0;
}

/* Where layers are alike one price moves all of them or none. As many of the first, and
 * of the last, ops as fit are put where the cheap @devices has them. */
static void
fill (Room *room, const guint8 *devices)
{
  int n = room->model->n_ops;
  g_autofree guint8 *best = tp_memdup (room->best, (gsize) n + 1);

  for (int is_last = 0; is_last < 2; is_last++)
    for (int low = 0, high = n; high - low > 1 && room->work_left > 0;)
      {
        int middle = low + (high - low) / 2;
        gboolean fits
            = is_last ? offer_halves (room, best, devices, n - middle)
                      : offer_halves (room, devices, best, middle);

        *(fits ? &low : &high) = middle;
      }
}

/* From @start, by what is cheap for one price after the other. */
static void
search_prices (Room *room, const guint8 *start)
{
  g_autofree guint8 *devices = tp_memdup (start, room->model->n_ops + 1);
  int k = room->model->n_devices;

  memset (room->low, 0, sizeof room->low);
  memset (room->high, 0, sizeof room->high);
  for (int i = 0; i < N_PRICES && room->work_left > 0; i++)
    {
      int over = tp_limit_layout_find_over (&room->layout,
                                            (const gint8 *) devices);
      gint64 cost;

      change_prices (room, over);
      set_prices (room);
      if (over < 0)
        memcpy (devices, start, room->model->n_ops);
      cost = tp_share_model_cost (room->model, devices);
      tp_share_move_improve (room->model, devices, &cost);
      room->work_left -= (gint64) k * k
                         * (room->model->n_ops + room->model->members->len);
      if (tp_share_room_take (room, devices) || room->cost == TP_COST_NONE)
        continue;
      merge (room, devices);
      fill (room, devices);
    }
  memset (room->prices, 0, sizeof room->prices);
  set_prices (room);
}

/* ---- one by one ----------------------------------------------------------- */

/* Whether @nodes, or those of them that can, are better together on @device, with all
 * that is to be with them. */
static gboolean
move (Room *room, guint8 *devices, const int *nodes, int n, int device)
{
  const TpShareModel *model = room->model;
  guint8 *before = g_alloca (n);
  gboolean is_same = TRUE;

  for (int i = 0; i < n; i++)
    {
      int lead = model->leads[nodes[i]];

      before[i] = devices[lead];
      if (room->own[(gsize) lead * model->n_devices + device] != TP_COST_NONE)
        devices[lead] = (guint8) device;
      is_same &= devices[lead] == before[i];
    }
  if (is_same)
    return FALSE;
  tp_share_model_spread (model, devices);
  if (tp_share_room_take (room, devices))
    return TRUE;
  for (int i = n; i-- > 0;)
    devices[model->leads[nodes[i]]] = before[i];
  tp_share_model_spread (model, devices);
  return FALSE;
}

static gboolean
move_each (Room *room)
{
  const TpProblem *problem = room->model->problem;
  g_autofree guint8 *devices = tp_memdup (room->best, room->model->n_ops + 1);
  gboolean is_better = FALSE;

  for (int d = 0; d < problem->n_devices; d++)
    {
      for (int i = 0; i < room->model->n_ops && room->work_left > 0; i++)
        if (room->model->leads[i] == i)
          is_better |= move (room, devices, &i, 1, d);
      for (int i = 0; i < problem->costs->n_groups && room->work_left > 0; i++)
        is_better |= move (room, devices, problem->groups->groups[i].nodes,
                           problem->groups->groups[i].n_nodes, d);
    }
  return is_better;
}

void
tp_share_room_improve (TpShareRoom *room)
{
  room->work_left = MAX (room->work_left, WORK / 4);
  for (int i = 0; i < MAX_PASSES && room->cost != TP_COST_NONE; i++)
    if (!move_each (room))
      return;
}

/* All that there is, again with what it found, until that is not better. */
void
tp_share_room_search (TpShareRoom *room)
{
  for (int pass = 0; pass < MAX_PASSES; pass++)
    {
      gint64 before = room->cost;

      room->work_left = WORK / (pass + 1);
      search_prices (room, room->cheapest);
      tp_share_room_improve (room);
      if (room->cost == before)
        return;
    }
}

void
tp_share_room_start (TpShareRoom *room)
{
  g_autofree guint8 *start
      = tp_memdup (room->cheapest, (gsize) room->model->n_ops + 1);

  for (int d = 0; d < room->model->n_devices; d++)
    {
      tp_share_move_start (room->model, d, start);
      tp_share_room_take (room, start);
    }
}

/* What does not fit, mended; where its layout takes more than it holds, with as much to
 * spare. */
static void
mend (TpShareRoom *room, const guint8 *devices)
{
  g_autofree guint8 *fitting
      = tp_memdup (devices, (gsize) room->model->n_ops + 1);
  gint64 spare = 0;

  for (int i = 0; i < MAX_PASSES && room->work_left > 0; i++)
    {
      gint64 over;

      if (!tp_share_fit (room->model, &room->held, spare, fitting,
                         &room->work_left)
          || tp_share_room_take (room, fitting) || find_cost (room, fitting) >= room->cost)
        return;
      over = tp_limit_layout_get_over (&room->layout, (const gint8 *) fitting);
      if (over <= 0 || over > G_MAXINT64 / 8 - spare)
        return;
      spare += over;
    }
}

void
tp_share_room_offer (TpShareRoom *room, const guint8 *devices)
{
  gint64 kept = room->work_left, left = MIN (room->offers_left, WORK / 16);

  if (tp_share_room_take (room, devices) || find_cost (room, devices) >= room->cost)
    return;
  room->work_left = left;
  mend (room, devices);
  room->offers_left -= left - room->work_left;
  room->work_left = kept;
}

gint64
tp_share_room_get_over (TpShareRoom *room, const guint8 *devices)
{
  return tp_limit_layout_get_over (&room->layout, (const gint8 *) devices);
}

gint64
tp_share_room_get_cost (const TpShareRoom *room)
{
  return room->cost;
}

const guint8 *
tp_share_room_get_best (const TpShareRoom *room)
{
  return room->cost == TP_COST_NONE ? room->nearest : room->best;
}
