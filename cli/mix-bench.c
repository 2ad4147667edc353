/* mix-bench.c: see mix-bench.h. */
#include "config.h"

#include "cli/mix-bench.h"

#include "api/mix.h"
#include "cli/csv.h"
#include "cli/mix-loads.h"
#include "cli/mix-workers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run-times.h"
#include "cli/text.h"

#include <math.h>

static double
get_rate (const TpMixWorkers *bench, int graph)
{
  return tp_mix_rate_get (tp_api_get_mix (bench->mix)->parts[graph].rate);
}

/* ---- making ready --------------------------------------------------------- */

/* Evenly from the start on, or at times with exponential gaps. */
static void
fill_times (TpMixWorkers *bench, const TpCli *cli, int index)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) cli->seed + index);
  TpMixGraph *graph = &bench->graphs[index];
  double rate = get_rate (bench, index), at = 0;

  graph->asked_ns = g_new0 (gint64, graph->n);
  for (int i = 0; i < graph->n; i++)
    {
      if (cli->given & TP_USES_SEED)
        at -= log (1 - g_rand_double (rand)) * 1e9 / rate;
      else
        at = i * 1e9 / rate;
      graph->asked_ns[i] = (gint64) at;
    }
}

/* Ready to run, and run once. */
static gboolean
open_graph (gpointer data, const TpCli *cli, int index, GError **error)
{
  TpMixWorkers *bench = data;
  double n = get_rate (bench, index) * (double) bench->time_limit_ns / 1e9;

  if (!tp_mix_workers_ask (bench, index, n, "give less with --time-limit",
                           error))
    return FALSE;
  fill_times (bench, cli, index);
  return tp_mix_workers_open (bench, cli, index, NULL, error);
}

/* ---- telling -------------------------------------------------------------- */

static double
get_reached (const TpMixWorkers *bench, const TpMixGraph *graph)
{
  return graph->n_done * 1e9
         / (double) MAX (bench->time_ns, bench->time_limit_ns);
}

static json_t *
graph_to_json (const TpMixWorkers *bench, int index)
{
  const TpMixGraph *graph = &bench->graphs[index];
  gint64 n_items
      = tp_graph_count_items (tplan_plan_get_graph (graph->part->plan));

  return json_pack (
      "{s:o, s:f, s:f, s:f, s:i, s:i, s:I, s:I, s:I, s:I, s:I}", "name",
      tp_cli_string (graph->part->name), "runs_per_s",
      get_rate (bench, index), "reached_per_s", get_reached (bench, graph),
      "items_per_second", get_reached (bench, graph) * (double) n_items,
      "asked", graph->n, "runs", graph->n_done, "p50_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 0.5), "p90_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 0.9), "p99_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 0.99), "maximum_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 1), "predicted_ns",
      (json_int_t) tplan_plan_get_cost_ns (graph->part->plan));
}

static double
get_measured (const TpMixWorkers *bench, int engine)
{
  return (double) bench->busy_ns[engine] / (double) MAX (bench->time_ns, 1);
}

static json_t *
engines_to_json (const TpMixWorkers *bench)
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
print_data (const TpMixWorkers *bench, const TpCli *cli)
{
  json_t *parts = json_array ();

  for (int i = 0; i < bench->n_graphs; i++)
    json_array_append_new (parts, graph_to_json (bench, i));
  tp_cli_print_data (
      cli,
      json_pack ("{s:s, s:I, s:i, s:b, s:o, s:o}", "format",
                 "tplan-bench-mix/1", "time_ns", (json_int_t) bench->time_ns,
                 "in_flight", bench->n_in_flight, "drawn",
                 (cli->given & TP_USES_SEED) != 0, "parts", parts, "engines",
                 engines_to_json (bench)),
      "parts");
}

static void
print_graphs (const TpMixWorkers *bench, const TpCli *cli)
{
  static const char *const headers[]
      = { "GRAPH", ">RATE", ">REACHED", ">RUNS", ">P50", ">P90", ">P99",
          ">MAX", ">PREDICTED ALONE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int i = 0; i < bench->n_graphs; i++)
    {
      const TpMixGraph *it = &bench->graphs[i];

      tp_table_add (table, g_strdup (it->part->name),
                    tp_cli_format_rate (get_rate (bench, i)),
                    tp_cli_format_rate (get_reached (bench, it)),
                    g_strdup_printf ("%d of %d", it->n_done, it->n),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.5)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.9)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.99)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 1)),
                    tp_cli_format_time (
                        tplan_plan_get_cost_ns (it->part->plan)));
    }
  tp_table_print (table, cli);
}

static void
print_engines (const TpMixWorkers *bench, const TpCli *cli)
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
tell (TpMixWorkers *bench, const TpCli *cli)
{
  tp_mix_workers_sort (bench);
  if (cli->format != TP_FORMAT_TABLE)
    {
      print_data (bench, cli);
      return;
    }
  print_graphs (bench, cli);
  tp_cli_print ("%s", "");
  print_engines (bench, cli);
}

gboolean
tp_cli_bench_mix (TpCli *cli, const char *path,
                  const TpMixBenchOptions *options, GError **error)
{
  g_autoptr (TpMixWorkers) bench
      = tp_mix_workers_new (cli, path, options->n_in_flight, error);

  const TpMixOpening opening = { open_graph, bench };

  if (bench == NULL)
    return FALSE;
  bench->time_limit_ns = options->time_limit_ns;
  if (!tp_mix_workers_open_all (bench, cli, &opening, error))
    return FALSE;
  tp_cli_catch_interrupts ();
  if (!tp_mix_workers_run (bench, error))
    return FALSE;
  tell (bench, cli);
  if (*tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  return TRUE;
}
