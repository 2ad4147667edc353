/* limit-prices.c: see limit-prices.h.
 *
 * The master of a decomposition (G. B. Dantzig and P. Wolfe, Decomposition principle
 * for linear programs, 1960): the mix of placements that costs least of those that fit
 * in the mean. Its prices on rows are those for which the placements prove most. It has
 * a row for each of memory, of which there are few, and one for parts, which add up to
 * 1; it begins with the first placement alone, what that holds too much being paid at
 * the highest price. */
#include "config.h"

#include "planner/limit-prices.h"

#include "ir/guard.h"

#define MAX_PIVOTS 1000      /* rounding alone could need more */
#define MAX_STEEPEST 200     /* then by a rule that ends */
#define TINY 1e-10

/* Columns: placements; for each row what is left there, and what is too much; the right
 * side. The last row is what is to be gained. */
typedef struct
{
  double *cells;
  int n_rows, n_placements, n_columns; /* with that of parts; the right side apart */
  int basis[TP_LIMIT_MAX_ROWS + 1]; /* [row]: column */
} Tableau;

static double *
get_row (const Tableau *it, int row)
{
  return &it->cells[(gsize) row * (it->n_columns + 1)];
}

static void
subtract (const Tableau *it, int row, int other, double times)
{
  double *from = get_row (it, row);
  const double *what = get_row (it, other);

  if (times == 0)
    return;
  for (int i = 0; i <= it->n_columns; i++)
    from[i] -= times * what[i];
}

/* The row of memory @row, where the first placement is all there is. */
static void
begin_row (Tableau *it, int row)
{
  int parts = it->n_rows - 1, left = it->n_placements + row;
  double over = get_row (it, row)[0];
  double *cells = get_row (it, row);

  cells[left] = 1;
  cells[left + parts] = -1;
  subtract (it, row, parts, over);
  it->basis[row] = over > 0 ? left + parts : left;
  for (int i = 0; i <= it->n_columns && over > 0; i++)
    cells[i] = -cells[i];
  if (over > 0)
    subtract (it, it->n_rows, row, get_row (it, it->n_rows)[left + parts]);
}

static void
fill (Tableau *it, const TpArray *columns, double max_price)
{
  int parts = it->n_rows - 1;
  double *gain = get_row (it, it->n_rows);

  for (int k = 0; k < it->n_placements; k++)
    {
      const TpLimitColumn *column = &tp_array_index (columns, TpLimitColumn, k);

      gain[k] = column->cost;
      get_row (it, parts)[k] = 1;
      for (int row = 0; row < parts; row++)
        get_row (it, row)[k] = column->over[row];
    }
  for (int row = 0; row < parts; row++)
    gain[it->n_placements + parts + row] = max_price;
  get_row (it, parts)[it->n_columns] = 1;
  it->basis[parts] = 0;
  subtract (it, it->n_rows, parts, gain[0]);
  for (int row = 0; row < parts; row++)
    begin_row (it, row);
}

/* That gains most; with @is_first the first, R. G. Bland's rule, 1977. -1: none
 * does. */
static int
find_column (const Tableau *it, gboolean is_first)
{
  const double *gain = get_row (it, it->n_rows);
  double least = -TINY;
  int found = -1;

  for (int i = 0; i < it->n_columns && !(is_first && found >= 0); i++)
    if (gain[i] < least)
      {
        found = i;
        least = gain[i];
      }
  return found;
}

/* The row that is full first; -1: none. */
static int
find_full (const Tableau *it, int column)
{
  int found = -1;
  double least = 0;

  for (int row = 0; row < it->n_rows; row++)
    {
      const double *cells = get_row (it, row);
      double ratio;

      if (cells[column] <= TINY)
        continue;
      ratio = cells[it->n_columns] / cells[column];
      if (found >= 0
          && (ratio > least
              || (ratio == least && it->basis[row] > it->basis[found])))
        continue;
      found = row;
      least = ratio;
    }
  return found;
}

static void
pivot (Tableau *it, int row, int column)
{
  double *own = get_row (it, row), by = own[column];

  for (int i = 0; i <= it->n_columns; i++)
    own[i] /= by;
  for (int other = 0; other <= it->n_rows; other++)
    if (other != row)
      subtract (it, other, row, get_row (it, other)[column]);
  it->basis[row] = column;
}

static void
solve (Tableau *it)
{
  for (int i = 0; i < MAX_PIVOTS; i++)
    {
      int column = find_column (it, i >= MAX_STEEPEST);
      int row = column < 0 ? -1 : find_full (it, column);

      if (row < 0)
        return;
      pivot (it, row, column);
    }
}

static void
read_out (const Tableau *it, TpLimitPrices *out, double *parts)
{
  const double *gain = get_row (it, it->n_rows);

  *out = (TpLimitPrices){ .value = -gain[it->n_columns] };
  for (int row = 0; row < it->n_rows - 1; row++)
    out->prices[row] = MAX (gain[it->n_placements + row], 0);
  for (int k = 0; k < it->n_placements; k++)
    parts[k] = 0;
  for (int row = 0; row < it->n_rows; row++)
    {
      double value = get_row (it, row)[it->n_columns];

      if (it->basis[row] < it->n_placements)
        parts[it->basis[row]] = MAX (value, 0);
      else if (it->basis[row] >= it->n_placements + it->n_rows - 1)
        out->is_short |= value > TINY;
    }
}

void
tp_limit_prices_find (const TpArray *columns, int n_rows, double max_price,
                      TpLimitPrices *out, double *parts)
{
  Tableau it = { .n_rows = n_rows + 1, .n_placements = (int) columns->len,
                 .n_columns = (int) columns->len + 2 * n_rows };
  g_autofree double *cells
      = tp_new0 (double, (gsize) (n_rows + 2) * (it.n_columns + 1));

  it.cells = cells;
  fill (&it, columns, max_price);
  solve (&it);
  read_out (&it, out, parts);
}
