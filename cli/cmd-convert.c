/* cmd-convert.c: graphs between JSON and ONNX. */
#include "config.h"

#include "api/load.h"
#include "cli/affinity.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/values.h"
#include "format/affinity.h"
#include "format/graph-load.h"
#include "format/graph-write-json.h"
#include "format/graph-write-onnx.h"
#include "format/graph-write.h"
#include "format/placement.h"
#include "graph/graph-bind.h"
#include "graph/graph-draft.h"
#include "graph/graph-order.h"
#include "graph/graph-reopen.h"

#include <string.h>

/* What other programs read of one ONNX file. */
#define MAX_INSIDE_BYTES (((gint64) 2 << 30) - (16 << 20))

static gboolean external_data;
static char *after;           /* a pass; NULL: as the file stands */

static char *order;           /* NULL: that of the file */

static char *placement_path;
static gboolean device_configuration;
static char *runtime;         /* NULL: the file is a model */
static char **device_names;

static const GOptionEntry convert_options[] = {
  { "external-data", 0, 0, G_OPTION_ARG_NONE, &external_data,
    "ONNX: weights into OUTPUT.data (always above 2 GB)", NULL },
  { "after", 0, 0, G_OPTION_ARG_STRING, &after,
    "write what planning makes of MODEL, up to PASS", "PASS" },
  { "order", 0, 0, G_OPTION_ARG_STRING, &order,
    "of ops: memory, for less alive at once", "WHAT" },
  { "placement", 0, 0, G_OPTION_ARG_FILENAME, &placement_path,
    "ONNX: devices of FILE (a plan, say) in metadata", "FILE" },
  { "device-configuration", 0, 0, G_OPTION_ARG_NONE, &device_configuration,
    "and as device configuration of ONNX (version 11)", NULL },
  { "to", 0, 0, G_OPTION_ARG_STRING, &runtime,
    "placement alone: onnxruntime, openvino, tensorflow", "RUNTIME" },
  { "device-name", 0, 0, G_OPTION_ARG_STRING_ARRAY, &device_names,
    "what RUNTIME calls a device (repeat)", "DEV=NAME" },
  { 0 },
};

typedef struct
{
  TpGraphBuilder *builder;
  TpGraph *graph;             /* after passes; NULL: none was run */
  TpPlacementFile *placement; /* (nullable), as is what follows from it */
  const char **devices;
  const TpAffinityKind *affinity; /* NULL: the file is a model */
} Source;

static void
source_clear (Source *source)
{
  g_clear_pointer (&source->builder, tp_graph_builder_free);
  g_clear_pointer (&source->graph, tp_graph_unref);
  g_clear_pointer (&source->devices, g_free);
  g_clear_pointer (&source->placement, tp_placement_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

/* ---- what is lost ------------------------------------------------------ */

static void
count_lost (const TpGraphBuilder *builder, int *out_pins, int *out_costs,
            int *out_together, int *out_grouped)
{
  for (guint i = 0; i < builder->draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (builder->draft, i);

      *out_pins += node->pins != NULL;
      *out_costs += node->n_costs > 0;
      *out_together += node->colocation != NULL;
      *out_grouped += node->group != NULL;
    }
}

static void
warn_lost (const TpCli *cli, const TpGraphBuilder *builder)
{
  int n_pins = 0, n_costs = 0, n_together = 0, n_grouped = 0;

  count_lost (builder, &n_pins, &n_costs, &n_together, &n_grouped);
  if (n_together > 0)
    tp_cli_warn (cli, "ONNX has no place for the \"colocation\" of %d ops: "
                 "left out", n_together);
  if (n_grouped > 0)
    tp_cli_warn (cli, "ONNX has no place for the \"groups\" of %d ops: left "
                 "out", n_grouped);
  if (n_pins + n_costs > 0)
    tp_cli_warn (cli, "ONNX has no place for the \"device\" of %d ops and the "
                 "\"cost\" of %d: left out", n_pins, n_costs);
}

static void
warn_unknown (const TpCli *cli, const TpGraphBuilder *builder)
{
  const char *type = NULL;
  int n = 0;

  for (guint i = 0; i < builder->draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (builder->draft, i);

      if (node->op != NULL || node->n_costs > 0)
        continue;
      type = node->type;
      n++;
    }
  if (n > 0)
    tp_cli_warn (cli, "%d ops, such as %s, are of types tplan cannot plan: "
                 "copied as they are", n, type);
}

/* ---- the two ways ------------------------------------------------------ */

/* The same graph, read to the end, for the types and ranks of its outputs, which no
 * value of a dimension changes; *out is NULL when an op is unknown. FALSE: there is
 * no memory. */
static gboolean
find_types (const TpCli *cli, const GArray *dims, TpGraph **out,
            GError **error)
{
  TplanLoadOptions given = tp_cli_load_options (cli, dims);
  g_autoptr (GError) reason = NULL;
  g_auto (TpLoad) load = { 0 };

  given.assumes_dims = TRUE;
  *out = tp_load_init (&load, &given, &reason)
             ? tp_graph_read (cli->args[0], &load.options, &reason)
             : NULL;
  if (!g_error_matches (reason, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* @data_path: (nullable) for weights beside it. */
static void
note_written (const TpCli *cli, const char *path, const char *data_path)
{
  tp_cli_note (cli, "wrote %s%s%s", path,
               data_path == NULL ? "" : ", and its weights into ",
               data_path == NULL ? "" : data_path);
}

static gboolean
convert_to_onnx (TpCli *cli, const Source *source, GError **error)
{
  TpGraphBuilder *builder = source->builder;
  const char *path = cli->outputs[0];
  g_autofree char *data_path = g_strconcat (path, ".data", NULL);
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_autoptr (TpGraph) types = NULL;
  TpOnnxParts parts = { .devices = source->devices,
                        .has_configuration = device_configuration };
  gboolean is_big = tp_graph_count_weight_bytes (builder) > MAX_INSIDE_BYTES;

  if (dims == NULL
      || ((external_data || is_big)
          && !tp_cli_check_output (cli, data_path, error)))
    return FALSE;
  if (source->graph != NULL)
    types = tp_graph_ref (source->graph);
  else if (!find_types (cli, dims, &types, error))
    return FALSE;
  warn_lost (cli, builder);
  parts.types = types;
  parts.data_path = external_data || is_big ? data_path : NULL;
  if (!tp_graph_write_onnx_parts (builder, &parts, path, error))
    return FALSE;
  note_written (cli, path, parts.data_path);
  return TRUE;
}

static gboolean
convert_to_json (TpCli *cli, const Source *source, GError **error)
{
  const char *path = cli->outputs[0];
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".json"));
  g_autofree char *data_path = g_strconcat (stem, ".safetensors", NULL);
  gboolean has_data = FALSE;

  if (source->affinity != NULL)
    return tp_cli_write_affinity (
        cli, &(TpCliAffinity){ source->affinity, device_names, source->builder,
                               source->devices }, error);
  if (source->devices != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--placement goes into metadata of ONNX: give -o FILE.onnx, or "
                   "for one of other runtimes --to RUNTIME");
      return FALSE;
    }
  if (!tp_cli_check_output (cli, data_path, error)
      || !tp_graph_write_json (source->builder, path, data_path, &has_data,
                               error))
    return FALSE;
  note_written (cli, path, has_data ? data_path : NULL);
  return TRUE;
}

/* ---- what is converted ------------------------------------------------- */

static gboolean
source_open (Source *source, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_auto (TpLoad) load = { 0 };
  TplanLoadOptions given;

  if (dims == NULL)
    return FALSE;
  given = tp_cli_load_options (cli, dims);
  if (given.no_pass != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "convert runs passes with --after only, so there are none "
                   "to leave out");
      return FALSE;
    }
  if (!tp_load_init (&load, &given, error))
    return FALSE;
  load.options.keep_unknown_attrs = TRUE;
  source->builder = tp_graph_open (cli->args[0], &load.options, error);
  if (source->builder == NULL
      || !tp_graph_builder_fix (source->builder, load.options.dims, error))
    return FALSE;
  source->builder
      = tp_graph_builder_decide (g_steal_pointer (&source->builder), error);
  return source->builder != NULL;
}

/* The graph on its way to a plan. */
static gboolean
source_prepare (Source *source, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_auto (TpLoad) load = { 0 };
  g_autoptr (TpGraph) raw = NULL;
  TplanLoadOptions given;

  if (dims == NULL)
    return FALSE;
  given = tp_cli_load_options (cli, dims);
  if (!tp_load_init (&load, &given, error))
    return FALSE;
  load.passes.last = after;
  if (!tp_pass_check_options (&load.passes, error))
    return FALSE;
  raw = tp_graph_read (cli->args[0], &load.options, error);
  if (raw != NULL)
    tp_cli_note_model (cli, raw, load.assumed);
  source->graph = raw == NULL ? NULL
                              : tp_graph_prepare_taken (
                                    g_steal_pointer (&raw), &load.passes, error);
  source->builder
      = source->graph == NULL ? NULL : tp_graph_reopen (source->graph, error);
  return source->builder != NULL;
}

/* Sizes are those with the dimensions that are given; others are 1. */
static gboolean
source_order (Source *source, TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_autoptr (TpGraph) sizes = NULL;
  TplanLoadOptions given;
  g_auto (TpLoad) load = { 0 };

  if (order == NULL)
    return TRUE;
  if (dims == NULL)
    return FALSE;
  given = tp_cli_load_options (cli, dims);
  given.assumes_dims = TRUE;
  sizes = tp_load_init (&load, &given, error)
              ? tp_graph_read (cli->args[0], &load.options, error)
              : NULL;
  return sizes != NULL
         && tp_draft_order (source->builder->draft, sizes, error);
}

static gboolean
source_place (Source *source, GError **error)
{
  if (placement_path == NULL)
    return TRUE;
  source->placement = tp_placement_load (placement_path, error);
  if (source->placement != NULL)
    source->devices
        = tp_placement_spread (source->placement, source->builder, error);
  return source->devices != NULL;
}

/* Options for a placement, and for one of another runtime, which is found. */
static gboolean
check_options (const TpCli *cli, Source *source, GError **error)
{
  gboolean is_onnx = g_str_has_suffix (cli->outputs[0], ".onnx");

  if (device_configuration && (placement_path == NULL || !is_onnx))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--device-configuration is of a placement in ONNX: give "
                 "--placement FILE and -o FILE.onnx");
  else if (runtime == NULL && device_names != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--device-name is for --to RUNTIME");
  else if (runtime != NULL && placement_path == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--to writes a placement: give --placement FILE, a plan, say");
  else if (runtime != NULL && after != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--to is of the model as its file has it, --after of another");
  else if (order != NULL && strcmp (order, "memory") != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "order '%s' is not known: --order memory, or none", order);
  else if (order != NULL && (after != NULL || placement_path != NULL))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--order is of the model alone: leave out --%s",
                 after != NULL ? "after" : "placement");
  else if (runtime != NULL && is_onnx)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--to writes JSON: give -o FILE.json");
  else if (runtime == NULL)
    return TRUE;
  else
    source->affinity = tp_affinity_find (runtime, error);
  return source->affinity != NULL;
}

static gboolean
convert_run (TpCli *cli, GError **error)
{
  static const struct
  {
    const char *suffix;
    gboolean (*convert) (TpCli *cli, const Source *source, GError **error);
  } ways[] = { { ".onnx", convert_to_onnx }, { ".json", convert_to_json } };
  g_auto (Source) source = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    if (cli->outputs[0] != NULL && cli->outputs[1] == NULL
        && g_str_has_suffix (cli->outputs[0], ways[i].suffix))
      {
        if (!check_options (cli, &source, error)
            || !tp_cli_check_output (cli, cli->outputs[0], error))
          return FALSE;
        if (!(after == NULL ? source_open (&source, cli, error)
                            : source_prepare (&source, cli, error))
            || !source_order (&source, cli, error)
            || !source_place (&source, error))
          return FALSE;
        warn_unknown (cli, source.builder);
        return ways[i].convert (cli, &source, error);
      }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "convert needs one -o FILE that ends in .json or .onnx");
  return FALSE;
}

const TpCommand tp_command_convert = {
  .name = "convert",
  .arguments = "MODEL",
  .summary = "Converts graphs between JSON and ONNX, weights included",
  .details = "  tplan convert model.onnx -o graph.json\n"
             "Weights go to graph.safetensors beside it; those of an ONNX file "
             "inside,\nor with --external-data beside it. --dim N=8 makes N the "
             "number 8. --to tells\nother runtimes of a plan.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_FILES | TP_USES_DIMS | TP_USES_GRAPH | TP_USES_PASSES,
  .options = convert_options,
  .run = convert_run,
};
