/* mutations-rated.c: ways to spoil watts, prices and the proof that stands on them. */
#include "config.h"

#include "mutations.h"

#include <string.h>

#define FAR (G_GINT64_CONSTANT (1) << 62)

/* NULL: there are none. */
static gint64 *
pick_flow (const TpPlan *plan)
{
  const TpRateProof *proof = plan->rate_proof;

  return proof->n_flows == 0 ? NULL : &proof->flows[pick (proof->n_flows)];
}

/* As who changes the file would: with the digest that fits. */
static gboolean
sign (TpPlan *plan)
{
  tp_costs_seal (plan->costs);
  g_free (plan->costs_digest);
  plan->costs_digest = g_strdup (plan->costs->digest);
  return TRUE;
}

static TpRate *
pick_rate (const TpPlan *plan)
{
  return &plan->costs->rates[pick (plan->n_devices)];
}

/* Whether @aim is a part of what the plan was made for. */
static gboolean
is_made_least (const TpPlan *plan, TpAim aim)
{
  return plan->rate_proof->aims[aim] > 0;
}

static gint64
sum_kernels (const TpPlan *plan, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < plan->n_placements; i++)
    sum += plan->placements[i].device == device ? plan->placements[i].time_ns
                                                : 0;
  return sum;
}

static gboolean
raise_busy (TpPlan *plan, const TpTestCase *test)
{
  int d = plan->placements[pick (plan->n_placements)].device;

  if (sum_kernels (plan, d) == 0 || !is_made_least (plan, TP_AIM_ENERGY))
    return FALSE;
  plan->costs->rates[d].busy_mw++;
  return sign (plan);
}

static gboolean
lower_busy (TpPlan *plan, const TpTestCase *test)
{
  int d = plan->placements[pick (plan->n_placements)].device;
  TpRate *it = &plan->costs->rates[d];

  if (sum_kernels (plan, d) == 0 || it->busy_mw == it->idle_mw)
    return FALSE;
  it->busy_mw--;
  return sign (plan);
}

static gboolean
raise_idle (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = pick_rate (plan);

  if (plan->cost_ns == 0 || it->idle_mw == it->busy_mw
      || sum_kernels (plan, (int) (it - plan->costs->rates))
             == plan->cost_ns)
    return FALSE;
  it->idle_mw++;
  return sign (plan);
}

static gboolean
idle_above_busy (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = pick_rate (plan);

  it->idle_mw = it->busy_mw + 1;
  return sign (plan);
}

static gboolean
forget_watts (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = pick_rate (plan);

  it->busy_mw = TP_RATE_NONE;
  it->idle_mw = it->copy_mw = 0;
  return sign (plan);
}

static gboolean
raise_copy_watts (TpPlan *plan, const TpTestCase *test)
{
  int d = plan->n_transfers == 0 ? -1 : plan->transfers[0].to;

  if (d < 0 || d == plan->costs->host || plan->transfers[0].time_ns == 0
      || tp_costs_feed (plan->costs, plan->transfers[0].tensor, d)->time_ns
             == 0)
    return FALSE;
  plan->costs->rates[d].copy_mw++;
  return sign (plan);
}

static gboolean
raise_price (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = &plan->costs->rates[plan->placements[0].device];

  if (plan->cost_ns == 0 || it->is_per_use)
    return FALSE;
  it->price++;
  return sign (plan);
}

static gboolean
lower_price (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = &plan->costs->rates[plan->placements[0].device];

  if (plan->cost_ns == 0 || it->is_per_use || it->price == 0)
    return FALSE;
  it->price--;
  return sign (plan);
}

static gboolean
forget_price (TpPlan *plan, const TpTestCase *test)
{
  TpRate *it = pick_rate (plan);

  it->price = TP_RATE_NONE;
  it->is_per_use = FALSE;
  return sign (plan);
}

static gboolean
huge_watts (TpPlan *plan, const TpTestCase *test)
{
  pick_rate (plan)->busy_mw = FAR;
  return sign (plan);
}

static gboolean
drop_rates (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->costs->rates, g_free);
  return sign (plan);
}

static gboolean
unsigned_rates (TpPlan *plan, const TpTestCase *test)
{
  pick_rate (plan)->copy_mw += plan->n_transfers == 0 ? 1 : 0;
  return plan->n_transfers == 0;
}

TP_TEST_SPOIL (raise_total, plan->rate_proof->totals[pick (TP_N_AIMS)]++)

static gboolean
lower_total (TpPlan *plan, const TpTestCase *test)
{
  gint64 *total = &plan->rate_proof->totals[pick (TP_N_AIMS)];

  return *total >= 0 && (*total)-- >= 0;
}

TP_TEST_SPOIL (raise_aim_cost, plan->rate_proof->cost++)
TP_TEST_SPOIL_IF (lower_aim_cost, plan->rate_proof->cost-- > 0)
TP_TEST_SPOIL (raise_aim_bound, plan->rate_proof->bound++)
TP_TEST_SPOIL_IF (lower_aim_bound, plan->rate_proof->bound-- > 0)

static gboolean
raise_both (TpPlan *plan, const TpTestCase *test)
{
  plan->rate_proof->cost++;
  plan->rate_proof->bound++;
  return TRUE;
}

static gboolean
raise_aim (TpPlan *plan, const TpTestCase *test)
{
  int aim = pick (TP_N_AIMS);

  plan->rate_proof->aims[aim]++;
  return plan->rate_proof->totals[aim] > 0;
}

TP_TEST_SPOIL (drop_aims,
               memset (plan->rate_proof->aims, 0, sizeof plan->rate_proof->aims))
TP_TEST_SPOIL (negative_aim, plan->rate_proof->aims[pick (TP_N_AIMS)] = -1)

static gboolean
huge_aim (TpPlan *plan, const TpTestCase *test)
{
  int aim = pick (TP_N_AIMS);

  plan->rate_proof->aims[aim] = FAR;
  return plan->rate_proof->totals[aim] > 0; /* nothing times so much is right */
}

static gboolean
raise_aim_flow (TpPlan *plan, const TpTestCase *test)
{
  gint64 *flow = pick_flow (plan);

  if (flow != NULL)
    ++*flow;
  return flow != NULL;
}

static gboolean
lower_aim_flow (TpPlan *plan, const TpTestCase *test)
{
  gint64 *flow = pick_flow (plan);

  if (flow != NULL)
    --*flow;
  return flow != NULL;
}

static gboolean
swap_aim_flows (TpPlan *plan, const TpTestCase *test)
{
  gint64 *a = pick_flow (plan), *b = pick_flow (plan), kept;

  if (a == NULL || *a == *b)
    return FALSE;
  kept = *a;
  *a = *b;
  *b = kept;
  return TRUE;
}

static gboolean
drop_aim_flows (TpPlan *plan, const TpTestCase *test)
{
  gboolean had = plan->rate_proof->n_flows > 0;

  plan->rate_proof->n_flows = 0;
  return had;
}

TP_TEST_SPOIL_IF (drop_aim_flow, plan->rate_proof->n_flows-- > 0)

TP_TEST_SPOIL (drop_rate_proof, g_clear_pointer (&plan->rate_proof, tp_rate_proof_free))

static gboolean
change_rated_certificate (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->certificate);
  plan->certificate = g_strdup (pick (2) ? "min-cut" : "weighted-cut");
  return TRUE;
}

static gboolean
change_rated_objective (TpPlan *plan, const TpTestCase *test)
{
  const char *const others[] = { "time", "throughput" };

  g_free (plan->objective);
  plan->objective = g_strdup (others[pick (2)]);
  return TRUE;
}

static gboolean
swap_rated_objective (TpPlan *plan, const TpTestCase *test)
{
  gboolean is_energy = strcmp (plan->objective, "energy") == 0;

  g_free (plan->objective);
  plan->objective = g_strdup (is_energy ? "price" : "energy");
  return TRUE;
}

TP_TEST_SPOIL (raise_rated_least, plan->bound_ns++)
TP_TEST_SPOIL (price_rated_copies, plan->tie_price_ns = 1)
TP_TEST_SPOIL (claim_rated_margin,
               plan->placements[pick (plan->n_placements)].margin_ns = 0)

const TpTestMutation tp_test_rated_mutations[] = {
  { "raise-busy", raise_busy },
  { "lower-busy", lower_busy },
  { "raise-idle", raise_idle },
  { "idle-above-busy", idle_above_busy },
  { "forget-watts", forget_watts },
  { "raise-copy-watts", raise_copy_watts },
  { "raise-price", raise_price },
  { "lower-price", lower_price },
  { "forget-price", forget_price },
  { "huge-watts", huge_watts },
  { "drop-rates", drop_rates },
  { "unsigned-rates", unsigned_rates },
  { "raise-total", raise_total },
  { "lower-total", lower_total },
  { "raise-aim-cost", raise_aim_cost },
  { "lower-aim-cost", lower_aim_cost },
  { "raise-aim-bound", raise_aim_bound },
  { "lower-aim-bound", lower_aim_bound },
  { "raise-both", raise_both },
  { "raise-aim", raise_aim },
  { "drop-aims", drop_aims },
  { "negative-aim", negative_aim },
  { "huge-aim", huge_aim },
  { "raise-aim-flow", raise_aim_flow },
  { "lower-aim-flow", lower_aim_flow },
  { "swap-aim-flows", swap_aim_flows },
  { "drop-aim-flows", drop_aim_flows },
  { "drop-aim-flow", drop_aim_flow },
  { "drop-rate-proof", drop_rate_proof },
  { "change-rated-certificate", change_rated_certificate },
  { "change-rated-objective", change_rated_objective },
  { "swap-rated-objective", swap_rated_objective },
  { "raise-rated-least", raise_rated_least },
  { "price-rated-copies", price_rated_copies },
  { "claim-rated-margin", claim_rated_margin },
  { NULL, NULL },
};
