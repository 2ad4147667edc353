/* mutations-interval.c: ways to spoil between what a plan says a run is. */
#include "config.h"

#include "mutations.h"

TpCostErrors *
tp_test_errors_new (void)
{
  static const gint64 covariances[] = { 250000000, 30000000, 30000000,
                                        90000000 };
  TpCostErrors *errors = tp_cost_errors_new (2);

  for (int i = 0; i < 4; i++)
    errors->covariances[i] = covariances[i];
  errors->run_variance = 40000000;
  errors->n_wholes[0] = 3;
  return errors;
}

static void
reseal (TpPlan *plan)
{
  tp_costs_seal (plan->costs);
  g_free (plan->costs_digest);
  plan->costs_digest = g_strdup (plan->costs->digest);
}

/* Beyond what rounding lets pass. */
TP_TEST_SPOIL (narrow_interval, plan->cost_high_ns -= 3 + plan->cost_high_ns / 1000)

static gboolean
lower_interval (TpPlan *plan, const TpTestCase *test)
{
  plan->cost_low_ns -= MIN (plan->cost_low_ns, 3 + plan->cost_low_ns / 1000);
  return plan->cost_low_ns > 0;
}

static gboolean
drop_interval (TpPlan *plan, const TpTestCase *test)
{
  plan->cost_low_ns = plan->cost_high_ns = -1;
  return plan->costs->errors != NULL;
}

TP_TEST_SPOIL (drop_half_interval, plan->cost_low_ns = -1)

/* A plan of real figures that says nothing is wrong with them. */
static gboolean
drop_errors (TpPlan *plan, const TpTestCase *test)
{
  gboolean had_errors = plan->costs->errors != NULL && plan->cost_ns > 100;

  g_clear_pointer (&plan->costs->errors, tp_cost_errors_free);
  reseal (plan);
  return had_errors;
}

/* Where kernels are most of it. */
static gboolean
change_covariance (TpPlan *plan, const TpTestCase *test)
{
  TpCostErrors *errors = plan->costs->errors;
  gint64 kernels_ns = 0;

  for (int i = 0; i < plan->n_placements; i++)
    kernels_ns += plan->placements[i].time_ns;
  if (errors == NULL || plan->cost_ns < 100 || 2 * kernels_ns < plan->cost_ns)
    return FALSE;
  for (int i = 0; i < 4; i++)
    errors->covariances[i] += 2000000000;
  reseal (plan);
  return TRUE;
}

static gboolean
change_run_variance (TpPlan *plan, const TpTestCase *test)
{
  if (plan->costs->errors == NULL || plan->cost_ns < 100)
    return FALSE;
  plan->costs->errors->run_variance += 500000000;
  reseal (plan);
  return TRUE;
}

/* It changes no total, but the digest is of it too. */
static gboolean
change_factor (TpPlan *plan, const TpTestCase *test)
{
  if (plan->costs->errors == NULL)
    return FALSE;
  plan->costs->errors->factors[1]++;
  return TRUE;
}

const TpTestMutation tp_test_interval_mutations[] = {
  { "narrow-interval", narrow_interval },
  { "lower-interval", lower_interval },
  { "drop-interval", drop_interval },
  { "drop-half-interval", drop_half_interval },
  { "drop-errors", drop_errors },
  { "change-covariance", change_covariance },
  { "change-run-variance", change_run_variance },
  { "change-factor", change_factor },
  { NULL, NULL },
};
