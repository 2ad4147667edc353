/* limit-pool.c: see limit-pool.h. */
#include "config.h"

#include "planner/limit-pool.h"

#include "ir/pools.h"

/* The dearer first: no other way to share a pool comes to more. */
TpLimitWide
tp_limit_pay_most (const gint64 *prices, const gint64 *room, gint64 pool)
{
  int dearer = prices[1] > prices[0], other = 1 - dearer;
  gint64 first = pool < 0 ? room[dearer] : MIN (room[dearer], pool);
  gint64 second = pool < 0 ? room[other] : MIN (room[other], pool - first);

  return (TpLimitWide) prices[dearer] * first
         + (TpLimitWide) prices[other] * second;
}

/* The device of pool @row that is the dearest of those not in @without, devices, a bit
 * for each; -1: none is left. */
static int
find_dearest (const TpCosts *costs, int row, const gint64 *prices,
              guint without)
{
  int found = -1;

  for (int d = 0; d < costs->n_devices; d++)
    if ((without >> d & 1) == 0 && tp_pools_is_in (costs, row, d)
        && (found < 0 || prices[d] > prices[found]))
      found = d;
  return found;
}

/* The dearest first. */
static void
fill_pool (const TpProblem *problem, int row, const gint64 *prices,
           gint64 *out)
{
  gint64 left = problem->limits[row];
  guint done = 0;

  for (int d = find_dearest (problem->costs, row, prices, 0); d >= 0;
       d = find_dearest (problem->costs, row, prices, done))
    {
      out[d] = MIN (out[d], left);
      left -= out[d];
      done |= 1u << d;
    }
}

void
tp_limit_fill_dearest (const TpProblem *problem, const gint64 *prices,
                       gint64 *out)
{
  const TpCosts *costs = problem->costs;

  for (int d = 0; d < costs->n_devices; d++)
    out[d] = tp_pools_get_limit (costs, problem->limits, d);
  for (int row = costs->n_devices; row < tp_pools_count_rows (costs); row++)
    if (problem->limits[row] > 0)
      fill_pool (problem, row, prices, out);
}
