/* test-pool.c: placements within what two devices share of memory, against all
 * placements there are; and their proofs, spoilt. */
#include "config.h"

#include "memory-case.h"

#include "format/plan-save.h"
#include "ir/plan-memory.h"
#include "place-case.h"
#include "planner/check/check-room.h"
#include "planner/limit-pool.h"

#include <string.h>

#define ROUNDS 100
#define MAX_OPS 12

/* Of the first device, of the second, of both. */
enum { FIRST, SECOND, POOL, N_LIMITS };

static TpTestCase *
new_case (int n_ops)
{
  TpTestCase *test = g_test_rand_bit () ? tp_memory_case_new (n_ops)
                                        : tp_memory_case_new_together (2, n_ops);

  for (int d = 0; d < 2; d++)
    test->costs->pools[d] = g_strdup ("host");
  return test;
}

static gboolean
fits (const gint64 *bytes, const gint64 *limits)
{
  return (limits[FIRST] == 0 || bytes[0] <= limits[FIRST])
         && (limits[SECOND] == 0 || bytes[1] <= limits[SECOND])
         && (limits[POOL] == 0 || bytes[0] + bytes[1] <= limits[POOL]);
}

/* What the cheapest of all placements within @limits costs; TP_COST_NONE: there is
 * none. @out_bytes: (nullable): what it takes. */
static gint64
find_least (const TpTestCase *test, const gint64 *limits, gint64 *out_bytes)
{
  int n = test->graph->n_nodes;
  guint8 devices[16] = { 0 };
  gint64 least = TP_COST_NONE;

  for (guint set = 0; set < 1u << n; set++)
    {
      gint64 bytes[2], cost;

      for (int i = 0; i < n; i++)
        devices[i] = (set >> i) & 1;
      cost = tp_test_case_cost (test, devices);
      if (cost >= least)
        continue;
      tp_memory_case_count (test, devices, bytes);
      if (!fits (bytes, limits))
        continue;
      least = cost;
      if (out_bytes != NULL)
        memcpy (out_bytes, bytes, sizeof bytes);
    }
  return least;
}

/* @part percent of what the cheapest takes for both, and of one device less, or
 * not. */
static void
draw_limits (const gint64 *bytes, int part, gint64 *limits)
{
  memset (limits, 0, sizeof (gint64) * N_LIMITS);
  limits[POOL] = MAX ((bytes[0] + bytes[1]) * part / 100, 1);
  if (g_test_rand_int_range (0, 3) == 0)
    {
      int device = g_test_rand_bit ();

      limits[device] = MAX (bytes[device]
                                * g_test_rand_int_range (20, 120) / 100, 1);
    }
}

static void
check_limits (const TpTestCase *test, const gint64 *limits, int *n_bound)
{
  gint64 least = find_least (test, limits, NULL), bytes[2];
  g_autoptr (TpPlan) plan = tp_memory_case_place (
      test, limits, g_test_rand_bit () ? TP_MEMORY_CASE_CUTS : 0);
  g_autofree guint8 *devices = NULL;

  g_assert_cmpint (plan == NULL, ==, least == TP_COST_NONE);
  if (plan == NULL)
    return;
  devices = tp_test_plan_devices (plan);
  tp_memory_case_count (test, devices, bytes);
  g_assert_true (fits (bytes, limits));
  g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
  g_assert_cmpint (plan->cost_ns, ==, least);
  tp_test_assert_checked (plan, test->graph);
  if (plan->memory_proof == NULL)
    return;
  g_assert_cmpint (plan->memory_proof->bound_ns, ==, least);
  ++*n_bound;
}

static void
test_brute_force (void)
{
  static const int parts[] = { 50, 75, 90 };
  static const gint64 none[N_LIMITS] = { 0, 0, 0 };
  int n_rounds = tp_test_count_rounds (ROUNDS, 8 * ROUNDS);
  int n_bound = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test = new_case (
          g_test_rand_int_range (2, round % 10 == 0 ? MAX_OPS + 1 : 9));
      gint64 bytes[2], limits[N_LIMITS];

      find_least (test, none, bytes);
      for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          draw_limits (bytes, parts[i], limits);
          check_limits (test, limits, &n_bound);
        }
    }
  g_test_message ("limits were bound in %d cases", n_bound);
  g_assert_cmpint (n_bound, >, ROUNDS / 4);
}

/* Limits of @out_limits, which bind; NULL: they do not, or nothing fits. */
static TpPlan *
place_tight (const TpTestCase *test, int n_cuts, gint64 *out_limits)
{
  g_autoptr (TpPlan) cheapest = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (cheapest);
  g_autoptr (TpPlan) plan = NULL;
  gint64 bytes[2];

  tp_memory_case_count (test, devices, bytes);
  draw_limits (bytes, g_test_rand_int_range (85, 100), out_limits);
  plan = tp_memory_case_place (test, out_limits, n_cuts);
  if (plan == NULL || plan->memory_proof == NULL)
    return NULL;
  tp_plan_count_memory (plan, test->graph);
  return g_steal_pointer (&plan);
}

/* Too large for all placements: what is claimed holds, whoever claims it. */
static void
test_large (void)
{
  int n_plans = 0;

  for (int round = 0; round < 8; round++)
    {
      g_autoptr (TpTestCase) test = new_case (20 + round);
      gint64 limits[N_LIMITS];
      g_autoptr (TpPlan) swept = place_tight (test, 0, limits);
      g_autoptr (TpPlan) cut = NULL;

      if (swept == NULL)
        continue;
      n_plans++;
      tp_test_assert_checked (swept, test->graph);
      cut = tp_memory_case_place (test, limits, 60);
      if (cut == NULL)
        continue;
      tp_test_assert_checked (cut, test->graph);
      g_assert_cmpint (swept->memory_proof->bound_ns, <=, cut->cost_ns);
      g_assert_cmpint (cut->memory_proof->bound_ns, <=, swept->cost_ns);
    }
  g_assert_cmpint (n_plans, >, 1);
}

/* ---- spoilt -------------------------------------------------------------- */

/* What it takes of the pool. */
static gint64
count_bytes (const TpPlan *plan)
{
  gint64 sum = 0;

  for (int d = 0; d < 2; d++)
    sum += plan->peak_bytes[d] + plan->weight_bytes[d];
  return sum;
}

/* Of another case, or of none. */
static void
spoil_limits (TpPlan *plan, const TpTestCase *test)
{
  gint64 *pool = &plan->memory_limits[POOL], kept = *pool;

  *pool = count_bytes (plan) - 1;
  g_assert_false (tp_test_is_taken (plan, test));
  *pool = -1;
  g_assert_false (tp_test_is_taken (plan, test));
  *pool = kept;
  g_assert_true (tp_test_is_taken (plan, test));
}

/* With each its own memory there is no limit that binds, or not this one. */
static void
spoil_pools (TpPlan *plan, const TpTestCase *test)
{
  char *kept = plan->costs->pools[1];
  gint64 least = find_least (
      test, (gint64[]){ plan->memory_limits[0], plan->memory_limits[1], 0 },
      NULL);

  plan->costs->pools[1] = NULL;
  g_assert_true (!tp_test_is_taken (plan, test)
                 || least >= plan->memory_proof->bound_ns);
  plan->costs->pools[1] = kept;
}

/* Each once without, and the claim once higher. */
static void
spoil_entries (TpPlan *plan, const TpTestCase *test)
{
  TpArray *entries = plan->memory_proof->entries;

  for (guint i = 0; i < entries->len; i++)
    {
      TpProofEntry kept = tp_array_index (entries, TpProofEntry, i), *all;

      tp_array_remove_index (entries, i);
      g_assert_false (tp_test_is_taken (plan, test));
      tp_array_append_val (entries, kept);
      all = &tp_array_index (entries, TpProofEntry, 0);
      memmove (&all[i + 1], &all[i], (entries->len - 1 - i) * sizeof *all);
      all[i] = kept;
    }
  plan->memory_proof->bound_ns++;
  g_assert_false (tp_test_is_taken (plan, test));
  plan->memory_proof->bound_ns--;
  g_assert_true (tp_test_is_taken (plan, test));
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

  switch (g_test_rand_int_range (0, 6))
    {
    case 0:
      entry->kind = (TpProofKind) g_test_rand_int_range (0, 6);
      break;
    case 1:
      entry->index = g_test_rand_int_range (0, 8);
      break;
    case 2:
      entry->bytes = g_test_rand_int_range (0, G_MAXINT32) / 64;
      break;
    case 3:
      entry->prices[g_test_rand_bit ()]
          = g_test_rand_int_range (0, G_MAXINT32);
      break;
    case 4:
      if (bound != NULL && bound->shares->len > 0)
        tp_array_index (bound->shares, TpMemoryShare,
                        g_test_rand_int_range (0, (gint32) bound->shares->len))
            .amount += g_test_rand_int_range (-50, 50);
      break;
    default:
      for (guint i = 0; bound != NULL && i < bound->prices->len; i++)
        tp_array_index (bound->prices, TpMemoryPrice, i).price
            = g_test_rand_int_range (0, G_MAXINT32);
    }
}

/* A plan that is not the cheapest in a larger pool, which the cheapest there just
 * fits into, said to be: no edit makes that pass. */
static gboolean
spoil_claim (TpPlan *plan, const TpTestCase *test)
{
  gint64 limits[N_LIMITS], bytes[2], least;

  memcpy (limits, plan->memory_limits, sizeof limits);
  limits[POOL] = limits[POOL] * 5 / 4;
  least = find_least (test, limits, bytes);
  if (plan->cost_ns <= least)
    return FALSE;
  plan->memory_limits[POOL] = bytes[0] + bytes[1];
  for (int i = 0; i < 60; i++)
    {
      plan->memory_proof->bound_ns
          = g_test_rand_bit () ? plan->cost_ns : least + 1;
      g_assert_false (tp_test_is_taken (plan, test));
      edit (plan->memory_proof);
    }
  return TRUE;
}

static void
test_spoilt (void)
{
  int n_claims = 0;

  for (int round = 0; round < 80; round++)
    {
      g_autoptr (TpTestCase) test = new_case (10);
      gint64 limits[N_LIMITS];
      g_autoptr (TpPlan) plan
          = place_tight (test, round % 2 ? TP_MEMORY_CASE_CUTS : 0, limits);

      if (plan == NULL)
        continue;
      spoil_limits (plan, test);
      spoil_pools (plan, test);
      spoil_entries (plan, test);
      n_claims += spoil_claim (plan, test);
    }
  g_assert_cmpint (n_claims, >, 4);
}

/* ---- prices --------------------------------------------------------------- */

/* Both ways of finding out what prices come to at most, against all bytes there may
 * be. */
static void
test_most (void)
{
  for (int round = 0; round < 2000; round++)
    {
      const gint64 prices[2] = { g_test_rand_int_range (0, 9),
                                 g_test_rand_int_range (0, 9) };
      const gint64 room[2] = { g_test_rand_int_range (0, 12),
                               g_test_rand_int_range (0, 12) };
      const TpCheckerBytes same[2] = { prices[0], prices[1] };
      gint64 pool = g_test_rand_int_range (-1, 20), most = 0;

      for (gint64 a = 0; a <= room[0]; a++)
        for (gint64 b = 0; b <= room[1]; b++)
          if (pool < 0 || a + b <= pool)
            most = MAX (most, prices[0] * a + prices[1] * b);
      g_assert_cmpint ((gint64) tp_limit_pay_most (prices, room, pool), ==,
                       most);
      g_assert_cmpint ((gint64) tp_checker_pay_most (same, room, pool), ==,
                       most);
    }
}

/* ---- files ---------------------------------------------------------------- */

static char *
save (const TpPlan *plan, const TpTestCase *test, const char *folder,
      const char *kind, int round)
{
  char *path = g_strdup_printf ("%s/%s-%d.json", folder, kind, round);

  g_assert_true (tp_plan_save (plan, test->graph, path, NULL));
  return path;
}

/* A plan, and the same with more claimed, with a smaller pool and without an
 * end. */
static void
write_plans (const char *folder, GPtrArray *argv, gconstpointer data)
{
  for (int round = 0; round < 40; round++)
    {
      g_autoptr (TpTestCase) test = new_case (12);
      gint64 limits[N_LIMITS];
      g_autoptr (TpPlan) plan = NULL;
      TpArray *entries;

      for (int i = 0; i < test->graph->n_nodes; i++)
        test->graph->nodes[i].n_costs = 0; /* its figures are others */
      plan = place_tight (test, round % 3 == 0 ? TP_MEMORY_CASE_CUTS : 0,
                          limits);
      if (plan == NULL)
        continue;
      g_ptr_array_add (argv, save (plan, test, folder, "good", round));
      plan->memory_proof->bound_ns++;
      g_ptr_array_add (argv, save (plan, test, folder, "bad-claim", round));
      plan->memory_proof->bound_ns--;
      plan->memory_limits[POOL] = count_bytes (plan) - 1;
      g_ptr_array_add (argv, save (plan, test, folder, "bad-pool", round));
      plan->memory_limits[POOL] = limits[POOL];
      entries = plan->memory_proof->entries;
      tp_array_set_size (entries, entries->len - 1);
      g_ptr_array_add (argv, save (plan, test, folder, "bad-end", round));
    }
}

static void
test_second (void)
{
  tp_memory_case_check_second ("check_memory.py", write_plans, NULL,
                               18);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/brute-force", test_brute_force);
  g_test_add_func ("/pool/large", test_large);
  g_test_add_func ("/pool/spoilt", test_spoilt);
  g_test_add_func ("/pool/most", test_most);
  g_test_add_func ("/pool/second", test_second);
  return g_test_run ();
}
