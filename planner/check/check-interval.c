/* check-interval.c: between what a run is said to be, worked out again.
 *
 * The log of the time of a run is taken as normal. Its variance has three
 * parts: of measurements, each by itself; of what is wrong with all kernels of
 * a device together, by their part in the whole; of one process to the next. */
#include "config.h"

#include "planner/check/check-interval.h"

#include <math.h>

#define WITHIN_90 1.645       /* standard deviations to either side */
#define ROUNDING 1e-9         /* relative; and a nanosecond */

/* Of the device's and its fellows' errors, as a sum of squares would be. */
static double
add_devices (const TpCheckerSide *side, const TpCostErrors *errors)
{
  int n = side->checker->costs->n_devices;
  double sum = 0;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      sum += (double) side->kernels[i] * (double) side->kernels[k]
             * (double) errors->covariances[i * n + k];
  return MAX (sum, 0) / TP_COST_BILLION;
}

/* Of the log. */
static double
find_sd (const TpCheckerSide *side)
{
  const TpCostErrors *errors = side->checker->costs->errors;
  double sd = tp_checker_side_sd (side, NULL), squares = sd * sd;
  double cost = (double) side->cost;

  if (errors != NULL)
    squares += add_devices (side, errors);
  squares /= cost * cost;
  if (errors != NULL)
    squares += errors->run_variance / TP_COST_BILLION;
  return sqrt (squares);
}

static gboolean
is_near (gint64 have, double want)
{
  want = MIN (want, (double) TP_PLAN_MAX_NUMBER);
  return have >= 0 && fabs ((double) have - want) <= 1 + ROUNDING * want;
}

void
tp_checker_check_interval (const TpCheckerSide *side)
{
  TpChecker *checker = side->checker;
  const TpPlan *plan = checker->plan;
  double low = (double) side->cost, high = low;

  if (plan->cost_low_ns < 0 && plan->cost_high_ns < 0
      && checker->costs->errors == NULL)
    return;
  if (side->cost > 0)
    {
      double sd = find_sd (side);

      low *= exp (-WITHIN_90 * sd);
      high *= exp (WITHIN_90 * sd);
    }
  if (!is_near (plan->cost_low_ns, low) || !is_near (plan->cost_high_ns, high))
    tp_checker_fail (checker,
                     "the figures have a run between %.0f and %.0f, the plan "
                     "says %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                     low, high, plan->cost_low_ns, plan->cost_high_ns);
}
