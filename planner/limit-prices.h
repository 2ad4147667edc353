/* limit-prices.h: the prices on memory for which the placements met prove most. */
#ifndef TP_PLANNER_LIMIT_PRICES_H
#define TP_PLANNER_LIMIT_PRICES_H

#include "ir/array.h"
#include "ir/memory-proof.h"

#define TP_LIMIT_MAX_ROWS (TP_MEMORY_MAX_PRICES / 2)

/* A placement: what it costs, and holds above the limit of each row; both are best
 * about as large as 1. */
typedef struct
{
  double cost, over[TP_LIMIT_MAX_ROWS];
} TpLimitColumn;

/* What comes of it. */
typedef struct
{
  double value;               /* no placement met costs less at these prices */
  double prices[TP_LIMIT_MAX_ROWS]; /* [row] */
  gboolean is_short;          /* no mix of them fits, at any price allowed */
} TpLimitPrices;

/* @columns: TpLimitColumn, one at least. No price is above @max_price. @parts: [column]:
 * of each in the mix that fits and costs least; they add up to 1. As good as doubles
 * are: what prices prove is for a cut to say. */
void tp_limit_prices_find (const TpArray *columns, int n_rows, double max_price,
                           TpLimitPrices *out, double *parts);

#endif
