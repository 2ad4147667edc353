/* cmd-optimize.c: a model in; the cheapest plan, its proof and picture out. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "calib/trust.h"
#include "cli/csv.h"
#include "cli/device-bytes.h"
#include "cli/hint.h"
#include "cli/loads.h"
#include "cli/memory-limits.h"
#include "cli/micro-batches.h"
#include "cli/mix-made.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/rates.h"
#include "cli/remedies.h"
#include "cli/series.h"
#include "cli/streamed.h"
#include "cli/text.h"
#include "cli/tiers-made.h"
#include "cli/verify.h"
#include "format/plan-json.h"
#include "format/plan-save.h"
#include "ir/plan-memory.h"

#include <stdio.h>
#include <string.h>

static char **required;       /* tplan_plan_require () */
static gboolean wants_margins, wants_verify;
static char **rates;          /* of several models: "NAME=RATE,..." */

static const GOptionEntry optimize_options[] = {
  TP_PLANNING_OPTIONS,
  TP_MACHINE_OPTION,
  { "require", 0, 0, G_OPTION_ARG_STRING_ARRAY, &required,
    "status 5 unless DEV has that share (repeatable)", "DEV>=N%time" },
  { "rate", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY, &rates, NULL,
    "NAME=RATE" },
  { "margins", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &wants_margins,
    NULL, NULL },
  { "verify", 0, 0, G_OPTION_ARG_NONE, &wants_verify,
    "run it against single devices; give what wins", NULL },
  { 0 },
};

typedef struct
{
  int n_ops;
  int n_transfers, n_handed_over;
  gint64 transfer_bytes;
  gint64 transfer_ns;
  gint64 cost_ns, bound_ns;
  double gap;
  const TpVerified *verified; /* (borrowed) with --verify */
} OptimizeTotals;

static const TpGraph *
get_graph (const TplanPlan *plan)
{
  return tp_api_get_graph (tplan_plan_get_graph (plan));
}

static void
find_totals (const TplanPlan *plan, OptimizeTotals *totals)
{
  const TplanTransfer *transfers
      = tplan_plan_get_transfers (plan, &totals->n_transfers);

  tplan_graph_get_ops (tplan_plan_get_graph (plan), &totals->n_ops);
  totals->n_handed_over
      = tp_plan_count_handed_over (tp_api_get_plan (plan), get_graph (plan));
  for (int i = 0; i < totals->n_transfers; i++)
    {
      totals->transfer_bytes += transfers[i].size_bytes;
      totals->transfer_ns += transfers[i].time_ns;
    }
  totals->cost_ns = tplan_plan_get_cost_ns (plan);
  totals->bound_ns = tplan_plan_get_bound_ns (plan);
  if (totals->cost_ns > 0)
    totals->gap
        = (double) (totals->cost_ns - totals->bound_ns) / totals->cost_ns;
}

/* What the file of the plan ends in. */
static json_t *
sha256_to_json (const TplanPlan *plan)
{
  g_autofree char *text
      = tp_plan_to_json (tp_api_get_plan (plan), get_graph (plan));
  const char *end = text + strlen (text) - strlen ("\"\n}\n");

  return json_stringn (end - 64, 64);
}

/* Ops that the cheapest plan has elsewhere, for no more than noise. */
static int
count_tied (const TpPlan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n += plan->tie_price_ns > 0
         && plan->placements[i].cheapest != plan->placements[i].device;
  return n;
}

static void
note_tie (TpCli *cli, const TpPlan *plan, const OptimizeTotals *totals)
{
  if (plan->tie_price_ns > 0)
    tp_cli_note (cli,
                 "note: within noise of the cheapest: moving %d ops would "
                 "save %.2f %% on paper, with more than %d copies; --exact "
                 "does",
                 count_tied (plan), 100 * totals->gap, totals->n_transfers);
}

static json_t *
single_to_json (const TpPlan *plan)
{
  if (plan->best_single < 0)
    return json_null ();
  return json_pack ("{s:s, s:I}", "device", plan->devices[plan->best_single],
                    "cost_ns", (json_int_t) plan->best_single_ns);
}

/* Ops that devices may not have for want of measured times, by device. */
static json_t *
untrusted_to_json (const TpPlan *plan)
{
  json_t *object = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    {
      int n = tp_trust_count_doubted (plan->costs, d);

      if (n > 0)
        json_object_set_new (object, plan->devices[d], json_integer (n));
    }
  return object;
}

static void
print_data (const TpCli *cli, const TplanPlan *handle,
            const OptimizeTotals *totals)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  json_t *document = json_pack (
      "{s:s, s:o, s:i, s:o, s:I, s:I, s:f}", "format", "tplan-optimize/1",
      "graph", tp_cli_string (plan->graph_name), "ops", totals->n_ops,
      "devices", tp_cli_count_devices (handle), "cost_ns",
      (json_int_t) totals->cost_ns, "bound_ns",
      (json_int_t) totals->bound_ns, "gap", totals->gap);

  tp_cli_add_between (document, "cost_", plan->cost_low_ns, plan->cost_high_ns);
  json_object_set_new (document, "factors", tp_cli_factors_to_json (handle));
  json_object_set_new (document, "transfers",
                       json_integer (totals->n_transfers));
  json_object_set_new (document, "handed_over",
                       json_integer (totals->n_handed_over));
  json_object_set_new (document, "transfer_bytes",
                       json_integer (totals->transfer_bytes));
  json_object_set_new (document, "transfer_ns",
                       json_integer (totals->transfer_ns));
  json_object_set_new (document, "best_single", single_to_json (plan));
  json_object_set_new (document, "groups",
                       json_integer (plan->groups->n_groups));
  json_object_set_new (document, "peak_bytes",
                       tp_cli_device_bytes_to_json (plan, plan->peak_bytes));
  json_object_set_new (document, "weight_bytes",
                       tp_cli_device_bytes_to_json (plan,
                                                    plan->weight_bytes));
  json_object_set_new (document, "memory", tp_cli_limits_to_json (handle));
  json_object_set_new (document, "micro_batches",
                       tp_cli_micro_batches_to_json (plan));
  json_object_set_new (document, "streamed", tp_cli_streamed_to_json (handle));
  json_object_set_new (document, "load", tp_cli_loads_to_json (plan));
  json_object_set_new (document, "rates", tp_cli_rates_to_json (plan));
  json_object_set_new (document, "span", tp_cli_span_to_json (plan));
  json_object_set_new (document, "estimated_ops",
                       json_integer (tplan_plan_count_estimated (handle)));
  json_object_set_new (document, "untrusted_ops", untrusted_to_json (plan));
  json_object_set_new (document, "tied_ops",
                       json_integer (count_tied (plan)));
  json_object_set_new (document, "machine",
                       tp_cli_string (plan->origin.machine));
  json_object_set_new (document, "simulated",
                       json_boolean (plan->is_simulated));
  if (wants_verify)
    json_object_set_new (document, "verified",
                         tp_verified_to_json (totals->verified));
  json_object_set_new (document, "plan_sha256", sha256_to_json (handle));
  tp_cli_print_data (cli, document, NULL);
}

static char *
format_cost (const TplanPlan *plan, const OptimizeTotals *totals)
{
  g_autofree char *cost = tp_cli_format_time (totals->cost_ns);
  g_autofree char *bound = tp_cli_format_time (totals->bound_ns);
  g_autofree char *interval
      = tp_cli_format_between (tp_api_get_plan (plan)->cost_low_ns,
                               tp_api_get_plan (plan)->cost_high_ns);
  const char *simulated = tp_cli_simulated (plan);

  if (tp_api_get_plan (plan)->span_proof != NULL)
    return g_strdup_printf ("%s predicted%s%s one thing after the other, of "
                            "which the least is %s", cost, simulated, interval,
                            bound);
  if (tp_api_get_plan (plan)->load_proof != NULL)
    return g_strdup_printf ("%s predicted%s%s for one run, of which the least "
                            "is %s", cost, simulated, interval, bound);
  if (tp_api_get_plan (plan)->rate_proof != NULL)
    return g_strdup_printf ("%s predicted%s%s, %s%s", cost, simulated,
                            interval,
                            totals->cost_ns == totals->bound_ns
                                ? "the least there is" : "where the least is ",
                            totals->cost_ns == totals->bound_ns ? "" : bound);
  if (tp_api_get_plan (plan)->tie_price_ns > 0)
    return g_strdup_printf ("%s predicted%s%s, within noise of the least, %s",
                            cost, simulated, interval, bound);
  if (totals->cost_ns == totals->bound_ns)
    return g_strdup_printf ("%s predicted%s%s, proved least%s%s", cost,
                            simulated, interval,
                            tp_cli_is_bound_of_fitting (plan) ? " that fits" : "",
                            tp_cli_with (tp_api_get_plan (plan)));
  return g_strdup_printf ("%s predicted%s%s, bound %s, gap %.2f %%", cost,
                          simulated, interval, bound, 100 * totals->gap);
}

/* What keeps @device from running it all; NULL: nothing. */
static char *
find_obstacle (const TpPlan *plan, const TpGraph *graph, int device)
{
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];
      const TpCost *cost = tp_costs_node (plan->costs, i, device);
      g_autofree char *pins = NULL;

      if (node->pins != NULL
          && !g_strv_contains (node->pins, plan->devices[device]))
        {
          pins = g_strjoinv (", ", (char **) node->pins);
          return g_strdup_printf ("'%s' is pinned to %s", node->name, pins);
        }
      if (cost->time_ns == TP_COST_NONE)
        return g_strdup_printf ("'%s' %s", node->name,
                                cost->reason != NULL ? cost->reason : "cannot");
    }
  return NULL;
}

/* Why no device runs it all. */
static char *
format_obstacles (const TpPlan *plan, const TpGraph *graph)
{
  g_autoptr (GString) text = g_string_new ("none");

  for (int i = 0; i < plan->n_devices; i++)
    {
      g_autofree char *why = find_obstacle (plan, graph, i);
      g_autofree char *whole = why == NULL ? NULL : tp_hint_complete (why);

      if (whole != NULL)
        g_string_append_printf (text, "%s not all on %s, for %s",
                                i == 0 ? ":" : ";", plan->devices[i], whole);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_single (const TpPlan *plan, const TpGraph *graph)
{
  g_autofree char *cost = tp_cli_format_time (plan->best_single_ns);

  if (plan->best_single < 0)
    return format_obstacles (plan, graph);
  return g_strdup_printf ("%s all on %s: %.2f times the plan", cost,
                          plan->devices[plan->best_single],
                          plan->cost_ns > 0
                              ? (double) plan->best_single_ns / plan->cost_ns
                              : 1.0);
}

static char *
format_transfers (const OptimizeTotals *totals)
{
  g_autofree char *bytes = tp_cli_format_bytes (totals->transfer_bytes);
  g_autofree char *time = tp_cli_format_time (totals->transfer_ns);

  if (totals->n_transfers == 0)
    return g_strdup ("none");
  if (totals->n_handed_over == 0)
    return g_strdup_printf ("%d, %s, %s", totals->n_transfers, bytes, time);
  return g_strdup_printf ("%d, %s, %s; %d are handed over, not copied",
                          totals->n_transfers, bytes, time,
                          totals->n_handed_over);
}

/* Takes @text, (nullable): no row. */
static void
add_described (TpTable *table, const char *name, char *text)
{
  if (text != NULL)
    tp_table_add (table, g_strdup (name), text);
}

static char *
format_groups (const TpPlan *plan)
{
  int n = 0;

  for (int i = 0; i < plan->groups->n_groups; i++)
    n += plan->groups->groups[i].is_claimed != 0;
  return n == 0 ? g_strdup_printf ("%d", plan->groups->n_groups)
                : g_strdup_printf ("%d, %d of which the model claims to be one "
                                   "kernel: sessions do their ops one by one",
                                   plan->groups->n_groups, n);
}

static void
print_table (TpCli *cli, const TplanPlan *handle, const OptimizeTotals *totals)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autoptr (TpTable) table = tp_table_new (headers);

  tp_table_add (table, g_strdup ("graph"),
                g_strdup_printf ("%s, %d ops", plan->graph_name,
                                 totals->n_ops));
  tp_table_add (table, g_strdup ("placement"),
                tp_cli_format_devices (handle));
  tp_table_add (table, g_strdup ("cost"), format_cost (handle, totals));
  if (plan->span_proof != NULL)
    tp_table_add (table, g_strdup ("makespan"), tp_cli_format_span (plan));
  else if (plan->load_proof != NULL)
    tp_table_add (table, g_strdup ("busiest"), tp_cli_format_loads (plan));
  add_described (table, "energy", tp_cli_describe_energy (plan));
  add_described (table, "price", tp_cli_describe_price (plan));
  tp_table_add (table, g_strdup ("best single"), format_single (plan, get_graph (handle)));
  tp_table_add (table, g_strdup ("transfers"), format_transfers (totals));
  tp_table_add (table, g_strdup ("fused groups"), format_groups (plan));
  tp_table_add (table, g_strdup ("peak memory"),
                tp_cli_format_device_bytes (plan, plan->peak_bytes));
  tp_table_add (table, g_strdup ("weights"),
                tp_cli_format_device_bytes (plan, plan->weight_bytes));
  add_described (table, "micro-batches", tp_cli_format_micro_batches (plan));
  add_described (table, "streamed", tp_cli_format_streamed (handle));
  if (plan->memory_limits != NULL)
    tp_table_add (table, g_strdup ("memory limits"),
                  tp_cli_format_limits (handle));
  tp_table_add (table, g_strdup ("estimated ops"),
                g_strdup_printf ("%d of %d",
                                 tplan_plan_count_estimated (handle),
                                 totals->n_ops));
  if (wants_verify)
    tp_table_add (table, g_strdup ("verified"),
                  tp_verified_to_text (totals->verified));
  tp_table_print (table, cli);
}

static gboolean
check_required (const TplanPlan *plan, GError **error)
{
  for (int i = 0; required != NULL && required[i] != NULL; i++)
    if (!tplan_plan_require (plan, required[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
fill_plan (TpSaver *saver, gconstpointer plan, GError **error)
{
  return tp_plan_save_to (tp_api_get_plan (plan), get_graph (plan), FALSE,
                          saver, error);
}

/* All files are made before the first is written, but for those of the plan itself,
 * which can be made. */
static gboolean
write_outputs (TpCli *cli, const TplanPlan *plan, GError **error)
{
  const TpPictureOptions options = TP_PICTURE_DEFAULTS;
  g_autoptr (GPtrArray) files
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];
      GBytes *bytes
          = tp_picture_is_plan (path)
                ? NULL
                : tp_picture_make (path, tp_api_get_plan (plan),
                                   get_graph (plan), &options, error);

      if (bytes == NULL && !tp_picture_is_plan (path))
        return FALSE;
      g_ptr_array_add (files, bytes);
    }
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];
      GBytes *bytes = files->pdata[i];
      gsize size = 0;
      const void *data
          = bytes == NULL ? NULL : g_bytes_get_data (bytes, &size);

      if (bytes == NULL
              ? !tp_cli_fill_output (cli, path, fill_plan, plan, error)
              : !tp_cli_write_output (cli, path, data, size, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_outputs (TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    if (!tp_picture_check (cli->outputs[i], error)
        || !tp_cli_check_output (cli, cli->outputs[i], error))
      return FALSE;
  return TRUE;
}

/* A plan for each value of a dimension, in one file. */
static gboolean
optimize_tiers (TpCli *cli, TpSeries *series, GError **error)
{
  g_auto (TpTiersMade) made = { 0 };

  if (wants_verify)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--verify is for one plan: give '%s' one value",
                   series->parameter);
      return FALSE;
    }
  tp_tiers_made_init (&made, series->parameter);
  for (guint i = 0; i < tp_series_count (series); i++)
    {
      gint64 value = tp_series_set (series, i);
      g_autoptr (TplanPlan) plan
          = tp_cli_make_plan (cli, cli->args[0], series->dims, error);

      if (plan == NULL || !check_required (plan, error)
          || (wants_margins && !tp_api_find_margins (plan, error)))
        return FALSE;
      tp_tiers_made_add (&made, value, plan);
    }
  return tp_tiers_made_finish (&made, cli, error);
}

static gboolean
optimize_one (TpCli *cli, const GArray *dims, GError **error)
{
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (GError) local = NULL;
  g_auto (TpVerified) verified = { 0 };
  OptimizeTotals totals = { .verified = &verified };

  if (!check_outputs (cli, error))
    return FALSE;
  plan = tp_cli_make_plan (cli, cli->args[0], dims, &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
    tp_cli_note_remedies (cli, dims);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  if (plan != NULL && wants_verify)
    plan = tp_cli_verify (cli, g_steal_pointer (&plan), &verified, error);
  if (plan == NULL || !check_required (plan, error)
      || (wants_margins && !tp_api_find_margins (plan, error))
      || !write_outputs (cli, plan, error))
    return FALSE;
  if (g_strv_contains ((const char *const *) cli->outputs, "-"))
    return TRUE;
  find_totals (plan, &totals);
  note_tie (cli, tp_api_get_plan (plan), &totals);
  tp_cli_note_factors (cli, plan);
  tp_cli_note_batch (cli, plan);
  if (cli->format != TP_FORMAT_TABLE)
    print_data (cli, plan, &totals);
  else
    print_table (cli, plan, &totals);
  return TRUE;
}

/* One placement for all models. */
static gboolean
optimize_mix (TpCli *cli, GError **error)
{
  const char *flag = wants_margins       ? "margins"
                     : wants_verify      ? "verify"
                     : required != NULL  ? "require"
                                         : NULL;

  if (flag == NULL)
    return tp_cli_optimize_mix (cli, rates, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--%s is for one model: leave it out, or --rate and all models "
               "but one", flag);
  return FALSE;
}

static gboolean
optimize_run (TpCli *cli, GError **error)
{
  TpSeries series;
  gboolean is_good;

  if (cli->n_args > 1 || rates != NULL)
    return optimize_mix (cli, error);
  is_good = tp_series_init (&series, cli, error);

  if (is_good && series.parameter != NULL)
    is_good = tp_tiers_check_outputs (cli, error)
              && optimize_tiers (cli, &series, error);
  else if (is_good)
    is_good = optimize_one (cli, series.dims, error);
  tp_series_clear (&series);
  return is_good;
}

const TpCommand tp_command_optimize = {
  .name = "optimize",
  .arguments = "MODEL...",
  .summary = "Finds the cheapest plan for a model and proves it",
  .details = "      --rate=NAME=RATE,.. of several models  --margins  -o: "
             ".json .dot .svg .png",
  .n_args_min = 1,
  .n_args_max = TP_CLI_ANY,
  .uses = TP_USES_PLANNING | TP_USES_RATES | TP_USES_OUTPUT
          | TP_USES_FORMAT,
  .options = optimize_options,
  .run = optimize_run,
};
