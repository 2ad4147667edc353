/* mutations-memory.c: ways to spoil the proof of a plan within limits of memory. */
#include "config.h"

#include "ir/plan-memory.h"
#include "memory-case.h"
#include "mutations.h"

#include <string.h>

static int
count_entries (const TpPlan *plan)
{
  return (int) plan->memory_proof->entries->len;
}

static TpProofEntry *
get_entry (const TpPlan *plan, int index)
{
  return &tp_array_index (plan->memory_proof->entries, TpProofEntry, index);
}

/* Some entry of that kind, or NULL. */
static TpProofEntry *
pick_entry (const TpPlan *plan, TpProofKind kind)
{
  int n = count_entries (plan), first = pick (n);

  for (int i = 0; i < n; i++)
    if (get_entry (plan, (first + i) % n)->kind == kind)
      return get_entry (plan, (first + i) % n);
  return NULL;
}

/* ---- the tree ------------------------------------------------------------- */

TP_TEST_SPOIL (drop_entry,
               tp_array_remove_index (plan->memory_proof->entries,
                                      (guint) pick (count_entries (plan))))
TP_TEST_SPOIL (drop_last_entry,
               tp_array_set_size (plan->memory_proof->entries,
                                  (guint) count_entries (plan) - 1))

static gboolean
repeat_last_entry (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry last = *get_entry (plan, count_entries (plan) - 1);

  tp_array_append_val (plan->memory_proof->entries, last);
  return TRUE;
}

TP_TEST_SPOIL (drop_tree, tp_array_set_size (plan->memory_proof->entries, 0))

static gboolean
branch_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_BRANCH);

  if (entry != NULL)
    entry->index = plan->n_placements + pick (3);
  return entry != NULL;
}

/* On an op that has its device already. */
static gboolean
branch_twice (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *root = get_entry (plan, 0);

  if (count_entries (plan) < 3 || root->kind != TP_PROOF_BRANCH
      || root[1].kind != TP_PROOF_BRANCH)
    return FALSE;
  root[1].index = root->index;
  return TRUE;
}

/* On an op that is with one that has its device already. */
static gboolean
branch_together_twice (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *root = get_entry (plan, 0);
  const TpColocation *it;
  int index;

  if (count_entries (plan) < 3 || root->kind != TP_PROOF_BRANCH
      || root[1].kind != TP_PROOF_BRANCH || test->graph->colocation_of == NULL)
    return FALSE;
  index = test->graph->colocation_of[root->index];
  if (index < 0)
    return FALSE;
  it = &test->graph->colocations[index];
  root[1].index = it->nodes[it->nodes[0] == root->index];
  return TRUE;
}

/* Without what should be below. */
static gboolean
branch_at_end (TpPlan *plan, const TpTestCase *test)
{
  *get_entry (plan, count_entries (plan) - 1)
      = (TpProofEntry){ .kind = TP_PROOF_BRANCH,
                        .index = pick (plan->n_placements) };
  return TRUE;
}

static gboolean
bound_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_BOUND);

  if (entry != NULL)
    entry->index = (int) plan->memory_proof->bounds->len + pick (3);
  return entry != NULL;
}

static gboolean
full_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_FULL);

  if (entry != NULL)
    entry->step = plan->n_placements + pick (3);
  return entry != NULL;
}

/* There it may hold what it likes. */
static gboolean
full_without_limit (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_FULL);

  if (entry == NULL || plan->memory_limits[0] > 0)
    return FALSE;
  entry->index = 0;
  return TRUE;
}

/* One of several placements. */
static gboolean
place_too_early (TpPlan *plan, const TpTestCase *test)
{
  if (count_entries (plan) < 3)
    return FALSE;
  tp_array_set_size (plan->memory_proof->entries, 1);
  *get_entry (plan, 0) = (TpProofEntry){ .kind = TP_PROOF_PLACED };
  return TRUE;
}

/* ---- peaks and sweeps ------------------------------------------------------ */

static gboolean
peak_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_PEAK);

  if (entry != NULL)
    entry->index = 2 + pick (3);
  return entry != NULL;
}

static gboolean
peak_without_limit (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_PEAK);

  if (entry == NULL || plan->memory_limits[0] > 0)
    return FALSE;
  entry->index = 0;
  return TRUE;
}

/* There is nothing above that. */
static gboolean
peak_above_limit (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_PEAK);

  if (entry != NULL)
    entry->bytes = plan->memory_limits[entry->index] + pick (3);
  return entry != NULL;
}

static gboolean
peak_below_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_PEAK);

  if (entry != NULL)
    entry->bytes = -1 - pick (1000);
  return entry != NULL;
}

static gboolean
repeat_peak (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_PEAK);
  gint64 bytes = entry == NULL ? 0 : entry->bytes;

  if (entry == NULL)
    return FALSE;
  tp_array_append_vals (plan->memory_proof->entries, entry, 1);
  memmove (get_entry (plan, 1), get_entry (plan, 0),
           sizeof *entry * (count_entries (plan) - 1));
  *get_entry (plan, 0) = (TpProofEntry){ .kind = TP_PROOF_PEAK,
                                         .index = 1,
                                         .bytes = bytes };
  return TRUE;
}

static gboolean
peak_at_end (TpPlan *plan, const TpTestCase *test)
{
  if (pick_entry (plan, TP_PROOF_SWEEP) == NULL)
    return FALSE;
  *get_entry (plan, count_entries (plan) - 1)
      = (TpProofEntry){ .kind = TP_PROOF_PEAK, .index = 1, .bytes = 1 };
  return TRUE;
}

static gboolean
lower_sweep_price (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_SWEEP);

  if (entry != NULL)
    entry->prices[pick (2)] = -1 - pick (1000);
  return entry != NULL;
}

/* To an end of another kind. */
static gboolean
turn_sweep (TpPlan *plan, TpProofKind kind)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_SWEEP);

  if (entry != NULL)
    entry->kind = kind;
  return entry != NULL;
}

TP_TEST_SPOIL_IF (sweep_to_bound, turn_sweep (plan, TP_PROOF_BOUND))
TP_TEST_SPOIL_IF (sweep_to_full, turn_sweep (plan, TP_PROOF_FULL))
TP_TEST_SPOIL_IF (sweep_to_placed, turn_sweep (plan, TP_PROOF_PLACED))
TP_TEST_SPOIL_IF (sweep_to_nothing,
                  turn_sweep (plan, (TpProofKind) (TP_PROOF_SWEEP + 1 + pick (5))))

/* A tree of whatever ops, all of whose ends but the last are swept. */
static gboolean
drop_swept_half (TpPlan *plan, const TpTestCase *test)
{
  TpProofEntry *entry = pick_entry (plan, TP_PROOF_SWEEP), branch, end;

  if (entry == NULL)
    return FALSE;
  end = *entry;
  branch = (TpProofEntry){ .kind = TP_PROOF_BRANCH,
                           .index = pick (plan->n_placements) };
  tp_array_set_size (plan->memory_proof->entries, 0);
  tp_array_append_val (plan->memory_proof->entries, branch);
  tp_array_append_val (plan->memory_proof->entries, end);
  return TRUE;
}

/* With a limit that lets the cheapest plan of all fit. */
static gboolean
lift_limit (TpPlan *plan, const TpTestCase *test)
{
  if (pick_entry (plan, TP_PROOF_SWEEP) == NULL
      || plan->bound_ns >= plan->memory_proof->bound_ns)
    return FALSE;
  plan->memory_limits[1] = G_GINT64_CONSTANT (1) << (40 + pick (20));
  return TRUE;
}

static gboolean
raise_swept (TpPlan *plan, const TpTestCase *test)
{
  if (pick_entry (plan, TP_PROOF_SWEEP) == NULL
      || plan->memory_proof->bound_ns < plan->cost_ns)
    return FALSE;
  plan->memory_proof->bound_ns += 1 + pick (3);
  return TRUE;
}

/* ---- what is claimed ------------------------------------------------------ */

TP_TEST_SPOIL (raise_bound, plan->memory_proof->bound_ns = plan->cost_ns + 1)
TP_TEST_SPOIL (bound_below_all, plan->memory_proof->bound_ns = plan->bound_ns - 1)
TP_TEST_SPOIL (raise_cheapest, plan->bound_ns++)
TP_TEST_SPOIL (tighten_limit,
               plan->memory_limits[1] = plan->peak_bytes[1] + plan->weight_bytes[1] - 1)
TP_TEST_SPOIL (lower_limit, plan->memory_limits[1] = -1)
TP_TEST_SPOIL (drop_limits,
               memset (plan->memory_limits, 0, 2 * sizeof *plan->memory_limits))
TP_TEST_SPOIL (name_a_price, plan->tie_price_ns = 1)
TP_TEST_SPOIL (drop_flows, plan->n_flows = 0)

/* As if the bounds knew of what two have in common. */
static gboolean
map_within_limits (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;

  g_free (costs->is_mapped);
  costs->is_mapped = g_new0 (gboolean, costs->n_devices);
  return tp_costs_map (costs, costs->host == 0);
}

const TpTestMutation tp_test_memory_mutations[] = {
  { "map-within-limits", map_within_limits },
  { "drop-memory-entry", drop_entry },
  { "drop-last-memory-entry", drop_last_entry },
  { "repeat-last-memory-entry", repeat_last_entry },
  { "drop-memory-tree", drop_tree },
  { "branch-memory-nowhere", branch_nowhere },
  { "branch-memory-twice", branch_twice },
  { "branch-together-twice", branch_together_twice },
  { "branch-memory-at-end", branch_at_end },
  { "bound-nowhere", bound_nowhere },
  { "full-nowhere", full_nowhere },
  { "full-without-limit", full_without_limit },
  { "place-too-early", place_too_early },
  { "peak-nowhere", peak_nowhere },
  { "peak-without-limit", peak_without_limit },
  { "peak-above-limit", peak_above_limit },
  { "peak-below-nothing", peak_below_nothing },
  { "repeat-peak", repeat_peak },
  { "peak-at-end", peak_at_end },
  { "lower-sweep-price", lower_sweep_price },
  { "sweep-to-bound", sweep_to_bound },
  { "sweep-to-full", sweep_to_full },
  { "sweep-to-placed", sweep_to_placed },
  { "sweep-to-nothing", sweep_to_nothing },
  { "drop-swept-half", drop_swept_half },
  { "lift-limit", lift_limit },
  { "raise-swept", raise_swept },
  { "raise-memory-bound", raise_bound },
  { "bound-below-all", bound_below_all },
  { "raise-cheapest", raise_cheapest },
  { "tighten-limit", tighten_limit },
  { "lower-limit", lower_limit },
  { "drop-limits", drop_limits },
  { "name-a-memory-price", name_a_price },
  { "drop-memory-flows", drop_flows },
  { NULL, NULL },
};

TpPlan *
tp_test_place_tight (const TpTestCase *test)
{
  gint64 limits[2];
  int n_cuts = g_test_rand_bit () ? TP_MEMORY_CASE_CUTS : 0;
  TpPlan *plan = tp_memory_case_place_tight (test, n_cuts, limits);

  if (plan != NULL)
    tp_plan_count_memory (plan, test->graph);
  return plan;
}

TpTestCase *
tp_test_tight_case_new (void)
{
  TpTestCase *test = g_test_rand_bit () ? tp_memory_case_new (12)
                                        : tp_memory_case_new_together (2, 12);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  return test;
}
