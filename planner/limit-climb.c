/* limit-climb.c: see limit-climb.h.
 *
 * With one price on what a device holds at one step, what a cut proves is a
 * concave function of the price, made of lines: one for each placement, whose
 * slope is what it holds above the limit. The top lies between a placement that
 * holds too much and one that does not; where their lines meet is the next
 * price to try. */
#include "config.h"

#include "planner/limit-climb.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit-questions.h"

#include <string.h>

#define CUT_ROWS 8            /* as many make a cut take about twice as long */

__extension__ typedef __int128 Wide;

/* Of one placement: what it costs but for this price, and what it holds. */
typedef struct
{
  gint64 price;               /* at which it was found; -1: none was */
  Wide cost, held;
} Line;

typedef struct
{
  TpLimitClimb *climb;
  TpLimitClimber *climber;
  const gint8 *fixed;
  TpArray *prices;            /* those being tried */
  guint n_rows;               /* that have one price, of which one is climbed */
  Line over, under;           /* of the row being climbed */
} Climbing;

void
tp_limit_climb_clear (TpLimitClimb *climb)
{
  g_clear_pointer (&climb->cut, tp_limit_cut_free);
  g_clear_pointer (&climb->over, g_free);
  g_clear_pointer (&climb->under, g_free);
}

static TpMemoryPrice *
get_price (const Climbing *climbing, guint row)
{
  return &tp_array_index (climbing->prices, TpMemoryPrice, row);
}

/* Keeps the cut that proves most. */
static void
try_prices (Climbing *climbing, gint64 *out_value, gint8 *devices)
{
  TpLimitClimber *climber = climbing->climber;
  TpLimitClimb *climb = climbing->climb;
  g_autoptr (TpLimitCut) cut = tp_limit_cut_new (
      climber->model, climbing->prices, TRUE, climbing->fixed);

  climber->cuts_left -= 1 + (int) climbing->prices->len / CUT_ROWS;
  tp_limit_best_offer (climber->best, cut->devices);
  *out_value = cut->value;
  memcpy (devices, cut->devices, climber->model->n_ops);
  if (climb->cut == NULL || cut->value > climb->cut->value)
    {
      tp_limit_cut_free (climb->cut);
      climb->cut = g_steal_pointer (&cut);
    }
}

static gboolean
is_done (const Climbing *climbing)
{
  return climbing->climber->cuts_left <= 0
         || (climbing->climb->cut != NULL
             && climbing->climb->cut->value >= climbing->climber->best->cost);
}

/* How many rows, from @row on, have one price: two where it is what devices share
 * of which there is too little. */
static guint
count_rows (const Climbing *climbing, guint row)
{
  gboolean is_pair = tp_limit_model_has_pool (climbing->climber->model)
                     && row + 1 < climbing->prices->len
                     && get_price (climbing, row)->device == 0
                     && get_price (climbing, row + 1)->device == 1
                     && get_price (climbing, row)->price
                            == get_price (climbing, row + 1)->price;

  return is_pair ? 2 : 1;
}

static gint64
find_held (const Climbing *climbing, guint row, const gint8 *devices)
{
  gint64 sum = 0;

  for (guint i = 0; i < climbing->n_rows; i++)
    {
      const TpMemoryPrice *it = get_price (climbing, row + i);

      sum += tp_limit_held_sum (&climbing->climber->model->held, devices,
                                  it->device, it->step);
    }
  return sum;
}

/* Where @devices stands in the row. */
static void
take_line (Climbing *climbing, guint row, gint64 value, const gint8 *devices)
{
  const TpLimitModel *model = climbing->climber->model;
  const TpMemoryPrice *price = get_price (climbing, row);
  gint64 limit = climbing->n_rows == 2 ? model->pool
                                       : model->limits[price->device];
  gint64 held = find_held (climbing, row, devices);
  Line line = { price->price,
                (Wide) value - tp_limit_price (price->price, held)
                    + tp_limit_price (price->price, limit),
                held };
  gboolean is_over = held > limit;

  *(is_over ? &climbing->over : &climbing->under) = line;
  memcpy (is_over ? climbing->climb->over : climbing->climb->under, devices,
          model->n_ops);
}

/* Where the lines of @over and @under meet. */
static gint64
meet (const Line *over, const Line *under, gint64 max_price)
{
  Wide price;

  if (under->cost <= over->cost || over->held <= under->held)
    return over->price;
  price = under->cost - over->cost;
  if (price > (Wide) 1 << 90)
    return max_price;
  price = (price << 30) / (over->held - under->held);
  return (gint64) MIN (price, (Wide) max_price);
}

/* With nothing known that fits: dearer, from what the best costs more, or from
 * what a byte costs on average. */
static gint64
guess_dearer (const Climbing *climbing, guint row)
{
  const TpMemoryPrice *price = get_price (climbing, row);
  const TpLimitClimber *climber = climbing->climber;
  gint64 max = climber->max_price, guess = 0;
  Line best;

  if (climber->best->cost != TP_COST_NONE)
    {
      best.cost = climber->best->cost;
      best.held = find_held (climbing, row, climber->best->devices);
      guess = meet (&climbing->over, &best, max);
    }
  if (guess <= price->price)
    guess = price->price == 0
                ? (gint64) MIN (((Wide) climber->model->sum << 24)
                                    / (climbing->over.held + 1),
                                (Wide) max)
                : price->price > max / climber->steep
                      ? max
                      : climber->steep * price->price;
  return MAX (guess, MIN (price->price + 1, max));
}

/* -1: there is nothing left to try. */
static gint64
find_next (const Climbing *climbing, guint row)
{
  const TpMemoryPrice *price = get_price (climbing, row);
  const Line *over = &climbing->over, *under = &climbing->under;
  gint64 next;

  if (over->price < 0)
    return price->price == 0 ? -1
                               : price->price / climbing->climber->steep;
  if (under->price < 0)
    return price->price >= climbing->climber->max_price
               ? -1
               : guess_dearer (climbing, row);
  next = meet (over, under, climbing->climber->max_price);
  return next <= over->price || next >= under->price ? -1 : next;
}

static void
set_price (Climbing *climbing, guint row, gint64 price)
{
  for (guint i = 0; i < climbing->n_rows; i++)
    get_price (climbing, row + i)->price = price;
}

/* From the best prices there are. */
static void
climb_row (Climbing *climbing, guint row, gint8 *devices)
{
  TpMemoryPrice *price = get_price (climbing, row);
  TpLimitClimb *climb = climbing->climb;
  gsize n = climbing->climber->model->n_ops;
  gint64 value = climb->cut->value;

  climbing->n_rows = count_rows (climbing, row);
  climbing->over.price = climbing->under.price = -1;
  climb->device = price->device;
  climb->step = price->step;
  take_line (climbing, row, value, climb->cut->devices);
  for (int i = 0; i < climbing->climber->n_tries && !is_done (climbing); i++)
    {
      gint64 next = find_next (climbing, row);

      if (next < 0)
        break;
      set_price (climbing, row, next);
      try_prices (climbing, &value, devices);
      take_line (climbing, row, value, devices);
    }
  climb->is_hopeless = climbing->under.price < 0
                       && price->price >= climbing->climber->max_price;
  if (climbing->under.price < 0)
    memcpy (climb->under, climb->over, n);
  if (climbing->over.price < 0)
    memcpy (climb->over, climb->under, n);
  set_price (climbing, row,
             row < climb->cut->bound->prices->len
                 ? tp_array_index (climb->cut->bound->prices, TpMemoryPrice,
                                   row).price
                 : 0);
}

static gboolean
has_row (const Climbing *climbing, int device, int step)
{
  for (guint i = 0; i < climbing->prices->len; i++)
    if (get_price (climbing, i)->device == device
        && get_price (climbing, i)->step == step)
      return TRUE;
  return FALSE;
}

/* One price on where either device holds most, of what they share too little of. */
static gboolean
add_pair (Climbing *climbing, const gint8 *devices)
{
  TpMemoryPrice prices[2] = { { 0, 0, 0 }, { 1, 0, 0 } };

  for (int d = 0; d < 2; d++)
    tp_limit_held_peak (&climbing->climber->model->held, devices, d,
                         &prices[d].step);
  if (climbing->prices->len + 2 > TP_MEMORY_MAX_PRICES
      || (has_row (climbing, 0, prices[0].step)
          && has_row (climbing, 1, prices[1].step)))
    return FALSE;
  tp_array_append_vals (climbing->prices, prices, 2);
  return TRUE;
}

/* A price on where @devices holds most too much; FALSE: there is one, or there is
 * no such place. */
static gboolean
add_row (Climbing *climbing, const gint8 *devices)
{
  const TpLimitModel *model = climbing->climber->model;
  TpMemoryPrice price = { -1, -1, 0 };

  if (tp_limit_find_pool_over (model, devices) > 0)
    return add_pair (climbing, devices);
  price.device = tp_limit_find_fullest (model, devices, &price.step);
  if (price.device < 0 || climbing->prices->len >= TP_MEMORY_MAX_PRICES
      || has_row (climbing, price.device, price.step))
    return FALSE;
  tp_array_append_val (climbing->prices, price);
  return TRUE;
}

/* Those that cost nothing are no use. */
static void
drop_rows (Climbing *climbing)
{
  for (guint i = climbing->prices->len; i > 0; i--)
    if (get_price (climbing, i - 1)->price == 0)
      tp_array_remove_index (climbing->prices, i - 1);
}

/* The first of those that were added last. */
static guint
last_row (const Climbing *climbing)
{
  guint n = climbing->prices->len;

  return n >= 2 && count_rows (climbing, n - 2) == 2 ? n - 2 : n - 1;
}

static void
climb_all (Climbing *climbing, gint8 *devices)
{
  gint64 value;

  try_prices (climbing, &value, devices);
  memcpy (climbing->climb->over, devices, climbing->climber->model->n_ops);
  memcpy (climbing->climb->under, devices, climbing->climber->model->n_ops);
  for (guint i = 0; i < climbing->prices->len && !is_done (climbing);
       i += climbing->n_rows)
    climb_row (climbing, i, devices);
  while (!is_done (climbing) && !climbing->climb->is_hopeless
         && add_row (climbing, climbing->climb->under))
    climb_row (climbing, last_row (climbing), devices);
}

void
tp_limit_climb_init (TpLimitClimb *climb, TpLimitClimber *climber,
                     const gint8 *fixed, const TpArray *prices)
{
  int n = climber->model->n_ops;
  g_autoptr (TpArray) own = tp_array_new (sizeof (TpMemoryPrice));
  Climbing climbing = { .climb = climb, .climber = climber, .fixed = fixed,
                        .prices = own };
  g_autofree gint8 *devices = tp_new0 (gint8, n + 1);

  *climb = (TpLimitClimb){ .device = -1, .step = -1 };
  climb->over = tp_new0 (gint8, n + 1);
  climb->under = tp_new0 (gint8, n + 1);
  tp_array_append_vals (own, prices->data, prices->len);
  drop_rows (&climbing);
  climb_all (&climbing, devices);
}
