/* mutations-proof.c: ways to spoil a proof, sums, and what a plan is for. */
#include "config.h"

#include "mutations.h"

#include <string.h>

static gint64
pick_shift (void)
{
  return g_test_rand_bit () ? 1 : -1;
}

static void
replace (char **text, const char *by)
{
  g_free (*text);
  *text = g_strdup (by);
}

/* ---- the proof --------------------------------------------------------- */

TP_TEST_SPOIL (change_flow, plan->flows[pick (plan->n_flows)] += pick_shift ())

/* Right in balance, too much for the arc: s -> n -> t both get more. */
static gboolean
overfill_op (TpPlan *plan, const TpTestCase *test)
{
  plan->flows[0] += 1 << 20;
  plan->flows[1] += 1 << 20;
  plan->bound_ns += 1 << 20;
  return TRUE;
}

static gboolean
swap_flows (TpPlan *plan, const TpTestCase *test)
{
  int a = pick (plan->n_flows), b = pick (plan->n_flows);
  gint64 kept = plan->flows[a];

  plan->flows[a] = plan->flows[b];
  plan->flows[b] = kept;
  return plan->flows[a] != plan->flows[b];
}

TP_TEST_SPOIL (negative_flow, plan->flows[pick (plan->n_flows)] = -1)
TP_TEST_SPOIL (huge_flow,
               plan->flows[pick (plan->n_flows)] = G_GINT64_CONSTANT (1) << 62)
TP_TEST_SPOIL (drop_last_flow, plan->n_flows--)

static gboolean
drop_first_flow (TpPlan *plan, const TpTestCase *test)
{
  plan->n_flows--;
  memmove (plan->flows, plan->flows + 1, sizeof (gint64) * (gsize) plan->n_flows);
  return TRUE;
}

static gboolean
add_flow (TpPlan *plan, const TpTestCase *test)
{
  plan->flows = g_renew (gint64, plan->flows, plan->n_flows + 1);
  plan->flows[plan->n_flows++] = 0;
  return plan->tie_flows == NULL;
}

static gboolean
drop_flow (TpPlan *plan, const TpTestCase *test)
{
  memset (plan->flows, 0, sizeof (gint64) * (gsize) plan->n_flows);
  return plan->bound_ns + plan->constant_ns > 0;
}

TP_TEST_SPOIL (drop_proof, plan->n_flows = 0)

/* Kinds there are not, or not quite. */
static gboolean
change_certificate (TpPlan *plan, const TpTestCase *test)
{
  static const char *const kinds[]
      = { "", "min-cuts", "min", "Min-cut", "simplex", "trust-me", NULL };

  replace (&plan->certificate, kinds[pick (G_N_ELEMENTS (kinds))]);
  return TRUE;
}

/* ---- totals ------------------------------------------------------------ */

TP_TEST_SPOIL (change_cost, plan->cost_ns += pick_shift ())
TP_TEST_SPOIL (change_bound, plan->bound_ns += pick_shift ())
TP_TEST_SPOIL (change_cost_and_bound, plan->bound_ns = ++plan->cost_ns)

static gboolean
change_constant (TpPlan *plan, const TpTestCase *test)
{
  gint64 shift = pick_shift ();

  plan->constant_ns += shift;
  plan->bound_ns -= shift;
  return TRUE;
}

TP_TEST_SPOIL (change_estimated, plan->n_estimated += pick_shift ())
TP_TEST_SPOIL (change_single, plan->best_single = plan->best_single == 0 ? 1 : 0)
TP_TEST_SPOIL (change_single_cost, plan->best_single_ns += pick_shift ())

/* ---- identity ---------------------------------------------------------- */

static void
flip_digit (char *digest)
{
  char *at = &digest[pick (strlen (digest))];

  *at = *at == '0' ? '1' : '0';
}

TP_TEST_SPOIL (change_graph_digest, flip_digit (plan->graph_digest))
TP_TEST_SPOIL (change_costs_digest, flip_digit (plan->costs_digest))
TP_TEST_SPOIL (change_name, replace (&plan->graph_name, "another"))
TP_TEST_SPOIL (change_device, replace (&plan->devices[pick (2)], "opencl:3"))
TP_TEST_SPOIL (change_objective, replace (&plan->objective, "beauty"))
TP_TEST_SPOIL (claim_simulated, plan->is_simulated = !plan->is_simulated)

const TpTestMutation tp_test_proof_mutations[] = {
  { "change-flow", change_flow },
  { "overfill-op", overfill_op },
  { "swap-flows", swap_flows },
  { "negative-flow", negative_flow },
  { "huge-flow", huge_flow },
  { "drop-last-flow", drop_last_flow },
  { "drop-first-flow", drop_first_flow },
  { "add-flow", add_flow },
  { "drop-flow", drop_flow },
  { "drop-proof", drop_proof },
  { "change-certificate", change_certificate },
  { "change-cost", change_cost },
  { "change-bound", change_bound },
  { "change-cost-and-bound", change_cost_and_bound },
  { "change-constant", change_constant },
  { "change-estimated", change_estimated },
  { "change-single", change_single },
  { "change-single-cost", change_single_cost },
  { "change-graph-digest", change_graph_digest },
  { "change-costs-digest", change_costs_digest },
  { "change-name", change_name },
  { "change-device", change_device },
  { "change-objective", change_objective },
  { "claim-simulated", claim_simulated },
  { NULL, NULL },
};
