/* mutations-fitting.c: ways to spoil what a plan for energy or price on three devices and
 * more says of what fits into limits of memory. */
#include "config.h"

#include "mutations.h"
#include "rated-case.h"

static TpRateEnd *
pick_end (const TpPlan *plan)
{
  const TpPointers *ends = plan->rate_proof->fitting;

  return ends->pdata[pick ((int) ends->len)];
}

/* NULL: none is swept. */
static TpRateEnd *
pick_tree_end (const TpPlan *plan)
{
  const TpPointers *ends = plan->rate_proof->fitting;

  for (guint i = 0; i < ends->len; i++)
    if (((TpRateEnd *) ends->pdata[i])->tree != NULL)
      return ends->pdata[i];
  return NULL;
}

static TpMemoryProof *
pick_tree (const TpPlan *plan)
{
  TpRateEnd *end = pick_tree_end (plan);

  return end == NULL ? NULL : end->tree;
}

/* Of which the plan is, if some times would count nothing there; else NULL. */
static TpRateEnd *
pick_raised (const TpPlan *plan)
{
  const TpPointers *ends = plan->rate_proof->fitting;
  guint used = 0;

  for (int i = 0; i < plan->n_placements; i++)
    used |= 1u << plan->placements[i].device;
  for (guint i = 0; i < ends->len; i++)
    {
      TpRateEnd *it = ends->pdata[i];

      if ((it->rented & ~used) == 0 && (it->without & used) == 0
          && it->times > 0 && it->tree != NULL)
        return it;
    }
  return NULL;
}

TP_TEST_SPOIL (raise_bound, plan->rate_proof->room->bound_ns = plan->rate_proof->cost + 1)
TP_TEST_SPOIL (negative_bound, plan->rate_proof->room->bound_ns = -1)

/* What is claimed of the ends is just enough; dividing loses no more than that. */
static gboolean
raise_by_much (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;
  gint64 most = 1;

  for (guint i = 0; i < proof->fitting->len; i++)
    most = MAX (most, ((TpRateEnd *) proof->fitting->pdata[i])->divisor);
  if (proof->room->bound_ns + most > proof->cost)
    return FALSE;
  proof->room->bound_ns = proof->cost;
  return TRUE;
}

TP_TEST_SPOIL (drop_end,
               tp_pointers_cut (plan->rate_proof->fitting,
                                plan->rate_proof->fitting->len - 1))
TP_TEST_SPOIL (no_ends, tp_pointers_cut (plan->rate_proof->fitting, 0))

/* What is not rented counts as rented. */
static gboolean
rent_all (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  for (guint i = 0; i < proof->fitting->len; i++)
    ((TpRateEnd *) proof->fitting->pdata[i])->rented = 7;
  return TRUE;
}

static gboolean
rented_and_not (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);

  end->rented |= 2;
  end->without |= 2;
  return TRUE;
}

TP_TEST_SPOIL (without_any, pick_end (plan)->without = (1u << plan->n_devices) - 1)
TP_TEST_SPOIL (no_divisor, pick_end (plan)->divisor = 0)
TP_TEST_SPOIL (negative_divisor, pick_end (plan)->divisor = -1 - pick (9))

/* All weights are 0 then: no kernel counts, or what is proved is nothing. */
static gboolean
far_divisor (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);

  end->divisor = G_GINT64_CONSTANT (1) << 40;
  return plan->rate_proof->room->bound_ns > 0 && end->times == 0;
}

TP_TEST_SPOIL (negative_times, pick_end (plan)->times = -1 - pick (9))

static gboolean
far_times (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);
  gboolean is_far = plan->rate_proof->aims[TP_AIM_TIME] > 0
                    && plan->cost_ns > 0 && end->divisor < 1000;

  end->times = G_GINT64_CONSTANT (1) << 61;
  return is_far;
}

/* As if all that counts once besides were nothing. */
static gboolean
raise_once (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);

  if (end->times != 0)
    return FALSE;
  end->times = 1;
  return plan->rate_proof->room->bound_ns > 0 && plan->cost_ns > 0
         && (end->tree != NULL || end->shares->room != NULL);
}

static gboolean
lower_to_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_raised (plan);

  if (end != NULL)
    end->times = 0;
  return end != NULL && plan->rate_proof->room->bound_ns > 0;
}

/* As if what counts once besides weighed less. */
static gboolean
raise_times (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_raised (plan);

  if (end != NULL)
    end->times *= 1000;
  return end != NULL && plan->rate_proof->room->bound_ns > end->divisor;
}

static gboolean
other_limit (TpPlan *plan, const TpTestCase *test)
{
  for (int d = 0; d < plan->n_devices; d++)
    if (plan->peak_bytes[d] + plan->weight_bytes[d] > 1)
      {
        plan->memory_limits[d] = 1;
        return TRUE;
      }
  return FALSE;
}

/* Then the least of all fits, and takes less. */
static gboolean
lift_limits (TpPlan *plan, const TpTestCase *test)
{
  const TpRateProof *proof = plan->rate_proof;
  gint64 least;

  if (plan->n_placements > TP_RATED_CASE_OPS)
    return FALSE;
  least = tp_rated_case_try_all (test, proof->aims, NULL);
  for (int d = 0; d < plan->n_devices; d++)
    if (plan->memory_limits[d] > 0)
      plan->memory_limits[d] = G_GINT64_CONSTANT (1) << 40;
  return least < proof->room->bound_ns;
}

TP_TEST_SPOIL (no_limits, g_clear_pointer (&plan->memory_limits, g_free))

static gboolean
map_memory (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;

  g_free (costs->is_mapped);
  costs->is_mapped = g_new0 (gboolean, costs->n_devices);
  return tp_costs_map (costs, costs->host == 0);
}

/* ---- of sweeps ---- */

static gboolean
lower_claim (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);

  return tree != NULL && tree->bound_ns-- > 0;
}

static gboolean
negative_claim (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);

  if (tree != NULL)
    tree->bound_ns = -1;
  return tree != NULL && plan->rate_proof->room->bound_ns > 0;
}

static gboolean
drop_sweep (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);

  if (tree != NULL)
    tp_array_set_size (tree->entries, tree->entries->len - 1);
  return tree != NULL;
}

static gboolean
drop_sweeps (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);

  if (tree != NULL)
    tp_array_set_size (tree->entries, 0);
  return tree != NULL;
}

static gboolean
sweep_twice (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);
  TpProofEntry last;

  if (tree == NULL)
    return FALSE;
  last = tp_array_index (tree->entries, TpProofEntry, tree->entries->len - 1);
  tp_array_append_val (tree->entries, last);
  return TRUE;
}

/* The last, which is a sweep; NULL: there is none. */
static TpProofEntry *
pick_sweep (const TpPlan *plan)
{
  TpMemoryProof *tree = pick_tree (plan);

  return tree == NULL ? NULL
                      : &tp_array_index (tree->entries, TpProofEntry,
                                         tree->entries->len - 1);
}

static gboolean
negative_price (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *sweep = pick_sweep (plan);

  if (sweep != NULL)
    sweep->prices[pick (plan->n_devices)] = -1;
  return sweep != NULL;
}

static gboolean
turn (TpPlan *plan, TpProofKind kind)
{
  TpProofEntry *sweep = pick_sweep (plan);

  if (sweep != NULL)
    *sweep = (TpProofEntry){ .kind = kind };
  return sweep != NULL;
}

TP_TEST_SPOIL_IF (turn_to_branch, turn (plan, TP_PROOF_BRANCH))
TP_TEST_SPOIL_IF (turn_to_bound, turn (plan, TP_PROOF_BOUND))
TP_TEST_SPOIL_IF (turn_to_full, turn (plan, TP_PROOF_FULL))

/* Whether there are two placements and more without the devices of @without. */
static gboolean
has_choice (const TpTestCase *test, guint without)
{
  int n = test->graph->n_nodes, n_met = 0;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);

  for (int i = 0; i < n && n_met < 2;)
    {
      gboolean is_met = tp_test_case_cost (test, devices) != TP_COST_NONE;

      for (int k = 0; k < n; k++)
        is_met &= (without >> devices[k] & 1) == 0;
      n_met += is_met;
      for (i = 0; i < n && ++devices[i] == test->costs->n_devices; i++)
        devices[i] = 0;
    }
  return n_met > 1;
}

/* Where there is one placement it is true. */
static gboolean
turn_to_placed (TpPlan *plan, const TpTestCase *test)
{
  const TpRateEnd *end = pick_tree_end (plan);

  return end != NULL && has_choice (test, end->without)
         && turn (plan, TP_PROOF_PLACED);
}

TP_TEST_SPOIL_IF (turn_to_peak, turn (plan, TP_PROOF_PEAK))

static gboolean
add_memory_bound (TpPlan *plan, const TpTestCase *test)
{
  TpMemoryProof *tree = pick_tree (plan);

  if (tree != NULL)
    tp_pointers_add (tree->bounds, tp_memory_bound_new ());
  return tree != NULL;
}

/* ---- what no file says ---- */

TP_TEST_SPOIL (say_unfit, plan->rate_proof->unfit = 1)
TP_TEST_SPOIL (add_proof, plan->rate_proof->room->tree = tp_memory_proof_new ())

static gboolean
two_proofs (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);

  if (end->tree == NULL)
    return FALSE;
  end->shares = tp_share_proof_new ();
  return TRUE;
}

static gboolean
no_proof (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan);

  g_clear_pointer (&end->tree, tp_memory_proof_free);
  g_clear_pointer (&end->shares, tp_share_proof_free);
  return TRUE;
}

static gboolean
fitting_of_all (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = plan->rate_proof->ends->pdata[0];

  end->times = 1;
  return TRUE;
}

const TpTestMutation tp_test_fitting_mutations[] = {
  { "say-unfit", say_unfit },
  { "add-proof", add_proof },
  { "two-proofs", two_proofs },
  { "no-proof", no_proof },
  { "fitting-of-all", fitting_of_all },
  { "raise-bound", raise_bound },
  { "negative-bound", negative_bound },
  { "raise-by-much", raise_by_much },
  { "drop-end", drop_end },
  { "no-ends", no_ends },
  { "rent-all", rent_all },
  { "rented-and-not", rented_and_not },
  { "without-any", without_any },
  { "no-divisor", no_divisor },
  { "negative-divisor", negative_divisor },
  { "far-divisor", far_divisor },
  { "negative-times", negative_times },
  { "far-times", far_times },
  { "raise-once", raise_once },
  { "lower-to-nothing", lower_to_nothing },
  { "raise-times", raise_times },
  { "other-limit", other_limit },
  { "lift-limits", lift_limits },
  { "no-limits", no_limits },
  { "map-memory", map_memory },
  { "lower-claim", lower_claim },
  { "negative-claim", negative_claim },
  { "drop-sweep", drop_sweep },
  { "drop-sweeps", drop_sweeps },
  { "sweep-twice", sweep_twice },
  { "negative-price", negative_price },
  { "turn-to-branch", turn_to_branch },
  { "turn-to-bound", turn_to_bound },
  { "turn-to-full", turn_to_full },
  { "turn-to-placed", turn_to_placed },
  { "turn-to-peak", turn_to_peak },
  { "add-memory-bound", add_memory_bound },
  { NULL, NULL },
};
