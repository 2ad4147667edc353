/* posterior.c: what a figure is likely to be, given all others.
 *
 * Of many noisy figures the smallest are small by luck too, and a minimum over
 * plans goes for just those. The cure is old (C. Stein, 1956; B. Efron and
 * C. Morris, Data analysis using Stein's estimator, 1975): take the logs r of the
 * ratios of a population, each with the variance v of its measurement, as draws
 * from a normal distribution with mean mu and variance tau2. Then the best guess
 * of a ratio is mu + tau2 / (tau2 + v) (r - mu): what was measured exactly stays,
 * what is mostly noise becomes the mean. mu is the weighted mean; tau2 is that
 * which makes the weighted squares add up to their expectation (R. C. Paule and
 * J. Mandel, Consensus values and weighting factors, 1982), which unlike the
 * moments of DerSimonian and Laird does not hang on the few best measured ones.
 *
 * A ratio has two figures; the correction is shared by their variances, which is
 * the posterior mean of each when nothing was known of the figures themselves.
 *
 * Of a group more is known: it has less to do than its ops apart. */
#include "config.h"

#include "calib/posterior.h"

#include "ir/array.h"
#include "ir/guard.h"

#include <math.h>

#define BISECTIONS 60
#define CERTAIN 2.0           /* standard deviations */

typedef struct
{
  double ratio;               /* log, less what is expected */
  double variance;
} Draw;

/* Ratios of one kind. */
typedef struct
{
  TpArray *draws;             /* Draw: each measurement once */
  guint8 *seen;               /* [kernel] */
  double mean, tau2;
  double mean_variance;
} Population;

/* The two sides of a ratio: variances of their logs. */
typedef struct
{
  double ratio;
  double own, other;          /* of the figure to be corrected, above the line */
} Sides;

static void
population_init (Population *it, const TpCosts *costs)
{
  it->draws = tp_array_new (sizeof (Draw));
  it->seen = tp_new0 (guint8, (gsize) costs->n_nodes + costs->n_groups + 1);
}

static void
population_clear (Population *it)
{
  tp_array_unref (it->draws);
  g_free (it->seen);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Population, population_clear)

static void
population_add (Population *it, int kernel, const Sides *sides)
{
  Draw draw = { sides->ratio, sides->own + sides->other };

  if (kernel > 0 && it->seen[kernel]++)
    return;
  tp_array_append_val (it->draws, draw);
}

/* Sets the mean for @tau2; returns the weighted squares. */
static double
weigh (Population *it, double tau2)
{
  double weights = 0, sum = 0, squares = 0;

  for (guint i = 0; i < it->draws->len; i++)
    {
      const Draw *draw = &tp_array_index (it->draws, Draw, i);

      weights += 1 / (draw->variance + tau2);
      sum += draw->ratio / (draw->variance + tau2);
    }
  it->mean = sum / weights;
  it->mean_variance = 1 / weights;
  it->tau2 = tau2;
  for (guint i = 0; i < it->draws->len; i++)
    {
      const Draw *draw = &tp_array_index (it->draws, Draw, i);

      squares += pow (draw->ratio - it->mean, 2) / (draw->variance + tau2);
    }
  return squares;
}

/* The squares fall as tau2 rises: halving finds where they are as expected. */
static gboolean
population_fit (Population *it)
{
  double expected = (double) it->draws->len - 1, low = 0, high = 1e-6;

  if (it->draws->len == 0)
    return FALSE;
  if (weigh (it, 0) <= expected)
    return TRUE;
  while (weigh (it, high) > expected && high < 1e6)
    high *= 4;
  for (int i = 0; i < BISECTIONS; i++)
    {
      double middle = (low + high) / 2;

      if (weigh (it, middle) > expected)
        low = middle;
      else
        high = middle;
    }
  weigh (it, high);
  return TRUE;
}

static gboolean
is_noisy (const TpCost *cost)
{
  return cost->time_ns != TP_COST_NONE && cost->time_ns > 0
         && cost->spread_ns > 0 && !cost->is_estimated;
}

static double
get_sd_ns (const TpCost *cost)
{
  return cost->spread_ns / TP_COST_SPREADS;
}

static double
get_variance (const TpCost *cost)
{
  return pow (get_sd_ns (cost) / cost->time_ns, 2);
}

/* Moves one figure by its share; @sign: -1 below the line. That the mean is not
 * exact either adds to what is left of the variance. */
static void
draw_figure (const Population *it, const Sides *sides, double sign,
             TpCost *cost)
{
  double all = sides->own + sides->other + it->tau2;
  double share = sides->own / all;
  double variance = sides->own * (it->tau2 + sides->other) / all
                    + share * share * it->mean_variance;
  double time_ns
      = cost->time_ns * exp (sign * share * (it->mean - sides->ratio));
  gint64 rounded = (gint64) CLAMP (round (time_ns), 1, 1e17);

  if (cost->measured_ns == 0 && rounded != cost->time_ns)
    cost->measured_ns = cost->time_ns;
  cost->time_ns = rounded;
  cost->spread_ns
      = (gint64) MIN (round (time_ns * sqrt (variance) * TP_COST_SPREADS),
                      1e17);
}

/* ---- a device to the host ------------------------------------------------ */

static TpCost *
get_row (const TpCosts *costs, int row, int device)
{
  return row < costs->n_nodes
             ? tp_costs_node (costs, row, device)
             : tp_costs_group (costs, row - costs->n_nodes, device);
}

/* Of @device, above the line, to @host. */
static gboolean
find_sides (const TpCosts *costs, int row, int device, int host, Sides *out)
{
  const TpCost *above = get_row (costs, row, device);
  const TpCost *below = get_row (costs, row, host);

  if (!is_noisy (above) || !is_noisy (below))
    return FALSE;
  *out = (Sides){ log ((double) above->time_ns / below->time_ns),
                  get_variance (above), get_variance (below) };
  return TRUE;
}

static void
draw_device (TpCosts *costs, int device, int host)
{
  int n_rows = costs->n_nodes + costs->n_groups;
  g_auto (Population) all = { 0 };
  Sides sides;

  population_init (&all, costs);
  for (int row = 0; row < n_rows; row++)
    if (find_sides (costs, row, device, host, &sides))
      population_add (&all, tp_costs_get_kernel (costs, row), &sides);
  if (!population_fit (&all))
    n_rows = 0;
  for (int row = 0; row < n_rows; row++)
    {
      Sides turned;

      if (!find_sides (costs, row, device, host, &sides))
        continue;
      turned = (Sides){ sides.ratio, sides.other, sides.own };
      draw_figure (&all, &sides, 1, get_row (costs, row, device));
      draw_figure (&all, &turned, -1, get_row (costs, row, host));
    }
}

/* ---- a group to its ops -------------------------------------------------- */

/* FALSE: one of the ops of @group was not measured, or cannot be there. Those
 * that compute nothing take nothing. */
static gboolean
sum_ops (const TpCosts *costs, const TpGroup *group, int device,
         gint64 *out_sum)
{
  *out_sum = 0;
  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *cost = tp_costs_node (costs, group->nodes[i], device);

      if (cost->time_ns != 0 && !is_noisy (cost))
        return FALSE;
      *out_sum += MIN (cost->time_ns, (gint64) 1e17 / group->n_nodes);
    }
  return *out_sum > 0;
}

/* Of the log of that sum. An op that is there twice is wrong twice. */
static double
get_ops_variance (const TpCosts *costs, const TpGroup *group, int device,
                  gint64 sum_ns)
{
  double squares = 0;

  for (int i = 0; i < group->n_nodes; i++)
    for (int k = 0; k < group->n_nodes; k++)
      {
        int kernel = tp_costs_get_kernel (costs, group->nodes[i]);

        if (i == k
            || (kernel > 0
                && kernel == tp_costs_get_kernel (costs, group->nodes[k])))
          squares
              += get_sd_ns (tp_costs_node (costs, group->nodes[i], device))
                 * get_sd_ns (tp_costs_node (costs, group->nodes[k], device));
      }
  return squares / ((double) sum_ns * sum_ns);
}

static gboolean
find_gain (const TpCosts *costs, const TpGroups *groups, int index,
           int device, Sides *out)
{
  const TpGroup *group = &groups->groups[index];
  const TpCost *fused = tp_costs_group (costs, index, device);
  gint64 sum_ns;

  if (!is_noisy (fused) || !sum_ops (costs, group, device, &sum_ns))
    return FALSE;
  *out = (Sides){ log ((double) fused->time_ns / sum_ns),
                  get_variance (fused),
                  get_ops_variance (costs, group, device, sum_ns) };
  return TRUE;
}

/* Only the groups are moved: their ops may stand in other groups too. @expected:
 * as for tp_posterior_draw (). */
static void
draw_groups (TpCosts *costs, const TpGroups *groups, const double *expected,
             int device)
{
  g_auto (Population) all = { 0 };

  population_init (&all, costs);
  for (int pass = 0; pass < 2; pass++)
    {
      if (pass == 1 && !population_fit (&all))
        break;
      for (int g = 0; g < costs->n_groups; g++)
        {
          double log_ratio = expected[(gsize) g * costs->n_devices + device];
          Sides sides;

          if (isnan (log_ratio)
              || !find_gain (costs, groups, g, device, &sides))
            continue;
          sides.ratio -= log_ratio;
          if (pass == 0)
            population_add (&all,
                            tp_costs_get_kernel (costs, costs->n_nodes + g),
                            &sides);
          else
            draw_figure (&all, &sides, 1, tp_costs_group (costs, g, device));
        }
    }
}

/* Whether it is beyond doubt that a group takes longer than its ops. */
static gboolean
is_slower (const Sides *gain)
{
  return gain->ratio > CERTAIN * sqrt (gain->own + gain->other);
}

/* One kernel does what its ops do without storing and loading in between. Unless
 * figures say for certain that it takes longer all the same, it is taken to be as
 * fast, less the least there is: else what is fused would follow the noise. */
static void
doubt_losses (TpCosts *costs, const TpGroups *groups, const double *expected,
              int device)
{
  for (int g = 0; g < costs->n_groups; g++)
    {
      double log_ratio = expected[(gsize) g * costs->n_devices + device];
      TpCost *fused = tp_costs_group (costs, g, device);
      gint64 sum_ns;
      Sides gain;

      if (isnan (log_ratio) || log_ratio >= 0
          || !find_gain (costs, groups, g, device, &gain)
          || is_slower (&gain)
          || !sum_ops (costs, &groups->groups[g], device, &sum_ns)
          || fused->time_ns < sum_ns || sum_ns < 2)
        continue;
      if (fused->measured_ns == 0)
        fused->measured_ns = fused->time_ns;
      fused->time_ns = sum_ns - 1;
    }
}

void
tp_posterior_draw (TpCosts *costs, const TpGroups *groups,
                   const double *expected)
{
  int host = MAX (costs->host, 0);

  for (int d = 0; d < costs->n_devices && expected != NULL; d++)
    draw_groups (costs, groups, expected, d);
  for (int d = 0; d < costs->n_devices; d++)
    if (d != host)
      draw_device (costs, d, host);
  for (int d = 0; d < costs->n_devices && expected != NULL; d++)
    doubt_losses (costs, groups, expected, d);
}
