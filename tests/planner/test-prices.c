/* test-prices.c: prices on memory by duality. A mix of placements that fits and costs
 * what the prices say no placement costs less than is the cheapest, and the prices are
 * the best: either is wrong if the other is not right. */
#include "config.h"

#include "ir/array.h"
#include "planner/limit-prices.h"

#include <math.h>

#define CASES 3000
#define CLOSE 1e-7

static double
draw (double low, double high)
{
  return g_test_rand_double_range (low, high);
}

/* Some as large as each other, some that hold nothing. */
static TpArray *
draw_columns (int n, int n_rows)
{
  g_autoptr (TpArray) columns = tp_array_new (sizeof (TpLimitColumn));

  for (int k = 0; k < n; k++)
    {
      TpLimitColumn column = { .cost = draw (0, 3) };

      if (g_test_rand_int_range (0, 4) == 0)
        column.cost = g_test_rand_int_range (0, 3);
      for (int row = 0; row < n_rows; row++)
        column.over[row] = g_test_rand_int_range (0, 5) == 0 ? -1
                                                             : draw (-1, 1);
      tp_array_append_val (columns, column);
    }
  return g_steal_pointer (&columns);
}

static double
price_column (const TpLimitColumn *column, const TpLimitPrices *prices, int n_rows)
{
  double sum = column->cost;

  for (int row = 0; row < n_rows; row++)
    sum += prices->prices[row] * column->over[row];
  return sum;
}

/* No placement is cheaper at these prices, and none of these is too high. */
static void
check_prices (const TpArray *columns, int n_rows, double max_price,
              const TpLimitPrices *prices)
{
  for (int row = 0; row < n_rows; row++)
    {
      g_assert_cmpfloat (prices->prices[row], >=, 0);
      g_assert_cmpfloat (prices->prices[row], <=, max_price + CLOSE);
    }
  for (guint k = 0; k < columns->len; k++)
    g_assert_cmpfloat (
        price_column (&tp_array_index (columns, TpLimitColumn, k), prices, n_rows),
        >=, prices->value - CLOSE * (1 + max_price));
}

/* What the mix holds too much costs the highest price. */
static void
check_mix (const TpArray *columns, int n_rows, double max_price,
           const TpLimitPrices *prices, const double *parts)
{
  double sum = 0, cost = 0, most = 0;

  for (guint k = 0; k < columns->len; k++)
    {
      g_assert_cmpfloat (parts[k], >=, 0);
      sum += parts[k];
      cost += parts[k] * tp_array_index (columns, TpLimitColumn, k).cost;
    }
  g_assert_cmpfloat (fabs (sum - 1), <, CLOSE);
  for (int row = 0; row < n_rows; row++)
    {
      double over = 0;

      for (guint k = 0; k < columns->len; k++)
        over += parts[k] * tp_array_index (columns, TpLimitColumn, k).over[row];
      most = MAX (most, over);
      cost += max_price * MAX (over, 0);
    }
  g_assert_true (prices->is_short == (most > 1e-9));
  g_assert_cmpfloat (fabs (cost - prices->value), <, CLOSE * (1 + max_price));
}

static void
test_duality (void)
{
  int n_short = 0, n_priced = 0;

  for (int i = 0; i < CASES; i++)
    {
      int n_rows = g_test_rand_int_range (0, TP_LIMIT_MAX_ROWS + 1);
      int n = g_test_rand_int_range (1, 80);
      double max_price = pow (10, g_test_rand_int_range (0, 5));
      g_autoptr (TpArray) columns = draw_columns (n, n_rows);
      g_autofree double *parts = g_new (double, n);
      TpLimitPrices prices;

      tp_limit_prices_find (columns, n_rows, max_price, &prices, parts);
      check_prices (columns, n_rows, max_price, &prices);
      check_mix (columns, n_rows, max_price, &prices, parts);
      n_short += prices.is_short;
      for (int row = 0; row < n_rows; row++)
        if (prices.prices[row] > 0 && !prices.is_short)
          {
            n_priced++;
            break;
          }
    }
  g_test_message ("%d do not fit, %d at a price", n_short, n_priced);
  g_assert_cmpint (n_short, >, CASES / 100);
  g_assert_cmpint (n_priced, >, CASES / 10);
}

/* Two lines: where they meet. */
static void
test_two (void)
{
  TpLimitColumn two[] = { { 1, { 1 } }, { 3, { -1 } } };
  g_autoptr (TpArray) columns = tp_array_new (sizeof (TpLimitColumn));
  TpLimitPrices prices;
  double parts[2];

  tp_array_append_vals (columns, two, 2);
  tp_limit_prices_find (columns, 1, 100, &prices, parts);
  g_assert_cmpfloat (fabs (prices.prices[0] - 1), <, CLOSE);
  g_assert_cmpfloat (fabs (prices.value - 2), <, CLOSE);
  g_assert_cmpfloat (fabs (parts[0] - 0.5), <, CLOSE);
  g_assert_false (prices.is_short);
}

/* One that does not fit pays the highest price. */
static void
test_short (void)
{
  TpLimitColumn one = { 1, { 0.5 } };
  g_autoptr (TpArray) columns = tp_array_new (sizeof (TpLimitColumn));
  TpLimitPrices prices;
  double part;

  tp_array_append_val (columns, one);
  tp_limit_prices_find (columns, 1, 100, &prices, &part);
  g_assert_true (prices.is_short);
  g_assert_cmpfloat (fabs (prices.prices[0] - 100), <, CLOSE);
  g_assert_cmpfloat (fabs (prices.value - 51), <, CLOSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/prices/duality", test_duality);
  g_test_add_func ("/prices/two", test_two);
  g_test_add_func ("/prices/short", test_short);
  return g_test_run ();
}
