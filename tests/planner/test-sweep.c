/* test-sweep.c: what sweeps of several devices prove, as the checker does them, against
 * all placements there are. The trees are made here: of peaks, and sweeps with prices
 * that should not matter. */
#include "config.h"

#include "lies.h"
#include "memory-case.h"
#include "place-case.h"
#include "sweep-case.h"
#include "sweep-truth.h"

#include "ir/plan-memory.h"

#include <string.h>

#define K TP_TRUTH_DEVICES
#define PLANS 120

/* ---- plans ----------------------------------------------------------------- */

/* So @plan may be dearer than it has to be; of what else it said of them no more. */
static void
widen_limits (TpPlan *plan)
{
  for (int d = 0; d < plan->n_devices; d++)
    if (plan->memory_limits[d] > 0)
      plan->memory_limits[d]
          = pick (6) == 0 ? 0
                          : plan->memory_limits[d]
                                * g_test_rand_int_range (100, 250) / 100;
  if (plan->share_proof != NULL)
    g_clear_pointer (&plan->share_proof->room, tp_share_bound_free);
}

/* ---- trees ---------------------------------------------------------------- */

/* What tells the cheapest in @box from what fits, if its constants and its peak
 * together do not; -1: they do. */
static int
find_culprit (const TpTruth *truth, const TpPlan *plan, const TpTruthBox *box,
              gint64 *out_bytes)
{
  const TpTruthSeen *it = tp_truth_find_cheapest (
      truth, plan->memory_limits, box, tp_truth_fits_sweep);

  for (int d = 0; d < truth->k && it != NULL; d++)
    if (plan->memory_limits[d] > 0 && it->peaks[d] > 0
        && it->weights[d] + it->peaks[d] > plan->memory_limits[d])
      {
        *out_bytes = it->peaks[d] - 1;
        return d;
      }
  return -1;
}

/* Into @box: what proves more, or what some placement holds at most. FALSE: there is no
 * choice. */
static gboolean
draw_peak (const TpTruth *truth, const TpPlan *plan, const TpTruthBox *box,
           TpProofEntry *out)
{
  const TpTruthSeen *it = &g_array_index (truth->seen, TpTruthSeen,
                                          pick ((int) truth->seen->len));
  gint64 bytes = 0;
  int d = pick (4) > 0 ? find_culprit (truth, plan, box, &bytes) : -1;

  if (d < 0)
    {
      d = pick (truth->k);
      bytes = it->peaks[d];
    }
  if (plan->memory_limits[d] == 0 || box->low[d] >= box->high[d])
    return FALSE;
  if (bytes < box->low[d] || bytes >= box->high[d])
    bytes = g_test_rand_int_range ((gint32) box->low[d],
                                   (gint32) box->high[d]);
  *out = (TpProofEntry){ .kind = TP_PROOF_PEAK, .index = d, .bytes = bytes };
  return TRUE;
}

/* Below @box; returns what it proves. */
static gint64
draw_tree (const TpTruth *truth, TpPlan *plan, TpTruthBox box, int depth)
{
  TpArray *entries = plan->memory_proof->entries;
  TpProofEntry entry;
  gint64 less, more, high;

  if (depth == 0 || !draw_peak (truth, plan, &box, &entry))
    {
      entry = tp_sweep_draw ();
      tp_array_append_val (entries, entry);
      return tp_truth_find_least (truth, plan->memory_limits, &box,
                                  tp_truth_fits_sweep);
    }
  tp_array_append_val (entries, entry);
  high = box.high[entry.index];
  box.high[entry.index] = entry.bytes;
  less = draw_tree (truth, plan, box, depth - 1);
  box.high[entry.index] = high;
  box.low[entry.index] = entry.bytes + 1;
  more = draw_tree (truth, plan, box, depth - 1);
  return MIN (less, more);
}

static gint64
make_tree (const TpTruth *truth, TpPlan *plan, int depth)
{
  TpTruthBox box = { 0 };

  for (int d = 0; d < truth->k; d++)
    box.high[d] = plan->memory_limits[d];
  tp_array_set_size (plan->memory_proof->entries, 0);
  return draw_tree (truth, plan, box, depth);
}

typedef struct
{
  int n_plans, n_binding, n_loose; /* limits cost something; plans dearer than needed */
  int n_taken, n_refused, n_false; /* claims; that are false */
  int n_trees, n_raised;      /* with peaks; that prove more than one sweep */
  int n_edited;               /* and taken */
} Found;

/* Taken if and only if the tree proves it; never what is false. */
static void
check_claim (TpPlan *plan, const TpTestCase *test, gint64 claim, gint64 proved,
             Found *found)
{
  if (claim < plan->bound_ns || claim > plan->cost_ns)
    return;
  plan->memory_proof->bound_ns = claim;
  g_assert_cmpint (tp_test_is_taken (plan, test), ==, claim <= proved);
  found->n_taken += claim <= proved;
  found->n_refused += claim > proved;
}

static void
check_claims (TpPlan *plan, const TpTestCase *test, gint64 proved, gint64 fit,
              Found *found)
{
  gint64 gap = plan->cost_ns - plan->bound_ns;

  g_assert_cmpint (proved, <=, fit);
  g_assert_cmpint (proved, >=, plan->bound_ns);
  check_claim (plan, test, proved, proved, found);
  check_claim (plan, test, proved + 1, proved, found);
  check_claim (plan, test, fit, proved, found);
  check_claim (plan, test, fit + 1, proved, found);
  found->n_false += fit < plan->cost_ns;
  check_claim (plan, test, plan->bound_ns, proved, found);
  check_claim (plan, test, plan->cost_ns, proved, found);
  check_claim (plan, test, plan->bound_ns + pick ((int) gap + 1), proved, found);
}

/* Another number, or entry, anywhere. */
static void
edit (TpArray *entries)
{
  TpProofEntry extra = tp_sweep_draw ();
  TpProofEntry *it = entries->len == 0
                         ? NULL
                         : &tp_array_index (entries, TpProofEntry,
                                            pick ((int) entries->len));

  switch (it == NULL ? 0 : pick (7))
    {
    case 0:
      tp_array_append_val (entries, extra);
      break;
    case 1:
      it->kind = (TpProofKind) pick (TP_PROOF_SWEEP + 2);
      break;
    case 2:
      it->index = pick (K + 2) - 1;
      break;
    case 3:
      it->bytes = pick (G_MAXINT32) / (1 << pick (20));
      break;
    case 4:
      it->prices[pick (K)] = (gint64) pick (G_MAXINT32) << pick (20);
      break;
    case 5:
      *it = tp_array_index (entries, TpProofEntry, pick ((int) entries->len));
      break;
    default:
      it->kind = pick (2) ? TP_PROOF_PEAK : TP_PROOF_SWEEP;
    }
}

/* Whatever it says, what is taken is true. */
static void
check_edits (const TpTruth *truth, TpPlan *plan, const TpTestCase *test,
             gint64 fit, Found *found)
{
  gint64 gap = plan->cost_ns - plan->bound_ns;

  for (int i = 0; i < 40; i++)
    {
      gint64 claim = plan->bound_ns + pick ((int) gap + 1);

      if (i % 10 == 0)
        make_tree (truth, plan, pick (4));
      edit (plan->memory_proof->entries);
      plan->memory_proof->bound_ns = claim;
      found->n_false += claim > fit;
      if (!tp_test_is_taken (plan, test))
        continue;
      g_assert_cmpint (claim, <=, fit);
      found->n_edited++;
    }
}

/* Each once without, and each once twice. */
static void
check_entries (TpPlan *plan, const TpTestCase *test)
{
  TpArray *entries = plan->memory_proof->entries;

  plan->memory_proof->bound_ns = plan->bound_ns;
  g_assert_true (tp_test_is_taken (plan, test));
  for (guint i = 0; i < entries->len; i++)
    {
      TpProofEntry *all, kept = tp_array_index (entries, TpProofEntry, i);

      tp_array_remove_index (entries, i);
      g_assert_false (tp_test_is_taken (plan, test));
      for (int n = 0; n < 2; n++)
        {
          tp_array_append_val (entries, kept);
          all = &tp_array_index (entries, TpProofEntry, 0);
          memmove (&all[i + 1], &all[i],
                   (entries->len - 1 - i) * sizeof *all);
          all[i] = kept;
        }
      g_assert_false (tp_test_is_taken (plan, test));
      tp_array_remove_index (entries, i);
    }
  g_assert_true (tp_test_is_taken (plan, test));
}

static void
check_plan (const TpTruth *truth, TpPlan *plan, const TpTestCase *test,
            Found *found)
{
  const gint64 *limits = plan->memory_limits;
  gint64 fit = tp_truth_find_least (truth, limits, NULL, tp_truth_fits_alive);
  gint64 laid_out = tp_truth_find_laid_out (test, limits);
  gint64 one = make_tree (truth, plan, 0);

  g_assert_cmpint (fit, <=, laid_out);
  g_assert_cmpint (laid_out, <=, plan->cost_ns);
  g_assert_cmpint (
      tp_truth_find_least (truth, limits, NULL, tp_truth_fits_apart), <=, one);
  found->n_plans++;
  found->n_binding += fit > plan->bound_ns;
  found->n_loose += fit < plan->cost_ns;
  check_claims (plan, test, one, fit, found);
  for (int depth = 1; depth <= 3; depth++)
    {
      gint64 proved = make_tree (truth, plan, depth);

      found->n_trees += plan->memory_proof->entries->len > 2;
      found->n_raised += proved > one;
      check_claims (plan, test, proved, fit, found);
    }
  check_entries (plan, test);
  check_edits (truth, plan, test, truth->k == 2 ? laid_out : fit, found);
}

static void
test_brute_force (gconstpointer n_devices)
{
  int k = GPOINTER_TO_INT (n_devices);
  int n_plans = tp_test_count_rounds (PLANS, 8 * PLANS);
  Found found = { 0 };

  for (int round = 0; round < 20 * n_plans && found.n_plans < n_plans; round++)
    {
      g_autoptr (TpTestCase) test = tp_sweep_case_new (k, round);
      g_auto (TpTruth) truth = { 0 };
      gint64 limits[K + 1];
      g_autoptr (TpPlan) plan = NULL;

      tp_sweep_case_draw_limits (test, limits);
      plan = tp_sweep_case_place (test, limits);
      if (plan == NULL)
        continue;
      tp_truth_init (&truth, test);
      if (round % 3 > 0)
        widen_limits (plan);
      check_plan (&truth, plan, test, &found);
    }
  g_test_message ("%d plans, of %d limits bind, %d are too dear; %d claims "
                  "taken, %d refused, %d false; %d trees, %d prove more; %d of "
                  "those edited taken",
                  found.n_plans, found.n_binding, found.n_loose, found.n_taken,
                  found.n_refused, found.n_false, found.n_trees, found.n_raised,
                  found.n_edited);
  g_assert_cmpint (found.n_plans, ==, n_plans);
  g_assert_cmpint (found.n_binding, >=, found.n_plans / 4);
  g_assert_cmpint (found.n_loose, >=, found.n_plans / 6);
  g_assert_cmpint (found.n_taken, >=, 10 * found.n_plans);
  g_assert_cmpint (found.n_refused, >=, 3 * found.n_plans);
  g_assert_cmpint (found.n_false, >=, found.n_plans);
  g_assert_cmpint (found.n_trees, >=, found.n_plans);
  g_assert_cmpint (found.n_raised, >=, found.n_plans / 10);
  g_assert_cmpint (found.n_edited, >=, found.n_plans);
}

/* ---- what else is said ---------------------------------------------------- */

static TpTestCase *
make_several (int round)
{
  return tp_sweep_case_new (3 + round % 2, round);
}

static TpPlan *
place_proved (const TpTestCase *test)
{
  TpPlan *plan = tp_sweep_case_place_tree (test);

  g_assert_true (plan == NULL || tp_test_is_taken (plan, test));
  return plan;
}

/* Another device like the last, without groups. */
static void
add_device (TpTestCase *test)
{
  static const char *const names[]
      = { "cpu", "opencl:0", "opencl:1", "opencl:2", "opencl:3", NULL };
  TpCosts *costs = tp_costs_new (5, names, test->graph, test->groups);

  costs->host = test->costs->host;
  for (int d = 0; d < 5; d++)
    {
      int from = MIN (d, 3);

      for (int i = 0; i < costs->n_nodes; i++)
        *tp_costs_node (costs, i, d) = *tp_costs_node (test->costs, i, from);
      for (int i = 0; i < costs->n_tensors; i++)
        {
          *tp_costs_feed (costs, i, d) = *tp_costs_feed (test->costs, i, from);
          *tp_costs_fetch (costs, i, d)
              = *tp_costs_fetch (test->costs, i, from);
        }
    }
  tp_costs_seal (costs);
  tp_costs_unref (test->costs);
  test->costs = costs;
}

/* Of @k devices, without limits. */
static TpPlan *
place_freely (int k, TpTestCase **out_test)
{
  g_autoptr (TpTestCase) test = tp_memory_case_new_for (MIN (k, 4), 6);
  TpPlan *plan;

  if (k > 4)
    add_device (test);
  plan = tp_memory_case_place (test, NULL, 0);
  *out_test = g_steal_pointer (&test);
  return plan;
}

/* Plans for which there is no such proof. */
static void
test_elsewhere (void)
{
  static const int n_devices[] = { 1, 2, 5 };
  const TpProofEntry sweep = { .kind = TP_PROOF_SWEEP };
  gsize n_done = 0;

  while (n_done < G_N_ELEMENTS (n_devices))
    {
      int k = n_devices[n_done];
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPlan) plan = place_freely (k, &test);

      if (plan == NULL)
        continue;
      tp_plan_count_memory (plan, test->graph);
      g_assert_true (tp_test_is_taken (plan, test));
      plan->memory_limits = g_new0 (gint64, k + 1);
      plan->memory_proof = tp_memory_proof_new ();
      plan->memory_proof->bound_ns = plan->bound_ns;
      tp_array_append_val (plan->memory_proof->entries, sweep);
      tp_test_assert_refused (plan, test, k == 5 ? "5 devices, of which no more than 4"
                                         : "memory_tree is no part of");
      n_done++;
    }
}

/* Where prices on rows prove something, too, both have to hold. */
static void
test_both (void)
{
  int n_both = 0;

  for (int round = 0; round < 400 && n_both < 10; round++)
    {
      g_autoptr (TpTestCase) test = make_several (round);
      g_autoptr (TpPlan) plan = place_proved (test);
      gint64 room_ns;

      if (plan == NULL || plan->share_proof->room == NULL)
        continue;
      n_both++;
      room_ns = plan->share_proof->room_ns;
      plan->share_proof->room_ns = plan->cost_ns + 1;
      tp_test_assert_refused (plan, test, "share_room_ns is more");
      plan->share_proof->room_ns = room_ns;
      plan->memory_proof->bound_ns = plan->cost_ns + 1;
      tp_test_assert_refused (plan, test, "memory_bound_ns is");
    }
  g_assert_cmpint (n_both, ==, 10);
}

/* Too large for all placements: what is true of all is taken, or given up, in time. */
static void
test_large (gconstpointer n_devices)
{
  int k = GPOINTER_TO_INT (n_devices), n_plans = 0, n_taken = 0;

  while (n_plans < 8)
    {
      g_autoptr (TpTestCase) test
          = tp_memory_case_new_for (k, g_test_rand_int_range (8, 29 - 3 * k));
      g_autoptr (TpPlan) plan = tp_sweep_case_place_tree (test);

      n_plans += plan != NULL;
      n_taken += plan != NULL && tp_test_is_taken (plan, test);
    }
  g_test_message ("%d of %d taken", n_taken, n_plans);
  g_assert_cmpint (n_taken, >=, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sweep/brute-force-2", GINT_TO_POINTER (2),
                        test_brute_force);
  g_test_add_data_func ("/sweep/brute-force-3", GINT_TO_POINTER (3),
                        test_brute_force);
  g_test_add_data_func ("/sweep/brute-force-4", GINT_TO_POINTER (4),
                        test_brute_force);
  g_test_add_func ("/sweep/elsewhere", test_elsewhere);
  g_test_add_func ("/sweep/both", test_both);
  g_test_add_data_func ("/sweep/large-3", GINT_TO_POINTER (3), test_large);
  g_test_add_data_func ("/sweep/large-4", GINT_TO_POINTER (4), test_large);
  return g_test_run ();
}
