/* cmd-check.c: is a plan valid, and is it proved? */
#include "config.h"

#include "api/plan.h"
#include "cli/csv.h"
#include "cli/memory-limits.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"
#include "runtime/devices.h"

static const char *table_path;

static const GOptionEntry check_options[]
    = { TP_GRAPH_OPTION,
        { "cost", 0, 0, G_OPTION_ARG_FILENAME, &table_path,
          "look measured figures up again", "TABLE" },
        { 0 } };

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

  if (tp_cli_is_limited (plan))
    return is_least ? "none that fits is cheaper"
                    : "none that fits goes below the bound";
  return is_least ? "no plan is cheaper"
                  : "none is cheaper by more than noise";
}

static void
print_result (TpCli *cli, const TplanPlan *plan, gboolean is_valid,
              const GPtrArray *reasons)
{
  gint64 cost_ns = tplan_plan_get_cost_ns (plan);
  gint64 bound_ns = tplan_plan_get_bound_ns (plan);
  g_autofree char *cost = tp_cli_format_time (cost_ns);
  g_autofree char *bound = tp_cli_format_time (bound_ns);

  if (is_valid)
    tp_cli_print ("%s: valid: costs %s%s, bound %s: %s%s", cli->args[0], cost,
                  tp_cli_simulated (plan), bound,
                  judge (plan),
                  has_stated_costs (plan) ? "; costs as stated in the plan"
                                          : "");
  else
    tp_cli_print ("%s: not valid:", cli->args[0]);
  for (guint i = 0; i < reasons->len; i++)
    tp_cli_print ("  %s", (const char *) reasons->pdata[i]);
}

static void
print_data (const TpCli *cli, const TplanPlan *plan, gboolean is_valid,
            const GPtrArray *reasons)
{
  json_t *list = json_array ();

  for (guint i = 0; i < reasons->len; i++)
    json_array_append_new (list, tp_cli_string (reasons->pdata[i]));
  tp_cli_print_data (
      cli,
      json_pack ("{s:s, s:b, s:b, s:I, s:I, s:o}", "format", "tplan-check/1",
                 "valid", is_valid, "costs_as_stated", has_stated_costs (plan),
                 "cost_ns", (json_int_t) tplan_plan_get_cost_ns (plan),
                 "bound_ns", (json_int_t) tplan_plan_get_bound_ns (plan),
                 "reasons", list),
      NULL);
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

static gboolean
check_run (TpCli *cli, GError **error)
{
  const TplanLoadOptions options = tp_cli_load_options (cli, NULL);
  g_autoptr (TplanPlan) plan
      = tplan_plan_load_full (cli->args[0], tp_cli_planning.graph_path,
                              &options, error);
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gboolean is_valid;

  if (plan == NULL)
    return FALSE;
  if (!check (plan, reasons, &is_valid, error))
    return FALSE;
  if (cli->format != TP_FORMAT_TABLE)
    print_data (cli, plan, is_valid, reasons);
  else
    print_result (cli, plan, is_valid, reasons);
  cli->exit_code = is_valid ? TP_EXIT_GOOD : TP_EXIT_FAILED;
  return TRUE;
}

const TpCommand tp_command_check = {
  .name = "check",
  .arguments = "PLAN",
  .summary = "Checks a plan and its proof against graph and costs",
  .details = "Rebuilds the network from graph and costs with code of its own "
             "and verifies\ncapacity, conservation and flow = cut; makes groups, "
             "memory, margins and what\nfigures follow from the graph again. "
             "With --cost, measured figures too.\nExit status: 0 proved, 1 not "
             "valid (reasons on stdout), 3 not readable or\nfor another graph.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_FORMAT | TP_USES_GRAPH,
  .options = check_options,
  .run = check_run,
};
