/* mutations-tie.c: ways to spoil what a plan says of a tie. */
#include "config.h"

#include "mutations.h"

#include <string.h>

static gboolean
is_tied (const TpPlan *plan)
{
  return plan->tie_price_ns > 0;
}

/* A price alone makes no tie. */
static gboolean
claim_tie (TpPlan *plan, const TpTestCase *test)
{
  if (is_tied (plan))
    return FALSE;
  plan->tie_price_ns = 5;
  return TRUE;
}

static gboolean
forget_price (TpPlan *plan, const TpTestCase *test)
{
  gboolean was_tied = is_tied (plan);

  plan->tie_price_ns = 0;
  return was_tied;
}

/* Where no copy is left, a higher price proves as much. */
static gboolean
change_price (TpPlan *plan, const TpTestCase *test)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);

  if (!is_tied (plan) || tp_test_case_count (test, devices) == 0)
    return FALSE;
  plan->tie_price_ns += g_test_rand_bit () ? 1 : -1;
  return TRUE;
}

TP_TEST_SPOIL (turn_price, plan->tie_price_ns = -1 - plan->tie_price_ns)
static gboolean
change_tie_flow (TpPlan *plan, const TpTestCase *test)
{
  if (is_tied (plan))
    plan->tie_flows[pick (plan->n_flows)] += g_test_rand_bit () ? 1 : -1;
  return is_tied (plan);
}

static gboolean
drop_tie_flow (TpPlan *plan, const TpTestCase *test)
{
  if (is_tied (plan))
    memset (plan->tie_flows, 0, sizeof (gint64) * (gsize) plan->n_flows);
  return is_tied (plan) && plan->cost_ns > 0;
}

static gboolean
drop_tie_flows (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->tie_flows, g_free);
  return is_tied (plan);
}

/* The flow without the price proves less. */
static gboolean
repeat_flow (TpPlan *plan, const TpTestCase *test)
{
  if (is_tied (plan))
    memcpy (plan->tie_flows, plan->flows,
            sizeof (gint64) * (gsize) plan->n_flows);
  return is_tied (plan) && plan->cost_ns > plan->bound_ns;
}

/* The price is on copies that cost something and on nothing else. */
static gboolean
overfill_tie (TpPlan *plan, const TpTestCase *test)
{
  if (!is_tied (plan))
    return FALSE;
  plan->tie_flows[0] += 1 << 20;
  plan->tie_flows[1] += 1 << 20;
  return TRUE;
}

static gboolean
move_cheapest (TpPlan *plan, const TpTestCase *test)
{
  int n = plan->n_placements, at = pick (n);
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);

  plan->placements[at].cheapest ^= 1;
  for (int i = 0; i < n; i++)
    devices[i] = plan->placements[i].cheapest;
  return tp_test_case_cost (test, devices) != plan->bound_ns
         || !is_tied (plan);
}

TP_TEST_SPOIL (move_cheapest_nowhere,
               plan->placements[pick (plan->n_placements)].cheapest
                 = g_test_rand_bit () ? 2 : -1)

static gboolean
drop_cheapest (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->n_placements; i++)
    plan->placements[i].cheapest = plan->placements[i].device;
  return is_tied (plan);
}

/* The bound of the plan itself. */
static gboolean
raise_bound (TpPlan *plan, const TpTestCase *test)
{
  if (!is_tied (plan) || plan->bound_ns == plan->cost_ns)
    return FALSE;
  plan->bound_ns = plan->cost_ns;
  return TRUE;
}

static void
make_exact (TpCost *table, int n)
{
  for (int i = 0; i < n; i++)
    table[i].spread_ns = 0;
}

/* Without noise there is no tie. */
static gboolean
drop_spreads (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;

  make_exact (costs->nodes, 2 * costs->n_nodes);
  make_exact (costs->groups, 2 * costs->n_groups);
  make_exact (costs->feeds, 2 * costs->n_tensors);
  make_exact (costs->fetches, 2 * costs->n_tensors);
  for (int i = 0; i < plan->n_placements; i++)
    plan->placements[i].spread_ns = 0;
  tp_costs_seal (costs);
  g_free (plan->costs_digest);
  plan->costs_digest = g_strdup (costs->digest);
  return is_tied (plan) && plan->cost_ns > plan->bound_ns;
}

/* On silicon of its own a device has to be better by less. */
static gboolean
change_silicon (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  g_autofree guint8 *cheapest = g_new0 (guint8, plan->n_placements + 1);

  for (int i = 0; i < plan->n_placements; i++)
    cheapest[i] = (guint8) plan->placements[i].cheapest;
  costs->is_same_silicon = !costs->is_same_silicon;
  tp_costs_seal (costs);
  g_free (plan->costs_digest);
  plan->costs_digest = g_strdup (costs->digest);
  return is_tied (plan) && !costs->is_same_silicon
         && plan->cost_ns - plan->bound_ns
                > 1.01 * tp_test_case_noise (test, devices, cheapest) + 1;
}

static gboolean
change_kernels (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;

  if (costs->kernels == NULL)
    return FALSE;
  costs->kernels[pick (costs->n_nodes + costs->n_groups)]++;
  return TRUE;
}

static gboolean
change_measured (TpPlan *plan, const TpTestCase *test)
{
  TpCost *cost = tp_costs_node (plan->costs, pick (plan->costs->n_nodes),
                                pick (2));

  if (cost->time_ns == TP_COST_NONE)
    return FALSE;
  cost->measured_ns++;
  return TRUE;
}

const TpTestMutation tp_test_tie_mutations[] = {
  { "claim-tie", claim_tie },
  { "forget-price", forget_price },
  { "change-price", change_price },
  { "turn-price", turn_price },
  { "change-tie-flow", change_tie_flow },
  { "drop-tie-flow", drop_tie_flow },
  { "drop-tie-flows", drop_tie_flows },
  { "repeat-flow", repeat_flow },
  { "overfill-tie", overfill_tie },
  { "move-cheapest", move_cheapest },
  { "move-cheapest-nowhere", move_cheapest_nowhere },
  { "drop-cheapest", drop_cheapest },
  { "raise-bound", raise_bound },
  { "change-silicon", change_silicon },
  { "drop-spreads", drop_spreads },
  { "change-kernels", change_kernels },
  { "change-measured", change_measured },
  { NULL, NULL },
};
