/* limit-climb.c: see limit-climb.h.
 *
 * The placements that cuts found so far say which prices are tried next
 * (limit-master.c); every other time halfway to the best so far, since with few planes that
 * swings (P. Wentges, Weighted Dantzig-Wolfe decomposition for linear mixed-integer
 * programming, 1997). A row is taken in where a placement holds most too much. */
#include "config.h"

#include "planner/limit-climb.h"

#include "ir/guard.h"
#include "planner/limit-master.h"
#include "planner/limit-questions.h"

#include <string.h>

#define CUT_ROWS 8            /* as many make a cut take about twice as long */
#define MAX_SEEN 64
#define CLOSE 1e-6            /* of a limit: nothing */
#define FIRST_MOST 4          /* the highest price, of what the best costs by the */
#define STEEP 32              /* limit; then times this, where it is too low */

/* What a device holds at a step, or both of a pool, each at one. */
typedef struct
{
  int n, devices[2], steps[2];
  gint64 limit;
  double price, best_price;   /* about to be tried; of the best cut: by scale */
} Row;

typedef struct
{
  TpLimitClimb *climb;
  TpLimitClimber *climber;
  const gint8 *fixed;
  Row rows[TP_LIMIT_MAX_ROWS];
  int n_rows;
  TpArray *seen;              /* int: of what cuts found, those with ops as fixed */
  guint n_best;               /* 1: the best is a column, the first; else 0 */
  TpLimitMaster master;       /* columns: of the best, and of each of @seen */
} Climbing;

void
tp_limit_climber_init (TpLimitClimber *climber, TpLimitBest *best, int n_cuts)
{
  *climber = (TpLimitClimber){
    .model = best->model, .best = best, .cuts_left = n_cuts,
    .max_price = tp_limit_held_max_price (&best->model->held,
                                          best->model->limits,
                                          best->model->sum),
    .seen = tp_array_new (sizeof (gint8)),
    .costs = tp_array_new (sizeof (gint64)),
  };
}

void
tp_limit_climber_clear (TpLimitClimber *climber)
{
  g_clear_pointer (&climber->seen, tp_array_unref);
  g_clear_pointer (&climber->costs, tp_array_unref);
}

void
tp_limit_climb_clear (TpLimitClimb *climb)
{
  g_clear_pointer (&climb->cut, tp_limit_cut_free);
  g_clear_pointer (&climb->found, g_free);
  g_clear_pointer (&climb->under, g_free);
  g_clear_pointer (&climb->parts, g_free);
}

/* ---- what was found ------------------------------------------------------- */

static double
find_over (const Climbing *climbing, const Row *row, const gint8 *devices)
{
  const TpLimitHeld *held = &climbing->climber->model->held;
  double sum = 0;

  for (int i = 0; i < row->n; i++)
    sum += (double) tp_limit_held_sum (held, devices, row->devices[i],
                                       row->steps[i]);
  return (sum - (double) row->limit) / (double) row->limit;
}

static void
add_column (Climbing *climbing, gint64 cost, const gint8 *devices)
{
  TpLimitColumn column = { .cost = (double) cost };

  for (int i = 0; i < climbing->n_rows; i++)
    column.over[i] = find_over (climbing, &climbing->rows[i], devices);
  tp_limit_master_add (&climbing->master, column);
}

static const gint8 *
get_seen (const TpLimitClimber *climber, int index)
{
  return (const gint8 *) climber->seen->data
         + (gsize) index * climber->model->n_ops;
}

static gboolean
is_as_fixed (const Climbing *climbing, const gint8 *devices)
{
  for (int i = 0; i < climbing->climber->model->n_ops; i++)
    if (climbing->fixed[i] != TP_LIMIT_FREE
        && climbing->fixed[i] != devices[i])
      return FALSE;
  return TRUE;
}

static const gint8 *
get_devices (const Climbing *climbing, guint index)
{
  return index < climbing->n_best
             ? climbing->climber->best->devices
             : get_seen (climbing->climber,
                         tp_array_index (climbing->seen, int,
                                         index - climbing->n_best));
}

static void
begin_columns (Climbing *climbing)
{
  const TpLimitClimber *climber = climbing->climber;
  const TpLimitBest *best = climber->best;

  tp_limit_master_forget (&climbing->master);
  climbing->n_best = best->cost != TP_COST_NONE
                     && is_as_fixed (climbing, best->devices);
  if (climbing->n_best > 0)
    add_column (climbing, best->cost, best->devices);
  for (guint i = 0; i < climbing->seen->len; i++)
    {
      int index = tp_array_index (climbing->seen, int, i);

      add_column (climbing, tp_array_index (climber->costs, gint64, index),
                  get_seen (climber, index));
    }
}

/* Returns what it costs. */
static gint64
take_seen (Climbing *climbing, const gint8 *devices)
{
  const TpLimitClimber *climber = climbing->climber;
  gint64 cost = tp_limit_model_cost (climber->model, devices);
  int index = (int) climber->costs->len;

  tp_array_append_vals (climber->seen, devices, climber->model->n_ops);
  tp_array_append_val (climber->costs, cost);
  tp_array_append_val (climbing->seen, index);
  return cost;
}

/* Between climbs. */
static void
forget_old (TpLimitClimber *climber)
{
  gsize n = climber->model->n_ops;
  guint too_many = climber->costs->len > MAX_SEEN ? climber->costs->len - MAX_SEEN
                                                  : 0;

  if (too_many == 0)
    return;
  memmove (climber->seen->data, climber->seen->data + too_many * n,
           climber->seen->len - too_many * n);
  memmove (climber->costs->data,
           climber->costs->data + too_many * sizeof (gint64),
           (climber->costs->len - too_many) * sizeof (gint64));
  tp_array_set_size (climber->seen, climber->seen->len - too_many * n);
  tp_array_set_size (climber->costs, climber->costs->len - too_many);
}

/* ---- rows ----------------------------------------------------------------- */

static gboolean
is_same_row (const Row *a, const Row *b)
{
  for (int i = 0; i < MIN (a->n, b->n); i++)
    if (a->devices[i] != b->devices[i] || a->steps[i] != b->steps[i])
      return FALSE;
  return a->n == b->n;
}

/* Where there are too many, in the place of one that has no price; FALSE: it is there,
 * or there is none. */
static gboolean
add_row (Climbing *climbing, const Row *row)
{
  int at = climbing->n_rows;

  for (int i = climbing->n_rows - 1; i >= 0; i--)
    {
      const Row *it = &climbing->rows[i];

      if (is_same_row (it, row))
        return FALSE;
      if (climbing->n_rows == TP_LIMIT_MAX_ROWS && it->price == 0
          && it->best_price == 0)
        at = i;
    }
  if (at == TP_LIMIT_MAX_ROWS)
    return FALSE;
  climbing->rows[at] = *row;
  climbing->n_rows = MAX (climbing->n_rows, at + 1);
  for (guint k = 0; k < climbing->master.columns->len; k++)
    tp_array_index (climbing->master.columns, TpLimitColumn, k).over[at]
        = find_over (climbing, row, get_devices (climbing, k));
  return TRUE;
}

/* Where @devices holds most too much. FALSE: there is a row for that, or no such
 * place. */
static gboolean
add_fullest (Climbing *climbing, const gint8 *devices)
{
  const TpLimitModel *model = climbing->climber->model;
  Row row = { .n = 1 };

  if (tp_limit_find_pool_over (model, devices) > 0)
    {
      row = (Row){ .n = 2, .devices = { 0, 1 }, .limit = model->pool };
      for (int d = 0; d < 2; d++)
        tp_limit_held_peak (&model->held, devices, d, &row.steps[d]);
    }
  else
    {
      row.devices[0]
          = tp_limit_find_fullest (model, devices, &row.steps[0]);
      if (row.devices[0] < 0)
        return FALSE;
      row.limit = model->limits[row.devices[0]];
    }
  climbing->climb->device = row.devices[0];
  climbing->climb->step = row.steps[0];
  return add_row (climbing, &row);
}

/* ---- prices --------------------------------------------------------------- */

static double
get_unit (const Climbing *climbing, const Row *row)
{
  return climbing->master.scale / (double) row->limit * (double) (1 << 30);
}

static gint64
round_price (const Climbing *climbing, const Row *row)
{
  double price = row->price * get_unit (climbing, row);

  return price >= (double) climbing->climber->max_price
             ? climbing->climber->max_price
             : (gint64) price;
}

static TpArray *
list_prices (const Climbing *climbing)
{
  g_autoptr (TpArray) prices = tp_array_new (sizeof (TpMemoryPrice));

  for (int i = 0; i < climbing->n_rows; i++)
    {
      const Row *row = &climbing->rows[i];
      gint64 price = round_price (climbing, row);

      for (int k = 0; k < row->n && price > 0; k++)
        {
          TpMemoryPrice it = { row->devices[k], row->steps[k], price };

          tp_array_append_val (prices, it);
        }
    }
  return g_steal_pointer (&prices);
}

/* Rows that had a price before; two are one, if they are of a pool and have the
 * same. */
static void
take_prices (Climbing *climbing, const TpArray *prices)
{
  const TpLimitModel *model = climbing->climber->model;
  gboolean has_pool = tp_limit_model_has_pool (model);

  for (guint i = 0; i < prices->len; i++)
    {
      const TpMemoryPrice *it = &tp_array_index (prices, TpMemoryPrice, i);
      Row row = { .n = 1, .devices = { it[0].device },
                  .steps = { it[0].step }, .limit = model->limits[it->device] };

      if (has_pool && i + 1 < prices->len && it[0].device == 0
          && it[1].device == 1 && it[0].price == it[1].price)
        {
          row = (Row){ .n = 2, .devices = { 0, 1 },
                       .steps = { it[0].step, it[1].step },
                       .limit = model->pool };
          i++;
        }
      row.price = (double) it->price / get_unit (climbing, &row);
      add_row (climbing, &row);
    }
}

/* Keeps the cut that proves most. */
static void
try_prices (Climbing *climbing)
{
  TpLimitClimber *climber = climbing->climber;
  TpLimitClimb *climb = climbing->climb;
  g_autoptr (TpArray) prices = list_prices (climbing);
  g_autoptr (TpLimitCut) cut
      = tp_limit_cut_new (climber->model, prices, TRUE, climbing->fixed);
  gint64 cost;

  climber->cuts_left -= 1 + (int) prices->len / CUT_ROWS;
  cost = take_seen (climbing, cut->devices);
  memcpy (climb->found, cut->devices, climber->model->n_ops);
  if (tp_limit_best_offer (climber->best, cut->devices))
    begin_columns (climbing);
  else
    add_column (climbing, cost, cut->devices);
  if (climb->cut != NULL && cut->value <= climb->cut->value)
    return;
  tp_limit_cut_free (climb->cut);
  climb->cut = g_steal_pointer (&cut);
  for (int i = 0; i < climbing->n_rows; i++)
    climbing->rows[i].best_price = climbing->rows[i].price;
}

/* Where the placements found prove most; FALSE: no more than the best cut does. */
static gboolean
find_prices (Climbing *climbing, gboolean is_halfway)
{
  TpLimitPrices found;
  gboolean is_more
      = tp_limit_master_find (&climbing->master, climbing->n_rows,
                              (double) climbing->climb->cut->value, &found);

  for (int i = 0; i < climbing->n_rows; i++)
    {
      Row *row = &climbing->rows[i];

      row->price = is_halfway && !found.is_short
                       ? (found.prices[i] + row->best_price) / 2
                       : found.prices[i];
    }
  return is_more;
}

/* Whether too much is held at the highest price there is. */
static gboolean
is_dearest (const Climbing *climbing)
{
  gint64 most = 0;

  for (int i = 0; i < climbing->n_rows; i++)
    most = MAX (most, round_price (climbing, &climbing->rows[i]));
  return climbing->master.is_short && most == climbing->climber->max_price;
}

static gboolean
is_done (const Climbing *climbing)
{
  return climbing->climber->cuts_left <= 0
         || climbing->climb->cut->value >= climbing->climber->best->cost;
}

/* What the mix of placements holds on @device where that is most, at *@out_step. */
static double
find_peak (const Climbing *climbing, int device, int *out_step)
{
  const TpLimitModel *model = climbing->climber->model;
  const double *parts = tp_limit_master_get_parts (&climbing->master);
  g_autofree double *sums = tp_new0 (double, model->n_ops + 1);

  for (guint k = 0; k < climbing->master.columns->len; k++)
    if (parts[k] > 0)
      tp_limit_held_add (&model->held, get_devices (climbing, k), device,
                         parts[k], sums);
  *out_step = 0;
  for (int i = 0; i < model->n_ops; i++)
    if (sums[i] > sums[*out_step])
      *out_step = i;
  return sums[*out_step];
}

/* Rows where the mix holds too much. */
static gboolean
add_rows (Climbing *climbing)
{
  const TpLimitModel *model = climbing->climber->model;
  Row pair = { .n = 2, .devices = { 0, 1 }, .limit = model->pool };
  gboolean is_new = FALSE;
  double held[2];

  for (int d = 0; d < 2; d++)
    {
      Row row = { .n = 1, .devices = { d }, .limit = model->limits[d] };

      held[d] = find_peak (climbing, d, &row.steps[0]);
      pair.steps[d] = row.steps[0];
      if (row.limit > 0 && held[d] > (double) row.limit * (1 + CLOSE))
        is_new |= add_row (climbing, &row);
    }
  if (tp_limit_model_has_pool (model)
      && held[0] + held[1] > (double) pair.limit * (1 + CLOSE))
    is_new |= add_row (climbing, &pair);
  return is_new;
}

/* Takes in rows until prices are found that may prove more; FALSE: there are none. */
static gboolean
find_next (Climbing *climbing, gboolean is_halfway)
{
  for (int i = 0; i < TP_LIMIT_MAX_ROWS; i++)
    {
      if (find_prices (climbing, is_halfway))
        return TRUE;
      if (!add_rows (climbing))
        return FALSE;
    }
  return FALSE;
}

static gboolean
try (gpointer data)
{
  try_prices (data);
  return !is_done (data);
}

static gboolean
next (gpointer data, int round)
{
  Climbing *climbing = data;
  TpLimitClimb *climb = climbing->climb;

  add_fullest (climbing, climb->found);
  if (!find_next (climbing, round % 2 == 0))
    return FALSE;
  climb->is_hopeless = is_dearest (climbing);
  return !climb->is_hopeless;
}

static void
climb_up (Climbing *climbing)
{
  static const TpLimitAscent ascent = { try, next };

  if (tp_limit_master_climb (&ascent, climbing->climber->n_tries, climbing)
      != TP_LIMIT_NO_OTHERS)
    find_prices (climbing, FALSE); /* for the parts */
}

/* ---- what comes of it ----------------------------------------------------- */

static void
mix (Climbing *climbing)
{
  TpLimitClimb *climb = climbing->climb;
  const double *parts = tp_limit_master_get_parts (&climbing->master);
  double least = 0;
  int n = climbing->climber->model->n_ops;

  memcpy (climb->under, climb->found, n);
  for (guint k = 0; k < climbing->master.columns->len; k++)
    {
      const gint8 *devices = get_devices (climbing, k);
      const TpLimitColumn *column
          = &tp_array_index (climbing->master.columns, TpLimitColumn, k);
      double over = -1;

      if (parts[k] <= 0)
        continue;
      for (int i = 0; i < n; i++)
        climb->parts[i] += parts[k] * devices[i];
      for (int i = 0; i < climbing->n_rows; i++)
        over = MAX (over, column->over[i]);
      if (k < climbing->n_best || over >= least)
        continue;
      least = over;
      memcpy (climb->under, devices, n);
    }
}

static void
climbing_clear (Climbing *climbing)
{
  tp_array_unref (climbing->seen);
  tp_limit_master_clear (&climbing->master);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Climbing, climbing_clear)

void
tp_limit_climb_init (TpLimitClimb *climb, TpLimitClimber *climber,
                     const gint8 *fixed, const TpArray *prices)
{
  int n = climber->model->n_ops;
  g_auto (Climbing) climbing = { .climb = climb, .climber = climber,
                                 .fixed = fixed,
                                 .seen = tp_array_new (sizeof (int)) };

  tp_limit_master_init (&climbing.master, STEEP);
  tp_limit_master_reset (&climbing.master,
                         climber->best->cost != TP_COST_NONE
                             ? climber->best->cost
                             : climber->model->sum,
                         FIRST_MOST);
  *climb = (TpLimitClimb){ .device = -1, .step = -1 };
  climb->found = tp_new0 (gint8, n + 1);
  climb->under = tp_new0 (gint8, n + 1);
  climb->parts = tp_new0 (double, n + 1);
  forget_old (climber);
  for (int i = 0; i < (int) climber->costs->len; i++)
    if (is_as_fixed (&climbing, get_seen (climber, i)))
      tp_array_append_val (climbing.seen, i);
  take_prices (&climbing, prices);
  begin_columns (&climbing);
  climb_up (&climbing);
  mix (&climbing);
}
