/* mutations-sweep.c: plans for three and four devices with a proof by sweeps, put there by
 * hand, and ways to spoil it. */
#include "config.h"

#include "mutations.h"

#include "ir/plan-memory.h"
#include "memory-case.h"
#include "place-case.h"
#include "planner/limit-held.h"

#include <string.h>

#define MAX_OPS 6

static void
add_entry (TpPlan *plan, TpProofEntry entry)
{
  tp_array_append_vals (plan->memory_proof->entries, &entry, 1);
}

void
tp_test_add_sweeps (TpPlan *plan, int device, gint64 bytes, gint64 bound_ns)
{
  TpProofEntry sweep = { .kind = TP_PROOF_SWEEP };

  tp_memory_proof_free (plan->memory_proof);
  plan->memory_proof = tp_memory_proof_new ();
  plan->memory_proof->bound_ns = bound_ns;
  add_entry (plan, (TpProofEntry){ .kind = TP_PROOF_PEAK, .index = device,
                                   .bytes = bytes });
  for (int d = 0; d < MIN (plan->n_devices, TP_SWEEP_MAX_DEVICES); d++)
    sweep.prices[d] = 1000 * d + 7;
  add_entry (plan, sweep);
  add_entry (plan, sweep);
}

/* Of constants, what is read on @device. */
static gint64
count_constants (const TpLimitHeld *held, const gint8 *devices, int device)
{
  gint64 sum = 0;

  for (int t = 0; t < held->problem->graph->n_tensors; t++)
    {
      const TpLimitHolding *it = &held->items[t];
      const int *readers = (const int *) held->readers->data + it->first;

      if (it->is_constant && !tp_limit_held_is_kept (held, it, device)
          && tp_limit_is_any_on (readers, it->n, devices, device))
        sum += it->size_bytes;
    }
  return sum;
}

/* A choice of the tree: that @device holds @bytes at most, constants apart. */
typedef struct
{
  const gint64 *limits;
  int device;
  gint64 bytes;
} Room;

/* Whether constants fit beside the least that the side of the choice says is held; and,
 * but for groups, in which sweeps may leave something out, whether all that is held does. */
static gboolean
has_room (const TpLimitHeld *held, const gint8 *devices, const Room *room)
{
  gboolean is_exact = held->problem->groups->n_groups == 0;
  int step;

  for (int d = 0; d < held->problem->n_devices; d++)
    {
      gint64 limit = room->limits[d];
      gint64 constants = count_constants (held, devices, d);
      gint64 rest = is_exact ? tp_limit_held_peak (held, devices, d, &step)
                                   - constants
                             : 0;

      if (limit == 0)
        continue;
      if (d == room->device && rest > room->bytes)
        limit -= room->bytes + 1;
      if (constants > limit || rest > room->limits[d])
        return FALSE;
    }
  return TRUE;
}

/* What the cheapest of such placements costs: no sweeps of both sides prove less. */
static gint64
find_least (const TpTestCase *test, const Room *room)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_auto (TpLimitHeld) held = { 0 };
  guint8 devices[MAX_OPS + 1] = { 0 };
  int n = test->graph->n_nodes;
  gint64 least = TP_COST_NONE;

  tp_limit_held_init (&held, problem);
  do
    {
      gint64 cost = tp_test_case_cost (test, devices);

      if (cost < least && has_room (&held, (const gint8 *) devices, room))
        least = cost;
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return least;
}

TpTestCase *
tp_test_sweep_case_new (int round)
{
  int k = 3 + round % 2, n = g_test_rand_int_range (2, MAX_OPS + 4 - k);

  return round % 3 == 0 ? tp_memory_case_new_together (k, n)
                        : tp_memory_case_new_for (k, n);
}

/* The last device has no limit, every other time. */
TpPlan *
tp_test_place_sweeps (const TpTestCase *test, int round)
{
  int k = test->costs->n_devices;
  gint64 bytes[TP_TEST_MAX_DEVICES], limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
  g_autoptr (TpPlan) cheapest = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (cheapest);
  g_autoptr (TpPlan) plan = NULL;
  Room room = { .limits = limits };

  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < k - round % 2; d++)
    limits[d] = bytes[d] * g_test_rand_int_range (30, 90) / 100;
  plan = tp_memory_case_place (test, limits, TP_MEMORY_CASE_CUTS);
  while (room.device < k && limits[room.device] == 0)
    room.device++;
  if (plan == NULL || plan->memory_limits == NULL || room.device == k)
    return NULL;
  tp_plan_count_memory (plan, test->graph);
  room.bytes = limits[room.device] / 2;
  tp_test_add_sweeps (plan, room.device, room.bytes, find_least (test, &room));
  g_assert_cmpint (plan->memory_proof->bound_ns, >=, plan->bound_ns);
  g_assert_cmpint (plan->memory_proof->bound_ns, <=, plan->cost_ns);
  return g_steal_pointer (&plan);
}

static TpProofEntry *
get_entry (const TpPlan *plan, guint index)
{
  return &tp_array_index (plan->memory_proof->entries, TpProofEntry, index);
}

TP_TEST_SPOIL (above_cost, plan->memory_proof->bound_ns = plan->cost_ns + 1)
TP_TEST_SPOIL (below_all, plan->memory_proof->bound_ns = plan->bound_ns - 1)

/* So that what is cheapest just fits, and costs less. */
static gboolean
lift_limits (TpPlan *plan, const TpTestCase *test)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  gint64 bytes[TP_TEST_MAX_DEVICES];

  for (int i = 0; i < plan->n_placements; i++)
    devices[plan->placements[i].node] = (guint8) plan->placements[i].cheapest;
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < plan->n_devices; d++)
    if (plan->memory_limits[d] > 0)
      plan->memory_limits[d] = MAX (plan->memory_limits[d], bytes[d]);
  return tp_test_case_cost (test, devices) < plan->memory_proof->bound_ns;
}

TP_TEST_SPOIL (drop_end,
               tp_array_set_size (plan->memory_proof->entries,
                                  plan->memory_proof->entries->len - 1))
TP_TEST_SPOIL (drop_all, tp_array_set_size (plan->memory_proof->entries, 0))
TP_TEST_SPOIL (add_end, add_entry (plan, *get_entry (plan, 1)))
TP_TEST_SPOIL (peak_nowhere, get_entry (plan, 0)->index = plan->n_devices + pick (9))
TP_TEST_SPOIL (peak_below_nothing, get_entry (plan, 0)->bytes = -1 - pick (1000))
TP_TEST_SPOIL (peak_of_limit,
               get_entry (plan, 0)->bytes
                 = plan->memory_limits[get_entry (plan, 0)->index] + pick (2))

static gboolean
peak_without_limit (TpPlan *plan, const TpTestCase *test)
{
  plan->memory_limits[get_entry (plan, 0)->index] = 0;
  g_clear_pointer (&plan->share_proof->room, tp_share_bound_free);
  return TRUE;
}

TP_TEST_SPOIL (negative_price,
               get_entry (plan, 1 + (guint) pick (2))->prices[pick (plan->n_devices)]
                 = -1 - pick (1000))

/* What proofs of two devices alone have. */
static gboolean
other_end (TpPlan *plan, const TpTestCase *test)
{
  static const TpProofKind kinds[] = { TP_PROOF_BRANCH, TP_PROOF_BOUND,
                                       TP_PROOF_FULL, TP_PROOF_PLACED };

  get_entry (plan, (guint) pick (3))->kind = kinds[pick (4)];
  return TRUE;
}

TP_TEST_SPOIL (no_end,
               get_entry (plan, (guint) pick (3))->kind
                 = (TpProofKind) (TP_PROOF_SWEEP + 1 + pick (9)))
TP_TEST_SPOIL (add_bound,
               tp_pointers_add (plan->memory_proof->bounds, tp_memory_bound_new ()))
TP_TEST_SPOIL (break_tie, plan->tie_price_ns = 1)
TP_TEST_SPOIL (forget_limits, g_clear_pointer (&plan->memory_limits, g_free))

/* Sweeps know nothing of what several devices have together, where it is less than all of
 * them could hold. */
static gboolean
share_memory (TpPlan *plan, const TpTestCase *test)
{
  int k = plan->n_devices;
  gint64 *limits = g_new0 (gint64, k + 2), all = 0;

  memcpy (limits, plan->memory_limits, sizeof (gint64) * (gsize) k);
  for (int i = 0; i < test->graph->n_tensors; i++)
    all += MAX (test->graph->tensors[i].size_bytes, 1);
  limits[k] = all * k - 1;
  g_free (plan->memory_limits);
  plan->memory_limits = limits;
  for (int d = 1; d < 3; d++)
    plan->costs->pools[d] = g_strdup ("host");
  return TRUE;
}

static gboolean
map_memory (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->costs->is_mapped);
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
  { { "no-end", no_end }, "is neither a peak nor a sweep" },
  { { "above-cost", above_cost }, "memory_bound_ns is" },
  { { "below-all", below_all }, "memory_bound_ns is" },
  { { "lift-limits", lift_limits }, "does not prove that what fits" },
  { { "drop-end", drop_end }, "memory_tree has ends without a proof" },
  { { "drop-all", drop_all }, "memory_tree has ends without a proof" },
  { { "add-end", add_end }, "memory_tree[3] does not prove" },
  { { "peak-nowhere", peak_nowhere }, "memory_tree[0] does not prove" },
  { { "peak-below-nothing", peak_below_nothing },
    "memory_tree[0] does not prove" },
  { { "peak-of-limit", peak_of_limit }, "memory_tree[0] does not prove" },
  { { "peak-without-limit", peak_without_limit },
    "memory_tree[0] does not prove" },
  { { "negative-price", negative_price }, "does not prove that what fits" },
  { { "other-end", other_end }, "is neither a peak nor a sweep" },
  { { "add-bound", add_bound }, "memory_bounds are of two devices" },
  { { "break-tie", break_tie }, "memory_bound_ns is" },
  { { "forget-limits", forget_limits }, "there is no proof, or no limit" },
  { { "share-memory", share_memory }, "share too" },
  { { "map-memory", map_memory }, "mapped: " },
  { { "rename-certificate", rename_certificate },
    "memory_tree is no part of a certificate" },
  { { NULL, NULL }, NULL },
};
