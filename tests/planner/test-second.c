/* test-second.c: the checker in Python takes every plan of the planner, and of
 * the spoilt ones none whose file shows it. */
#include "config.h"

#include "bundle.h"
#include "chain-case.h"
#include "doubt.h"
#include "format/mix-json.h"
#include "format/plan-save.h"
#include "ir/plan-memory.h"
#include "mix-case.h"
#include "mutations.h"
#include "place-case.h"
#include "planner/place.h"
#include "random-rates.h"

#include <string.h>

#define N_GOOD 60

/* What cannot be written down, and what shows in the digest of the model alone, of which a
 * plan has too little to make it. */
static const char *const unseen[] = {
  "move-to-nowhere", "drop-placement", "change-host-to-nowhere",
  "drop-figures", "offer-nowhere", "move-cheapest-nowhere",
  "change-graph-digest", "change-name", "change-measured", "change-tie-flow",
  "drop-half-interval", "change-row-first",
  "move-load-cheapest", "unsigned-rates", NULL };

static TpPlan *
place (const TpTestCase *test, gint64 spread_ns)
{
  TpCosts *costs = test->costs;
  TpPlan *plan;

  for (int i = 0; i < 2 * costs->n_nodes; i++)
    if (costs->nodes[i].time_ns != TP_COST_NONE)
      costs->nodes[i].spread_ns += spread_ns;
  if (g_test_rand_bit ())
    costs->errors = tp_test_errors_new ();
  tp_costs_seal (costs);
  plan = tp_place_within_noise (test->graph, test->groups, costs, "time", NULL);
  tp_plan_count_memory (plan, test->graph);
  return plan;
}

/* With no op that is to be with another. */
static TpTestSpec
make_spec (int round)
{
  return (TpTestSpec){ .n_ops = g_test_rand_int_range (2, 22),
                       .max_cost = 60, .has_pins = TRUE, .has_gaps = TRUE,
                       .has_groups = TRUE, .host = round % 3 - 1,
                       .has_kernels = g_test_rand_bit () };
}

static TpTestCase *
make_case (const TpTestSpec *spec)
{
  TpTestCase *test = tp_test_case_new (spec);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  return test;
}

static TpTestCase *
make_bound_case (int round, gboolean has_pins)
{
  TpTestSpec spec = make_spec (round);

  spec.has_pins = has_pins;
  spec.has_together = !has_pins || round % 2 == 0;
  spec.has_state = !has_pins;
  return make_case (&spec);
}

static void
write_plan (TpTestBundle *bundle, const TpPlan *plan, const TpTestCase *test,
            const char *name)
{
  char *path = g_strdup_printf ("%s/%s-%u.json", bundle->folder, name,
                                bundle->files->len);

  g_assert_true (tp_plan_save (plan, test->graph, path, NULL));
  g_ptr_array_insert (bundle->files, (int) bundle->files->len - 1, path);
}

static void
write_good (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = make_bound_case (round, round % 3 > 0);
      g_autoptr (TpPlan) plan = place (test, round % 2 ? 20 : 0);

      write_plan (bundle, plan, test, "good");
    }
}

/* Five of each. */
static void
write_bad (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  int n_done = 0;

  if (g_strv_contains (unseen, mutation->name))
    return;
  for (int round = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      g_autoptr (TpTestCase) test = make_bound_case (round, TRUE);
      g_autoptr (TpPlan) plan = place (test, round % 2 ? 20 : 0);

      if (!mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
  g_test_message ("%s: %d", mutation->name, n_done);
}

static TpPlan *
place_for (const TpTestCase *test, const char *objective)
{
  TpPlan *plan = tp_test_place (test, objective);

  tp_plan_count_memory (plan, test->graph);
  return plan;
}

static void
write_good_loads (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      const TpTestSpec spec = make_spec (round);
      g_autoptr (TpTestCase) test = make_case (&spec);
      g_autoptr (TpPlan) plan = NULL;

      test->costs->is_same_silicon = round % 7 == 0;
      tp_costs_seal (test->costs);
      tp_test_case_doubt (test);
      plan = place_for (test, "throughput");
      write_plan (bundle, plan, test, "good-load");
    }
}

static void
write_bad_loads (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  for (int round = 0, n_done = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      const TpTestSpec spec = make_spec (round);
      g_autoptr (TpTestCase) test = make_case (&spec);
      g_autoptr (TpPlan) plan = NULL;

      tp_test_case_doubt (test);
      plan = place_for (test, "throughput");
      if (g_strv_contains (unseen, mutation->name)
          || !mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
}

/* ---- several graphs ------------------------------------------------------- */

static TpMix *
make_mix (int round)
{
  TpTestMixSpec spec = { .n_parts = 1 + round % 3, .n_ops = 20,
                         .n_devices = round % 5 == 0 ? 1 : 2 + round % 5 / 4,
                         .host = round % 2 - 1, .is_same = round % 7 == 0 };
  g_autoptr (TpTestMixCase) test = tp_test_mix_case_new (&spec);
  const gint64 n_runs[] = { 1 + round % 4, 6, 1 + round % 9 };

  return tp_test_mix_place (test, n_runs);
}

static void
write_mix (TpTestBundle *bundle, const TpMix *mix, const char *name)
{
  char *path = g_strdup_printf ("%s/%s-%u.json", bundle->folder, name,
                                bundle->files->len);
  g_autofree char *text = tp_mix_to_json (mix);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_ptr_array_insert (bundle->files, (int) bundle->files->len - 1, path);
}

static void
write_good_mixes (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      g_autoptr (TpMix) mix = make_mix (round);

      write_mix (bundle, mix, "good-mix");
    }
}

static void
write_good_ends (TpTestBundle *bundle)
{
  for (int round = 0, n = 0; n < N_GOOD; round++)
    {
      g_autoptr (TpMix) mix = tp_test_mix_place_tight (2 + n % 3, round);

      if (mix == NULL)
        continue;
      write_mix (bundle, mix, "good-ends");
      n++;
    }
}

/* Of two graphs and three, on two devices. */
static void
write_bad_mixes (TpTestBundle *bundle, const TpTestMixMutation *mutation)
{
  for (int round = 1, n_done = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      g_autoptr (TpMix) mix
          = round % 3 == 0 || (round + 1) % 5 < 2 ? NULL : make_mix (round);

      if (mix == NULL || !mutation->mutate (mix))
        continue;
      write_mix (bundle, mix, mutation->name);
      n_done++;
    }
}

/* A way to spoil what is within limits that bind, of so many devices. */
typedef struct
{
  const TpTestMixMutation *mutations;
  int n_devices;
} Ends;

static const Ends all_ends[] = {
  { &tp_test_ends_tree_mutations[TP_TEST_ENDS_TREE_ALONE], 2 },
  { tp_test_ends_mutations, 2 }, { tp_test_ends_mutations, 3 }, { tp_test_ends_mutations, 4 },
  { &tp_test_cut_ends_mutations[TP_TEST_CUT_ENDS_ALONE], 2 },
  { &tp_test_ends_tree_mutations[TP_TEST_ENDS_TREE_ALONE], 3 },
  { &tp_test_shared_ends_mutations[TP_TEST_SHARED_ENDS_ALONE], 3 },
  { &tp_test_shared_ends_mutations[TP_TEST_SHARED_ENDS_ALONE], 4 },
};

static void
write_bad_ends (TpTestBundle *bundle, const TpTestMixMutation *mutation,
                int n_devices)
{
  int n_done = 0;

  for (int round = 0; round < 4000 && n_done < TP_EACH; round++)
    {
      g_autoptr (TpMix) mix = tp_test_mix_place_tight (n_devices, round);

      if (mix == NULL || !mutation->mutate (mix))
        continue;
      write_mix (bundle, mix, mutation->name);
      n_done++;
    }
  g_test_message ("%s: %d", mutation->name, n_done);
  g_assert_cmpint (n_done, >, 0);
}

static TpTestCase *
make_span_case (int round)
{
  TpTestCase *test = tp_test_chain_case_new (12);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  test->costs->is_same_silicon = round % 7 == 0;
  tp_costs_seal (test->costs);
  if (round % 2)
    tp_test_case_slow (test);
  tp_test_case_doubt (test);
  return test;
}

static void
write_good_spans (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = make_span_case (round);
      g_autoptr (TpPlan) plan = place_for (test, "makespan");

      write_plan (bundle, plan, test, "good-span");
    }
}

static void
write_bad_spans (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  for (int round = 0, n_done = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      g_autoptr (TpTestCase) test = make_span_case (round);
      g_autoptr (TpPlan) plan = place_for (test, "makespan");

      if (g_strv_contains (unseen, mutation->name)
          || !mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
}

/* Of energy, price, and of both and time. */
static TpPlan *
place_rated (TpTestCase *test, int round)
{
  static const gint64 aims[TP_N_AIMS] = { 5, 2, 1 };
  static const char *const names[] = { "energy", "price", "weighted" };
  const TpPlaceOptions options = { .objective = names[round % 3],
                                   .aims = round % 3 == 2 ? aims : NULL };
  TpPlan *plan;

  tp_test_case_rate (test);
  plan = tp_place_with (test->graph, test->groups, test->costs, &options,
                        NULL);
  tp_plan_count_memory (plan, test->graph);
  return plan;
}

static void
write_good_rated (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = make_bound_case (round, round % 3 > 0);
      g_autoptr (TpPlan) plan = place_rated (test, round);

      write_plan (bundle, plan, test, "good-rated");
    }
}

static void
write_bad_rated (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  for (int round = 0, n_done = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      const TpTestSpec spec = make_spec (round);
      g_autoptr (TpTestCase) test = make_case (&spec);
      g_autoptr (TpPlan) plan = place_rated (test, round);

      if (g_strv_contains (unseen, mutation->name)
          || !mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
}

static void
write_good_shared (TpTestBundle *bundle)
{
  for (int round = 0; round < N_GOOD; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_share_case_new (round);
      g_autoptr (TpPlan) plan = place_for (test, "time");

      write_plan (bundle, plan, test, "good");
    }
}

/* Proofs that need a tree are rare. */
static void
write_trees (TpTestBundle *bundle)
{
  for (int round = 0, n_done = 0; round < 400 && n_done < 3; round++)
    {
      TpTestSpec spec = { .n_ops = 50, .n_devices = 4, .max_cost = 20,
                          .has_gaps = TRUE, .has_groups = TRUE };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;

      for (int i = 0; i < test->graph->n_nodes; i++)
        test->graph->nodes[i].n_costs = 0;
      plan = place_for (test, "time");
      if (plan->share_proof->entries->len == 1)
        continue;
      write_plan (bundle, plan, test, "good-tree");
      n_done++;
    }
}

static void
write_bad_shared (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  for (int round = 0, n_done = 0; round < TP_TRIES && n_done < TP_EACH; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_share_case_new (round);
      g_autoptr (TpPlan) plan = place_for (test, "time");

      if (g_strv_contains (unseen, mutation->name)
          || !mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
}

/* Three of each kind for which there is something to change; returns whether there
 * is. */
static gboolean
write_bad_tight (TpTestBundle *bundle, const TpTestMutation *mutation)
{
  int n_done = 0;

  for (int round = 0; round < 40 && n_done < 3; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_tight_case_new ();
      g_autoptr (TpPlan) plan = tp_test_place_tight (test);

      if (plan == NULL || g_strv_contains (unseen, mutation->name)
          || !mutation->mutate (plan, test))
        continue;
      write_plan (bundle, plan, test, mutation->name);
      n_done++;
    }
  return n_done > 0;
}

static void
test_good (void)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  write_good (&bundle);
  write_good_shared (&bundle);
  write_good_loads (&bundle);
  write_good_spans (&bundle);
  write_good_rated (&bundle);
  write_good_mixes (&bundle);
  write_good_ends (&bundle);
  write_trees (&bundle);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad (gconstpointer data)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMutation *it = data; it->name != NULL; it++)
    write_bad (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_loads (gconstpointer data)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMutation *it = data; it->name != NULL; it++)
    write_bad_loads (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_spans (gconstpointer data)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMutation *it = data; it->name != NULL; it++)
    write_bad_spans (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_rated (gconstpointer data)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMutation *it = data; it->name != NULL; it++)
    write_bad_rated (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_shared (gconstpointer data)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMutation *it = data; it->name != NULL; it++)
    write_bad_shared (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_tight (void)
{
  static const TpTestMutation *const lists[]
      = { tp_test_memory_mutations, tp_test_bound_mutations,
          tp_test_part_mutations, tp_test_proof_mutations };
  int n_kinds = 0;
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_memory.py");
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const TpTestMutation *it = lists[i]; it->name != NULL; it++)
      n_kinds += write_bad_tight (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
  g_test_message ("%d kinds", n_kinds);
  g_assert_cmpint (n_kinds, >=, 45);
}

static void
test_bad_mixes (void)
{
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMixMutation *it = tp_test_mix_mutations; it->name != NULL;
       it++)
    write_bad_mixes (&bundle, it);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

static void
test_bad_ends (gconstpointer data)
{
  const Ends *ends = data;
  TpTestBundle bundle;

  tp_test_bundle_init (&bundle, "check_plan.py");
  for (const TpTestMixMutation *it = ends->mutations; it->name != NULL; it++)
    write_bad_ends (&bundle, it, ends->n_devices);
  tp_test_bundle_expect (&bundle);
  tp_test_bundle_clear (&bundle);
}

int
main (int argc, char **argv)
{
  g_autofree char *python = g_find_program_in_path ("python3");

  g_test_init (&argc, &argv, NULL);
  if (python == NULL)
    {
      g_print ("1..0 # SKIP no python3\n");
      return 0;
    }
  g_test_add_func ("/second/good", test_good);
  g_test_add_data_func ("/second/shares", tp_test_share_mutations,
                        test_bad_shared);
  g_test_add_data_func ("/second/share-parts", tp_test_part_mutations,
                        test_bad_shared);
  g_test_add_func ("/second/tight", test_bad_tight);
  g_test_add_func ("/second/mixes", test_bad_mixes);
  for (gsize i = 0; i < G_N_ELEMENTS (all_ends); i++)
    {
      g_autofree char *path = g_strdup_printf ("/second/ends/%d", (int) i);

      g_test_add_data_func (path, &all_ends[i], test_bad_ends);
    }
  g_test_add_data_func ("/second/loads", tp_test_load_mutations,
                        test_bad_loads);
  g_test_add_data_func ("/second/load-parts", tp_test_part_mutations,
                        test_bad_loads);
  g_test_add_data_func ("/second/spans", tp_test_span_mutations,
                        test_bad_spans);
  g_test_add_data_func ("/second/span-parts", tp_test_part_mutations,
                        test_bad_spans);
  g_test_add_data_func ("/second/rated", tp_test_rated_mutations,
                        test_bad_rated);
  g_test_add_data_func ("/second/rated-parts", tp_test_part_mutations,
                        test_bad_rated);
  g_test_add_data_func ("/second/parts", tp_test_part_mutations, test_bad);
  g_test_add_data_func ("/second/proof", tp_test_proof_mutations, test_bad);
  g_test_add_data_func ("/second/tie", tp_test_tie_mutations, test_bad);
  g_test_add_data_func ("/second/bytes", tp_test_byte_mutations,
                        test_bad);
  g_test_add_data_func ("/second/interval", tp_test_interval_mutations,
                        test_bad);
  return g_test_run ();
}
