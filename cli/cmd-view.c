/* cmd-view.c: a plan as a picture. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/planning.h"
#include "cli/values.h"
#include "view/dot.h"

#include <stdio.h>
#include <string.h>

#define NOT_GIVEN G_MININT

static int max_nodes = NOT_GIVEN;
static gboolean is_full;
static char *limit_text;

static const GOptionEntry view_options[] = {
  TP_GRAPH_OPTION,
  { "max-nodes", 0, 0, G_OPTION_ARG_INT, &max_nodes,
    "above, ops in a row are drawn as one (what fits)", "N" },
  { "full", 0, 0, G_OPTION_ARG_NONE, &is_full,
    "draw every op, whatever the size", NULL },
  { "time-limit", 0, 0, G_OPTION_ARG_STRING, &limit_text,
    "give up the layout after TIME (60s)", "TIME" },
  { 0 },
};

static gboolean
view_write (TpCli *cli, const TplanPlan *plan,
            const TpPictureOptions *options, GError **error)
{
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (plan));
  static const char *const screen[] = { "-", NULL };
  const char *const *paths = cli->outputs[0] == NULL
                                 ? screen
                                 : (const char *const *) cli->outputs;

  for (int i = 0; paths[i] != NULL; i++)
    {
      gboolean is_screen = strcmp (paths[i], "-") == 0;
      g_autoptr (GBytes) bytes
          = tp_picture_make (is_screen ? "plan.dot" : paths[i],
                             tp_api_get_plan (plan), graph, options, error);

      if (bytes == NULL
          || !tp_cli_write_output (cli, paths[i],
                                   g_bytes_get_data (bytes, NULL),
                                   g_bytes_get_size (bytes), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
set_size (TpPictureOptions *options, GError **error)
{
  if (max_nodes != NOT_GIVEN && max_nodes < 1)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--max-nodes must be above zero");
      return FALSE;
    }
  if (is_full && max_nodes != NOT_GIVEN)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--full draws every op: leave out --max-nodes");
      return FALSE;
    }
  if (is_full)
    options->max_nodes = TP_VIEW_FULL;
  else if (max_nodes != NOT_GIVEN)
    options->max_nodes = max_nodes;
  return TRUE;
}

static gboolean
view_run (TpCli *cli, GError **error)
{
  TpPictureOptions options = TP_PICTURE_DEFAULTS;
  g_autoptr (TplanPlan) plan = NULL;

  if (limit_text != NULL
      && !tp_cli_parse_time (limit_text, &options.limit_ns, error))
    return FALSE;
  if (!set_size (&options, error))
    return FALSE;
  for (int i = 0; cli->outputs[i] != NULL; i++)
    if (!tp_picture_check (cli->outputs[i], error)
        || !tp_cli_check_output (cli, cli->outputs[i], error))
      return FALSE;
  plan = tp_cli_load_or_plan (cli, cli->args[0], error);
  return plan != NULL && view_write (cli, plan, &options, error);
}

const TpCommand tp_command_view = {
  .name = "view",
  .arguments = "PLAN|MODEL",
  .summary = "Draws a plan as DOT (stdout), SVG or PNG",
  .details = "  tplan view plan.json -o plan.svg\n"
             "Colour and shape tell the device, deeper colour more time; red edges "
             "are copies.\nOps in a row are drawn as one where the picture would "
             "not fit 1600 x 1200.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_OUTPUT,
  .options = view_options,
  .run = view_run,
};
