/* load-weights.c: see load-weights.h.
 *
 * A game of two: one chooses an engine, the other a placement, and the first is paid
 * what the engine carries. The best weights are how often to choose each engine, and
 * come of a linear program (G. B. Dantzig, A proof of the equivalence of the
 * programming problem and the game problem, 1951): with loads above 0, make the sum of
 * y most where no engine carries more than 1 of all placements by y. Its prices on
 * engines, scaled, are the weights. That program has a row for each engine, of which
 * there are few, and begins with a vertex, y = 0. */
#include "config.h"

#include "planner/load-weights.h"

#include "ir/guard.h"

#define MAX_PIVOTS 2000      /* rounding alone could need more */
#define TINY 1e-11

/* A row for each engine, one of what is gained; a column for each placement, one for
 * what each engine has left, and what is on the right. */
typedef struct
{
  double *cells;
  int n_engines, n_columns;
} Tableau;

static double *
get_row (const Tableau *it, int row)
{
  return &it->cells[(gsize) row * it->n_columns];
}

static double
find_most (const TpArray *rows, int n_engines)
{
  gint64 most = 1;

  for (guint i = 0; i < rows->len; i++)
    for (int e = 0; e < n_engines; e++)
      most = MAX (most, tp_array_index (rows, TpLoadRow, i).loads[e]);
  return (double) most;
}

/* Loads from 1 to 2. */
static void
fill (Tableau *it, const TpArray *rows, double most)
{
  int n = it->n_engines;

  for (int e = 0; e < n; e++)
    {
      double *row = get_row (it, e);

      for (guint i = 0; i < rows->len; i++)
        row[i] = 1
                 + (double) tp_array_index (rows, TpLoadRow, i).loads[e] / most;
      row[rows->len + e] = 1;
      row[it->n_columns - 1] = 1;
    }
  for (guint i = 0; i < rows->len; i++)
    get_row (it, n)[i] = -1;
}

/* R. G. Bland's rule, 1977, by which it ends: the first column that gains; -1: none
 * does. */
static int
find_column (const Tableau *it)
{
  for (int i = 0; i < it->n_columns - 1; i++)
    if (get_row (it, it->n_engines)[i] < -TINY)
      return i;
  return -1;
}

/* The engine that is full first; -1: none. @basis: [engine]: whose column it is. */
static int
find_full (const Tableau *it, const int *basis, int column)
{
  int found = -1;
  double least = 0;

  for (int e = 0; e < it->n_engines; e++)
    {
      const double *row = get_row (it, e);
      double ratio;

      if (row[column] <= TINY)
        continue;
      ratio = row[it->n_columns - 1] / row[column];
      if (found >= 0
          && (ratio > least || (ratio == least && basis[e] > basis[found])))
        continue;
      found = e;
      least = ratio;
    }
  return found;
}

static void
pivot (Tableau *it, int engine, int column)
{
  double *own = get_row (it, engine), by = own[column];

  for (int i = 0; i < it->n_columns; i++)
    own[i] /= by;
  for (int e = 0; e <= it->n_engines; e++)
    {
      double *row = get_row (it, e);
      double times = row[column];

      if (e == engine || times == 0)
        continue;
      for (int i = 0; i < it->n_columns; i++)
        row[i] -= times * own[i];
      row[column] = 0;
    }
}

static void
solve (Tableau *it)
{
  int basis[TP_LOAD_MAX_COLUMNS];

  for (int e = 0; e < it->n_engines; e++)
    basis[e] = it->n_columns - 1 - it->n_engines + e;
  for (int i = 0; i < MAX_PIVOTS; i++)
    {
      int column = find_column (it);
      int engine = column < 0 ? -1 : find_full (it, basis, column);

      if (engine < 0)
        return;
      pivot (it, engine, column);
      basis[engine] = column;
    }
}

double
tp_load_find_weights (const TpArray *rows, int n_engines, double *out)
{
  int n_columns = (int) rows->len + n_engines + 1;
  g_autofree double *cells
      = tp_new0 (double, (gsize) (n_engines + 1) * n_columns);
  Tableau tableau = { cells, n_engines, n_columns };
  double most = find_most (rows, n_engines), sum = 0;

  fill (&tableau, rows, most);
  solve (&tableau);
  for (int e = 0; e < n_engines; e++)
    {
      out[e] = MAX (get_row (&tableau, n_engines)[rows->len + e], 0);
      sum += out[e];
    }
  for (int e = 0; e < n_engines; e++)
    out[e] /= sum;
  return (1 / sum - 1) * most;
}

/* ---- in whole numbers ------------------------------------------------------- */

static gboolean
is_one_engine (const TpLoadModel *model)
{
  return tp_costs_is_one_engine (model->problem->costs);
}

void
tp_load_round_weights (const TpLoadModel *model, const double *weights,
                       gint64 total, gint64 *out)
{
  for (int e = 0; e < model->n_engines; e++)
    out[e] = is_one_engine (model) ? 1 : (gint64) (weights[e] * (double) total);
}

gint64
tp_load_sum_weights (const TpLoadModel *model, const gint64 *weights)
{
  gint64 sum = 0;

  if (is_one_engine (model))
    return weights[0];
  for (int e = 0; e < model->n_engines; e++)
    sum += weights[e];
  return sum;
}

void
tp_load_pull_weights (const TpLoadModel *model, const gint64 *best,
                      double *weights)
{
  double sum = (double) tp_load_sum_weights (model, best);

  for (int e = 0; e < model->n_engines; e++)
    weights[e] = (weights[e] + (double) best[e] / sum) / 2;
}
