/* mix-bench.c: see mix-bench.h.
 *
 * Each graph has as many workers as may have runs of it under way. A worker takes the
 * next run that is asked for, sleeps until it is, and does it; when all are busy,
 * runs wait, and the time that they wait counts. So a machine that is too slow does not
 * slow down who asks. */
#include "config.h"

#include "cli/mix-bench.h"

#include "api/mix.h"
#include "cli/csv.h"
#include "cli/mix-loads.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/run-data.h"
#include "cli/run-times.h"
#include "cli/text.h"
#include "ir/clock.h"

#include <math.h>
#include <string.h>

#define MOST_RUNS 2000000     /* of a graph */
#define LONGEST_SLEEP_US 50000 /* without asking whether it is to stop */

typedef struct
{
  const TplanMixPart *part;
  TplanSession *session;
  TpRunData data;             /* what came out at first is what is to come out */
  double rate;                /* runs a second */
  int n;                      /* runs that are asked for */
  gint64 *asked_ns;           /* [run]: when, after the start */
  gint64 *took_ns;            /* [run that was done]: since it was asked for */
  int n_taken, n_done;        /* atomic */
} Graph;

typedef struct
{
  const TpMixBenchOptions *options;
  TplanMix *mix;
  int n_graphs;
  Graph *graphs;
  gint64 *busy_ns;            /* [engine]: in the time measured */
  gint64 start_ns, time_ns;
  GMutex lock;                /* over @error */
  GError *error;              /* the first */
  gint has_failed;            /* atomic */
} Bench;

typedef struct
{
  Bench *bench;
  Graph *graph;
  void **outputs;
  gboolean has_run;
} Worker;

static void
bench_clear (Bench *bench)
{
  for (int i = 0; i < bench->n_graphs; i++)
    {
      tplan_session_free (bench->graphs[i].session);
      tp_run_data_clear (&bench->graphs[i].data);
      g_free (bench->graphs[i].asked_ns);
      g_free (bench->graphs[i].took_ns);
    }
  g_free (bench->graphs);
  g_free (bench->busy_ns);
  g_clear_error (&bench->error);
  g_mutex_clear (&bench->lock);
  tplan_mix_free (bench->mix);
}

/* ---- making ready --------------------------------------------------------- */

/* Evenly from the start on, or at times with exponential gaps. */
static void
fill_times (Graph *graph, const TpCli *cli, int index)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) cli->seed + index);
  double at = 0;

  for (int i = 0; i < graph->n; i++)
    {
      if (cli->given & TP_USES_SEED)
        at -= log (1 - g_rand_double (rand)) * 1e9 / graph->rate;
      else
        at = i * 1e9 / graph->rate;
      graph->asked_ns[i] = (gint64) at;
    }
}

static gboolean
ask_for_runs (Graph *graph, const Bench *bench, GError **error)
{
  double n = graph->rate * (double) bench->options->time_limit_ns / 1e9;

  if (n > MOST_RUNS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "'%s' would be run %.0f times, and at most %d are counted: "
                   "give less with --time-limit", graph->part->name, n,
                   MOST_RUNS);
      return FALSE;
    }
  graph->n = MAX (1, (int) n);
  graph->asked_ns = g_new0 (gint64, graph->n);
  graph->took_ns = g_new0 (gint64, graph->n);
  return TRUE;
}

/* Ready to run, and run once. */
static gboolean
open_graph (Bench *bench, const TpCli *cli, int index, GError **error)
{
  Graph *graph = &bench->graphs[index];
  const TpMixPart *own = &tp_api_get_mix (bench->mix)->parts[index];
  const TplanSessionOptions options
      = { .n_threads = cli->device_options.n_threads,
          .n_in_flight = bench->options->n_in_flight };

  graph->part = &tplan_mix_get_parts (bench->mix, NULL)[index];
  graph->rate = tp_mix_rate_get (own->rate);
  if (!ask_for_runs (graph, bench, error)
      || !tp_run_data_init (&graph->data, own->graph, NULL, cli->seed, error))
    return FALSE;
  fill_times (graph, cli, index);
  graph->session = tplan_mix_new_session (bench->mix, index, &options, error);
  return graph->session != NULL
         && tplan_session_run (graph->session,
                               (const void *const *) graph->data.inputs,
                               graph->data.outputs, error);
}

/* ---- running -------------------------------------------------------------- */

static gboolean
is_over (const Bench *bench)
{
  return *tp_cli_get_cancelled () || g_atomic_int_get (&bench->has_failed)
         || tp_clock_get_ns () - bench->start_ns
                >= bench->options->time_limit_ns;
}

/* FALSE: it is over before. */
static gboolean
sleep_until (const Bench *bench, gint64 when_ns)
{
  while (!is_over (bench))
    {
      gint64 left_us = (when_ns - tp_clock_get_ns ()) / 1000;

      if (left_us <= 0)
        return TRUE;
      g_usleep ((gulong) MIN (left_us, LONGEST_SLEEP_US));
    }
  return FALSE;
}

static void
stop_all (Bench *bench, GError *error)
{
  g_mutex_lock (&bench->lock);
  if (bench->error == NULL)
    bench->error = g_steal_pointer (&error);
  g_mutex_unlock (&bench->lock);
  g_clear_error (&error);
  g_atomic_int_set (&bench->has_failed, TRUE);
}

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  Bench *bench = worker->bench;
  Graph *graph = worker->graph;
  GError *error = NULL;
  int index;

  while ((index = g_atomic_int_add (&graph->n_taken, 1)) < graph->n)
    {
      gint64 asked_ns = bench->start_ns + graph->asked_ns[index];

      if (!sleep_until (bench, asked_ns))
        break;
      if (!tplan_session_run (graph->session,
                              (const void *const *) graph->data.inputs,
                              worker->outputs, &error))
        {
          stop_all (bench, error);
          break;
        }
      worker->has_run = TRUE;
      graph->took_ns[g_atomic_int_add (&graph->n_done, 1)]
          = tp_clock_get_ns () - asked_ns;
    }
  return NULL;
}

static gint64
get_output_bytes (const Graph *graph, int output)
{
  const TpGraph *it = graph->data.graph;

  return it->tensors[it->outputs[output]].size_bytes;
}

static void
worker_init (Worker *worker, Bench *bench, Graph *graph)
{
  int n = graph->data.graph->n_outputs;

  *worker = (Worker){ bench, graph, g_new0 (void *, n + 1), FALSE };
  for (int i = 0; i < n; i++)
    worker->outputs[i] = g_malloc0 (MAX (get_output_bytes (graph, i), 1));
}

/* What came out last is what came out of a run that had all to itself. */
static void
worker_end (Worker *worker)
{
  const Graph *graph = worker->graph;
  gboolean is_same = TRUE;

  for (int i = 0; i < graph->data.graph->n_outputs; i++)
    {
      is_same = is_same
                && memcmp (worker->outputs[i], graph->data.outputs[i],
                           get_output_bytes (graph, i)) == 0;
      g_free (worker->outputs[i]);
    }
  g_free (worker->outputs);
  if (worker->has_run && !is_same)
    stop_all (worker->bench,
              g_error_new (TPLAN_ERROR, TPLAN_ERROR_FAILED,
                           "'%s': a run beside others gave another result "
                           "than one by itself: run it alone, and report this",
                           graph->part->name));
}

static void
count_busy (Bench *bench, int sign)
{
  const TpMix *mix = tp_api_get_mix (bench->mix);

  for (int e = 0; e < mix->proof->n_engines; e++)
    bench->busy_ns[e] += sign * tp_api_get_busy_ns (bench->mix, e);
}

/* All at once, as long as it takes. */
static void
run_all (Bench *bench)
{
  int n_each = bench->options->n_in_flight, n = bench->n_graphs * n_each;
  g_autofree Worker *workers = g_new0 (Worker, n);
  g_autofree GThread **threads = g_new0 (GThread *, n);

  for (int i = 0; i < n; i++)
    worker_init (&workers[i], bench, &bench->graphs[i / n_each]);
  count_busy (bench, -1);
  bench->start_ns = tp_clock_get_ns ();
  for (int i = 0; i < n; i++)
    threads[i] = g_thread_new ("graph", work, &workers[i]);
  for (int i = 0; i < n; i++)
    g_thread_join (threads[i]);
  bench->time_ns = tp_clock_get_ns () - bench->start_ns;
  count_busy (bench, 1);
  for (int i = 0; i < n; i++)
    worker_end (&workers[i]);
}

/* ---- telling -------------------------------------------------------------- */

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *) a, second = *(const gint64 *) b;

  return (first > second) - (first < second);
}

/* The nearest rank; 0: there is none. */
static gint64
get_quantile (const Graph *graph, double q)
{
  int rank = (int) ceil (q * graph->n_done);

  return graph->n_done == 0 ? 0 : graph->took_ns[MAX (rank, 1) - 1];
}

static double
get_reached (const Bench *bench, const Graph *graph)
{
  return graph->n_done * 1e9
         / (double) MAX (bench->time_ns, bench->options->time_limit_ns);
}

static json_t *
graph_to_json (const Bench *bench, const Graph *graph)
{
  gint64 n_items
      = tp_graph_count_items (tplan_plan_get_graph (graph->part->plan));

  return json_pack (
      "{s:o, s:f, s:f, s:f, s:i, s:i, s:I, s:I, s:I, s:I, s:I}", "name",
      tp_cli_string (graph->part->name), "runs_per_s", graph->rate,
      "reached_per_s", get_reached (bench, graph), "items_per_second",
      get_reached (bench, graph) * (double) n_items, "asked", graph->n, "runs",
      graph->n_done, "p50_ns", (json_int_t) get_quantile (graph, 0.5),
      "p90_ns", (json_int_t) get_quantile (graph, 0.9), "p99_ns",
      (json_int_t) get_quantile (graph, 0.99), "maximum_ns",
      (json_int_t) get_quantile (graph, 1), "predicted_ns",
      (json_int_t) tplan_plan_get_cost_ns (graph->part->plan));
}

static double
get_measured (const Bench *bench, int engine)
{
  return (double) bench->busy_ns[engine] / (double) MAX (bench->time_ns, 1);
}

static json_t *
engines_to_json (const Bench *bench)
{
  const TpMix *mix = tp_api_get_mix (bench->mix);
  json_t *list = json_array ();

  for (int e = 0; e < mix->proof->n_engines; e++)
    {
      g_autofree char *name = tp_mix_name_engine (mix, e);

      json_array_append_new (
          list, json_pack ("{s:s, s:f, s:f}", "name", name, "predicted",
                           tp_mix_get_busy (mix, mix->proof->loads[e]),
                           "measured", get_measured (bench, e)));
    }
  return list;
}

static void
print_data (const Bench *bench, const TpCli *cli)
{
  json_t *parts = json_array ();

  for (int i = 0; i < bench->n_graphs; i++)
    json_array_append_new (parts, graph_to_json (bench, &bench->graphs[i]));
  tp_cli_print_data (
      cli,
      json_pack ("{s:s, s:I, s:i, s:b, s:o, s:o}", "format",
                 "tplan-bench-mix/1", "time_ns", (json_int_t) bench->time_ns,
                 "in_flight", bench->options->n_in_flight, "drawn",
                 (cli->given & TP_USES_SEED) != 0, "parts", parts, "engines",
                 engines_to_json (bench)),
      "parts");
}

static void
print_graphs (const Bench *bench, const TpCli *cli)
{
  static const char *const headers[]
      = { "GRAPH", ">RATE", ">REACHED", ">RUNS", ">P50", ">P90", ">P99",
          ">MAX", ">PREDICTED ALONE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int i = 0; i < bench->n_graphs; i++)
    {
      const Graph *it = &bench->graphs[i];

      tp_table_add (table, g_strdup (it->part->name),
                    tp_cli_format_rate (it->rate),
                    tp_cli_format_rate (get_reached (bench, it)),
                    g_strdup_printf ("%d of %d", it->n_done, it->n),
                    tp_cli_format_time (get_quantile (it, 0.5)),
                    tp_cli_format_time (get_quantile (it, 0.9)),
                    tp_cli_format_time (get_quantile (it, 0.99)),
                    tp_cli_format_time (get_quantile (it, 1)),
                    tp_cli_format_time (
                        tplan_plan_get_cost_ns (it->part->plan)));
    }
  tp_table_print (table, cli);
}

static void
print_engines (const Bench *bench, const TpCli *cli)
{
  static const char *const headers[]
      = { "ENGINE", ">PREDICTED BUSY", ">MEASURED", NULL };
  const TpMix *mix = tp_api_get_mix (bench->mix);
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int e = 0; e < mix->proof->n_engines; e++)
    if (mix->proof->loads[e] > 0)
      tp_table_add (table, tp_mix_name_engine (mix, e),
                    g_strdup_printf (
                        "%.2f %%",
                        100 * tp_mix_get_busy (mix, mix->proof->loads[e])),
                    g_strdup_printf ("%.2f %%",
                                     100 * get_measured (bench, e)));
  tp_table_print (table, cli);
}

static void
tell (Bench *bench, const TpCli *cli)
{
  for (int i = 0; i < bench->n_graphs; i++)
    qsort (bench->graphs[i].took_ns, bench->graphs[i].n_done, sizeof (gint64),
           compare_times);
  if (cli->format != TP_FORMAT_TABLE)
    {
      print_data (bench, cli);
      return;
    }
  print_graphs (bench, cli);
  tp_cli_print ("%s", "");
  print_engines (bench, cli);
}

/* ---- all ------------------------------------------------------------------ */

static gboolean
check_real (const Bench *bench, const char *path, GError **error)
{
  if (!tp_api_get_mix (bench->mix)->parts[0].plan->is_simulated)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%s: simulated devices run one graph at a time: run one with "
               "--part, or see with explain what is predicted of all", path);
  return FALSE;
}

static gboolean
run_bench (Bench *bench, const TpCli *cli, GError **error)
{
  bench->busy_ns
      = g_new0 (gint64, tp_api_get_mix (bench->mix)->proof->n_engines);
  for (int i = 0; i < bench->n_graphs; i++)
    if (!open_graph (bench, cli, i, error))
      return FALSE;
  run_all (bench);
  if (bench->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&bench->error));
  return FALSE;
}

gboolean
tp_cli_bench_mix (TpCli *cli, const char *path,
                  const TpMixBenchOptions *options, GError **error)
{
  Bench bench = { .options = options };
  gboolean is_good = FALSE;

  g_mutex_init (&bench.lock);
  bench.mix = tp_cli_load_mix (cli, path, error);
  if (bench.mix != NULL)
    {
      tplan_mix_get_parts (bench.mix, &bench.n_graphs);
      bench.graphs = g_new0 (Graph, bench.n_graphs);
      is_good = check_real (&bench, path, error)
                && run_bench (&bench, cli, error);
    }
  if (is_good)
    tell (&bench, cli);
  if (is_good && *tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  bench_clear (&bench);
  return is_good;
}
