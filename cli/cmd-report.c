/* cmd-report.c: plans as one page to be read, shared and printed. */
#include "config.h"

#include "cli/output.h"
#include "cli/planning.h"
#include "cli/report.h"

static TpReportOptions given;

static const GOptionEntry report_options[] = {
  { "run", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.runs,
    "what `tplan run` said, as JSON (repeatable)",
    "FILE" },
  { "sweep", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.sweeps,
    "what `tplan sweep` said, as JSON (repeatable)", "FILE" },
  { "measure", 0, 0, G_OPTION_ARG_NONE, &given.is_measured,
    "run each plan, and show what its steps took", NULL },
  TP_GRAPH_OPTION,
  { 0 },
};

static gboolean
check_outputs (const TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];

      if (g_strcmp0 (path, "-") != 0 && !g_str_has_suffix (path, ".html"))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "'%s': the suffix must be .html", path);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_page (const TpCli *cli, const char *path, GBytes *page, GError **error)
{
  return tp_cli_write_output (cli, path, g_bytes_get_data (page, NULL),
                              g_bytes_get_size (page), error);
}

static gboolean
report_run (TpCli *cli, GError **error)
{
  g_autoptr (GPtrArray) plans
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tplan_plan_free);
  g_autofree char *beside = tp_report_name (cli->args[0]);
  char *const alone[] = { beside, NULL };
  g_autoptr (GBytes) page = NULL;

  if (cli->outputs[0] == NULL && !tp_cli_check_output (cli, beside, error))
    return FALSE;
  if (!check_outputs (cli, error))
    return FALSE;
  cli->given &= ~(unsigned) (TP_USES_THREADS | TP_USES_COSTS);
  for (int i = 0; i < cli->n_args; i++)
    {
      TplanPlan *plan = tp_cli_load_plan (cli, cli->args[i], error);

      if (plan == NULL)
        return FALSE;
      g_ptr_array_add (plans, plan);
    }
  page = tp_report_make (cli, plans, &given, error);
  if (page == NULL)
    return FALSE;
  for (char *const *it = cli->outputs[0] != NULL ? cli->outputs : alone;
       *it != NULL; it++)
    if (!write_page (cli, *it, page, error))
      return FALSE;
  return TRUE;
}

const TpCommand tp_command_report = {
  .name = "report",
  .arguments = "PLAN...",
  .summary = "Makes one page of plans: timeline, graph, roofline, table",
  .details = "  tplan report --measure plan.json -o report.html\n"
             "One file that needs no network: what is where and why, against "
             "each device\nalone, steps and memory over time, every op. Several "
             "plans are compared.",
  .n_args_min = 1,
  .n_args_max = TP_CLI_ANY,
  .uses = TP_USES_OUTPUT | TP_USES_GRAPH | TP_USES_COSTS | TP_USES_THREADS
          | TP_USES_SEED | TP_USES_DIMS,
  .options = report_options,
  .run = report_run,
};
