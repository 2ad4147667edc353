/* mix-case.c: see mix-case.h. */
#include "config.h"

#include "mix-case.h"

#include "doubt.h"
#include "ir/plan-memory.h"
#include "planner/check/check-mix.h"
#include "planner/mix.h"
#include "planner/place.h"

TpTestMixSpec
tp_test_mix_spec_draw (int n_ops)
{
  return (TpTestMixSpec){ .n_parts = g_test_rand_int_range (1, 4),
                          .n_ops = n_ops,
                          .n_devices = 2,
                          .host = g_test_rand_int_range (-1, 2),
                          .is_same = g_test_rand_int_range (0, 6) == 0 };
}

static TpTestCase *
new_part (const TpTestMixSpec *spec)
{
  int n = MAX (1, spec->n_ops / spec->n_parts);
  TpTestSpec one = { .n_ops = g_test_rand_int_range (1, n + 1),
                     .n_devices = spec->n_devices,
                     .max_cost = g_test_rand_bit () ? 5 : 60,
                     .has_pins = spec->n_devices > 1 && g_test_rand_bit (),
                     .has_gaps = spec->n_devices > 1 && g_test_rand_bit (),
                     .has_groups = !spec->has_no_groups && g_test_rand_bit (),
                     .host = spec->host,
                     .has_together = g_test_rand_bit (),
                     .is_steady = TRUE };
  TpTestCase *test;

  one.has_state = !one.has_pins && g_test_rand_bit ();
  test = tp_test_case_new (&one);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  test->costs->is_same_silicon = spec->is_same;
  tp_costs_seal (test->costs);
  tp_test_case_doubt (test);
  return test;
}

TpTestMixCase *
tp_test_mix_case_new (const TpTestMixSpec *spec)
{
  TpTestMixCase *test = g_new0 (TpTestMixCase, 1);

  test->n_parts = spec->n_parts;
  for (int i = 0; i < spec->n_parts; i++)
    test->parts[i] = new_part (spec);
  return test;
}

void
tp_test_mix_case_free (TpTestMixCase *test)
{
  for (int i = 0; i < test->n_parts; i++)
    tp_test_case_free (test->parts[i]);
  g_free (test);
}

TpMix *
tp_test_mix_new (const TpTestMixCase *test, const gint64 *n_runs)
{
  TpMix *mix = tp_mix_new (test->n_parts);

  for (int i = 0; i < mix->n_parts; i++)
    {
      TpTestCase *own = test->parts[i];
      g_autofree char *rate = g_strdup_printf ("%" G_GINT64_FORMAT "/s",
                                               n_runs[i]);

      mix->parts[i].name = g_strdup_printf ("part%d", i);
      mix->parts[i].graph = tp_graph_ref (own->graph);
      mix->parts[i].plan = tp_place (own->graph, own->groups, own->costs,
                                     "throughput", NULL);
      tp_plan_count_memory (mix->parts[i].plan, own->graph);
      g_assert_true (tp_mix_rate_parse (rate, &mix->parts[i].rate));
    }
  g_assert_true (tp_mix_count_runs (mix, NULL));
  return mix;
}

TpMix *
tp_test_mix_place (const TpTestMixCase *test, const gint64 *n_runs)
{
  TpMix *mix = tp_test_mix_new (test, n_runs);
  g_autoptr (GError) error = NULL;

  tp_mix_place (mix, NULL, &error);
  g_assert_no_error (error);
  return mix;
}

void
tp_test_mix_enlarge (TpTestMixCase *test, gint64 times)
{
  for (int i = 0; i < test->n_parts; i++)
    for (int k = 0; k < test->parts[i]->graph->n_tensors; k++)
      test->parts[i]->graph->tensors[k].size_bytes *= times;
}

/* Sizes of tensors are drawn up to what can be counted. */
static gint64
add_bytes (gint64 a, gint64 b)
{
  gint64 sum;

  return tp_size_add (a, b, &sum) ? sum : G_MAXINT64 / 2;
}

static gint64
take_percent (gint64 bytes, int percent)
{
  return bytes > G_MAXINT64 / 100 ? bytes / 100 * percent : bytes * percent / 100;
}

/* Of the device that takes most, so many percent of what @free_mix takes; of the others now and
 * then. */
static gint64 *
draw_tight_limits (const TpMix *free_mix)
{
  int n = free_mix->parts[0].plan->n_devices, most = 0;
  gint64 bytes[TP_TEST_MIX_DEVICES] = { 0 };
  gint64 *limits = g_new0 (gint64, 2 * TP_TEST_MIX_DEVICES);

  for (int d = 0; d < n; d++)
    {
      for (int i = 0; i < free_mix->n_parts; i++)
        bytes[d] = add_bytes (bytes[d],
                              add_bytes (free_mix->parts[i].plan->peak_bytes[d],
                                         free_mix->parts[i].plan->weight_bytes[d]));
      most = bytes[d] > bytes[most] ? d : most;
    }
  for (int d = 0; d < n; d++)
    if (d == most)
      limits[d] = 1 + take_percent (bytes[d], g_test_rand_int_range (60, 100));
    else if (g_test_rand_int_range (0, 4) == 0)
      limits[d] = add_bytes (bytes[d], 1 + bytes[most] / 2);
  return limits;
}

TpMix *
tp_test_mix_place_tight (int n_devices, int round)
{
  TpTestMixSpec spec = tp_test_mix_spec_draw (n_devices > 2 ? 7 : 12);
  g_autoptr (TpTestMixCase) test = NULL;
  g_autoptr (TpMix) free_mix = NULL, mix = NULL;
  g_autofree gint64 *limits = NULL;
  gint64 n_runs[TP_TEST_MIX_PARTS];

  spec.n_parts = MAX (spec.n_parts, 2);
  spec.n_devices = n_devices;
  test = tp_test_mix_case_new (&spec);
  tp_test_mix_enlarge (test, round % 4 == 0 ? 1 : 64);
  tp_test_mix_draw_rates (n_runs);
  free_mix = tp_test_mix_place (test, n_runs);
  mix = tp_test_mix_new (test, n_runs);
  limits = draw_tight_limits (free_mix);
  if (!tp_mix_place (mix, limits, NULL) || mix->proof->room == NULL)
    return NULL;
  mix->memory_limits = g_steal_pointer (&limits);
  return g_steal_pointer (&mix);
}

void
tp_test_mix_draw_rates (gint64 *n_runs)
{
  for (int i = 0; i < TP_TEST_MIX_PARTS; i++)
    n_runs[i] = g_test_rand_int_range (1, 13);
}

void
tp_test_mix_check (const TpMix *mix)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (tp_check_mix (mix, reasons))
    return;
  g_test_message ("%s", (const char *) reasons->pdata[0]);
  g_test_fail ();
}

gint64
tp_test_mix_find_most (const TpTestMixCase *test, const gint64 *loads)
{
  gint64 most = 0, sum = 0;

  for (int e = 0; e < TP_TEST_MIX_ENGINES; e++)
    {
      most = MAX (most, loads[e]);
      sum += loads[e];
    }
  return test->parts[0]->costs->is_same_silicon ? sum : most;
}
