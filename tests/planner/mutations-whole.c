/* mutations-whole.c: ways to spoil what a plan says of itself, whatever its proof. */
#include "config.h"

#include "mutations.h"

#include <string.h>

TP_TEST_SPOIL (raise_cost, plan->cost_ns++)
TP_TEST_SPOIL_IF (lower_cost, plan->cost_ns-- > 0)

/* Of all for one run, which no plan costs less than. */
TP_TEST_SPOIL (raise_least, plan->bound_ns = plan->cost_ns + 1)
TP_TEST_SPOIL (count_estimate, plan->n_estimated++)

/* Of another kind than the proof is. */
static gboolean
set_objective (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->objective);
  plan->objective = g_strdup ("time");
  return TRUE;
}

static gboolean
set_unknown_objective (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->objective);
  plan->objective = g_strdup ("beauty");
  return TRUE;
}

static gboolean
set_certificate (TpPlan *plan, const TpTestCase *test)
{
  gboolean is_cut = g_strcmp0 (plan->certificate, "min-cut") == 0;

  g_free (plan->certificate);
  plan->certificate = g_strdup (is_cut ? "schedule" : "min-cut");
  return TRUE;
}

TP_TEST_SPOIL (change_digest,
               plan->costs_digest[0] = plan->costs_digest[0] == '0' ? '1' : '0')

static gboolean
name_device_twice (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->devices[1]);
  plan->devices[1] = g_strdup (plan->devices[0]);
  return TRUE;
}

TP_TEST_SPOIL (cheapest_nowhere,
               plan->placements[pick (plan->n_placements)].cheapest = plan->n_devices)

static gboolean
claim_single (TpPlan *plan, const TpTestCase *test)
{
  if (plan->best_single < 0)
    return FALSE;
  plan->best_single_ns++;
  return TRUE;
}

static gboolean
no_single (TpPlan *plan, const TpTestCase *test)
{
  if (plan->best_single < 0)
    return FALSE;
  plan->best_single = -1;
  plan->best_single_ns = 0;
  return TRUE;
}

const TpTestMutation tp_test_whole_mutations[] = {
  { "raise-cost", raise_cost },
  { "lower-cost-of-one", lower_cost },
  { "raise-least", raise_least },
  { "count-estimate", count_estimate },
  { "set-objective", set_objective },
  { "set-unknown-objective", set_unknown_objective },
  { "set-certificate", set_certificate },
  { "change-digest", change_digest },
  { "name-device-twice", name_device_twice },
  { "cheapest-nowhere", cheapest_nowhere },
  { "claim-single", claim_single },
  { "no-single", no_single },
  { NULL, NULL },
};
