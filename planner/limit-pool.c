/* limit-pool.c: see limit-pool.h. */
#include "config.h"

#include "planner/limit-pool.h"

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
