/* mutations-load.c: ways to spoil the proof of a plan for throughput. */
#include "config.h"

#include "mutations.h"

#include <string.h>

#define FAR (G_GINT64_CONSTANT (1) << 62)

/* NULL: there are none. */
static gint64 *
pick_flow (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;

  return proof->n_flows == 0 ? NULL : &proof->flows[pick (proof->n_flows)];
}

TP_TEST_SPOIL (raise_load, plan->load_proof->load_ns++)
TP_TEST_SPOIL_IF (lower_load, plan->load_proof->load_ns-- > 0)
TP_TEST_SPOIL (raise_load_bound, plan->load_proof->bound_ns++)
TP_TEST_SPOIL_IF (lower_load_bound, plan->load_proof->bound_ns-- > 0)
TP_TEST_SPOIL (raise_engine, plan->load_proof->loads[pick (6)]++)

static gboolean
lower_engine (TpPlan *plan, const TpTestCase *test)
{
  int e = pick (6);

  if (plan->load_proof->loads[e] == 0)
    return FALSE;
  plan->load_proof->loads[e]--;
  return TRUE;
}

static gboolean
swap_engines (TpPlan *plan, const TpTestCase *test)
{
  gint64 *loads = plan->load_proof->loads, kept = loads[0];

  loads[0] = loads[1];
  loads[1] = kept;
  return loads[0] != loads[1];
}

TP_TEST_SPOIL (drop_weights, memset (plan->load_proof->weights, 0, 6 * sizeof (gint64)))
TP_TEST_SPOIL (negative_weight, plan->load_proof->weights[pick (6)] = -1)
TP_TEST_SPOIL (huge_weight, plan->load_proof->weights[pick (6)] = FAR)

static gboolean
double_weight (TpPlan *plan, const TpTestCase *test)
{
  gint64 *weight = &plan->load_proof->weights[pick (2)];

  *weight *= 2;
  return *weight > 0 && plan->load_proof->bound_ns > 0
         && plan->load_proof->n_bounds == 1; /* an end may prove more than it has to */
}

static gboolean
raise_load_flow (TpPlan *plan, const TpTestCase *test)
{
  gint64 *flow = pick_flow (plan);

  if (flow != NULL)
    ++*flow;
  return flow != NULL;
}

static gboolean
lower_load_flow (TpPlan *plan, const TpTestCase *test)
{
  gint64 *flow = pick_flow (plan);

  if (flow != NULL)
    --*flow;
  return flow != NULL;
}

static gboolean
negative_load_flow (TpPlan *plan, const TpTestCase *test)
{
  gint64 *flow = pick_flow (plan);

  if (flow != NULL)
    *flow = -1;
  return flow != NULL;
}

static gboolean
swap_load_flows (TpPlan *plan, const TpTestCase *test)
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
add_load_flow (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  proof->flows = g_renew (gint64, proof->flows, proof->n_flows + 1);
  proof->flows[proof->n_flows++] = 0;
  return TRUE;
}

TP_TEST_SPOIL_IF (drop_load_flow, plan->load_proof->n_flows-- > 0)

static gboolean
drop_load_flows (TpPlan *plan, const TpTestCase *test)
{
  gboolean had = plan->load_proof->n_flows > 0;

  plan->load_proof->n_flows = 0;
  return had;
}

/* ---- the tree ------------------------------------------------------------- */

/* One that fixes an op; -1: there is none. */
static int
pick_fixed (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;
  int first = pick (proof->n_entries);

  for (int i = 0; i < proof->n_entries; i++)
    if (proof->tree[(first + i) % proof->n_entries] != TP_LOAD_END)
      return (first + i) % proof->n_entries;
  return -1;
}

static gboolean
set_entry (TpPlan *plan, int index, int value)
{
  if (index < 0 || plan->load_proof->tree[index] == value)
    return FALSE;
  plan->load_proof->tree[index] = value;
  return TRUE;
}

TP_TEST_SPOIL_IF (cut_load_tree, plan->load_proof->n_entries-- > 0)
TP_TEST_SPOIL (drop_load_tree, plan->load_proof->n_entries = 0)

static gboolean
add_load_end (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  proof->tree = g_renew (int, proof->tree, proof->n_entries + 1);
  proof->tree[proof->n_entries++] = TP_LOAD_END;
  return TRUE;
}

TP_TEST_SPOIL_IF (end_too_soon, set_entry (plan, pick_fixed (plan), TP_LOAD_END))

static gboolean
root_alone (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_entries == 1)
    return FALSE;
  proof->tree[0] = TP_LOAD_END;
  proof->n_entries = 1;
  proof->n_flows /= proof->n_bounds;
  proof->n_bounds = 1;
  return TRUE;
}

TP_TEST_SPOIL_IF (fix_for_end, set_entry (plan, plan->load_proof->n_entries - 1, 0))
TP_TEST_SPOIL_IF (fix_unknown_op, set_entry (plan, pick_fixed (plan), 1 << 20))
TP_TEST_SPOIL_IF (fix_twice,
                  plan->load_proof->n_entries > 1
                    && plan->load_proof->tree[1] != TP_LOAD_END
                    && set_entry (plan, 1, plan->load_proof->tree[0]))
TP_TEST_SPOIL_IF (fix_nothing, set_entry (plan, pick_fixed (plan), -2))
TP_TEST_SPOIL_IF (drop_bound, plan->load_proof->n_bounds-- > 0)
TP_TEST_SPOIL (drop_load_proof, g_clear_pointer (&plan->load_proof, tp_load_proof_free))

static gboolean
change_load_certificate (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->certificate);
  plan->certificate = g_strdup ("min-cut");
  return TRUE;
}

static gboolean
change_load_objective (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->objective);
  plan->objective = g_strdup ("time");
  return TRUE;
}

TP_TEST_SPOIL (raise_load_least, plan->bound_ns++)
TP_TEST_SPOIL_IF (lower_load_least, plan->bound_ns-- > 0)
TP_TEST_SPOIL (price_load_copies, plan->tie_price_ns = 1)
TP_TEST_SPOIL (claim_margin, plan->placements[pick (plan->n_placements)].margin_ns = 0)

static gboolean
move_load_cheapest (TpPlan *plan, const TpTestCase *test)
{
  TpPlacement *it = &plan->placements[pick (plan->n_placements)];

  it->cheapest = plan->n_devices;
  return TRUE;
}

/* ---- how sure it is -------------------------------------------------------- */

/* Beyond what rounding lets pass. */
TP_TEST_SPOIL (narrow_load,
               plan->load_proof->high_ns -= 3 + plan->load_proof->high_ns / 1000)
TP_TEST_SPOIL (widen_load,
               plan->load_proof->high_ns += 3 + plan->load_proof->high_ns / 1000)

static gboolean
lower_load_low (TpPlan *plan, const TpTestCase *test)
{
  gint64 *low_ns = &plan->load_proof->low_ns;

  *low_ns -= MIN (*low_ns, 3 + *low_ns / 1000);
  return *low_ns > 3;
}

static gboolean
drop_load_interval (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->low_ns = plan->load_proof->high_ns = -1;
  return plan->costs->errors != NULL;
}

const TpTestMutation tp_test_load_mutations[] = {
  { "raise-load", raise_load },
  { "lower-load", lower_load },
  { "raise-load-bound", raise_load_bound },
  { "lower-load-bound", lower_load_bound },
  { "raise-engine", raise_engine },
  { "lower-engine", lower_engine },
  { "swap-engines", swap_engines },
  { "drop-weights", drop_weights },
  { "negative-weight", negative_weight },
  { "huge-weight", huge_weight },
  { "double-weight", double_weight },
  { "raise-load-flow", raise_load_flow },
  { "lower-load-flow", lower_load_flow },
  { "negative-load-flow", negative_load_flow },
  { "swap-load-flows", swap_load_flows },
  { "add-load-flow", add_load_flow },
  { "drop-load-flow", drop_load_flow },
  { "drop-load-flows", drop_load_flows },
  { "cut-load-tree", cut_load_tree },
  { "drop-load-tree", drop_load_tree },
  { "add-load-end", add_load_end },
  { "end-too-soon", end_too_soon },
  { "root-alone", root_alone },
  { "fix-for-end", fix_for_end },
  { "fix-unknown-op", fix_unknown_op },
  { "fix-twice", fix_twice },
  { "fix-nothing", fix_nothing },
  { "drop-bound", drop_bound },
  { "drop-load-proof", drop_load_proof },
  { "change-load-certificate", change_load_certificate },
  { "change-load-objective", change_load_objective },
  { "raise-load-least", raise_load_least },
  { "lower-load-least", lower_load_least },
  { "price-load-copies", price_load_copies },
  { "claim-margin", claim_margin },
  { "move-load-cheapest", move_load_cheapest },
  { "narrow-load", narrow_load },
  { "widen-load", widen_load },
  { "lower-load-low", lower_load_low },
  { "drop-load-interval", drop_load_interval },
  { NULL, NULL },
};
