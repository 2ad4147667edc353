/* test-mix.c: several graphs on one machine: the least load there is, and its proof. */
#include "config.h"

#include "mix-case.h"
#include "place-case.h"
#include "planner/check/check-mix.h"
#include "planner/mix.h"

#include <string.h>

#define MAX_OPS 32

/* ---- brute force ---------------------------------------------------------- */

/* What all carry in a round; FALSE: an op may not be there. @devices: of all parts. */
static gboolean
find_loads (const TpTestMixCase *test, const TpMix *mix, const guint8 *devices,
            gint64 *loads)
{
  memset (loads, 0, sizeof (gint64) * TP_TEST_MIX_ENGINES);
  for (int i = 0; i < test->n_parts; i++)
    {
      gint64 own[TP_TEST_MIX_ENGINES] = { 0 };

      if (!tp_test_case_loads (test->parts[i], devices, own))
        return FALSE;
      for (int e = 0; e < TP_TEST_MIX_ENGINES; e++)
        loads[e] += mix->parts[i].n_runs * own[e];
      devices += test->parts[i]->graph->n_nodes;
    }
  return TRUE;
}

static int
count_ops (const TpTestMixCase *test)
{
  int n = 0;

  for (int i = 0; i < test->n_parts; i++)
    n += test->parts[i]->graph->n_nodes;
  return n;
}

static gint64
try_all (const TpTestMixCase *test, const TpMix *mix)
{
  gint64 loads[TP_TEST_MIX_ENGINES], best = TP_COST_NONE;
  guint8 devices[MAX_OPS] = { 0 };
  int n = count_ops (test);

  do
    {
      if (find_loads (test, mix, devices, loads))
        best = MIN (best, tp_test_mix_find_most (test, loads));
    }
  while (tp_test_step_devices (devices, n, test->parts[0]->costs->n_devices));
  return best;
}

static void
test_brute_force (void)
{
  int n_several = 0, n_trees = 0;

  for (int round = 0; round < 600; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (round % 20 == 0 ? 12 : 8);
      g_autoptr (TpTestMixCase) test = tp_test_mix_case_new (&spec);
      g_autoptr (TpMix) mix = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], best;

      tp_test_mix_draw_rates (n_runs);
      mix = tp_test_mix_place (test, n_runs);
      best = try_all (test, mix);
      g_assert_cmpint (mix->proof->load_ns, ==, best);
      g_assert_cmpint (mix->proof->bound_ns, ==, best);
      tp_test_mix_check (mix);
      n_several += mix->n_parts > 1;
      n_trees += mix->proof->n_bounds > 1;
    }
  g_assert_cmpint (n_several, >, 100);
  g_assert_cmpint (n_trees, >, 50);
}

/* ---- three devices -------------------------------------------------------- */

static TpTestMixCase *
new_several (int n_ops)
{
  TpTestMixSpec spec = tp_test_mix_spec_draw (n_ops);

  spec.n_devices = 3;
  return tp_test_mix_case_new (&spec);
}

static void
test_several (void)
{
  int n_rounds = 300, n_least = 0, n_proved = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestMixCase) test = new_several (7);
      g_autoptr (TpMix) mix = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], best;

      tp_test_mix_draw_rates (n_runs);
      mix = tp_test_mix_place (test, n_runs);
      best = try_all (test, mix);
      g_assert_cmpint (mix->proof->load_ns, >=, best);
      g_assert_cmpint (mix->proof->bound_ns, <=, best);
      tp_test_mix_check (mix);
      n_least += mix->proof->load_ns == best;
      n_proved += mix->proof->load_ns == mix->proof->bound_ns;
    }
  g_test_message ("%d of %d carry the least, %d are proved to", n_least,
                  n_rounds, n_proved);
  g_assert_cmpint (n_least, >=, n_rounds * 98 / 100);
  g_assert_cmpint (n_proved, >=, n_rounds * 9 / 10);
}

static gboolean
claim_more (TpMix *mix)
{
  if (mix->proof->bound_ns == mix->proof->load_ns)
    return FALSE;
  mix->proof->bound_ns = mix->proof->load_ns;
  return TRUE;
}

TP_TEST_SPOIL_MIX_IF (lower_most, mix->proof->load_ns-- > 0)
TP_TEST_SPOIL_MIX (drop_shares, g_clear_pointer (&mix->proof->shares, tp_pointers_free))
TP_TEST_SPOIL_MIX (drop_part,
                   tp_pointers_cut (mix->proof->shares, mix->proof->shares->len - 1))
TP_TEST_SPOIL_MIX (add_part, tp_pointers_add (mix->proof->shares, tp_share_bound_new ()))

/* The last op of a part answers for what is none of its. */
static gboolean
move_row (TpMix *mix)
{
  for (guint i = 0; i < mix->proof->shares->len; i++)
    {
      TpShareBound *bound = mix->proof->shares->pdata[i];

      if (bound->rows->len == 0)
        continue;
      tp_array_index (bound->rows, TpShareRow, bound->rows->len - 1).op += 40;
      return TRUE;
    }
  return FALSE;
}

TP_TEST_SPOIL_MIX (weigh_nothing,
                   memset (mix->proof->weights, 0, sizeof (gint64) * mix->proof->n_engines))

static void
test_several_spoilt (void)
{
  static gboolean (*const lies[]) (TpMix *) = {
    claim_more, lower_most, drop_shares, drop_part, add_part, move_row,
    weigh_nothing,
  };

  int n_wanted = tp_test_count_rounds (3, 10);

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    for (int n_told = 0; n_told < n_wanted;)
      {
        g_autoptr (TpTestMixCase) test = new_several (20);
        g_autoptr (TpMix) mix = NULL;
        g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
        gint64 n_runs[TP_TEST_MIX_PARTS];

        tp_test_mix_draw_rates (n_runs);
        mix = tp_test_mix_place (test, n_runs);
        if (!lies[i](mix))
          continue;
        n_told++;
        if (tp_check_mix (mix, reasons))
          g_error ("lie %d was taken", (int) i);
      }
}

/* ---- properties ----------------------------------------------------------- */

static void
assert_same_places (const TpPlan *plan, const TpPlan *other)
{
  g_assert_cmpint (plan->n_placements, ==, other->n_placements);
  for (int i = 0; i < plan->n_placements; i++)
    g_assert_cmpint (plan->placements[i].device, ==,
                     other->placements[i].device);
}

/* At whatever rate, one graph is placed as for throughput. */
static void
test_alone (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (30);
      g_autoptr (TpTestMixCase) test = NULL;
      g_autoptr (TpMix) before = NULL, mix = NULL;
      gint64 n_runs[] = { g_test_rand_int_range (1, 1000) };

      spec.n_parts = 1;
      test = tp_test_mix_case_new (&spec);
      before = tp_test_mix_new (test, n_runs);
      mix = tp_test_mix_place (test, n_runs);
      assert_same_places (mix->parts[0].plan, before->parts[0].plan);
      g_assert_cmpint (mix->proof->load_ns, ==,
                       before->parts[0].plan->load_proof->load_ns);
      g_assert_cmpint (mix->proof->bound_ns, ==,
                       before->parts[0].plan->load_proof->bound_ns);
      tp_test_mix_check (mix);
    }
}

/* With all rates so many times as high the same is done, and takes as many times as
 * much of each second. */
static void
test_linear (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (40);
      g_autoptr (TpTestMixCase) test = tp_test_mix_case_new (&spec);
      g_autoptr (TpMix) mix = NULL, more = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], times = g_test_rand_int_range (2, 50);

      tp_test_mix_draw_rates (n_runs);
      mix = tp_test_mix_place (test, n_runs);
      for (int i = 0; i < TP_TEST_MIX_PARTS; i++)
        n_runs[i] *= times;
      more = tp_test_mix_place (test, n_runs);
      for (int i = 0; i < mix->n_parts; i++)
        assert_same_places (mix->parts[i].plan, more->parts[i].plan);
      g_assert_cmpint (mix->proof->load_ns, ==, more->proof->load_ns);
      g_assert_cmpfloat_with_epsilon (
          tp_mix_get_busy (mix, mix->proof->load_ns) * (double) times,
          tp_mix_get_busy (more, more->proof->load_ns), 1e-12);
      tp_test_mix_check (more);
    }
}

/* What cannot be kept is refused, with the engine and what it would carry. */
static void
test_too_fast (void)
{
  TpTestMixSpec spec = { .n_parts = 2, .n_ops = 8, .n_devices = 2 };
  g_autoptr (TpTestMixCase) test = tp_test_mix_case_new (&spec);
  g_autoptr (TpMix) mix = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 n_runs[] = { 2000000000, 2000000000 };

  tp_costs_node (test->parts[0]->costs, 0, 0)->time_ns = 1000;
  tp_costs_node (test->parts[0]->costs, 0, 1)->time_ns = 1000;
  tp_costs_seal (test->parts[0]->costs);
  mix = tp_test_mix_new (test, n_runs);
  g_assert_false (tp_mix_place (mix, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  g_assert_nonnull (strstr (error->message, "of every second"));
}

static void
test_one_device (void)
{
  TpTestMixSpec spec = { .n_parts = 3, .n_ops = 9, .n_devices = 1 };
  g_autoptr (TpTestMixCase) test = tp_test_mix_case_new (&spec);
  g_autoptr (TpMix) mix = NULL;
  const gint64 n_runs[] = { 1, 2, 3 };

  mix = tp_test_mix_place (test, n_runs);
  g_assert_cmpint (mix->proof->bound_ns, ==, mix->proof->load_ns);
  tp_test_mix_check (mix);
}

/* ---- rates ---------------------------------------------------------------- */

static void
test_rates (void)
{
  static const struct
  {
    const char *text;
    gint64 n_runs, span_ns;
  } good[] = {
    { "30/s", 3, 100000000 },
    { "2.5/s", 1, 400000000 },
    { "1/h", 1, G_GINT64_CONSTANT (3600000000000) },
    { "33ms", 1, 33000000 },
    { "1.5us", 1, 1500 },
    { "60/min", 1, 1000000000 },
  };
  static const char *const bad[]
      = { "", "30", "/s", "0/s", "-1/s", "30/", "30/d", "1..5/s", "5./s",
          "30 /s", "ms", "1e3/s", "9999999999999/s", "99999999999h" };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      TpMixRate rate;

      g_assert_true (tp_mix_rate_parse (good[i].text, &rate));
      g_assert_cmpint (rate.n_runs, ==, good[i].n_runs);
      g_assert_cmpint (rate.span_ns, ==, good[i].span_ns);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      TpMixRate rate;

      g_test_message ("'%s'", bad[i]);
      g_assert_false (tp_mix_rate_parse (bad[i], &rate));
    }
}

static void
test_rounds (void)
{
  static const char *const rates[] = { "30/s", "5/s", "12.5/s" };
  g_autoptr (TpMix) mix = tp_mix_new (3);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 3; i++)
    {
      mix->parts[i].name = g_strdup (rates[i]);
      g_assert_true (tp_mix_rate_parse (rates[i], &mix->parts[i].rate));
    }
  g_assert_true (tp_mix_count_runs (mix, NULL));
  g_assert_cmpint (mix->parts[0].n_runs, ==, 12);
  g_assert_cmpint (mix->parts[1].n_runs, ==, 2);
  g_assert_cmpint (mix->parts[2].n_runs, ==, 5);
  g_assert_cmpfloat_with_epsilon (tp_mix_get_round_ns (mix), 4e8, 1e-3);
  g_assert_true (tp_mix_can_carry (mix, 400000000));
  g_assert_false (tp_mix_can_carry (mix, 400000001));
  g_assert_true (tp_mix_rate_parse ("0.000001/h", &mix->parts[1].rate));
  g_assert_false (tp_mix_count_runs (mix, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

/* ---- what is no proof ----------------------------------------------------- */

static void
test_mutation (gconstpointer data)
{
  const TpTestMixMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;

  for (int round = 0; round < 1000 && n_done < n_wanted; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (20);
      g_autoptr (TpTestMixCase) test = NULL;
      g_autoptr (TpMix) mix = NULL;
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
      gint64 n_runs[TP_TEST_MIX_PARTS];

      tp_test_mix_draw_rates (n_runs);
      spec.n_parts = MAX (spec.n_parts, 2);
      test = tp_test_mix_case_new (&spec);
      mix = tp_test_mix_place (test, n_runs);
      tp_test_mix_check (mix);
      if (!mutation->mutate (mix))
        continue;
      n_done++;
      if (!tp_check_mix (mix, reasons))
        continue;
      g_test_message ("mutation %d was taken", n_done);
      g_test_fail ();
    }
  g_assert_cmpint (n_done, >=, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mix/rates", test_rates);
  g_test_add_func ("/mix/rounds", test_rounds);
  g_test_add_func ("/mix/brute-force", test_brute_force);
  g_test_add_func ("/mix/several", test_several);
  g_test_add_func ("/mix/several-spoilt", test_several_spoilt);
  g_test_add_func ("/mix/alone", test_alone);
  g_test_add_func ("/mix/linear", test_linear);
  g_test_add_func ("/mix/too-fast", test_too_fast);
  g_test_add_func ("/mix/one-device", test_one_device);
  for (const TpTestMixMutation *it = tp_test_mix_mutations; it->name != NULL;
       it++)
    {
      g_autofree char *path = g_strconcat ("/mix/spoilt/", it->name, NULL);

      g_test_add_data_func (path, it, test_mutation);
    }
  return g_test_run ();
}
