/* cmd-info.c: what a model consists of, and what of it can be run. */
#include "config.h"

#include "api/load.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/graph-load.h"
#include "format/graph-write.h"
#include "format/load-options.h"
#include "graph/graph-draft.h"
#include "graph/control.h"
#include "graph/graph-survey.h"
#include "graph/pass.h"
#include "ir/intervals.h"
#include "ir/name-hash.h"
#include "ir/op.h"
#include "ir/recipe.h"
#include "nest/nest-work.h"
#include "nest/nest.h"
#include "ops/lower.h"

#include <string.h>

#define ALIGN 64              /* of tensors in memory */

/* What is known of one type of op, of those in the file. */
typedef struct
{
  const char *type;
  int n;                      /* in the file, or made of a Loop that is there */
  int n_left;                 /* after folding */
  int n_unknown_shapes;
  int n_unsupported;          /* unknown, or a case that is */
  int n_no_kernel;            /* only the references can run it */
  gint64 flops;
  char *reason;               /* of the first not supported, or NULL */
} OpInfo;

typedef struct
{
  TpGraphBuilder *builder;
  TpGraph *graph;
  TpSurvey survey;
  GHashTable *by_type;        /* char* -> OpInfo* */
  GPtrArray *ops;             /* OpInfo*, many first */
  gint64 flops, n_parameters, weight_bytes, activation_bytes, peak_bytes;
  gint64 state_bytes;
  int n_states;
  int n_precomputed;          /* ops that a session computes once, of what is planned */
  gint64 precomputed_bytes;   /* results of these that ops of a run read */
  int *n_dtypes;              /* [dtype]: tensors */
} Info;

static void
free_op_info (gpointer data)
{
  OpInfo *op = data;

  g_free (op->reason);
  g_free (op);
}

static void
info_clear (Info *info)
{
  tp_survey_clear (&info->survey);
  g_ptr_array_unref (info->ops);
  g_free (info->n_dtypes);
  g_hash_table_unref (info->by_type);
  g_clear_pointer (&info->graph, tp_graph_unref);
  g_clear_pointer (&info->builder, tp_graph_builder_free);
}

/* ---- counting ---------------------------------------------------------- */

static OpInfo *
get_type (Info *info, const char *type)
{
  OpInfo *op = g_hash_table_lookup (info->by_type, type);

  if (op != NULL)
    return op;
  op = g_new0 (OpInfo, 1);
  op->type = g_intern_string (type);
  g_hash_table_insert (info->by_type, (char *) op->type, op);
  g_ptr_array_add (info->ops, op);
  return op;
}

static void
count_types (Info *info)
{
  TpDraft *draft = info->builder->draft;

  for (guint i = 0; i < draft->nodes->len; i++)
    get_type (info, tp_draft_node (draft, i)->type)->n++;
}

/* Constants of the file that ops read, before any are folded. Numbers without
 * dimensions are part of formulas, not parameters. */
static void
count_weights (Info *info)
{
  TpGraphBuilder *builder = info->builder;
  g_autofree guint8 *uses = tp_graph_find_uses (builder);

  for (guint i = 0; i < builder->constants->len; i++)
    {
      int index = g_array_index (builder->constants, int, i);
      const TpTensor *tensor = tp_draft_tensor (builder->draft, index);

      if (uses[index] == 0)
        continue;
      info->weight_bytes += tensor->size_bytes;
      if (tensor->rank > 0 && !tp_dtype_is_integer (tensor->dtype))
        info->n_parameters += tensor->count;
    }
}

static gboolean
has_shapes (const TpGraph *graph, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && graph->tensors[node->inputs[i]].rank == TP_RANK_UNKNOWN)
      return FALSE;
  return TRUE;
}

/* The work of node @index, in loops as devices get them. */
static void
count_node (Info *info, int index, OpInfo *op)
{
  const TpNode *node = &info->graph->nodes[index];
  g_autoptr (GError) error = NULL;
  g_autoptr (TpLowered) lowered = NULL;
  TpWork work;

  if (node->op == NULL || node->op->kind == TP_OP_VIEW)
    return;
  lowered = tp_lower_nodes (info->graph, &index, 1, &error);
  if (lowered != NULL)
    {
      tp_lowered_count_work (lowered, &work);
      if (!tp_size_add (op->flops, work.flops, &op->flops))
        op->flops = G_MAXINT64;
      return;
    }
  op->n_no_kernel++;
  if (op->reason == NULL)
    op->reason = g_strdup (error->message);
}

static void
count_nodes (Info *info)
{
  for (int i = 0; i < info->graph->n_nodes; i++)
    {
      const TpNode *node = &info->graph->nodes[i];
      OpInfo *op = get_type (info, node->type);
      const char *problem
          = g_hash_table_lookup (info->survey.problems, node->name);

      op->n_left++;
      op->n = MAX (op->n, op->n_left);
      if (problem != NULL)
        {
          op->n_unsupported++;
          if (op->reason == NULL)
            op->reason = g_strdup (problem);
        }
      else if (!has_shapes (info->graph, node))
        op->n_unknown_shapes++;
      else
        count_node (info, i, op);
    }
}

static void
count_tensors (Info *info)
{
  const TpGraph *graph = info->graph;
  g_autofree TpInterval *intervals = g_new0 (TpInterval, graph->n_tensors + 1);
  g_auto (TpScratch) scratch = { 0 };
  int n = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];

      if (tensor->rank == TP_RANK_UNKNOWN)
        continue;
      info->n_dtypes[tensor->dtype]++;
      if (tensor->state == 1 + i)
        {
          info->n_states++;
          info->state_bytes += tensor->size_bytes;
        }
      if (tp_tensor_is_resident (tensor))
        continue;
      info->activation_bytes += tensor->size_bytes;
      intervals[n].size_bytes = tensor->size_bytes;
      intervals[n].first = MAX (tensor->producer, 0);
      intervals[n++].last = tensor->is_output || tensor->n_consumers == 0
                                ? graph->n_nodes
                                : tensor->consumers[tensor->n_consumers - 1];
    }
  info->peak_bytes = tp_intervals_pack (intervals, n, ALIGN, &scratch, NULL);
}

static int
compare_ops (const void *a, const void *b)
{
  const OpInfo *x = *(OpInfo *const *) a, *y = *(OpInfo *const *) b;

  return x->n != y->n ? y->n - x->n : strcmp (x->type, y->type);
}

/* Of what planning makes of it, where it can be planned. The passes after that change
 * nothing of it, and would read weights. */
static gboolean
count_precomputed (Info *info, GError **error)
{
  const TpPassOptions passes = { .last = "precompute" };
  g_autoptr (TpGraph) prepared = NULL;

  for (int i = 0; i < info->graph->n_nodes; i++)
    if (!has_shapes (info->graph, &info->graph->nodes[i]))
      return TRUE;
  if (g_hash_table_size (info->survey.problems) > 0)
    return TRUE;
  prepared = tp_graph_prepare_with (info->graph, &passes, error);
  if (prepared == NULL)
    return FALSE;
  info->n_precomputed = tp_graph_count_precomputed (prepared);
  for (int i = 0; i < prepared->n_tensors; i++)
    if (prepared->tensors[i].init.kind == TP_INIT_RECIPE)
      info->precomputed_bytes += prepared->tensors[i].size_bytes;
  return TRUE;
}

static gboolean
info_read (Info *info, const TpCli *cli, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  const TplanLoadOptions given = tp_cli_load_options (cli, dims);
  g_auto (TpLoad) load = { 0 };
  TpLoadOptions options;

  if (dims == NULL || !tp_load_init (&load, &given, error))
    return FALSE;
  options = load.options;
  options.dims = NULL; /* bound by the survey */
  info->builder = tp_graph_open (cli->args[0], &options, error);
  if (info->builder == NULL)
    return FALSE;
  count_types (info);
  count_weights (info);
  info->graph = tp_graph_survey (info->builder, load.dims, &info->survey, error);
  if (info->graph == NULL)
    return FALSE;
  count_nodes (info);
  count_tensors (info);
  g_ptr_array_sort (info->ops, compare_ops);
  for (guint i = 0; i < info->ops->len; i++)
    if (!tp_size_add (info->flops, ((OpInfo *) info->ops->pdata[i])->flops,
                      &info->flops))
      info->flops = G_MAXINT64;
  return count_precomputed (info, error);
}

/* ---- JSON -------------------------------------------------------------- */

static json_t *
tensors_to_json (const TpGraph *graph, const int *tensors, int n)
{
  json_t *list = json_array ();

  for (int i = 0; i < n; i++)
    {
      const TpTensor *tensor = &graph->tensors[tensors[i]];
      json_t *shape = tensor->rank < 0 ? json_null () : json_array ();

      for (int k = 0; k < tensor->rank; k++)
        json_array_append_new (shape, json_integer (tensor->dims[k]));
      json_array_append_new (
          list, json_pack ("{s:o, s:o, s:o}", "name",
                           tp_cli_string (tensor->name), "dtype",
                           tensor->rank < 0
                               ? json_null ()
                               : json_string (
                                   tp_dtype_get_name (tensor->dtype)),
                           "shape", shape));
    }
  return list;
}

static json_t *
ops_to_json (const Info *info)
{
  json_t *list = json_array ();

  for (guint i = 0; i < info->ops->len; i++)
    {
      const OpInfo *op = info->ops->pdata[i];

      json_array_append_new (
          list,
          json_pack ("{s:o, s:i, s:i, s:I, s:i, s:i, s:i, s:o}", "type",
                     tp_cli_string (op->type), "count", op->n, "folded",
                     op->n - op->n_left, "flops", (json_int_t) op->flops,
                     "unsupported", op->n_unsupported, "no_kernel",
                     op->n_no_kernel, "unknown_shapes", op->n_unknown_shapes,
                     "reason", tp_cli_string (op->reason)));
    }
  return list;
}

static void
print_data (const Info *info, const TpCli *cli)
{
  const TpGraph *graph = info->graph;
  json_t *dtypes = json_object (), *assumed = json_array ();
  json_t *document;

  for (int i = 0; i < tp_dtype_count (); i++)
    if (info->n_dtypes[i] > 0)
      json_object_set_new (dtypes, tp_dtype_get_name (i),
                           json_integer (info->n_dtypes[i]));
  for (int i = 0; i < tp_dims_size (info->survey.assumed); i++)
    json_array_append_new (
        assumed, tp_cli_string (tp_dims_get_name (info->survey.assumed, i)));
  document = json_pack (
      "{s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:i,"
      " s:I, s:I}",
      "format", "tplan-info/1", "graph", tp_cli_string (graph->name), "opset",
      graph->opset, "inputs",
      tensors_to_json (graph, graph->inputs, graph->n_inputs), "outputs",
      tensors_to_json (graph, graph->outputs, graph->n_outputs),
      "dims_taken_as_1", assumed, "ops", ops_to_json (info), "dtypes", dtypes,
      "parameters", (json_int_t) info->n_parameters, "weight_bytes",
      (json_int_t) info->weight_bytes, "state_bytes",
      (json_int_t) info->state_bytes, "activation_bytes",
      (json_int_t) info->activation_bytes, "peak_activation_bytes",
      (json_int_t) info->peak_bytes, "precomputed_ops", info->n_precomputed,
      "precomputed_bytes", (json_int_t) info->precomputed_bytes, "flops",
      (json_int_t) info->flops);
  tp_cli_print_data (cli, document, "ops");
}

/* ---- tables ------------------------------------------------------------ */

static char *
format_tensors (const TpGraph *graph, const int *tensors, int n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    {
      const TpTensor *tensor = &graph->tensors[tensors[i]];

      g_string_append_printf (text, "%s%s ", i > 0 ? ", " : "", tensor->name);
      if (tensor->rank < 0)
        {
          g_string_append (text, "(shape unknown)");
          continue;
        }
      g_string_append_printf (text, "%s [", tp_dtype_get_name (tensor->dtype));
      for (int k = 0; k < tensor->rank; k++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k > 0 ? ", " : "",
                                tensor->dims[k]);
      g_string_append_c (text, ']');
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_dtypes (const Info *info)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < tp_dtype_count (); i++)
    if (info->n_dtypes[i] > 0)
      g_string_append_printf (text, "%s%d %s", text->len > 0 ? ", " : "",
                              info->n_dtypes[i], tp_dtype_get_name (i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
format_weights (const Info *info)
{
  g_autofree char *bytes = tp_cli_format_bytes (info->weight_bytes);

  return g_strdup_printf ("%" G_GINT64_FORMAT ", constants of %s",
                          info->n_parameters, bytes);
}

static char *
format_states (const Info *info)
{
  g_autofree char *bytes = tp_cli_format_bytes (info->state_bytes);

  return g_strdup_printf ("%d, of %s", info->n_states, bytes);
}

static char *
format_precomputed (const Info *info)
{
  g_autofree char *bytes = tp_cli_format_bytes (info->precomputed_bytes);

  return g_strdup_printf ("%d ops of weights, to %s, before the first run",
                          info->n_precomputed, bytes);
}

static char *
format_activations (const Info *info)
{
  g_autofree char *all = tp_cli_format_bytes (info->activation_bytes);
  g_autofree char *peak = tp_cli_format_bytes (info->peak_bytes);

  return g_strdup_printf ("%s, at most %s at a time", all, peak);
}

static void
print_summary (const Info *info, TpCli *cli)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  const TpGraph *graph = info->graph;
  g_autoptr (TpTable) table = tp_table_new (headers);

  tp_table_add (table, g_strdup ("graph"), g_strdup (graph->name));
  tp_table_add (table, g_strdup ("opset"),
                g_strdup_printf ("%d", graph->opset));
  tp_table_add (table, g_strdup ("inputs"),
                format_tensors (graph, graph->inputs, graph->n_inputs));
  tp_table_add (table, g_strdup ("outputs"),
                format_tensors (graph, graph->outputs, graph->n_outputs));
  tp_table_add (table, g_strdup ("parameters"), format_weights (info));
  if (info->n_states > 0)
    tp_table_add (table, g_strdup ("states"), format_states (info));
  if (info->n_precomputed > 0)
    tp_table_add (table, g_strdup ("once"), format_precomputed (info));
  tp_table_add (table, g_strdup ("activations"), format_activations (info));
  tp_table_add (table, g_strdup ("work"),
                g_strdup_printf ("%.4g GFLOP", info->flops * 1e-9));
  tp_table_add (table, g_strdup ("tensors"), format_dtypes (info));
  tp_table_print (table, cli);
}

/* Those that are not counted come first: "2 folded, 1 of unknown shape". */
static char *
format_support (const OpInfo *op)
{
  const char *why = op->reason == NULL ? "" : op->reason;
  g_autoptr (GString) text = g_string_new (NULL);

  if (op->n > op->n_left)
    g_string_append_printf (text, "%d %s", op->n - op->n_left,
                            tp_control_has_body (op->type) ? "unrolled"
                                                           : "folded");
  if (text->len > 0
      && op->n_unsupported + op->n_no_kernel + op->n_unknown_shapes > 0)
    g_string_append (text, ", ");
  if (op->n_unsupported > 0)
    g_string_append_printf (text, "%d not supported: %s", op->n_unsupported, why);
  else if (op->n_no_kernel > 0)
    g_string_append_printf (text, "%d on device ref only: %s", op->n_no_kernel,
                            why);
  else if (op->n_unknown_shapes > 0)
    g_string_append_printf (text, "%d of unknown shape", op->n_unknown_shapes);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_ops (const Info *info, TpCli *cli)
{
  static const char *const headers[]
      = { "OP", ">COUNT", ">MFLOP", "REMARK", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (guint i = 0; i < info->ops->len; i++)
    {
      const OpInfo *op = info->ops->pdata[i];

      tp_table_add (table, g_strdup (op->type),
                    g_strdup_printf ("%d", op->n_left),
                    g_strdup_printf ("%.4g", op->flops * 1e-6),
                    format_support (op));
    }
  tp_table_print (table, cli);
}

static gboolean
info_run (TpCli *cli, GError **error)
{
  Info info = { .ops = g_ptr_array_new (),
                .n_dtypes = g_new0 (int, tp_dtype_count ()) };
  gboolean good;

  info.by_type
      = g_hash_table_new_full (tp_name_hash, g_str_equal, NULL, free_op_info);
  tp_survey_init (&info.survey);
  good = info_read (&info, cli, error);
  if (good && cli->format != TP_FORMAT_TABLE)
    print_data (&info, cli);
  else if (good)
    {
      tp_cli_note_model (cli, info.graph, info.survey.assumed);
      print_summary (&info, cli);
      print_ops (&info, cli);
    }
  info_clear (&info);
  return good;
}

const TpCommand tp_command_info = {
  .name = "info",
  .arguments = "MODEL",
  .summary = "Tells what a model consists of, and what is not supported",
  .details = "Counts ops, parameters, memory and work. Ops that tplan does not "
             "know are told,\nand are no error; shapes behind them are unknown.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_FORMAT | TP_USES_DIMS | TP_USES_GRAPH,
  .run = info_run,
};
