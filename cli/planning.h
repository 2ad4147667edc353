/* planning.h: the options of commands that plan, and the library's road from a
 * model or a plan file to a plan, taken by them. */
#ifndef TP_CLI_PLANNING_H
#define TP_CLI_PLANNING_H

#include <jansson.h>

#include "api/memory-limit.h"
#include "cli/cli.h"
#include "ir/graph.h"

/* Options of every command that may have to plan; GOption writes them. */
typedef struct
{
  char **pins;                /* OP=DEVICE */
  char **no_fuse;             /* rules not to use */
  char **memory_limits;       /* DEV=SIZE */
  char **memory_reserves;     /* likewise */
  char *micro_batches;        /* "auto", "4", "24,8" */
  gboolean streams_weights;
  char **watts, **prices;     /* DEV=BUSY[:IDLE[:COPY]], DEV=AMOUNT/h[:use] */
  gboolean knows_rates;       /* what is known is used where none is stated */
  gboolean is_apart;          /* by the command: nothing is mapped */
  char *level;                /* "estimate", "measure" */
  char *stale;                /* "fail", "warn" */
  gboolean trusts_estimates;
  char *accuracy;             /* "full", "relaxed" */
  char *objective;
  gboolean is_exact;
  char *machine;              /* file of another machine */
  char *graph_path;           /* of a plan whose graph has moved */
  char *part;                 /* of plans of several graphs: which */
} TpPlanning;

extern TpPlanning tp_cli_planning;

/* clang-format off */
/* Hidden too: helps name it with another option. */
#define TP_ACCURACY_OPTION \
  { "accuracy", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, \
    &tp_cli_planning.accuracy, NULL, "LEVEL" }
/* Those that are hidden stand in a row at the end of a help: TP_USES_RATES. */
/* pareto has others. */
#define TP_OBJECTIVE_OPTION \
  { "objective", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.objective, \
    "what to minimise (default: time)", "NAME" }
#define TP_PLANNING_OPTIONS TP_SHAPING_OPTIONS, TP_OBJECTIVE_OPTION
#define TP_SHAPING_OPTIONS \
  { "pin", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.pins, \
    "run ops matching the glob OP there (repeatable)", "OP=DEVICE" }, \
  { "no-fuse", 0, 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.no_fuse, \
    "leave out a fusion rule (repeatable)", "RULE" }, \
  { "mem-limit", 0, 0, G_OPTION_ARG_STRING_ARRAY, \
    &tp_cli_planning.memory_limits, \
    "at most 512M; --stream-weights, --micro-batches=N", "DEV=SIZE" }, \
  { "micro-batches", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, \
    &tp_cli_planning.micro_batches, NULL, "SIZES" }, \
  { "stream-weights", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, \
    &tp_cli_planning.streams_weights, NULL, NULL }, \
  { "level", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.level, \
    "estimate (default), measure; --accuracy=relaxed", "LEVEL" }, \
  { "stale", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.stale, \
    "warn (default) or fail when figures are missing", "WHAT" }, \
  { "trust-estimates", 0, 0, G_OPTION_ARG_NONE, \
    &tp_cli_planning.trusts_estimates, \
    "let times never measured win ops from measured ones", NULL }, \
  TP_ACCURACY_OPTION, \
  { "mem-reserve", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY, \
    &tp_cli_planning.memory_reserves, NULL, "DEV=SIZE" }, \
  { "watts", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY, \
    &tp_cli_planning.watts, NULL, "DEV=BUSY" }, \
  { "price", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING_ARRAY, \
    &tp_cli_planning.prices, NULL, "DEV=X/h" }, \
  { "exact", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, \
    &tp_cli_planning.is_exact, NULL, NULL }
#define TP_MACHINE_OPTION \
  { "machine", 0, 0, G_OPTION_ARG_FILENAME, &tp_cli_planning.machine, \
    "plan for the machine of `tplan machine export`", "FILE" }
#define TP_GRAPH_OPTION \
  { "graph", 0, 0, G_OPTION_ARG_FILENAME, &tp_cli_planning.graph_path, \
    "its graph, if it has moved; of several, --part=NAME", "FILE" }, \
  { "part", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, \
    &tp_cli_planning.part, NULL, "NAME" }
/* clang-format on */

/* What a command that plans obeys. */
#define TP_USES_PLANNING                                                      \
  (TP_USES_DEVICES | TP_USES_THREADS | TP_USES_DIMS | TP_USES_COSTS           \
   | TP_USES_GRAPH | TP_USES_PASSES)

/* Of memory, by the options. */
TpMemoryTexts tp_cli_get_memory (void);

/* Loads @model with @dims (nullable); says which others were taken as 1, and
 * when its opset is none that is known. */
TplanGraph *tp_cli_load_model (const TpCli *cli, const char *model,
                               const GArray *dims, GError **error);
/* What tp_cli_load_model () says, of a graph however it was read; @assumed:
 * (nullable) char*. */
void tp_cli_note_model (const TpCli *cli, const TpGraph *graph,
                        const TpDims *assumed);

/* Loads @model with @dims and plans it; complete but for margins. Tells what
 * figures lack. TPLAN_ERROR_STALE with --stale=fail. */
TplanPlan *tp_cli_make_plan (TpCli *cli, const char *model,
                             const GArray *dims, GError **error);

/* The same for a graph that is loaded. */
TplanPlan *tp_cli_plan_graph (TpCli *cli, const TplanGraph *graph,
                              GError **error);

typedef enum
{
  TP_AGAIN_AS_ASKED,
  TP_AGAIN_FREE,              /* whatever memory it takes */
  TP_AGAIN_SPLIT,             /* the batch may be run in parts */
  TP_AGAIN_STREAMED,          /* weights may be streamed */
} TpAgain;

/* Likewise by the options and the figures there are, silently; but for @how. */
TplanPlan *tp_cli_plan_again (TpCli *cli, const TplanGraph *graph, TpAgain how,
                              GError **error);

/* What else a plan could be. */
typedef struct
{
  const char *device;         /* (nullable) to have all */
  gboolean is_unfused;        /* no fusion rule is used */
} TpRival;

/* By the figures there are. TPLAN_ERROR_INFEASIBLE: the device cannot run all. */
TplanPlan *tp_cli_make_rival (TpCli *cli, const TplanGraph *graph,
                              const TpRival *rival, GError **error);

/* Whether the file is a plan, or has several, by content. */
gboolean tp_cli_is_plan (const char *path);
/* Whether it has tiers: plans for several values of a dimension. */
gboolean tp_cli_is_tiers (const char *path);

/* Whether it has plans of several graphs that run side by side. */
gboolean tp_cli_is_mix (const char *path);
/* The same, and none of them is named with --part. */
gboolean tp_cli_is_whole_mix (const char *path);
/* As tp_cli_load_plan () of such a file. */
TplanMix *tp_cli_load_mix (const TpCli *cli, const char *path, GError **error);

/* What a graph is planned for and with, by the options, as if it were alone on the
 * machine: for api/mix.h. */
TplanPlan *tp_cli_plan_part (TpCli *cli, const char *model, const GArray *dims,
                             GError **error);

/* Beside a model that the options shape. */
TplanPlan *tp_cli_load_plan (const TpCli *cli, const char *path,
                             GError **error);

/* That no flag was given that shapes plans, now that @path is one. */
gboolean tp_cli_check_flags (const TpCli *cli, const char *path,
                             GError **error);

/* @path is a plan, or a model to be planned by the options. TPLAN_ERROR_USAGE: a
 * flag that says nothing to the one or to the other; --threads does to neither,
 * unless the caller, who runs it, takes it out of @cli->given. */
TplanPlan *tp_cli_load_or_plan (TpCli *cli, const char *path, GError **error);

/* "40 ops on cpu (81 % of the time), 26 ops on opencl:0 (19 % of the time)": per
 * device of @plan; of kernels' time, where it is shared. */
char *tp_cli_format_devices (const TplanPlan *plan);
/* {device: number of ops} */
json_t *tp_cli_count_devices (const TplanPlan *plan);
/* As optimize and explain say it; "" unless something is simulated. */
const char *tp_cli_simulated (const TplanPlan *plan);

#endif
