/* test-mix-room.c: several graphs on one machine within limits of memory: what fits, and the
 * least load there is of that. */
#include "config.h"

#include "ir/plan-memory.h"
#include "mix-case.h"
#include "place-case.h"
#include "planner/check/check-mix.h"
#include "planner/mix.h"
#include "planner/place.h"
#include "rounds.h"

#include <string.h>

#define MAX_OPS 32
#define MAX_DEVICES TP_TEST_MIX_DEVICES

static gint64
find_least (const TpMix *mix, int device)
{
  gint64 bytes = 0;

  for (int i = 0; i < mix->n_parts; i++)
    bytes += mix->parts[i].plan->peak_bytes[device]
             + mix->parts[i].plan->weight_bytes[device];
  return bytes;
}

/* Limits that what is best without them just keeps change nothing; tighter ones give
 * what fits, or a reason, and never a better bound. */
static void
test_memory (void)
{
  int n_fitting = 0, n_refused = 0;

  for (int round = 0; round < 200; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (10);
      g_autoptr (TpTestMixCase) test = NULL;
      g_autoptr (TpMix) free_mix = NULL, mix = NULL;
      g_autoptr (GError) error = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], limits[2];

      spec.has_no_groups = TRUE;
      test = tp_test_mix_case_new (&spec);
      tp_test_mix_draw_rates (n_runs);
      free_mix = tp_test_mix_place (test, n_runs);
      mix = tp_test_mix_new (test, n_runs);
      limits[0] = MAX (1, find_least (free_mix, 0) - round % 2);
      limits[1] = MAX (1, find_least (free_mix, 1) - round % 3);
      if (!tp_mix_place (mix, limits, &error))
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
          g_assert_nonnull (strstr (error->message, "allow more"));
          g_assert_true (round % 6 > 0);
          n_refused++;
          continue;
        }
      mix->memory_limits = g_memdup2 (limits, sizeof limits);
      tp_test_mix_check (mix);
      g_assert_cmpint (mix->proof->bound_ns, <=, free_mix->proof->load_ns);
      if (round % 6 == 0)
        g_assert_cmpint (mix->proof->load_ns, ==, free_mix->proof->load_ns);
      n_fitting += mix->proof->load_ns > free_mix->proof->load_ns;
    }
  g_test_message ("%d fitted at a price, %d did not", n_fitting, n_refused);
  g_assert_cmpint (n_fitting, >, 5);
  g_assert_cmpint (n_refused, >, 5);
}

/* ---- all placements --------------------------------------------------------- */

/* Of a part, one of its placements: what it takes and carries in a round. */
typedef struct
{
  gint64 bytes[MAX_DEVICES];
  gint64 loads[TP_TEST_MIX_ENGINES];
} Way;

typedef struct
{
  GArray *ways[TP_TEST_MIX_PARTS]; /* Way */
} Ways;

static void
ways_clear (Ways *ways)
{
  for (int i = 0; i < TP_TEST_MIX_PARTS; i++)
    g_clear_pointer (&ways->ways[i], g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ways, ways_clear)

/* All that the part can be placed. @mix: one of its own, which is changed. */
static GArray *
list_ways (const TpTestCase *test, TpMixPart *part)
{
  GArray *found = g_array_new (FALSE, TRUE, sizeof (Way));
  guint8 devices[MAX_OPS] = { 0 };
  int n = test->graph->n_nodes, k = test->costs->n_devices;

  do
    {
      Way way = { { 0 }, { 0 } };

      if (tp_test_case_loads (test, devices, way.loads))
        {
          tp_place_move (part->plan, part->graph, devices);
          for (int d = 0; d < k; d++)
            way.bytes[d]
                = part->plan->peak_bytes[d] + part->plan->weight_bytes[d];
          for (int e = 0; e < TP_TEST_MIX_ENGINES; e++)
            way.loads[e] *= part->n_runs;
          g_array_append_val (found, way);
        }
    }
  while (tp_test_step_devices (devices, n, k));
  return found;
}

static gboolean
is_within (const Way *sum, const gint64 *limits, int n_devices)
{
  for (int d = 0; d < n_devices; d++)
    if (limits[d] > 0 && sum->bytes[d] > limits[d])
      return FALSE;
  return TRUE;
}

/* What the busiest engine carries at least in a round, with @sum of the parts before;
 * TP_COST_NONE: nothing fits. */
static gint64
find_best (const TpTestMixCase *test, const Ways *ways, int part, Way sum,
           const gint64 *limits)
{
  int n_devices = test->parts[0]->costs->n_devices;
  gint64 best = TP_COST_NONE;

  if (!is_within (&sum, limits, n_devices))
    return TP_COST_NONE;
  if (part == test->n_parts)
    return tp_test_mix_find_most (test, sum.loads);
  for (guint i = 0; i < ways->ways[part]->len; i++)
    {
      const Way *way = &g_array_index (ways->ways[part], Way, i);
      Way next = sum;

      for (int d = 0; d < n_devices; d++)
        next.bytes[d] += way->bytes[d];
      for (int e = 0; e < TP_TEST_MIX_ENGINES; e++)
        next.loads[e] += way->loads[e];
      best = MIN (best, find_best (test, ways, part + 1, next, limits));
    }
  return best;
}

/* Between what is least somewhere and what is taken without limits. */
static void
draw_limits (const TpMix *free_mix, int n_devices, gint64 *limits)
{
  for (int d = 0; d < n_devices; d++)
    limits[d] = g_test_rand_int_range (0, 4) == 0
                    ? 0
                    : 1 + find_least (free_mix, d)
                              * g_test_rand_int_range (2, 15) / 10;
}

typedef struct
{
  int n_bound;                /* where limits make what is best dearer */
  int n_best, n_found, n_missed, n_none;
  int n_proved;               /* of those that limits made dearer */
  double gap;
  double unproved;            /* of these, what is left of the bound */
} Held;

static void
count_proved (const TpLoadProof *proof, Held *held)
{
  gint64 bound = tp_load_proof_get_bound (proof);

  held->n_proved += bound == proof->load_ns;
  held->unproved += (double) (proof->load_ns - bound) / (double) proof->load_ns;
}

static void
hold (int n_devices, Held *held)
{
  static const int n_ops[] = { 10, 7, 5 };
  TpTestMixSpec spec = tp_test_mix_spec_draw (n_ops[n_devices - 2]);
  g_autoptr (TpTestMixCase) test = NULL;
  g_autoptr (TpMix) free_mix = NULL, mix = NULL, scratch = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Ways) ways = { { NULL } };
  gint64 n_runs[TP_TEST_MIX_PARTS], limits[MAX_DEVICES] = { 0 }, best;
  const Way nothing = { { 0 }, { 0 } };

  spec.has_no_groups = TRUE;
  spec.n_devices = n_devices;
  test = tp_test_mix_case_new (&spec);
  tp_test_mix_enlarge (test, g_test_rand_bit () ? 64 : 1);
  tp_test_mix_draw_rates (n_runs);
  free_mix = tp_test_mix_place (test, n_runs);
  scratch = tp_test_mix_new (test, n_runs);
  mix = tp_test_mix_new (test, n_runs);
  draw_limits (free_mix, n_devices, limits);
  for (int i = 0; i < test->n_parts; i++)
    ways.ways[i] = list_ways (test->parts[i], &scratch->parts[i]);
  best = find_best (test, &ways, 0, nothing, limits);
  if (!tp_mix_place (mix, limits, &error))
    {
      held->n_none += best == TP_COST_NONE;
      held->n_missed += best != TP_COST_NONE;
      return;
    }
  g_assert_cmpint (mix->proof->load_ns, >=, best);
  g_assert_cmpint (mix->proof->bound_ns, <=, best);
  g_assert_cmpint (tp_load_proof_get_bound (mix->proof), <=, best);
  mix->memory_limits = g_memdup2 (limits, sizeof limits);
  tp_test_mix_check (mix);
  held->n_found++;
  held->n_best += mix->proof->load_ns == best;
  held->n_bound += best > free_mix->proof->load_ns;
  if (best > free_mix->proof->load_ns)
    count_proved (mix->proof, held);
  held->gap += (double) (mix->proof->load_ns - best) / (double) MAX (best, 1);
}

/* Against all placements that fit: what is found to, and how often it is the best. */
static void
test_held (gconstpointer data)
{
  int n_devices = GPOINTER_TO_INT (data), n_rounds = n_devices > 3 ? 150 : 300;
  Held held = { 0 };

  for (int round = 0; round < n_rounds; round++)
    hold (n_devices, &held);
  g_test_message ("%d found, %d of them the best, %.2f %% above it in the "
                  "mean; limits made %d dearer, of which %d are proved, with a gap "
                  "of %.2f %% in the mean; %d that fit were missed, %d do not",
                  held.n_found, held.n_best,
                  100 * held.gap / MAX (held.n_found, 1), held.n_bound,
                  held.n_proved, 100 * held.unproved / MAX (held.n_bound, 1),
                  held.n_missed, held.n_none);
  g_assert_cmpint (held.n_best, >=, held.n_found * 98 / 100);
  g_assert_cmpint (held.n_missed, <=, n_rounds / 100);
  g_assert_cmpint (held.n_bound, >, n_rounds / 10);
  g_assert_cmpint (held.n_none, >, 0);
  g_assert_cmpint (held.n_proved, >=, held.n_bound * 98 / 100);
}

/* @limits, of one device, are too little. What the message says that the nearest needs. */
static gint64
find_needed (TpMix *mix, const gint64 *limits)
{
  g_autoptr (GError) error = NULL;
  const char *needs;

  g_assert_false (tp_mix_place (mix, limits, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  g_assert_nonnull (strstr (error->message, " of them 'part"));
  g_assert_nonnull (strstr (error->message, ": weights "));
  needs = strstr (error->message, " needs ");
  g_assert_nonnull (needs);
  return g_ascii_strtoll (needs + strlen (" needs "), NULL, 10);
}

/* What is refused says how much is needed, by which graph and what of it: so much is
 * enough, and with a byte less nothing is found. */
static void
test_refused (void)
{
  for (int round = 0; round < 60; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (10);
      g_autoptr (TpTestMixCase) test = NULL;
      g_autoptr (TpMix) mix = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], limits[2] = { 1, 1 };

      spec.has_no_groups = TRUE;
      test = tp_test_mix_case_new (&spec);
      tp_test_mix_draw_rates (n_runs);
      mix = tp_test_mix_new (test, n_runs);
      limits[round % 2] = 0;
      if (tp_mix_place (mix, limits, NULL))
        continue;
      limits[1 - round % 2] = find_needed (mix, limits);
      g_assert_true (tp_mix_place (mix, limits, NULL));
      g_assert_cmpint (find_least (mix, 1 - round % 2), ==,
                       limits[1 - round % 2]);
      limits[1 - round % 2]--;
      g_assert_cmpint (find_needed (mix, limits), >, limits[1 - round % 2]);
    }
}

/* ---- alone ------------------------------------------------------------------ */

/* Plans each part alone within @share of what it takes freely, and adds that up: what all
 * take, as limits, and carry in a round. FALSE: nothing is found for one. */
static gboolean
plan_alone (const TpTestMixCase *test, const TpMix *mix, double share,
            gint64 *limits, gint64 *loads)
{
  int n = test->parts[0]->costs->n_devices;

  for (int i = 0; i < test->n_parts; i++)
    {
      const TpTestCase *own = test->parts[i];
      const TpMixPart *part = &mix->parts[i];
      gint64 least[MAX_DEVICES] = { 0 };
      TpPlaceOptions options = { .objective = "throughput", .limits = least };
      g_autoptr (TpPlan) plan = NULL;

      for (int d = 1; d < n; d++)
        least[d] = 1 + (gint64) (share * (double) (part->plan->peak_bytes[d]
                                                   + part->plan->weight_bytes[d]));
      plan = tp_place_with (own->graph, own->groups, own->costs, &options, NULL);
      if (plan == NULL)
        return FALSE;
      tp_plan_count_memory (plan, own->graph);
      for (int d = 1; d < n; d++)
        limits[d] += plan->peak_bytes[d] + plan->weight_bytes[d];
      for (int e = 0; e < plan->load_proof->n_engines; e++)
        loads[e] += part->n_runs * plan->load_proof->loads[e];
    }
  return TRUE;
}

/* What fits with a limit for each fits with their sum for all; and is not better. */
static void
test_alone (void)
{
  int n_done = 0, n_worse = 0, n_better = 0;

  for (int round = 0; round < 200 && n_done < 20; round++)
    {
      TpTestMixSpec spec = tp_test_mix_spec_draw (20);
      g_autoptr (TpTestMixCase) test = NULL;
      g_autoptr (TpMix) mix = NULL;
      g_autoptr (GError) error = NULL;
      gint64 n_runs[TP_TEST_MIX_PARTS], limits[MAX_DEVICES] = { 0 };
      gint64 loads[TP_TEST_MIX_ENGINES] = { 0 }, most;

      spec.has_no_groups = TRUE;
      spec.n_parts = 2 + round % 2;
      spec.n_devices = 2;
      test = tp_test_mix_case_new (&spec);
      tp_test_mix_draw_rates (n_runs);
      mix = tp_test_mix_new (test, n_runs);
      if (!plan_alone (test, mix, 0.3 + 0.1 * (round % 5), limits, loads))
        continue;
      n_done++;
      most = tp_test_mix_find_most (test, loads);
      tp_mix_place (mix, limits, &error);
      g_assert_no_error (error);
      n_worse += mix->proof->load_ns > most;
      n_better += mix->proof->load_ns < most;
    }
  g_test_message ("%d of %d better than alone, %d worse", n_better, n_done,
                  n_worse);
  g_assert_cmpint (n_better, >, 0);
  g_assert_cmpint (n_worse, <=, n_done / 10);
}

/* ---- what is no proof ------------------------------------------------------- */

typedef struct
{
  const TpTestMixMutation *mutations;
  int n_devices;
} Spoilt;

static const Spoilt all_spoilt[] = {
  { tp_test_ends_tree_mutations, 2 }, { tp_test_ends_mutations, 2 },
  { tp_test_cut_ends_mutations, 2 },  { tp_test_ends_tree_mutations, 3 },
  { tp_test_ends_mutations, 3 },      { tp_test_shared_ends_mutations, 3 },
  { tp_test_ends_mutations, 4 },      { tp_test_shared_ends_mutations, 4 },
};

static void
spoil (const TpTestMixMutation *mutation, int n_devices)
{
  int n_wanted = tp_test_count_rounds (3, 25), n_done = 0;
  int n_enough = tp_test_count_rounds (60, 2000); /* if there was one */

  for (int round = 0; round < (n_done > 0 ? n_enough : 2000)
                      && n_done < n_wanted; round++)
    {
      g_autoptr (TpMix) mix = tp_test_mix_place_tight (n_devices, round);
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

      if (mix == NULL || !mutation->mutate (mix))
        continue;
      n_done++;
      if (!tp_check_mix (mix, reasons))
        continue;
      g_test_message ("%s, round %d was taken", mutation->name, round);
      g_test_fail ();
    }
  g_test_message ("%s: %d", mutation->name, n_done);
  g_assert_cmpint (n_done, >, 0);
}

static void
test_spoilt (gconstpointer data)
{
  const Spoilt *spoilt = data;

  for (const TpTestMixMutation *it = spoilt->mutations; it->name != NULL; it++)
    spoil (it, spoilt->n_devices);
}

/* Those that are not spoilt are proofs, of how many ends. */
static void
test_tight (gconstpointer data)
{
  int n_devices = GPOINTER_TO_INT (data), n_done = 0, n_proved = 0, n_ends = 0;

  for (int round = 0; round < 100; round++)
    {
      g_autoptr (TpMix) mix = tp_test_mix_place_tight (n_devices, round);

      if (mix == NULL)
        continue;
      tp_test_mix_check (mix);
      n_done++;
      n_proved += mix->proof->room->bound_ns == mix->proof->load_ns;
      n_ends += mix->proof->room->ends->n_ends;
    }
  g_test_message ("%d with limits that bind, %d proved least, %d ends", n_done,
                  n_proved, n_ends);
  g_assert_cmpint (n_done, >, 20);
  g_assert_cmpint (n_proved, >=, n_done * 9 / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mix-room/memory", test_memory);
  g_test_add_data_func ("/mix-room/held/2", GINT_TO_POINTER (2), test_held);
  g_test_add_data_func ("/mix-room/held/3", GINT_TO_POINTER (3), test_held);
  g_test_add_data_func ("/mix-room/held/4", GINT_TO_POINTER (4), test_held);
  g_test_add_func ("/mix-room/refused", test_refused);
  g_test_add_func ("/mix-room/alone", test_alone);
  for (int n = 2; n <= MAX_DEVICES; n++)
    {
      g_autofree char *path = g_strdup_printf ("/mix-room/tight/%d", n);

      g_test_add_data_func (path, GINT_TO_POINTER (n), test_tight);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (all_spoilt); i++)
    {
      g_autofree char *path = g_strdup_printf ("/mix-room/spoilt/%d", (int) i);

      g_test_add_data_func (path, &all_spoilt[i], test_spoilt);
    }
  return g_test_run ();
}
