/* mix-run.c: see mix-run.h.
 *
 * A round ends when all its runs have: the next begins with idle engines. So it takes no
 * less than the busiest engine has to do in it, and no more than all runs one after the
 * other. */
#include "config.h"

#include "cli/mix-run.h"

#include "api/mix.h"
#include "cli/csv.h"
#include "cli/mix-workers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "ir/compare.h"

#include <string.h>

#define ROUNDS 10
#define ENOUGH_NS (G_GINT64_CONSTANT (10) * 1000000000)

typedef struct
{
  const TpMixRunOptions *options;
  TpMixWorkers *workers;
  const TpMix *mix;
  GArray *rounds_ns;          /* gint64: of each that was timed */
  TpRunErrors *errors;        /* [graph]: of --check */
  gboolean is_good;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->rounds_ns, g_array_unref);
  g_clear_pointer (&run->errors, g_free);
  g_clear_pointer (&run->workers, tp_mix_workers_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* ---- making ready --------------------------------------------------------- */

/* What a round takes, all runs one after the other. */
static gint64
get_in_turn_ns (const TpMix *mix)
{
  gint64 sum = 0;

  for (int i = 0; i < mix->n_parts; i++)
    sum += mix->parts[i].n_runs * mix->parts[i].plan->cost_ns;
  return sum;
}

static int
count_rounds (const Run *run)
{
  gint64 in_turn_ns = MAX (get_in_turn_ns (run->mix), 1);

  return run->options->n_rounds > 0
             ? run->options->n_rounds
             : (int) CLAMP (ENOUGH_NS / in_turn_ns, 1, ROUNDS);
}

/* What is behind "GRAPH:" in @input, or NULL: it is of another graph. */
static char *
find_own_input (const char *input, const char *graph)
{
  gsize length = strlen (graph);

  return strncmp (input, graph, length) == 0 && input[length] == ':'
             ? (char *) input + length + 1
             : NULL;
}

/* Unowned strings; free the list alone. */
static char **
list_own_inputs (const Run *run, int graph)
{
  char *const *all = run->options->inputs;
  guint n = all == NULL ? 0 : g_strv_length ((char **) all);
  char **own = g_new0 (char *, n + 1);

  for (guint i = 0, n_own = 0; i < n; i++)
    {
      char *input = find_own_input (all[i], run->mix->parts[graph].name);

      if (input != NULL)
        own[n_own++] = input;
    }
  return own;
}

static gboolean
check_inputs (const Run *run, GError **error)
{
  char *const *inputs = run->options->inputs;
  const char *first = run->mix->parts[0].name;

  for (int i = 0; inputs != NULL && inputs[i] != NULL; i++)
    {
      gboolean is_known = FALSE;

      for (int k = 0; k < run->mix->n_parts; k++)
        is_known |= find_own_input (inputs[i], run->mix->parts[k].name) != NULL;
      if (is_known)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "input '%s' is not GRAPH:NAME=FILE with one of the graphs of "
                   "these plans: such as '%s:%s'", inputs[i], first, inputs[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
open_graph (gpointer data, const TpCli *cli, int index, GError **error)
{
  const Run *run = data;
  g_autofree char **inputs = list_own_inputs (run, index);

  return tp_mix_workers_ask (run->workers, index,
                             (double) run->mix->parts[index].n_runs,
                             "give fewer rounds with --repeat, or rates that "
                             "are in a simpler proportion", error)
         && tp_mix_workers_open (run->workers, cli, index, inputs, error);
}

/* ---- running -------------------------------------------------------------- */

static void
forget (Run *run)
{
  for (int i = 0; i < run->workers->n_graphs; i++)
    run->workers->graphs[i].n_done = 0;
  memset (run->workers->busy_ns, 0,
          sizeof (gint64) * run->mix->proof->n_engines);
}

/* Until they are done or interrupted; a round that was cut short is not told of. */
static gboolean
run_rounds (Run *run, GError **error)
{
  for (int i = -run->options->n_warmup; i < run->workers->n_rounds; i++)
    {
      if (!tp_mix_workers_run (run->workers, error))
        return FALSE;
      if (*tp_cli_get_cancelled ())
        break;
      if (i < 0)
        forget (run);
      else
        g_array_append_val (run->rounds_ns, run->workers->time_ns);
    }
  if (run->rounds_ns->len > 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
               "interrupted before the first round ended");
  return FALSE;
}

static gboolean
check_outputs (Run *run, GError **error)
{
  gboolean is_done = TRUE;

  for (int i = 0; i < run->mix->n_parts && is_done; i++)
    {
      is_done = tp_run_data_check (&run->workers->graphs[i].data,
                                   run->options->tolerance, &run->errors[i],
                                   error);
      run->is_good &= tp_run_errors_are_good (&run->errors[i]);
    }
  return is_done;
}

/* tp_run_data_check_folder () or tp_run_data_save (), of each graph. */
static gboolean
visit_outputs (const Run *run, const TpCli *cli,
               gboolean (*visit) (const TpRunData *data, const TpCli *cli,
                                  const char *folder, GError **error),
               GError **error)
{
  if (run->options->output_folder == NULL)
    return TRUE;
  if (!tp_cli_check_folder (run->options->output_folder, error))
    return FALSE;
  for (int i = 0; i < run->mix->n_parts; i++)
    {
      g_autofree char *folder = tp_run_data_name_folder (
          run->options->output_folder, run->mix->parts[i].name);

      if (!visit (&run->workers->graphs[i].data, cli, folder, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- telling -------------------------------------------------------------- */

static gint64
get_round_ns (const Run *run, double q)
{
  guint rank = (guint) (q * (run->rounds_ns->len - 1) + 0.5);

  return g_array_index (run->rounds_ns, gint64, rank);
}

/* By engine, in one round. */
static gint64
get_measured_ns (const Run *run, int engine)
{
  return run->workers->busy_ns[engine] / (gint64) run->rounds_ns->len;
}

static json_t *
graph_to_json (const Run *run, int index)
{
  const TpMixGraph *graph = &run->workers->graphs[index];
  json_t *object = json_pack (
      "{s:o, s:I, s:i, s:I, s:I, s:I, s:I, s:I}", "name",
      tp_cli_string (graph->part->name), "in_round",
      (json_int_t) run->mix->parts[index].n_runs, "runs", graph->n_done,
      "p50_ns", (json_int_t) tp_mix_graph_get_quantile (graph, 0.5), "p90_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 0.9), "p99_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 0.99), "maximum_ns",
      (json_int_t) tp_mix_graph_get_quantile (graph, 1), "predicted_ns",
      (json_int_t) tplan_plan_get_cost_ns (graph->part->plan));

  if (!run->options->check)
    return object;
  json_object_set_new (object, "max_abs_error",
                       tp_cli_real (run->errors[index].max_abs_error));
  json_object_set_new (object, "max_rel_error",
                       tp_cli_real (run->errors[index].max_rel_error));
  json_object_set_new (object, "limit",
                       tp_cli_real (run->errors[index].limit));
  json_object_set_new (object, "flushed",
                       json_integer (run->errors[index].n_flushed));
  json_object_set_new (object, "worst_op",
                       tp_cli_string (run->errors[index].worst_op));
  return object;
}

static json_t *
engines_to_json (const Run *run)
{
  json_t *list = json_array ();

  for (int e = 0; e < run->mix->proof->n_engines; e++)
    {
      g_autofree char *name = tp_mix_name_engine (run->mix, e);

      json_array_append_new (
          list, json_pack ("{s:s, s:I, s:I}", "name", name, "predicted_ns",
                           (json_int_t) run->mix->proof->loads[e],
                           "measured_ns",
                           (json_int_t) get_measured_ns (run, e)));
    }
  return list;
}

static void
print_data (const Run *run, const TpCli *cli)
{
  json_t *parts = json_array (), *document;

  for (int i = 0; i < run->mix->n_parts; i++)
    json_array_append_new (parts, graph_to_json (run, i));
  document = json_pack (
      "{s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "format",
      "tplan-run-mix/1", "rounds", (int) run->rounds_ns->len, "in_flight",
      run->workers->n_in_flight, "median_ns",
      (json_int_t) get_round_ns (run, 0.5), "minimum_ns",
      (json_int_t) get_round_ns (run, 0), "maximum_ns",
      (json_int_t) get_round_ns (run, 1), "busiest_ns",
      (json_int_t) run->mix->proof->load_ns, "in_turn_ns",
      (json_int_t) get_in_turn_ns (run->mix), "parts", parts, "engines",
      engines_to_json (run));
  if (run->options->check)
    json_object_set_new (document, "good", json_boolean (run->is_good));
  tp_cli_print_data (cli, document, "parts");
}

static void
print_graphs (const Run *run, const TpCli *cli)
{
  static const char *const headers[]
      = { "GRAPH", ">IN A ROUND", ">P50", ">P90", ">P99", ">MAX",
          ">PREDICTED ALONE", "CHECK", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int i = 0; i < run->mix->n_parts; i++)
    {
      const TpMixGraph *it = &run->workers->graphs[i];

      tp_table_add (table, g_strdup (it->part->name),
                    g_strdup_printf ("%d", it->n),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.5)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.9)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 0.99)),
                    tp_cli_format_time (tp_mix_graph_get_quantile (it, 1)),
                    tp_cli_format_time (
                        tplan_plan_get_cost_ns (it->part->plan)),
                    run->options->check
                        ? tp_run_errors_format (&run->errors[i])
                        : NULL);
    }
  tp_table_print (table, cli);
}

static void
print_engines (const Run *run, const TpCli *cli)
{
  static const char *const headers[]
      = { "ENGINE", ">PREDICTED IN A ROUND", ">MEASURED", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (int e = 0; e < run->mix->proof->n_engines; e++)
    if (run->mix->proof->loads[e] > 0)
      tp_table_add (table, tp_mix_name_engine (run->mix, e),
                    tp_cli_format_time (run->mix->proof->loads[e]),
                    tp_cli_format_time (get_measured_ns (run, e)));
  tp_table_print (table, cli);
}

static void
tell (const Run *run, const TpCli *cli)
{
  g_autofree char *median = tp_cli_format_time (get_round_ns (run, 0.5));
  g_autofree char *least = tp_cli_format_time (get_round_ns (run, 0));
  g_autofree char *most = tp_cli_format_time (get_round_ns (run, 1));
  g_autofree char *busiest
      = tp_cli_format_time (run->mix->proof->load_ns);
  g_autofree char *in_turn = tp_cli_format_time (get_in_turn_ns (run->mix));

  tp_mix_workers_sort (run->workers);
  if (cli->format != TP_FORMAT_TABLE)
    {
      print_data (run, cli);
      return;
    }
  print_graphs (run, cli);
  tp_cli_print ("%s", "");
  print_engines (run, cli);
  tp_cli_note (cli,
               "a round: %s median of %u, %s to %s; predicted: %s if the busiest "
               "engine is never idle, %s one run after the other",
               median, run->rounds_ns->len, least, most, busiest, in_turn);
}

static gboolean
run_all (Run *run, const TpCli *cli, GError **error)
{
  const TpMixOpening opening = { open_graph, run };

  if (!check_inputs (run, error)
      || !tp_mix_workers_open_all (run->workers, cli, &opening, error)
      || !visit_outputs (run, cli, tp_run_data_check_folder, error))
    return FALSE;
  tp_cli_catch_interrupts ();
  if (!run_rounds (run, error))
    return FALSE;
  g_array_sort (run->rounds_ns, tp_compare_int64);
  return (!run->options->check || check_outputs (run, error))
         && visit_outputs (run, cli, tp_run_data_save, error);
}

gboolean
tp_cli_run_mix (TpCli *cli, const char *path, const TpMixRunOptions *options,
                GError **error)
{
  g_auto (Run) run = { .options = options, .is_good = TRUE };

  run.workers = tp_mix_workers_new (cli, path, 0, error);
  if (run.workers == NULL)
    return FALSE;
  run.mix = tp_api_get_mix (run.workers->mix);
  run.rounds_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  run.errors = g_new0 (TpRunErrors, run.mix->n_parts);
  run.workers->n_rounds = count_rounds (&run);
  if (!run_all (&run, cli, error))
    return FALSE;
  tell (&run, cli);
  if (!run.is_good)
    cli->exit_code = TP_EXIT_FAILED;
  else if (*tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  return TRUE;
}
