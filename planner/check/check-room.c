/* check-room.c: see check-room.h. The first limits are those of devices. Then comes
 * one for each name that several devices have their memory from, in the order of
 * the first that do. */
#include "config.h"

#include "planner/check/check-room.h"

/* How many have their memory from where @device has it, up to @end. */
static int
count_alike (const TpCosts *costs, int device, int end)
{
  int n = 0;

  for (int i = 0; i < end && costs->pools[device] != NULL; i++)
    n += g_strcmp0 (costs->pools[i], costs->pools[device]) == 0;
  return n;
}

static gboolean
begins_pool (const TpCosts *costs, int device)
{
  return count_alike (costs, device, device) == 0
         && count_alike (costs, device, costs->n_devices) > 1;
}

int
tp_checker_count_limits (const TpCosts *costs)
{
  int n = costs->n_devices;

  for (int i = 0; i < costs->n_devices; i++)
    n += begins_pool (costs, i);
  return n;
}

gint64
tp_checker_find_limit (const TpCosts *costs, const gint64 *limits, int device)
{
  int row = costs->n_devices;
  gint64 limit = limits[device];

  for (int i = 0; i < costs->n_devices; i++)
    if (begins_pool (costs, i))
      {
        gint64 pool = limits[row++];

        if (g_strcmp0 (costs->pools[i], costs->pools[device]) == 0 && pool > 0
            && (limit == 0 || limit > pool))
          limit = pool;
      }
  return limit;
}

TpCheckerRoom
tp_checker_find_room (const TpCosts *costs, const gint64 *limits)
{
  TpCheckerRoom room = { { 0 }, 0 };

  for (int d = 0; d < costs->n_devices; d++)
    room.limits[d] = tp_checker_find_limit (costs, limits, d);
  if (costs->n_devices == 2 && begins_pool (costs, 0))
    room.pool = MAX (limits[2], 0);
  return room;
}

static TpCheckerBytes
pay_first (const TpCheckerBytes *prices, const gint64 *limits, gint64 pool,
           int first)
{
  TpCheckerBytes one = limits[first], other = limits[1 - first];

  if (pool >= 0)
    {
      one = MIN (one, pool);
      other = MIN (other, pool - one);
    }
  return prices[first] * one + prices[1 - first] * other;
}

/* The most is at a corner: one has all that it may have, the other what is left. */
TpCheckerBytes
tp_checker_pay_most (const TpCheckerBytes *prices, const gint64 *limits,
                     gint64 pool)
{
  TpCheckerBytes corners[2];

  for (int d = 0; d < 2; d++)
    corners[d] = pay_first (prices, limits, pool, d);
  return MAX (corners[0], corners[1]);
}

static gboolean
is_alike (const TpCosts *costs, int a, int b)
{
  return g_strcmp0 (costs->pools[a], costs->pools[b]) == 0;
}

gboolean
tp_checker_shares_room (const TpCosts *costs, const gint64 *limits, int device)
{
  int row = costs->n_devices;

  for (int i = 0; i < costs->n_devices; i++)
    if (begins_pool (costs, i) && limits[row++] > 0
        && is_alike (costs, i, device))
      return TRUE;
  return FALSE;
}

/* No more than with so much for any byte of the pool that @first begins, and for those of
 * a device that are dearer what they cost more. */
static TpCheckerBytes
pay_above (const TpCosts *costs, const gint64 *limits,
           const TpCheckerBytes *prices, int first, TpCheckerBytes price)
{
  TpCheckerBytes sum = 0;

  for (int d = first; d < costs->n_devices; d++)
    if (is_alike (costs, first, d))
      sum += MAX (prices[d] - price, 0)
             * tp_checker_find_limit (costs, limits, d);
  return sum;
}

/* The least of these is at the price of one of them, or at none. */
TpCheckerBytes
tp_checker_pay_shared (const TpCosts *costs, const gint64 *limits,
                       const TpCheckerBytes *prices)
{
  TpCheckerBytes sum = 0;
  int row = costs->n_devices;

  for (int i = 0; i < costs->n_devices; i++)
    {
      TpCheckerBytes least;

      if (!begins_pool (costs, i) || limits[row++] <= 0)
        continue;
      least = pay_above (costs, limits, prices, i, 0);
      for (int d = i; d < costs->n_devices; d++)
        if (is_alike (costs, i, d))
          least = MIN (least, prices[d] * limits[row - 1]
                                  + pay_above (costs, limits, prices, i,
                                               prices[d]));
      sum += least;
    }
  return sum;
}

gboolean
tp_checker_is_within (const TpCosts *costs, const gint64 *limits,
                      const TpCheckerBytes *bytes)
{
  int at = costs->n_devices;
  gboolean is_within = TRUE;

  for (int d = 0; d < costs->n_devices; d++)
    {
      TpCheckerBytes sum = 0;

      is_within &= limits[d] == 0 || bytes[d] <= limits[d];
      if (!begins_pool (costs, d))
        continue;
      for (int i = d; i < costs->n_devices; i++)
        if (is_alike (costs, i, d))
          sum += bytes[i];
      is_within &= limits[at] == 0 || sum <= limits[at];
      at++;
    }
  return is_within;
}
