/* test-limit.c: placements within limits of memory, against all placements there
 * are; and their proofs, spoilt. */
#include "config.h"

#include "memory-case.h"

#include "format/plan-json.h"
#include "format/plan-save.h"
#include "ir/plan-memory.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/margin.h"

#include <string.h>

#define ROUNDS 250
#define MAX_OPS 12

typedef struct
{
  gint64 least;               /* cost of the cheapest that fits; TP_COST_NONE */
  gint64 free_bytes[2];       /* of the cheapest of all */
} Truth;

#define MOST_STREAMS 3        /* where all placements are tried */

/* Some with weights that are streamed, some with ops that are to be on one device. */
static TpTestCase *
new_case (int n_ops, int n_streams)
{
  switch (g_test_rand_int_range (0, 4))
    {
    case 0:
      return tp_memory_case_new (n_ops);
    case 1:
      return tp_memory_case_new_claimed (2, n_ops);
    case 2:
      return tp_memory_case_new_streamed (n_ops, n_streams);
    default:
      return tp_memory_case_new_together (2, n_ops);
    }
}

static gboolean
fits (const gint64 *bytes, const gint64 *limits)
{
  return (limits[0] == 0 || bytes[0] <= limits[0])
         && (limits[1] == 0 || bytes[1] <= limits[1]);
}

/* All placements twice: the cheapest, and the cheapest within @limits
 * (nullable). */
static void
find_truth (const TpTestCase *test, const gint64 *limits, Truth *truth)
{
  int n = test->graph->n_nodes;
  gint64 least = TP_COST_NONE;
  guint8 devices[16] = { 0 };

  truth->least = TP_COST_NONE;
  for (guint set = 0; set < 1u << n; set++)
    {
      gint64 bytes[2], cost;

      for (int i = 0; i < n; i++)
        devices[i] = (set >> i) & 1;
      cost = tp_test_case_cost (test, devices);
      if (cost >= (limits == NULL ? least : truth->least))
        continue;
      tp_memory_case_count (test, devices, bytes);
      if (limits == NULL)
        memcpy (truth->free_bytes, bytes, sizeof bytes);
      if (limits == NULL)
        least = cost;
      else if (fits (bytes, limits))
        truth->least = cost;
    }
}

static void
check_limits (const TpTestCase *test, const gint64 *limits, int *n_bound)
{
  Truth truth;
  g_autoptr (TpPlan) plan = tp_memory_case_place (
      test, limits, g_test_rand_bit () ? TP_MEMORY_CASE_CUTS : 0);
  g_autofree guint8 *devices = NULL;
  gint64 bytes[2];

  find_truth (test, limits, &truth);
  g_assert_cmpint (plan == NULL, ==, truth.least == TP_COST_NONE);
  if (plan == NULL)
    return;
  devices = tp_test_plan_devices (plan);
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < 2; d++)
    g_assert_true (limits[d] == 0 || bytes[d] <= limits[d]);
  g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
  g_assert_cmpint (plan->cost_ns, ==, truth.least);
  tp_test_assert_checked (plan, test->graph);
  if (plan->memory_proof == NULL)
    return;
  g_assert_cmpint (plan->memory_proof->bound_ns, ==, truth.least);
  ++*n_bound;
}

/* Both devices, or one, at a part of what the cheapest takes. */
static void
test_brute_force (void)
{
  static const int parts[] = { 25, 50, 75 };
  int n_rounds = tp_test_count_rounds (ROUNDS, 8 * ROUNDS);
  int n_bound = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (
              g_test_rand_int_range (2, round % 10 == 0 ? MAX_OPS + 1 : 9),
              MOST_STREAMS);
      Truth truth;

      find_truth (test, NULL, &truth);
      for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          gint64 limits[2] = { 0, 0 };
          int which = g_test_rand_int_range (1, 4);

          for (int d = 0; d < 2; d++)
            if (which & 1 << d)
              limits[d] = MAX (truth.free_bytes[d] * parts[i] / 100, 1);
          check_limits (test, limits, &n_bound);
        }
    }
  g_test_message ("limits were bound in %d cases", n_bound);
  g_assert_cmpint (n_bound, >, ROUNDS / 2);
}

/* ---- what does not depend on the case ----------------------------------- */

/* No placement that fits and has an op elsewhere costs less than the plan and the
 * op's margin. */
static void
check_margins (const TpTestCase *test, TpPlan *plan, int *n_above)
{
  guint8 devices[16] = { 0 };
  int n = plan->n_placements;

  g_assert_true (tp_place_margins (plan, test->graph, NULL));
  for (int i = 0; i < n; i++)
    *n_above += plan->placements[i].margin_ns > 0;
  for (guint set = 0; set < 1u << n; set++)
    {
      gint64 bytes[2], cost;

      for (int i = 0; i < n; i++)
        devices[i] = (set >> i) & 1;
      cost = tp_test_case_cost (test, devices);
      tp_memory_case_count (test, devices, bytes);
      for (int i = 0; i < n && cost != TP_COST_NONE
                      && fits (bytes, plan->memory_limits);
           i++)
        if (devices[i] != plan->placements[i].device)
          {
            g_assert_true (plan->placements[i].is_margin_least);
            g_assert_cmpint (cost - plan->cost_ns, >=,
                             plan->placements[i].margin_ns);
          }
    }
}

/* Those of plans within limits are the least they can be, and of some use: where
 * few of a draw have any, more are drawn. */
static void
test_margins (void)
{
  int n_plans = 0, n_above = 0;

  for (int round = 0; round < 40 || (round < 400 && n_above <= 5); round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (g_test_rand_int_range (2, 9), MOST_STREAMS);
      gint64 limits[2];
      g_autoptr (TpPlan) plan = tp_memory_case_place_tight (test, 0, limits);

      if (plan == NULL)
        continue;
      n_plans++;
      check_margins (test, plan, &n_above);
      tp_test_assert_checked (plan, test->graph);
    }
  g_assert_cmpint (n_plans, >, 5);
  g_assert_cmpint (n_above, >, 5);
}

/* Equal arguments, equal bytes; and a limit that does not bind leaves no trace. */
static void
test_equal_bytes (void)
{
  for (int round = 0; round < 30; round++)
    {
      g_autoptr (TpTestCase) test = new_case (40, 40);
      const gint64 wide[2] = { G_GINT64_CONSTANT (1) << 40, 1 << 30 };
      gint64 limits[2];
      g_autoptr (TpPlan) first
          = tp_memory_case_place_tight (test, 50, limits);
      g_autoptr (TpPlan) second
          = tp_memory_case_place_tight (test, 50, limits);
      g_autoptr (TpPlan) plain = tp_memory_case_place (test, NULL, 0);
      g_autoptr (TpPlan) within = tp_memory_case_place (test, wide, 0);
      g_autofree char *a = NULL, *b = NULL, *c = NULL, *d = NULL;

      tp_plan_count_memory (plain, test->graph);
      c = tp_plan_to_json (plain, test->graph);
      d = tp_plan_to_json (within, test->graph);
      g_assert_cmpstr (c, ==, d);
      if (first == NULL)
        continue;
      a = tp_plan_to_json (first, test->graph);
      b = tp_plan_to_json (second, test->graph);
      g_assert_cmpstr (a, ==, b);
    }
}

/* However few cuts there are, what is claimed holds. */
static void
test_few_cuts (void)
{
  int n_gaps = 0;

  for (int round = 0; round < 60; round++)
    {
      g_autoptr (TpTestCase) test = new_case (30, 30);
      gint64 limits[2];
      g_autoptr (TpPlan) plan
          = tp_memory_case_place_tight (test, 1 + round % 4, limits);
      g_autoptr (TpPlan) better = NULL;

      if (plan == NULL)
        continue;
      tp_test_assert_checked (plan, test->graph);
      better = tp_memory_case_place (test, limits, 0);
      g_assert_cmpint (better->cost_ns, <=, plan->cost_ns);
      g_assert_cmpint (better->cost_ns, >=, plan->memory_proof->bound_ns);
      g_assert_cmpint (better->memory_proof->bound_ns, >=,
                       plan->memory_proof->bound_ns);
      n_gaps += plan->memory_proof->bound_ns < plan->cost_ns;
    }
  g_assert_cmpint (n_gaps, >, 10);
}

/* Too large for all placements: proofs are good, and gaps are told. */
static void
test_large (void)
{
  int n_rounds = tp_test_count_rounds (2, 20);

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test = new_case (100 + 10 * round, 100 + 10 * round);
      gint64 limits[2];
      g_autoptr (TpPlan) plan
          = tp_memory_case_place_tight (test, n_rounds > 2 ? 0 : 100,
                                        limits);

      if (plan == NULL)
        continue;
      tp_test_assert_checked (plan, test->graph);
      g_test_message ("%d ops: gap %.2f %%", test->graph->n_nodes,
                      100.0
                          * (double) (plan->cost_ns
                                      - plan->memory_proof->bound_ns)
                          / (double) MAX (plan->cost_ns, 1));
    }
}

/* Prices that prove nothing, until all bounds of @proof have @n. */
static void
pad_prices (TpMemoryProof *proof, guint n)
{
  const TpMemoryPrice none = { 1, 0, 0 };

  for (guint i = 0; i < proof->bounds->len; i++)
    {
      TpMemoryBound *bound = proof->bounds->pdata[i];

      while (bound->prices->len < n)
        tp_array_append_vals (bound->prices, &none, 1);
    }
}

/* As many as the search may use their checker takes. */
static void
test_many_prices (void)
{
  int n_padded = 0;

  for (int round = 0; round < 20; round++)
    {
      g_autoptr (TpTestCase) test = new_case (30, 30);
      gint64 limits[2];
      g_autoptr (TpPlan) plan = tp_memory_case_place_tight (test, 100, limits);
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

      if (plan == NULL || plan->memory_proof->bounds->len == 0)
        continue;
      tp_plan_count_memory (plan, test->graph);
      pad_prices (plan->memory_proof, TP_MEMORY_MAX_PRICES);
      g_assert_true (tp_check (plan, test->graph, reasons));
      pad_prices (plan->memory_proof, TP_MEMORY_MAX_PRICES + 1);
      g_assert_false (tp_check (plan, test->graph, reasons));
      n_padded++;
    }
  g_assert_cmpint (n_padded, >, 5);
}

/* ---- spoilt proofs ------------------------------------------------------ */

static void
insert_entry (TpArray *entries, guint at, const TpProofEntry *entry)
{
  TpProofEntry *all;

  tp_array_append_vals (entries, entry, 1);
  all = &tp_array_index (entries, TpProofEntry, 0);
  memmove (&all[at + 1], &all[at], (entries->len - 1 - at) * sizeof *all);
  all[at] = *entry;
}

/* Each once without, and each once twice. */
static void
spoil_entries (TpPlan *plan, const TpTestCase *test)
{
  TpArray *entries = plan->memory_proof->entries;

  for (guint i = 0; i < entries->len; i++)
    {
      TpProofEntry kept = tp_array_index (entries, TpProofEntry, i);

      tp_array_remove_index (entries, i);
      g_assert_false (tp_test_is_taken (plan, test));
      insert_entry (entries, i, &kept);
      insert_entry (entries, i, &kept);
      g_assert_false (tp_test_is_taken (plan, test));
      tp_array_remove_index (entries, i);
    }
  g_assert_true (tp_test_is_taken (plan, test));
}

/* Shares of more than there is, and of less than nothing. */
static void
spoil_shares (TpPlan *plan, const TpTestCase *test)
{
  for (guint b = 0; b < plan->memory_proof->bounds->len; b++)
    {
      TpMemoryBound *bound = plan->memory_proof->bounds->pdata[b];

      for (guint i = 0; i < bound->shares->len; i++)
        {
          TpMemoryShare *it
              = &tp_array_index (bound->shares, TpMemoryShare, i);
          TpMemoryShare kept = *it;

          it->amount += 1000000;
          g_assert_false (tp_test_is_taken (plan, test));
          it->amount = kept.kind == 'k' ? kept.amount - 1 : -1;
          g_assert_false (tp_test_is_taken (plan, test));
          *it = kept;
          it->op = test->graph->n_nodes;
          g_assert_false (tp_test_is_taken (plan, test));
          *it = kept;
        }
    }
}

/* Of ops that have a device already, or that there are not. */
static void
spoil_choices (TpPlan *plan, const TpTestCase *test)
{
  TpArray *entries = plan->memory_proof->entries;
  TpProofEntry *root = &tp_array_index (entries, TpProofEntry, 0);
  TpProofEntry kept = *root;

  if (entries->len < 3)
    return;
  root->index = test->graph->n_nodes;
  g_assert_false (tp_test_is_taken (plan, test));
  *root = kept;
  if (root[1].kind != TP_PROOF_BRANCH)
    return;
  root->index = root[1].index;
  g_assert_false (tp_test_is_taken (plan, test));
  *root = kept;
}

/* Of the case that @plan is for, which then is another. */
static void
spoil_limits (TpPlan *plan, const TpTestCase *test)
{
  gint64 kept = plan->memory_limits[1], least = plan->memory_proof->bound_ns;
  gint64 limits[2] = { 0, kept * 3 / 2 };
  Truth truth;

  plan->memory_limits[1]
      = plan->peak_bytes[1] + plan->weight_bytes[1] - 1;
  g_assert_false (tp_test_is_taken (plan, test));
  plan->memory_limits[1] = limits[1];
  find_truth (test, limits, &truth);
  g_assert_true (!tp_test_is_taken (plan, test) || truth.least >= least);
  plan->memory_limits[1] = 0;
  g_assert_false (tp_test_is_taken (plan, test));
  plan->memory_limits[1] = kept;
}

/* Another number anywhere in the proof. */
static void
edit (TpMemoryProof *proof)
{
  TpProofEntry *entry = &tp_array_index (
      proof->entries, TpProofEntry,
      g_test_rand_int_range (0, (gint32) proof->entries->len));
  TpMemoryBound *bound
      = proof->bounds->len == 0
            ? NULL
            : proof->bounds->pdata[g_test_rand_int_range (
                0, (gint32) proof->bounds->len)];

  switch (g_test_rand_int_range (0, 7))
    {
    case 0:
      entry->kind = (TpProofKind) g_test_rand_int_range (0, 6);
      break;
    case 5:
      entry->bytes = g_test_rand_int_range (0, G_MAXINT32) / 64;
      break;
    case 6:
      entry->prices[1] = g_test_rand_int_range (0, G_MAXINT32);
      break;
    case 1:
      entry->index = g_test_rand_int_range (0, 8);
      break;
    case 2:
      entry->step = g_test_rand_int_range (0, 8);
      break;
    case 3:
      if (bound != NULL && bound->shares->len > 0)
        tp_array_index (bound->shares, TpMemoryShare,
                       g_test_rand_int_range (0, (gint32) bound->shares->len))
            .amount += g_test_rand_int_range (-50, 50);
      break;
    default:
      if (bound != NULL && bound->prices->len > 0)
        tp_array_index (bound->prices, TpMemoryPrice, 0).price
            = g_test_rand_int_range (0, G_MAXINT32);
    }
}

/* A plan that is not the cheapest within wider limits, said to be: no edit makes
 * that pass. */
static gboolean
spoil_claim (TpPlan *plan, const TpTestCase *test)
{
  gint64 limits[2] = { 0, plan->memory_limits[1] * 3 / 2 };
  Truth truth;

  find_truth (test, limits, &truth);
  if (plan->cost_ns <= truth.least)
    return FALSE;
  plan->memory_limits[1] = limits[1];
  for (int i = 0; i < 60; i++)
    {
      plan->memory_proof->bound_ns
          = g_test_rand_bit () ? plan->cost_ns : truth.least + 1;
      g_assert_false (tp_test_is_taken (plan, test));
      edit (plan->memory_proof);
    }
  return TRUE;
}

static void
test_spoilt (void)
{
  int n_claims = 0;

  for (int round = 0; round < 150; round++)
    {
      g_autoptr (TpTestCase) test = new_case (10, MOST_STREAMS);
      gint64 limits[2];
      g_autoptr (TpPlan) plan = tp_memory_case_place_tight (
          test, round % 2 ? TP_MEMORY_CASE_CUTS : 0, limits);

      if (plan == NULL)
        continue;
      tp_plan_count_memory (plan, test->graph);
      spoil_entries (plan, test);
      spoil_shares (plan, test);
      spoil_choices (plan, test);
      spoil_limits (plan, test);
      plan->memory_proof->bound_ns++;
      g_assert_false (tp_test_is_taken (plan, test));
      plan->memory_proof->bound_ns--;
      n_claims += spoil_claim (plan, test);
    }
  g_assert_cmpint (n_claims, >, 20);
}

/* ---- the second checker ------------------------------------------------- */

/* Of each case the plan, and one that claims more than it proves. */
static void
write_plans (const char *folder, GPtrArray *argv, gconstpointer data)
{
  for (int round = 0; round < 40; round++)
    {
      g_autoptr (TpTestCase) test = new_case (12, 12);
      gint64 limits[2];
      g_autoptr (TpPlan) plan = NULL;

      for (int i = 0; i < test->graph->n_nodes; i++)
        test->graph->nodes[i].n_costs = 0; /* its figures are others */
      plan = tp_memory_case_place_tight (test, round % 3 == 0 ? 3 : 0, limits);
      if (plan == NULL)
        continue;
      tp_plan_count_memory (plan, test->graph);
      for (int i = 0; i < 2; i++)
        {
          char *path = g_strdup_printf ("%s/%s-%d.json", folder,
                                        i == 0 ? "good" : "bad", round);

          if (i == 1)
            tp_array_set_size (plan->memory_proof->entries,
                               plan->memory_proof->entries->len - 1);
          g_assert_true (tp_plan_save (plan, test->graph, path, NULL));
          g_ptr_array_add (argv, path);
        }
    }
}

static void
test_second (void)
{
  tp_memory_case_check_second ("check_memory.py", write_plans, NULL,
                               0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limit/brute-force", test_brute_force);
  g_test_add_func ("/limit/margins", test_margins);
  g_test_add_func ("/limit/equal-bytes", test_equal_bytes);
  g_test_add_func ("/limit/few-cuts", test_few_cuts);
  g_test_add_func ("/limit/large", test_large);
  g_test_add_func ("/limit/many-prices", test_many_prices);
  g_test_add_func ("/limit/spoilt", test_spoilt);
  g_test_add_func ("/limit/second", test_second);
  return g_test_run ();
}
