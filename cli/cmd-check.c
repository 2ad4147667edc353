/* cmd-check.c: is a plan valid, and is it proved? */
#include "config.h"

#include "cli/planning.h"
#include "format/load-options.h"
#include "format/plan-load.h"
#include "planner/planner.h"

#include <stdio.h>

static const GOptionEntry check_options[] = { TP_GRAPH_OPTION, { 0 } };

static void
print_result (TpCli *cli, const TpPlan *plan, gboolean is_valid,
              const GPtrArray *reasons)
{
  g_autofree char *cost = tp_cli_format_time (plan->cost_ns);
  g_autofree char *bound = tp_cli_format_time (plan->bound_ns);

  if (is_valid)
    printf ("%s: valid: costs %s%s, bound %s: %s\n", cli->args[0], cost,
            tp_cli_simulated (plan), bound,
            plan->cost_ns == plan->bound_ns ? "no plan is cheaper"
                                            : "not proved least");
  else
    printf ("%s: not valid:\n", cli->args[0]);
  for (guint i = 0; i < reasons->len; i++)
    printf ("  %s\n", (const char *) reasons->pdata[i]);
}

static void
print_json (const TpPlan *plan, gboolean is_valid, const GPtrArray *reasons)
{
  json_t *list = json_array ();

  for (guint i = 0; i < reasons->len; i++)
    json_array_append_new (list, tp_cli_string (reasons->pdata[i]));
  tp_cli_print_json (json_pack ("{s:s, s:b, s:I, s:I, s:o}", "format",
                                "tplan-check/1", "valid", is_valid, "cost_ns",
                                (json_int_t) plan->cost_ns, "bound_ns",
                                (json_int_t) plan->bound_ns, "reasons",
                                list));
}

static gboolean
check_run (TpCli *cli, GError **error)
{
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  TpLoadOptions options = tp_cli_load_options (cli, NULL);
  g_autoptr (TpPlan) plan
      = tp_plan_read (cli->args[0], tp_cli_planning.graph_path, &options,
                      &graph, error);
  gboolean is_valid;

  if (plan == NULL)
    return FALSE;
  is_valid = tp_check (plan, graph, reasons);
  if (cli->format == TP_FORMAT_JSON)
    print_json (plan, is_valid, reasons);
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
             "and verifies\ncapacity, conservation and flow = cut. Exit "
             "status: 0 proved, 1 not valid\n(reasons on stdout), 3 not "
             "readable or for another graph.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_FORMAT | TP_USES_GRAPH,
  .options = check_options,
  .run = check_run,
};
