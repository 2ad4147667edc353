/* check-replicas.c: see check-replicas.h. */
#include "config.h"

#include "planner/check/check-replicas.h"

#include "ir/guard.h"

#include <math.h>

#define WITHIN_90 1.645       /* standard deviations to either side */
#define ROUNDING 1e-8         /* relative; and a nanosecond */

/* ---- sources of error ----------------------------------------------------- */

/* Row by row: what is left of the diagonal once that before is taken off. */
static void
find_root (double *root, const gint64 *covariances, int n)
{
  for (int column = 0; column < n; column++)
    for (int row = column; row < n; row++)
      {
        double left = (double) covariances[row * n + column] / TP_COST_BILLION;
        double pivot;

        for (int k = 0; k < column; k++)
          left -= root[row * n + k] * root[column * n + k];
        pivot = row == column ? 0 : root[column * n + column];
        if (row == column)
          root[row * n + column] = left > 0 ? sqrt (left) : 0;
        else if (pivot > 0)
          root[row * n + column] = left / pivot;
      }
}

void
tp_checker_replicas_init (TpCheckerReplicas *replicas, const TpCosts *costs)
{
  int n = costs->n_devices;

  *replicas = (TpCheckerReplicas){ .costs = costs, .n_sources = 3 * n,
                                   .is_sure = costs->errors == NULL };
  replicas->root = tp_new0 (double, (gsize) n * n + 1);
  if (costs->errors != NULL)
    find_root (replicas->root, costs->errors->covariances, n);
}

void
tp_checker_replicas_clear (TpCheckerReplicas *replicas)
{
  g_clear_pointer (&replicas->root, g_free);
}

/* ---- figures -------------------------------------------------------------- */

static TpCheckerFigure
make_figure (TpCheckerReplicas *replicas, int engine, gint64 time_ns,
             gint64 spread_ns)
{
  TpCheckerFigure figure = { -1, 0, 0, -1 };

  if (time_ns <= 0)
    return figure;
  figure.engine = engine;
  figure.time_ns = (double) time_ns;
  figure.sd_ns = (double) spread_ns / TP_COST_SPREADS;
  if (spread_ns > 0)
    {
      figure.source = engine;
      replicas->is_sure = FALSE;
    }
  return figure;
}

static void
list_kernels (TpCheckerReplicas *replicas, const TpChecker *checker,
              const int *group_in, TpCheckerFigure *out)
{
  const TpCosts *costs = checker->costs;
  gsize n_rows = (gsize) costs->n_nodes + costs->n_groups + 1;
  g_autofree int *first_source = tp_new0 (int, n_rows * costs->n_devices);

  for (int i = 0; i < checker->plan->n_placements; i++)
    {
      const TpPlacement *it = &checker->plan->placements[i];
      int row = group_in[i] >= 0 ? costs->n_nodes + checker->group_of[i] : i;
      int number = costs->kernels == NULL ? 0 : costs->kernels[row];
      int *known = &first_source[(gsize) number * costs->n_devices
                                 + it->device];

      out[i] = make_figure (replicas, it->device, it->time_ns, it->spread_ns);
      if (out[i].source < 0)
        continue;
      if (number == 0 || *known == 0)
        *known = replicas->n_sources++;
      out[i].source = *known;
    }
}

TpCheckerFigure *
tp_checker_replicas_list (TpCheckerReplicas *replicas,
                          const TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpCosts *costs = checker->costs;
  int n = costs->n_devices, n_ops = plan->n_placements;
  gsize size = (gsize) n_ops + 2 * (gsize) plan->n_transfers + 1;
  g_autofree TpCheckerFigure *figures = tp_new0 (TpCheckerFigure, size);
  g_autofree int *group_in = tp_new (int, (gsize) n_ops + 1);

  for (int i = 0; i < n_ops; i++)
    group_in[i] = -1;
  for (int g = 0; g < plan->groups->n_groups; g++)
    for (int k = 0; k < plan->groups->groups[g].n_nodes; k++)
      group_in[plan->groups->groups[g].nodes[k]] = g;
  list_kernels (replicas, checker, group_in, figures);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];
      const TpCheckerLegs *legs = &checker->legs[(gsize) it->tensor * n];
      TpCheckerFigure none = { -1, 0, 0, -1 };

      figures[n_ops + 2 * i] = figures[n_ops + 2 * i + 1] = none;
      if (it->from != TP_COSTS_HOST && it->from != costs->host)
        figures[n_ops + 2 * i] = make_figure (
            replicas, 2 * n + it->from, legs[it->from].fetch,
            tp_costs_fetch (costs, it->tensor, it->from)->spread_ns);
      if (it->to != TP_COSTS_HOST && it->to != costs->host)
        figures[n_ops + 2 * i + 1] = make_figure (
            replicas, n + it->to, legs[it->to].feed,
            tp_costs_feed (costs, it->tensor, it->to)->spread_ns);
    }
  return g_steal_pointer (&figures);
}

void
tp_checker_replicas_close (TpCheckerReplicas *replicas)
{
  int n = 1;

  while (n <= 2 * replicas->n_sources && n < TP_CHECKER_REPLICAS)
    n <<= 1;
  replicas->n = replicas->is_sure ? 0 : MAX (n, 2);
}

/* ---- replicas ------------------------------------------------------------- */

static gboolean
is_odd (guint64 bits)
{
  gboolean odd = FALSE;

  for (; bits != 0; bits &= bits - 1)
    odd = !odd;
  return odd;
}

/* The 32 bits of @from, the first last. */
static guint64
reverse (guint64 from)
{
  guint64 to = 0;

  for (int i = 0; i < 32; i++)
    to = 2 * to + (from >> i & 1);
  return to;
}

static double
find_sign (const TpCheckerReplicas *replicas, int source, int replica)
{
  guint64 n_columns = (guint64) replicas->n / 2;
  guint64 column = (guint64) source % n_columns;
  guint64 turn = (guint64) source / n_columns;
  guint64 mixed = column * 2654435761u % (G_GUINT64_CONSTANT (1) << 32);
  int n_odd = is_odd ((guint64) replica & (2 * column + 1)) + is_odd (mixed)
              + is_odd (turn & reverse (mixed));

  return n_odd % 2 == 0 ? 1 : -1;
}

double
tp_checker_replicas_get (const TpCheckerReplicas *replicas,
                         const TpCheckerFigure *figure, int replica)
{
  int n = replicas->costs->n_devices;
  double shift = 0;

  for (int k = 0; figure->engine >= 0 && figure->engine < n && k < n; k++)
    shift += replicas->root[figure->engine * n + k]
             * find_sign (replicas, k, replica);
  shift *= figure->time_ns;
  if (figure->source >= 0)
    shift += figure->sd_ns * find_sign (replicas, figure->source, replica);
  return figure->time_ns + shift > 0 ? figure->time_ns + shift : 0;
}

static gboolean
is_near (gint64 have, double want)
{
  want = MIN (want, (double) TP_PLAN_MAX_NUMBER);
  return have >= 0 && fabs ((double) have - want) <= 1 + ROUNDING * want;
}

gboolean
tp_checker_replicas_check (const TpCheckerReplicas *replicas,
                           TpChecker *checker, gint64 total_ns,
                           const gint64 *told)
{
  const TpCostErrors *errors = replicas->costs->errors;
  double low = (double) total_ns, high = low;
  double mean = 0, variance = 0, sd;

  if (told[0] < 0 && told[1] < 0 && errors == NULL)
    return TRUE;
  for (int r = 0; r < replicas->n; r++)
    mean += replicas->totals[r] / replicas->n;
  for (int r = 0; r < replicas->n; r++)
    variance += pow (replicas->totals[r] - mean, 2) / replicas->n;
  if (mean > 0)
    {
      sd = sqrt (variance / (mean * mean)
                 + (errors == NULL
                        ? 0 : errors->run_variance / TP_COST_BILLION));
      low = mean * exp (-WITHIN_90 * sd);
      high = mean * exp (WITHIN_90 * sd);
    }
  return (is_near (told[0], low) && is_near (told[1], high))
         || tp_checker_fail (checker,
                             "the figures have the whole between %.0f and "
                             "%.0f, the plan says %" G_GINT64_FORMAT
                             " and %" G_GINT64_FORMAT,
                             low, high, told[0], told[1]);
}
