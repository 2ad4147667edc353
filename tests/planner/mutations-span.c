/* mutations-span.c: ways to spoil the schedule of a plan for makespan, and its
 * proof. */
#include "config.h"

#include "mutations.h"

#include "ir/interference.h"

#include <string.h>

TP_TEST_SPOIL (raise_span, plan->span_proof->span_ns++)
TP_TEST_SPOIL_IF (lower_span, plan->span_proof->span_ns-- > 0)
TP_TEST_SPOIL (raise_span_bound, plan->span_proof->bound_ns++)
TP_TEST_SPOIL_IF (lower_span_bound, plan->span_proof->bound_ns-- > 0)
TP_TEST_SPOIL (drop_span_proof, g_clear_pointer (&plan->span_proof, tp_span_proof_free))

/* ---- the schedule --------------------------------------------------------- */

TP_TEST_SPOIL (start_too_soon,
               plan->span_proof->starts[pick (plan->span_proof->n_nodes)]--)
TP_TEST_SPOIL (start_before_all,
               plan->span_proof->starts[pick (plan->span_proof->n_nodes)] = -1)
TP_TEST_SPOIL (start_after_all,
               plan->span_proof->starts[pick (plan->span_proof->n_nodes)]
                 = plan->span_proof->span_ns + 1)

static gboolean
start_together (TpPlan *plan, const TpTestCase *test)
{
  const TpSpanProof *proof = plan->span_proof;
  gboolean has_changed = FALSE;

  for (int i = 0; i < proof->n_nodes; i++)
    {
      has_changed |= proof->starts[i] > 0;
      proof->starts[i] = 0;
    }
  return has_changed;
}

/* One that takes time, on the engine of another that does. */
static gboolean
start_with_other (TpPlan *plan, const TpTestCase *test)
{
  const TpPlacement *placements = plan->placements;
  int a = pick (plan->n_placements), b = pick (plan->n_placements);
  gint64 *starts = plan->span_proof->starts;

  if (placements[a].time_ns == 0 || placements[b].time_ns == 0
      || placements[a].device != placements[b].device || starts[a] <= starts[b])
    return FALSE;
  starts[a] = starts[b];
  return TRUE;
}

/* One way of a copy; NULL: there is none. */
static gint64 *
pick_way (const TpPlan *plan, gboolean is_there)
{
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 0; i < proof->n_transfers; i++)
    {
      if ((proof->fetch_starts[i] >= 0) == is_there)
        return &proof->fetch_starts[i];
      if ((proof->feed_starts[i] >= 0) == is_there)
        return &proof->feed_starts[i];
    }
  return NULL;
}

static gboolean
copy_too_soon (TpPlan *plan, const TpTestCase *test)
{
  gint64 *way = pick_way (plan, TRUE);

  if (way != NULL)
    --*way;
  return way != NULL;
}

static gboolean
drop_way (TpPlan *plan, const TpTestCase *test)
{
  gint64 *way = pick_way (plan, TRUE);

  if (way != NULL)
    *way = -1;
  return way != NULL;
}

static gboolean
claim_way (TpPlan *plan, const TpTestCase *test)
{
  gint64 *way = pick_way (plan, FALSE);

  if (way != NULL)
    *way = 0;
  return way != NULL;
}

static gboolean
copy_after_all (TpPlan *plan, const TpTestCase *test)
{
  gint64 *way = pick_way (plan, TRUE);

  if (way != NULL)
    *way = plan->span_proof->span_ns + 1;
  return way != NULL;
}

/* ---- stages --------------------------------------------------------------- */

static gboolean
set_waist (TpPlan *plan, int value)
{
  TpSpanProof *proof = plan->span_proof;
  int i = proof->n_waists == 0 ? 0 : pick (proof->n_waists);

  if (proof->n_waists == 0 || proof->waists[i] == value)
    return FALSE;
  proof->waists[i] = value;
  return TRUE;
}

TP_TEST_SPOIL_IF (move_waist, set_waist (plan, pick (plan->n_placements)))
TP_TEST_SPOIL_IF (waist_nowhere, set_waist (plan, 1 << 20))
TP_TEST_SPOIL_IF (negative_waist, set_waist (plan, -1))

static gboolean
swap_waists (TpPlan *plan, const TpTestCase *test)
{
  int *waists = plan->span_proof->waists;
  int kept;

  if (plan->span_proof->n_waists < 2)
    return FALSE;
  kept = waists[0];
  waists[0] = waists[1];
  waists[1] = kept;
  return TRUE;
}

static gboolean
repeat_waist (TpPlan *plan, const TpTestCase *test)
{
  int *waists = plan->span_proof->waists;

  if (plan->span_proof->n_waists < 2)
    return FALSE;
  waists[1] = waists[0];
  return TRUE;
}

TP_TEST_SPOIL_IF (drop_waist, plan->span_proof->n_waists-- > 0)

static gboolean
drop_waists (TpPlan *plan, const TpTestCase *test)
{
  gboolean had = plan->span_proof->n_waists > 0;

  plan->span_proof->n_waists = 0;
  return had;
}

static gboolean
add_waist (TpPlan *plan, const TpTestCase *test)
{
  TpSpanProof *proof = plan->span_proof;

  if (proof->n_entries == 0)
    return FALSE;
  proof->waists = g_renew (int, proof->waists, proof->n_waists + 1);
  proof->waists[proof->n_waists++] = plan->n_placements;
  return TRUE;
}

/* ---- the trees ------------------------------------------------------------ */

/* One that fixes an op, or one that does not; -1: there is none. */
static int
pick_entry (const TpPlan *plan, gboolean is_end)
{
  const TpSpanProof *proof = plan->span_proof;
  int n = proof->n_entries, first = n == 0 ? 0 : pick (n);

  for (int i = 0; i < n; i++)
    if ((proof->tree[(first + i) % n] == TP_SPAN_END) == is_end)
      return (first + i) % n;
  return -1;
}

static gboolean
set_entry (TpPlan *plan, int index, int value)
{
  if (index < 0 || plan->span_proof->tree[index] == value)
    return FALSE;
  plan->span_proof->tree[index] = value;
  return TRUE;
}

TP_TEST_SPOIL_IF (cut_span_tree, plan->span_proof->n_entries-- > 0)

static gboolean
drop_span_tree (TpPlan *plan, const TpTestCase *test)
{
  gboolean had = plan->span_proof->n_entries > 0;

  plan->span_proof->n_entries = 0;
  return had;
}

static gboolean
add_span_end (TpPlan *plan, const TpTestCase *test)
{
  TpSpanProof *proof = plan->span_proof;

  if (proof->n_entries == 0)
    return FALSE;
  proof->tree = g_renew (int, proof->tree, proof->n_entries + 1);
  proof->tree[proof->n_entries++] = TP_SPAN_END;
  return TRUE;
}

TP_TEST_SPOIL_IF (end_span_too_soon,
                  set_entry (plan, pick_entry (plan, FALSE), TP_SPAN_END))
TP_TEST_SPOIL_IF (fix_for_span_end, set_entry (plan, pick_entry (plan, TRUE), 0))
TP_TEST_SPOIL_IF (fix_unknown_span_op,
                  set_entry (plan, pick_entry (plan, FALSE), 1 << 20))
TP_TEST_SPOIL_IF (fix_no_span_op,
                  set_entry (plan, pick_entry (plan, g_test_rand_bit ()), -2))
TP_TEST_SPOIL_IF (fix_waist,
                  plan->span_proof->n_waists > 0
                    && set_entry (plan, pick_entry (plan, FALSE),
                                  plan->span_proof->waists[pick (
                                      plan->span_proof->n_waists)]))

static gboolean
fix_span_op_twice (TpPlan *plan, const TpTestCase *test)
{
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 1; i < proof->n_entries; i++)
    if (proof->tree[i - 1] != TP_SPAN_END && proof->tree[i] != TP_SPAN_END)
      return set_entry (plan, i, proof->tree[i - 1]);
  return FALSE;
}

/* ---- ends ----------------------------------------------------------------- */

/* Of an op that takes time, if ends are told. */
static gint64 *
pick_end (const TpPlan *plan)
{
  int i = pick (plan->n_placements);

  return plan->span_proof->ends == NULL || plan->placements[i].time_ns == 0
             ? NULL : &plan->span_proof->ends[i];
}

static gboolean
add_to_end (TpPlan *plan, gint64 more)
{
  gint64 *end = pick_end (plan);

  if (end != NULL)
    *end += more;
  return end != NULL;
}

TP_TEST_SPOIL_IF (end_later, add_to_end (plan, 1))
TP_TEST_SPOIL_IF (end_sooner, add_to_end (plan, -1))

/* As if nothing slowed anything, where something does. */
static gboolean
end_as_alone (TpPlan *plan, const TpTestCase *test)
{
  TpSpanProof *proof = plan->span_proof;
  gboolean has_changed = FALSE;

  for (int i = 0; i < proof->n_nodes && proof->ends != NULL; i++)
    {
      gint64 alone = proof->starts[i] + plan->placements[i].time_ns;

      if (plan->placements[i].time_ns == 0)
        continue;
      has_changed |= proof->ends[i] != alone;
      proof->ends[i] = alone;
    }
  return has_changed;
}

static gboolean
drop_ends (TpPlan *plan, const TpTestCase *test)
{
  TpSpanProof *proof = plan->span_proof;
  gboolean has_ends = proof->ends != NULL;

  g_clear_pointer (&proof->ends, g_free);
  g_clear_pointer (&proof->fetch_ends, g_free);
  g_clear_pointer (&proof->feed_ends, g_free);
  return has_ends;
}

static gboolean
claim_ends (TpPlan *plan, const TpTestCase *test)
{
  TpSpanProof *proof = plan->span_proof;

  if (proof->ends != NULL)
    return FALSE;
  tp_span_proof_add_ends (proof);
  for (int i = 0; i < proof->n_nodes; i++)
    proof->ends[i] = proof->starts[i] + plan->placements[i].time_ns;
  return TRUE;
}

static gboolean
drop_speeds (TpPlan *plan, const TpTestCase *test)
{
  gboolean has_speeds = plan->span_proof->ends != NULL;

  g_clear_pointer (&plan->costs->speeds, g_free);
  return has_speeds;
}

static gboolean
copy_ends_sooner (TpPlan *plan, const TpTestCase *test)
{
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 0; i < proof->n_transfers && proof->ends != NULL; i++)
    if (proof->feed_ends[i] > 0
        && proof->feed_ends[i] > proof->feed_starts[i])
      {
        proof->feed_ends[i]--;
        return TRUE;
      }
  return FALSE;
}

static gboolean
end_no_way (TpPlan *plan, const TpTestCase *test)
{
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 0; i < proof->n_transfers && proof->ends != NULL; i++)
    if (proof->fetch_ends[i] < 0)
      {
        proof->fetch_ends[i] = 0;
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_speed (TpPlan *plan, int row, int column, int speed)
{
  int n = 3 * plan->n_devices;

  if (plan->span_proof->ends == NULL)
    return FALSE;
  plan->costs->speeds[row * n + column] = speed;
  return TRUE;
}

TP_TEST_SPOIL_IF (stop_engine, set_speed (plan, 0, 1, 0))
TP_TEST_SPOIL_IF (speed_engine_up, set_speed (plan, 1, 0, TP_SPEED_ALONE + 1))
TP_TEST_SPOIL_IF (slow_by_itself, set_speed (plan, 1, 1, TP_SPEED_ALONE / 2))

/* ---- how sure it is -------------------------------------------------------- */

/* Beyond what rounding lets pass. */
TP_TEST_SPOIL (narrow_span,
               plan->span_proof->high_ns -= 3 + plan->span_proof->high_ns / 1000)
TP_TEST_SPOIL (widen_span,
               plan->span_proof->high_ns += 3 + plan->span_proof->high_ns / 1000)

static gboolean
lower_span_low (TpPlan *plan, const TpTestCase *test)
{
  gint64 *low_ns = &plan->span_proof->low_ns;

  *low_ns -= MIN (*low_ns, 3 + *low_ns / 1000);
  return *low_ns > 3;
}

static gboolean
drop_span_interval (TpPlan *plan, const TpTestCase *test)
{
  plan->span_proof->low_ns = plan->span_proof->high_ns = -1;
  return plan->costs->errors != NULL;
}

TP_TEST_SPOIL (tell_load_interval,
               plan->load_proof->low_ns = plan->load_proof->high_ns
                 = plan->load_proof->load_ns)

const TpTestMutation tp_test_span_mutations[] = {
  { "raise-span", raise_span },
  { "lower-span", lower_span },
  { "raise-span-bound", raise_span_bound },
  { "lower-span-bound", lower_span_bound },
  { "drop-span-proof", drop_span_proof },
  { "start-too-soon", start_too_soon },
  { "start-before-all", start_before_all },
  { "start-after-all", start_after_all },
  { "start-together", start_together },
  { "start-with-other", start_with_other },
  { "copy-too-soon", copy_too_soon },
  { "drop-way", drop_way },
  { "claim-way", claim_way },
  { "copy-after-all", copy_after_all },
  { "move-waist", move_waist },
  { "waist-nowhere", waist_nowhere },
  { "negative-waist", negative_waist },
  { "swap-waists", swap_waists },
  { "repeat-waist", repeat_waist },
  { "drop-waist", drop_waist },
  { "drop-waists", drop_waists },
  { "add-waist", add_waist },
  { "cut-span-tree", cut_span_tree },
  { "drop-span-tree", drop_span_tree },
  { "add-span-end", add_span_end },
  { "end-span-too-soon", end_span_too_soon },
  { "fix-for-span-end", fix_for_span_end },
  { "fix-unknown-span-op", fix_unknown_span_op },
  { "fix-no-span-op", fix_no_span_op },
  { "fix-waist", fix_waist },
  { "fix-span-op-twice", fix_span_op_twice },
  { "end-later", end_later },
  { "end-sooner", end_sooner },
  { "end-as-alone", end_as_alone },
  { "drop-ends", drop_ends },
  { "claim-ends", claim_ends },
  { "drop-speeds", drop_speeds },
  { "copy-ends-sooner", copy_ends_sooner },
  { "end-no-way", end_no_way },
  { "stop-engine", stop_engine },
  { "speed-engine-up", speed_engine_up },
  { "slow-by-itself", slow_by_itself },
  { "narrow-span", narrow_span },
  { "widen-span", widen_span },
  { "lower-span-low", lower_span_low },
  { "drop-span-interval", drop_span_interval },
  { "tell-load-interval", tell_load_interval },
  { NULL, NULL },
};
