/* planning.h: from a model or a plan file to a plan and its graph. */
#ifndef TP_CLI_PLANNING_H
#define TP_CLI_PLANNING_H

#include "cli/cli.h"
#include "ir/plan.h"

/* Options of every command that may have to plan; GOption writes them. */
typedef struct
{
  char **pins;                /* OP=DEVICE */
  char **no_fuse;             /* rules not to use */
  char *level;                /* "estimate", "measure" */
  char *stale;                /* "fail", "warn" */
  char *objective;
  char *graph_path;           /* of a plan whose graph has moved */
} TpPlanning;

extern TpPlanning tp_cli_planning;

/* clang-format off */
#define TP_PLANNING_OPTIONS \
  { "pin", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.pins, \
    "run ops matching the glob OP there (repeatable)", "OP=DEVICE" }, \
  { "no-fuse", 0, 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.no_fuse, \
    "leave out a fusion rule (repeatable)", "RULE" }, \
  { "level", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.level, \
    "estimate (default), or measure what is missing", "LEVEL" }, \
  { "stale", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.stale, \
    "warn (default) or fail when figures are missing", "WHAT" }, \
  { "objective", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.objective, \
    "what to minimise (default: time)", "NAME" }
#define TP_GRAPH_OPTION \
  { "graph", 0, 0, G_OPTION_ARG_FILENAME, &tp_cli_planning.graph_path, \
    "the plan's graph, if it has moved", "FILE" }
/* clang-format on */

/* What a command that plans obeys. */
#define TP_USES_PLANNING                                                      \
  (TP_USES_DEVICES | TP_USES_THREADS | TP_USES_DIMS | TP_USES_COSTS           \
   | TP_USES_GRAPH)

/**
 * tp_cli_prepare:
 *
 * Loads @model with @dims, prepares and pins it, finds groups and costs.
 * TPLAN_ERROR_STALE with --stale=fail.
 */
gboolean tp_cli_prepare (TpCli *cli, const char *model, TpDims *dims,
                         TpGraph **out_graph, TpGroups **out_groups,
                         TpCosts **out_costs, GError **error);

/* The same, and then the plan, complete but for margins. */
TpPlan *tp_cli_make_plan (TpCli *cli, const char *model, TpDims *dims,
                          TpGraph **out_graph, GError **error);

/* @path is a plan, or a model to be planned by the options. */
TpPlan *tp_cli_load_or_plan (TpCli *cli, const char *path,
                             TpGraph **out_graph, GError **error);

/* "cpu 40 ops, opencl:0 26 ops": per device of @plan. */
char *tp_cli_format_devices (const TpPlan *plan);
/* {device: number of ops} */
json_t *tp_cli_count_devices (const TpPlan *plan);
/* As optimize and explain say it; "" unless something is simulated. */
const char *tp_cli_simulated (const TpPlan *plan);

#endif
