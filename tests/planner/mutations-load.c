/* mutations-load.c: ways to spoil the proof of a plan for throughput. */
#include "config.h"

#include "mutations.h"

#include <string.h>

#define FAR (G_GINT64_CONSTANT (1) << 62)

static TpArc *
pick_arc (const TpPlan *plan)
{
  const TpLoadProof *proof = plan->load_proof;

  return proof->n_arcs == 0 ? NULL : &proof->arcs[pick (proof->n_arcs)];
}

static gboolean
raise_load (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->load_ns++;
  return TRUE;
}

static gboolean
lower_load (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->load_ns-- > 0;
}

static gboolean
raise_load_bound (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->bound_ns++;
  return TRUE;
}

static gboolean
lower_load_bound (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->bound_ns-- > 0;
}

static gboolean
raise_engine (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->loads[pick (6)]++;
  return TRUE;
}

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

static gboolean
drop_weights (TpPlan *plan, const TpTestCase *test)
{
  memset (plan->load_proof->weights, 0, 6 * sizeof (gint64));
  return TRUE;
}

static gboolean
negative_weight (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->weights[pick (6)] = -1;
  return TRUE;
}

static gboolean
huge_weight (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->weights[pick (6)] = FAR;
  return TRUE;
}

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
  TpArc *arc = pick_arc (plan);

  if (arc != NULL)
    arc->flow++;
  return arc != NULL;
}

static gboolean
lower_load_flow (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc != NULL)
    arc->flow--;
  return arc != NULL;
}

static gboolean
negative_load_flow (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc != NULL)
    arc->flow = -1;
  return arc != NULL;
}

static gboolean
raise_load_capacity (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc != NULL)
    arc->capacity++;
  return arc != NULL;
}

static gboolean
free_load_arc (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc == NULL || arc->capacity < 0)
    return FALSE;
  arc->capacity = -1;
  return TRUE;
}

static gboolean
double_load_arc (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_arcs == 0)
    return FALSE;
  proof->arcs = g_renew (TpArc, proof->arcs, proof->n_arcs + 1);
  proof->arcs[proof->n_arcs] = proof->arcs[pick (proof->n_arcs)];
  proof->n_arcs++;
  return TRUE;
}

static gboolean
drop_load_arc (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->n_arcs-- > 0;
}

static gboolean
drop_load_arcs (TpPlan *plan, const TpTestCase *test)
{
  gboolean had = plan->load_proof->n_arcs > 0;

  plan->load_proof->n_arcs = 0;
  return had;
}

static gboolean
turn_load_arc (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);
  TpCutVertex kept;

  if (arc == NULL)
    return FALSE;
  kept = arc->from;
  arc->from = arc->to;
  arc->to = kept;
  return TRUE;
}

static gboolean
load_arc_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc == NULL || arc->from.kind == TP_CUT_SOURCE)
    return FALSE;
  arc->from.index = 1 << 20;
  return TRUE;
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

static gboolean
cut_load_tree (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->n_entries-- > 0;
}

static gboolean
drop_load_tree (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->n_entries = 0;
  return TRUE;
}

static gboolean
add_load_end (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  proof->tree = g_renew (int, proof->tree, proof->n_entries + 1);
  proof->tree[proof->n_entries++] = TP_LOAD_END;
  return TRUE;
}

static gboolean
end_too_soon (TpPlan *plan, const TpTestCase *test)
{
  return set_entry (plan, pick_fixed (plan), TP_LOAD_END);
}

static gboolean
root_alone (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_entries == 1)
    return FALSE;
  proof->tree[0] = TP_LOAD_END;
  proof->n_entries = 1;
  proof->n_bounds = 1;
  proof->n_arcs = proof->n_arcs_of[0];
  return TRUE;
}

static gboolean
fix_for_end (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  return set_entry (plan, proof->n_entries - 1, 0);
}

static gboolean
fix_unknown_op (TpPlan *plan, const TpTestCase *test)
{
  return set_entry (plan, pick_fixed (plan), 1 << 20);
}

static gboolean
fix_twice (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  return proof->n_entries > 1 && proof->tree[1] != TP_LOAD_END
         && set_entry (plan, 1, proof->tree[0]);
}

static gboolean
fix_nothing (TpPlan *plan, const TpTestCase *test)
{
  return set_entry (plan, pick_fixed (plan), -2);
}

static gboolean
drop_bound (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->n_bounds-- > 0;
}

static gboolean
raise_count (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->n_arcs_of[pick (plan->load_proof->n_bounds)]++;
  return TRUE;
}

static gboolean
lower_count (TpPlan *plan, const TpTestCase *test)
{
  return plan->load_proof->n_arcs_of[pick (plan->load_proof->n_bounds)]-- > -1;
}

static gboolean
negative_count (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->n_arcs_of[pick (plan->load_proof->n_bounds)] = -1;
  return TRUE;
}

static gboolean
huge_count (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->n_arcs_of[pick (plan->load_proof->n_bounds)] = G_MAXINT;
  return TRUE;
}

static gboolean
drop_load_proof (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->load_proof, tp_load_proof_free);
  return TRUE;
}

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

static gboolean
raise_load_least (TpPlan *plan, const TpTestCase *test)
{
  plan->bound_ns++;
  return TRUE;
}

static gboolean
lower_load_least (TpPlan *plan, const TpTestCase *test)
{
  return plan->bound_ns-- > 0;
}

static gboolean
price_load_copies (TpPlan *plan, const TpTestCase *test)
{
  plan->tie_price_ns = 1;
  return TRUE;
}

static gboolean
claim_margin (TpPlan *plan, const TpTestCase *test)
{
  plan->placements[pick (plan->n_placements)].margin_ns = 0;
  return TRUE;
}

static gboolean
move_load_cheapest (TpPlan *plan, const TpTestCase *test)
{
  TpPlacement *it = &plan->placements[pick (plan->n_placements)];

  it->cheapest = plan->n_devices;
  return TRUE;
}

/* ---- how sure it is -------------------------------------------------------- */

/* Beyond what rounding lets pass. */
static gboolean
narrow_load (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->high_ns -= 3 + plan->load_proof->high_ns / 1000;
  return TRUE;
}

static gboolean
widen_load (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->high_ns += 3 + plan->load_proof->high_ns / 1000;
  return TRUE;
}

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
  { "raise-load-capacity", raise_load_capacity },
  { "free-load-arc", free_load_arc },
  { "double-load-arc", double_load_arc },
  { "drop-load-arc", drop_load_arc },
  { "drop-load-arcs", drop_load_arcs },
  { "turn-load-arc", turn_load_arc },
  { "load-arc-nowhere", load_arc_nowhere },
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
  { "raise-count", raise_count },
  { "lower-count", lower_count },
  { "negative-count", negative_count },
  { "huge-count", huge_count },
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
