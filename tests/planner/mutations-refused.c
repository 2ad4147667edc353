/* mutations-refused.c: ways to spoil a tree of sweeps of several devices: a peak of the
 * second, and two sweeps. */
#include "config.h"

#include "mutations.h"

static int
pick (int n)
{
  return g_test_rand_int_range (0, n);
}

static TpProofEntry *
get_entry (const TpPlan *plan, guint index)
{
  return &tp_array_index (plan->memory_proof->entries, TpProofEntry, index);
}

static gboolean
add_bound (TpPlan *plan, const TpTestCase *test)
{
  tp_pointers_add (plan->memory_proof->bounds, tp_memory_bound_new ());
  return TRUE;
}

static gboolean
turn_to_branch (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 0)->kind = TP_PROOF_BRANCH;
  return TRUE;
}

static gboolean
turn_to_bound (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 1)->kind = TP_PROOF_BOUND;
  return TRUE;
}

static gboolean
turn_to_full (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 2)->kind = TP_PROOF_FULL;
  return TRUE;
}

static gboolean
turn_to_placed (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 2)->kind = TP_PROOF_PLACED;
  return TRUE;
}

static gboolean
turn_to_nothing (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 1)->kind = (TpProofKind) (TP_PROOF_SWEEP + 1 + pick (9));
  return TRUE;
}

static gboolean
lower_price (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 1 + pick (2))->prices[pick (plan->n_devices)]
      = -1 - pick (1000);
  return TRUE;
}

static gboolean
peak_nowhere (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 0)->index = pick (2) ? -1 - pick (9)
                                        : plan->n_devices + pick (9);
  return TRUE;
}

static gboolean
peak_without_limit (TpPlan *plan, const TpTestCase *test)
{
  plan->memory_limits[1] = 0;
  g_clear_pointer (&plan->share_proof->room, tp_share_bound_free);
  return TRUE;
}

static gboolean
peak_below_nothing (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 0)->bytes = -1 - pick (1000);
  return TRUE;
}

static gboolean
peak_at_limit (TpPlan *plan, const TpTestCase *test)
{
  get_entry (plan, 0)->bytes = plan->memory_limits[1] + pick (2);
  return TRUE;
}

static gboolean
drop_end (TpPlan *plan, const TpTestCase *test)
{
  tp_array_set_size (plan->memory_proof->entries, 2);
  return TRUE;
}

static gboolean
drop_all (TpPlan *plan, const TpTestCase *test)
{
  tp_array_set_size (plan->memory_proof->entries, 0);
  return TRUE;
}

static gboolean
claim_more (TpPlan *plan, const TpTestCase *test)
{
  plan->memory_proof->bound_ns = plan->cost_ns + 1;
  return TRUE;
}

static gboolean
claim_less (TpPlan *plan, const TpTestCase *test)
{
  plan->memory_proof->bound_ns = plan->bound_ns - 1;
  return TRUE;
}

static gboolean
drop_limits (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->memory_limits, g_free);
  return TRUE;
}

static gboolean
share_memory (TpPlan *plan, const TpTestCase *test)
{
  gint64 all = 0;

  for (int i = 0; i < test->graph->n_tensors; i++)
    all += MAX (test->graph->tensors[i].size_bytes, 1);
  for (int d = 0; d < 2; d++)
    plan->costs->pools[d] = g_strdup ("host");
  plan->memory_limits
      = g_renew (gint64, plan->memory_limits, plan->n_devices + 1);
  plan->memory_limits[plan->n_devices] = all * plan->n_devices - 1;
  return TRUE;
}

static gboolean
map_memory (TpPlan *plan, const TpTestCase *test)
{
  plan->costs->is_mapped = g_new0 (gboolean, plan->n_devices);
  plan->costs->is_mapped[plan->costs->host == 1 ? 2 : 1] = TRUE;
  return TRUE;
}

static gboolean
rename_certificate (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->certificate);
  plan->certificate = g_strdup ("weighted-shares");
  return TRUE;
}

const TpTestRefusal tp_test_sweep_refusals[] = {
  { { "add-bound", add_bound }, "memory_bounds are of two devices" },
  { { "turn-to-branch", turn_to_branch },
    "memory_tree[0] is neither a peak nor a sweep" },
  { { "turn-to-bound", turn_to_bound },
    "memory_tree[1] is neither a peak nor a sweep" },
  { { "turn-to-full", turn_to_full },
    "memory_tree[2] is neither a peak nor a sweep" },
  { { "turn-to-placed", turn_to_placed },
    "memory_tree[2] is neither a peak nor a sweep" },
  { { "turn-to-nothing", turn_to_nothing },
    "memory_tree[1] is neither a peak nor a sweep" },
  { { "lower-price", lower_price }, "does not prove that what fits" },
  { { "peak-nowhere", peak_nowhere }, "memory_tree[0] does not prove" },
  { { "peak-without-limit", peak_without_limit },
    "memory_tree[0] does not prove" },
  { { "peak-below-nothing", peak_below_nothing },
    "memory_tree[0] does not prove" },
  { { "peak-at-limit", peak_at_limit }, "memory_tree[0] does not prove" },
  { { "drop-end", drop_end }, "memory_tree has ends without a proof" },
  { { "drop-all", drop_all }, "memory_tree has ends without a proof" },
  { { "claim-more", claim_more }, "memory_bound_ns is" },
  { { "claim-less", claim_less }, "memory_bound_ns is" },
  { { "drop-limits", drop_limits }, "there is no proof, or no limit" },
  { { "share-memory", share_memory }, "share too" },
  { { "map-memory", map_memory }, "mapped: " },
  { { "rename-certificate", rename_certificate },
    "memory_tree is no part of a certificate" },
  { { NULL, NULL }, NULL }
};
