/* run-times.c: see run-times.h. */
#include "config.h"

#include "cli/run-times.h"

#include "cli/predicted.h"
#include "ir/compare.h"

#include <math.h>

#define OUTLIER 2             /* times the median */
#define FEWEST_RANKED 5       /* runs; of fewer, ranks are all the same */
#define SAME_CLOCK 0.02       /* nearer is not worth a word */

/* Who looked has judged by figures of his own: these only carry the verdict. */
static const TpProcessors best = { .handover_ns = 1, .contention = 1 };
#define WORSE 1000

/* Both in JSON and in the table. */
static const struct
{
  const char *key, *name;
  double q;
} ranks[] = {
  { "p10_ns", NULL, 0.1 },    { "p50_ns", "p50", 0.5 },
  { "p90_ns", "p90", 0.9 },   { "p95_ns", "p95", 0.95 },
  { "p99_ns", "p99", 0.99 },
};

void
tp_run_times_init (TpRunTimes *times)
{
  *times = (TpRunTimes){ 0 };
  times->samples = g_array_new (FALSE, FALSE, sizeof (TpSample));
  times->all_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  times->calm_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
}

void
tp_run_times_clear (TpRunTimes *times)
{
  g_clear_pointer (&times->samples, g_array_unref);
  g_clear_pointer (&times->all_ns, g_array_unref);
  g_clear_pointer (&times->calm_ns, g_array_unref);
}

void
tp_run_times_add (TpRunTimes *times, const TpSample *sample)
{
  g_array_append_vals (times->samples, sample, 1);
}

void
tp_run_times_look (TpRunTimes *times, gboolean is_apart, gint64 fma_ns)
{
  for (; times->n_looked < (int) times->samples->len; times->n_looked++)
    {
      TpProcessors *its = &g_array_index (times->samples, TpSample,
                                          times->n_looked).processors;

      its->handover_ns = is_apart ? WORSE : best.handover_ns;
      its->fma_ns = fma_ns;
    }
}

void
tp_run_times_look_at_cores (TpRunTimes *times, gboolean is_contended)
{
  for (; times->n_cores_looked < (int) times->samples->len;
       times->n_cores_looked++)
    g_array_index (times->samples, TpSample, times->n_cores_looked)
        .processors.contention = is_contended ? WORSE : best.contention;
}

double
tp_run_times_get_mean (const TpRunTimes *times)
{
  double sum_ns = 0;

  for (guint i = 0; i < times->samples->len; i++)
    sum_ns += (double) g_array_index (times->samples, TpSample, i).time_ns;
  return sum_ns / times->samples->len;
}

void
tp_run_times_end (TpRunTimes *times, gint64 fma_ns)
{
  const TpProcessors told = { .fma_ns = fma_ns };
  TpSample *samples = (TpSample *) (void *) times->samples->data;
  int n = (int) times->samples->len;
  g_autofree gboolean *is_disturbed = g_new (gboolean, n + 1);

  for (int i = 0; i < n && times->is_alone; i++)
    samples[i].n_preempted = 0;
  tp_samples_find_disturbed (samples, n, &best, is_disturbed);
  for (int i = 0; i < n; i++)
    {
      gint64 told_ns = tp_sample_get_told_ns (&samples[i], &told);

      g_array_append_val (times->all_ns, samples[i].time_ns);
      if (!is_disturbed[i])
        g_array_append_val (times->calm_ns, told_ns);
      times->n_preempted += samples[i].n_preempted > 0;
      times->n_apart += tp_samples_are_apart (&samples[i].processors, &best);
      times->n_contended
          += tp_samples_are_contended (&samples[i].processors, &best);
    }
  g_array_sort (times->all_ns, tp_compare_int64);
  g_array_sort (times->calm_ns, tp_compare_int64);
}

/* Of those that nobody disturbed; 0: too few are left. */
static gint64
get_calm_median (const TpRunTimes *times)
{
  guint n = times->calm_ns->len;

  if (n < MIN (FEWEST_RANKED, times->all_ns->len))
    return 0;
  return g_array_index (times->calm_ns, gint64, (n - 1) / 2);
}

gint64
tp_run_times_get_quantile (const TpRunTimes *times, double q)
{
  int n = (int) times->all_ns->len;
  int rank = (int) ceil (q * n);

  return g_array_index (times->all_ns, gint64, CLAMP (rank, 1, n) - 1);
}

/* Those that took more than twice the median. */
static int
count_outliers (const TpRunTimes *times)
{
  gint64 median_ns = tp_run_times_get_quantile (times, 0.5);
  int n = 0;

  for (guint i = times->all_ns->len; i-- > 0; n++)
    if (g_array_index (times->all_ns, gint64, i) <= OUTLIER * median_ns)
      break;
  return n;
}

gint64
tp_graph_count_items (const TplanGraph *graph)
{
  int n_in, n_out;
  const TplanTensor *in = tplan_graph_get_inputs (graph, &n_in);
  const TplanTensor *out = tplan_graph_get_outputs (graph, &n_out);

  if (n_in == 0 || n_out == 0 || in->rank < 2 || out->rank < 1
      || in->dims[0] != out->dims[0])
    return 1;
  return in->dims[0];
}

static double
get_rate (const TpRunTimes *times, const TplanGraph *graph)
{
  gint64 median_ns = tp_run_times_get_quantile (times, 0.5);

  return 1e9 * (double) tp_graph_count_items (graph)
         / (double) MAX (median_ns, 1);
}

static char *
format_ranks (const TpRunTimes *times)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (ranks); i++)
    if (ranks[i].name != NULL)
      {
        g_autofree char *time = tp_cli_format_time (
            tp_run_times_get_quantile (times, ranks[i].q));

        g_string_append_printf (text, "%s%s %s", text->len == 0 ? "" : ", ",
                                ranks[i].name, time);
      }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_outliers (const TpRunTimes *times, int n)
{
  g_autofree char *longest
      = tp_cli_format_time (tp_run_times_get_quantile (times, 1));

  return g_strdup_printf ("%d of %u runs took more than %d times the median, "
                          "at most %s",
                          n, times->all_ns->len, OUTLIER, longest);
}

static char *
format_clock (double slowness)
{
  return fabs (slowness - 1) <= SAME_CLOCK
             ? g_strdup ("")
             : g_strdup_printf (", told at the clock of calibrating, %.1f %% %s",
                                100 * fabs (slowness - 1),
                                slowness > 1 ? "faster" : "slower");
}

void
tp_run_times_add_calm (const TpRunTimes *times, const TplanPlan *plan,
                       TpTable *table)
{
  gint64 calm_ns = get_calm_median (times);
  g_autofree char *median = tp_cli_format_time (calm_ns);
  g_autofree char *clock
      = format_clock (times->slowness > 0 ? times->slowness : 1);

  if (calm_ns == 0
      || (times->calm_ns->len == times->all_ns->len && clock[0] == 0))
    return;
  tp_table_add (
      table, g_strdup ("undisturbed"),
      g_strdup_printf ("%s median of %u%s: prediction %+.1f %%%s", median,
                       times->calm_ns->len, clock,
                       100 * ((double) tplan_plan_get_run_ns (plan)
                              / (double) calm_ns - 1),
                       tp_cli_judge_interval (plan, calm_ns)));
}

void
tp_run_times_add_rows (const TpRunTimes *times, const TplanGraph *graph,
                       TpTable *table)
{
  int n_outliers = count_outliers (times);

  if (times->all_ns->len >= FEWEST_RANKED)
    tp_table_add (table, g_strdup ("percentiles"), format_ranks (times));
  if (n_outliers > 0)
    tp_table_add (table, g_strdup ("outliers"),
                  format_outliers (times, n_outliers));
  tp_table_add (table, g_strdup ("items/s"),
                g_strdup_printf ("%.4g, %" G_GINT64_FORMAT " a run",
                                 get_rate (times, graph),
                                 tp_graph_count_items (graph)));
}

void
tp_run_times_add_json (const TpRunTimes *times, const TplanGraph *graph,
                       json_t *object)
{
  gint64 calm_ns = get_calm_median (times);

  for (gsize i = 0; i < G_N_ELEMENTS (ranks); i++)
    json_object_set_new (object, ranks[i].key,
                         json_integer (tp_run_times_get_quantile (
                             times, ranks[i].q)));
  json_object_set_new (object, "minimum_ns",
                       json_integer (tp_run_times_get_quantile (times, 0)));
  json_object_set_new (object, "maximum_ns",
                       json_integer (tp_run_times_get_quantile (times, 1)));
  json_object_set_new (object, "warmup_runs", json_integer (times->n_warmup));
  json_object_set_new (object, "threads",
                       times->n_threads > 0 ? json_integer (times->n_threads)
                                            : json_null ());
  json_object_set_new (object, "preempted_runs",
                       json_integer (times->n_preempted));
  json_object_set_new (object, "apart_runs", json_integer (times->n_apart));
  json_object_set_new (object, "contended_runs",
                       json_integer (times->n_contended));
  json_object_set_new (object, "contention",
                       times->contention > 0 ? json_real (times->contention)
                                             : json_null ());
  json_object_set_new (object, "clock",
                       times->slowness > 0 ? json_real (1 / times->slowness)
                                           : json_null ());
  json_object_set_new (object, "calm_runs",
                       json_integer (times->calm_ns->len));
  json_object_set_new (object, "calm_median_ns",
                       calm_ns > 0 ? json_integer (calm_ns) : json_null ());
  json_object_set_new (object, "outliers",
                       json_integer (count_outliers (times)));
  json_object_set_new (object, "items",
                       json_integer (tp_graph_count_items (graph)));
  json_object_set_new (object, "items_per_second",
                       json_real (get_rate (times, graph)));
}
