/* limit-walks.c: see limit-walks.h. As limit-climb.c does it with cuts. */
#include "config.h"

#include "planner/limit-walks.h"

#include <string.h>

#define FIRST_MOST 4          /* the highest price, of the scale by the limit; then */
#define MAX_MET 256
#define STEEP 32              /* times this, where it is too low */

void
tp_limit_walks_init (TpLimitWalks *walks)
{
  walks->met = tp_array_new (sizeof (TpLimitWalk));
  walks->walks = tp_array_new (sizeof (TpLimitWalk));
  tp_limit_master_init (&walks->master, STEEP);
}

void
tp_limit_walks_clear (TpLimitWalks *walks)
{
  g_clear_pointer (&walks->met, tp_array_unref);
  g_clear_pointer (&walks->walks, tp_array_unref);
  tp_limit_master_clear (&walks->master);
}

static double
get_limit (const TpLimitSweep *sweep, int device)
{
  return (double) sweep->steps->scope->limits[device];
}

static void
add_column (TpLimitWalks *walks, const TpLimitSweep *sweep, const TpLimitBox *box,
            const TpLimitWalk *walk)
{
  TpLimitColumn column = { .cost = (double) walk->cost };
  int row = 0;

  for (int d = 0; d < sweep->steps->scope->n_devices; d++)
    if (sweep->steps->is_limited[d])
      column.over[row++]
          = (double) (walk->weights[d] + box->low[d] + sweep->spare)
                / get_limit (sweep, d)
            - 1;
  tp_array_append_vals (walks->walks, walk, 1);
  tp_limit_master_add (&walks->master, column);
}

static gboolean
is_in (const TpLimitSweep *sweep, const TpLimitBox *box, const TpLimitWalk *walk)
{
  for (int d = 0; d < sweep->steps->scope->n_devices; d++)
    if (walk->peaks[d] > box->high[d])
      return FALSE;
  return TRUE;
}

void
tp_limit_walks_reset (TpLimitWalks *walks, const TpLimitSweep *sweep,
                      const TpLimitBox *box, gint64 scale)
{
  tp_array_set_size (walks->walks, 0);
  tp_limit_master_reset (&walks->master, scale, FIRST_MOST);
  for (guint i = 0; i < walks->met->len; i++)
    {
      const TpLimitWalk *it = &tp_array_index (walks->met, TpLimitWalk, i);

      if (is_in (sweep, box, it))
        add_column (walks, sweep, box, it);
    }
}

void
tp_limit_walks_add (TpLimitWalks *walks, const TpLimitSweep *sweep,
                    const TpLimitWalk *walk)
{
  TpLimitWalk copy = *walk;

  copy.devices = NULL;
  if (walks->met->len == MAX_MET)
    tp_array_remove_index (walks->met, 0);
  tp_array_append_val (walks->met, copy);
  add_column (walks, sweep, &sweep->box, &copy);
}

static gint64
round_price (const TpLimitSweep *sweep, double price)
{
  gint64 max_price = sweep->steps->scope->max_price;

  return price >= (double) max_price ? max_price : (gint64) price;
}

gboolean
tp_limit_walks_next (TpLimitWalks *walks, const TpLimitSweep *sweep,
                     gint64 value, gint64 *price)
{
  TpLimitPrices found;
  gboolean is_new = FALSE;
  gboolean is_more = tp_limit_master_find (
      &walks->master, sweep->steps->n_limited, (double) value, &found);
  int row = 0;

  for (int d = 0; d < sweep->steps->scope->n_devices; d++)
    {
      gint64 next;

      if (!sweep->steps->is_limited[d])
        continue;
      next = round_price (
          sweep, tp_limit_master_get_price (&walks->master, found.prices[row++],
                                            get_limit (sweep, d)));
      is_new |= next != price[d];
      price[d] = next;
    }
  return is_new && is_more;
}

/* By how much, of the limit; 0: it does not, or its peak is not for the box to say. */
static double
find_over (const TpLimitSweep *sweep, const TpLimitWalk *walk, double width,
           int device)
{
  const TpLimitBox *box = &sweep->box;
  double limit = get_limit (sweep, device);

  if (!sweep->steps->is_limited[device] || walk->peaks[device] <= box->low[device]
      || (double) (box->high[device] - box->low[device]) < width * limit)
    return 0;
  return MAX ((double) (walk->weights[device] + walk->peaks[device] + sweep->spare)
                      / limit
                  - 1,
              0);
}

const TpLimitWalk *
tp_limit_walks_find_over (const TpLimitWalks *walks, const TpLimitSweep *sweep,
                          double width, int *out_device)
{
  const TpLimitWalk *found = NULL;
  double most = 0;

  for (guint i = 0; i < walks->walks->len; i++)
    for (int d = 0; d < sweep->steps->scope->n_devices; d++)
      {
        const TpLimitWalk *walk = &tp_array_index (walks->walks, TpLimitWalk, i);
        double over = find_over (sweep, walk, width, d)
                      * tp_limit_master_get_parts (&walks->master)[i];

        if (over <= most)
          continue;
        most = over;
        found = walk;
        *out_device = d;
      }
  return found;
}
