/* cmd-check.c: is a plan valid, and is it proved? And what is a placement worth
 * that was made elsewhere? */
#include "config.h"

#include "api/mix.h"
#include "api/plan.h"
#include "cli/csv.h"
#include "cli/files.h"
#include "cli/loads.h"
#include "cli/micro-batches.h"
#include "cli/rates.h"
#include "cli/memory-limits.h"
#include "cli/mix-loads.h"
#include "cli/output.h"
#include "cli/placement.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/file.h"
#include "format/tiers.h"
#include "runtime/devices.h"

static const char *table_path; /* NULL: stated figures are believed */
static const char *placement_path;

static const GOptionEntry check_options[] = {
  TP_GRAPH_OPTION,
  { "placement", 0, 0, G_OPTION_ARG_FILENAME, &placement_path,
    "judge this one (CSV, JSON, ONNX) of MODEL", "FILE" },
  { "no-fuse", 0, 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.no_fuse,
    "of MODEL: leave out a fusion rule (repeatable)", "RULE" },
  { "trust-estimates", 0, 0, G_OPTION_ARG_NONE,
    &tp_cli_planning.trusts_estimates,
    "of MODEL: trust times that were never measured", NULL },
  { "exact", 0, 0, G_OPTION_ARG_NONE, &tp_cli_planning.is_exact,
    "of MODEL: take figures as if they had no noise", NULL },
  TP_MACHINE_OPTION,
  { 0 },
};

/* Where the figures of real devices are believed. */
static gboolean
has_stated_costs (const TplanPlan *plan)
{
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);

  for (int i = 0; i < n && table_path == NULL; i++)
    if (!tp_device_is_simulated (devices[i].name))
      return TRUE;
  return FALSE;
}

static const char *
judge (const TplanPlan *plan)
{
  gboolean is_least
      = tplan_plan_get_cost_ns (plan) == tplan_plan_get_bound_ns (plan);

  if (tp_cli_is_bound_of_fitting (plan))
    return is_least ? "none that fits is cheaper"
                    : "none that fits goes below the bound";
  if (is_least)
    return "no plan is cheaper";
  return tp_api_get_plan (plan)->tie_price_ns > 0
             ? "none is cheaper by more than noise"
             : "none goes below the bound";
}

/* A plan, and what was found. */
typedef struct
{
  TplanPlan *plan;
  GPtrArray *reasons;         /* char * */
  gboolean is_valid;
  char *name;                 /* for people: the file, and which of its plans */
} Checked;

static void
checked_clear (Checked *checked)
{
  g_clear_pointer (&checked->plan, tplan_plan_free);
  g_clear_pointer (&checked->reasons, g_ptr_array_unref);
  g_clear_pointer (&checked->name, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Checked, checked_clear)

static void
print_result (const Checked *it)
{
  g_autofree char *cost
      = tp_cli_format_time (tplan_plan_get_cost_ns (it->plan));
  g_autofree char *bound
      = tp_cli_format_time (tplan_plan_get_bound_ns (it->plan));
  g_autofree char *span = tp_cli_format_span (tp_api_get_plan (it->plan));
  g_autofree char *loads = tp_cli_format_loads (tp_api_get_plan (it->plan));
  g_autofree char *energy
      = tp_cli_describe_energy (tp_api_get_plan (it->plan));
  g_autofree char *price = tp_cli_describe_price (tp_api_get_plan (it->plan));

  if (it->is_valid)
    tp_cli_print ("%s: valid: costs %s%s, bound %s: %s%s%s", it->name, cost,
                  tp_cli_simulated (it->plan), bound, judge (it->plan),
                  tp_cli_with (tp_api_get_plan (it->plan)),
                  has_stated_costs (it->plan) ? "; costs as stated in the plan"
                                              : "");
  else
    tp_cli_print ("%s: not valid:", it->name);
  if (it->is_valid && span != NULL)
    tp_cli_print ("  makespan: %s", span);
  if (it->is_valid && loads != NULL)
    tp_cli_print ("  busiest engine: %s", loads);
  if (it->is_valid && energy != NULL)
    tp_cli_print ("  energy: %s", energy);
  if (it->is_valid && price != NULL)
    tp_cli_print ("  price: %s", price);
  for (guint i = 0; i < it->reasons->len; i++)
    tp_cli_print ("  %s", (const char *) it->reasons->pdata[i]);
}

static json_t *
reasons_to_json (const GPtrArray *reasons)
{
  json_t *list = json_array ();

  for (guint i = 0; i < reasons->len; i++)
    json_array_append_new (list, tp_cli_string (reasons->pdata[i]));
  return list;
}

static json_t *
checked_to_json (const Checked *it)
{
  return json_pack (
      "{s:b, s:b, s:I, s:I, s:o, s:o, s:o, s:o}", "valid", it->is_valid,
      "costs_as_stated", has_stated_costs (it->plan), "cost_ns",
      (json_int_t) tplan_plan_get_cost_ns (it->plan), "bound_ns",
      (json_int_t) tplan_plan_get_bound_ns (it->plan), "load",
      tp_cli_loads_to_json (tp_api_get_plan (it->plan)), "rates",
      tp_cli_rates_to_json (tp_api_get_plan (it->plan)), "span",
      tp_cli_span_to_json (tp_api_get_plan (it->plan)), "reasons",
      reasons_to_json (it->reasons));
}

static void
print_data (const TpCli *cli, const Checked *it)
{
  json_t *document = json_pack ("{s:s}", "format", "tplan-check/1");
  json_t *checked = checked_to_json (it);

  json_object_update (document, checked);
  json_decref (checked);
  tp_cli_print_data (cli, document, NULL);
}

/* FALSE: it cannot be told. */
static gboolean
check (const TplanPlan *plan, GPtrArray *reasons, gboolean *out_is_valid,
       GError **error)
{
  GError *local = NULL;

  *out_is_valid = tp_api_check_plan (plan, reasons)
                  && (table_path == NULL
                      || tp_api_check_table (plan, table_path, reasons,
                                             &local));
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, local);
  return FALSE;
}

/* @dims: (nullable): which plan of tiers. */
static gboolean
check_plan (TpCli *cli, const GArray *dims, Checked *out, GError **error)
{
  const TplanLoadOptions options = tp_cli_load_options (cli, dims);

  out->name = g_strdup (cli->args[0]);
  out->reasons = g_ptr_array_new_with_free_func (g_free);
  out->plan = tp_cli_planning.part != NULL
                  ? tp_cli_load_plan (cli, cli->args[0], error)
                  : tplan_plan_load_full (cli->args[0],
                                          tp_cli_planning.graph_path, &options,
                                          error);
  return out->plan != NULL
         && check (out->plan, out->reasons, &out->is_valid, error);
}

/* One plan, of a file of its own or by --dim. */
static gboolean
check_one (TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_auto (Checked) checked = { 0 };

  if (dims == NULL
      || !check_plan (cli, dims->len > 0 ? dims : NULL, &checked, error))
    return FALSE;
  if (cli->format != TP_FORMAT_TABLE)
    print_data (cli, &checked);
  else
    print_result (&checked);
  cli->exit_code = checked.is_valid ? TP_EXIT_GOOD : TP_EXIT_FAILED;
  return TRUE;
}

/* What is there to be checked: the dimension, and its values. */
static gboolean
list_tiers (const char *path, char **out_parameter, GArray **out_values,
            GError **error)
{
  g_autoptr (GBytes) file = tp_file_load (path, TP_FILE_PLAIN, error);

  return file != NULL
         && tp_tiers_list (file, path, out_parameter, out_values, error);
}

static gboolean
check_tier (TpCli *cli, const TplanDim *tier, json_t *list, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_values_new ();
  g_auto (Checked) checked = { 0 };
  json_t *object;

  tp_cli_values_set (dims, tier->name, tier->value);
  if (!check_plan (cli, dims, &checked, error))
    return FALSE;
  g_free (checked.name);
  checked.name = g_strdup_printf ("%s: %s=%" G_GINT64_FORMAT, cli->args[0],
                                  tier->name, tier->value);
  object = json_pack ("{s:I}", "value", (json_int_t) tier->value);
  json_object_update_new (object, checked_to_json (&checked));
  json_array_append_new (list, object);
  if (cli->format == TP_FORMAT_TABLE)
    print_result (&checked);
  if (!checked.is_valid)
    cli->exit_code = TP_EXIT_FAILED;
  return TRUE;
}

/* All plans of a file of tiers. */
static gboolean
check_tiers (TpCli *cli, GError **error)
{
  g_autofree char *parameter = NULL;
  g_autoptr (GArray) values = NULL;
  json_t *list = json_array ();
  gboolean is_good
      = list_tiers (cli->args[0], &parameter, &values, error);

  for (guint i = 0; is_good && i < values->len; i++)
    {
      const TplanDim tier = { parameter, g_array_index (values, gint64, i) };

      is_good = check_tier (cli, &tier, list, error);
    }
  if (is_good && cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (cli,
                       json_pack ("{s:s, s:o, s:b, s:O}", "format",
                                  "tplan-check-tiers/1", "parameter",
                                  tp_cli_string (parameter), "valid",
                                  cli->exit_code == TP_EXIT_GOOD, "tiers",
                                  list),
                       "tiers");
  json_decref (list);
  return is_good;
}

/* Each plan, with --cost its figures too, and the proof of all. */
static gboolean
check_parts (const TplanMix *mix, GPtrArray *reasons, gboolean *out_is_valid,
             GError **error)
{
  int n;
  const TplanMixPart *parts = tplan_mix_get_parts (mix, &n);

  *out_is_valid = tp_api_check_mix (mix, reasons);
  for (int i = 0; i < n && *out_is_valid && table_path != NULL; i++)
    if (!check (parts[i].plan, reasons, out_is_valid, error))
      return FALSE;
  return TRUE;
}

static void
print_mix_data (const TpCli *cli, const TplanMix *mix,
                const GPtrArray *reasons, gboolean is_valid)
{
  json_t *document = json_pack (
      "{s:s, s:b, s:b, s:o}", "format", "tplan-check-mix/1", "valid", is_valid,
      "costs_as_stated",
      has_stated_costs (tplan_mix_get_parts (mix, NULL)->plan), "reasons",
      reasons_to_json (reasons));

  tp_cli_add_mix_json (document, mix);
  tp_cli_print_data (cli, document, "parts");
}

static void
print_mix (const char *path, const TplanMix *mix, const GPtrArray *reasons,
           gboolean is_valid)
{
  const TplanPlan *first = tplan_mix_get_parts (mix, NULL)->plan;
  g_autofree char *busy = tp_cli_format_mix_busy (mix);

  if (is_valid)
    tp_cli_print ("%s: valid: %s%s", path, busy,
                  has_stated_costs (first) ? "; costs as stated in the plans"
                                           : "");
  else
    tp_cli_print ("%s: not valid:", path);
  for (guint i = 0; i < reasons->len; i++)
    tp_cli_print ("  %s", (const char *) reasons->pdata[i]);
}

/* Plans of several graphs. */
static gboolean
check_mix (TpCli *cli, GError **error)
{
  g_autoptr (TplanMix) mix = tp_cli_load_mix (cli, cli->args[0], error);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gboolean is_valid;

  if (mix == NULL || !check_parts (mix, reasons, &is_valid, error))
    return FALSE;
  if (cli->format != TP_FORMAT_TABLE)
    print_mix_data (cli, mix, reasons, is_valid);
  else
    print_mix (cli->args[0], mix, reasons, is_valid);
  cli->exit_code = is_valid ? TP_EXIT_GOOD : TP_EXIT_FAILED;
  return TRUE;
}

/* --cost, which says where figures of plans are looked up again, shapes none. */
static gboolean
check_file (TpCli *cli, GError **error)
{
  if (cli->given & TP_USES_COSTS)
    table_path = cli->cost_path;
  cli->given &= ~TP_USES_COSTS;
  if (!tp_cli_expect_plan (cli->args[0], error)
      || !tp_cli_check_flags (cli, cli->args[0], error))
    return FALSE;
  if (tp_cli_is_whole_mix (cli->args[0]))
    return check_mix (cli, error);
  return tp_cli_is_tiers (cli->args[0]) && cli->dim_texts[0] == NULL
             ? check_tiers (cli, error)
             : check_one (cli, error);
}

static gboolean
check_run (TpCli *cli, GError **error)
{
  if (placement_path == NULL)
    return check_file (cli, error);
  if (!tp_cli_is_plan (cli->args[0]) && tp_cli_planning.graph_path == NULL)
    return tp_cli_judge_placement (cli, placement_path, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--placement is judged of a model%s: give that alone",
               tp_cli_planning.graph_path != NULL
                                  ? ", and --graph is of a plan"
                                  : ", not of a plan, which is one itself");
  return FALSE;
}

const TpCommand tp_command_check = {
  .name = "check",
  .arguments = "PLAN|MODEL",
  .summary = "Checks a plan and its proof, or judges another placement",
  .details = "Rebuilds the network from graph and costs with code of its own "
             "and verifies\ncapacity, conservation and flow = cut; with --cost, "
             "measured figures too. Of\na placement made elsewhere: what it "
             "costs, how far from the least, what to move.\nExit status: 0 "
             "proved or judged, 1 not valid, 3 not readable or not "
             "fitting",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_FORMAT,
  .options = check_options,
  .run = check_run,
};
