/* graph.c: graphs, with the tables their queries hand out made once. */
#include "config.h"

#include "api/graph.h"

#include "api/load.h"
#include "api/objects.h"
#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/guard.h"

const char *
tplan_dtype_get_name (TplanDtype dtype)
{
  return (int) dtype >= 0 && (int) dtype < tp_dtype_count ()
             ? tp_dtype_get_name (dtype)
             : NULL;
}

static TplanTensor *
describe_tensors (const TpGraph *graph, int n, const int *tensors)
{
  TplanTensor *table = tp_new0 (TplanTensor, n + 1);

  for (int i = 0; i < n; i++)
    {
      const TpTensor *tensor = &graph->tensors[tensors[i]];

      table[i] = (TplanTensor){ .name = tensor->name,
                                .dtype = (TplanDtype) tensor->dtype,
                                .rank = tensor->rank,
                                .dims = tensor->dims,
                                .size_bytes = tensor->size_bytes };
    }
  return table;
}

static void
describe_states (TplanGraph *wrap)
{
  g_autofree int *states = tp_graph_list_states (wrap->graph, &wrap->n_states);

  wrap->states = describe_tensors (wrap->graph, wrap->n_states, states);
}

TplanGraph *
tp_api_wrap_graph (TpGraph *graph, const char *path, TpDims *dims,
                   const char *const *no_pass)
{
  g_autoptr (TplanGraph) wrap = g_new0 (TplanGraph, 1);

  wrap->graph = graph;
  wrap->path = g_strdup (path);
  wrap->dims = dims == NULL ? NULL : tp_dims_ref (dims);
  if (no_pass != NULL && no_pass[0] != NULL)
    wrap->no_pass = g_strdupv ((char **) no_pass);
  wrap->inputs = describe_tensors (graph, graph->n_inputs, graph->inputs);
  wrap->outputs = describe_tensors (graph, graph->n_outputs, graph->outputs);
  describe_states (wrap);
  wrap->ops = tp_new0 (const char *, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    wrap->ops[i] = graph->nodes[i].name;
  return g_steal_pointer (&wrap);
}

TplanGraph *
tp_api_wrap_graph_of (TpGraph *graph, const TpPlan *plan)
{
  g_autoptr (TplanGraph) wrap
      = tp_api_wrap_graph (graph, plan->graph_path, plan->dims,
                           (const char *const *) plan->no_pass);

  wrap->ties = tp_strdupv ((const char *const *) plan->ties);
  wrap->numbers = tp_strdupv ((const char *const *) plan->numbers);
  wrap->cut = tp_strdupv ((const char *const *) plan->cut);
  wrap->micro_batches = tp_micro_batches_copy (&plan->micro_batches);
  wrap->streamed = tp_strdupv ((const char *const *) plan->streamed);
  wrap->streamed_from = g_strdup (plan->streamed_from);
  return g_steal_pointer (&wrap);
}

/* Of the file @path, or of @bytes. */
static TplanGraph *
load_graph (const char *path, GBytes *bytes, const TplanLoadOptions *options,
            GError **error)
{
  g_auto (TpLoad) load = { 0 };
  g_autoptr (TpGraph) raw = NULL;
  TpGraph *graph;
  TplanGraph *wrap;

  if (!tp_load_init (&load, options, error))
    return NULL;
  load.options.is_in_memory = bytes != NULL;
  raw = bytes != NULL
            ? tp_graph_read_bytes (TP_MODEL_IN_MEMORY, bytes, &load.options,
                                   error)
            : tp_graph_read (path, &load.options, error);
  if (raw == NULL)
    return NULL;
  tp_load_note_assumed (&load);
  graph = tp_graph_prepare_taken (g_steal_pointer (&raw), &load.passes, error);
  if (graph == NULL)
    return NULL;
  wrap = tp_api_wrap_graph (graph, path, load.dims, load.passes.left_out);
  wrap->assumed = g_steal_pointer (&load.assumed);
  wrap->ties = tp_strdupv (load.options.ties);
  wrap->numbers = tp_strdupv (load.options.numbers);
  wrap->cut = tp_strdupv (load.options.outputs);
  return wrap;
}

typedef struct
{
  const char *path;
  GBytes *bytes;
  const TplanLoadOptions *options;
  GError **error;
  TplanGraph *graph;
} LoadCall;

static void
load_call (gpointer data)
{
  LoadCall *call = data;

  call->graph = load_graph (call->path, call->bytes, call->options,
                            call->error);
}

TplanGraph *
tplan_graph_load_full (const char *path, const TplanLoadOptions *options,
                       GError **error)
{
  LoadCall call = { path, NULL, options, error, NULL };

  g_return_val_if_fail (path != NULL, NULL);
  tp_guard (load_call, &call, "to read this model", error);
  return call.graph;
}

TplanGraph *
tplan_graph_new_from_bytes (GBytes *bytes, const TplanLoadOptions *options,
                            GError **error)
{
  LoadCall call = { NULL, bytes, options, error, NULL };

  g_return_val_if_fail (bytes != NULL, NULL);
  tp_guard (load_call, &call, "to read this model", error);
  return call.graph;
}

TplanGraph *
tplan_graph_load (const char *path, const TplanDim *dims, GError **error)
{
  const TplanLoadOptions options = { .dims = dims };

  return tplan_graph_load_full (path, &options, error);
}

void
tplan_graph_free (TplanGraph *graph)
{
  if (graph == NULL)
    return;
  tp_graph_unref (graph->graph);
  tp_dims_unref (graph->dims);
  tp_dims_unref (graph->assumed);
  g_strfreev (graph->no_pass);
  g_strfreev (graph->ties);
  g_strfreev (graph->numbers);
  g_strfreev (graph->cut);
  tp_micro_batches_clear (&graph->micro_batches);
  g_strfreev (graph->streamed);
  g_free (graph->streamed_from);
  g_free (graph->path);
  g_free (graph->inputs);
  g_free (graph->outputs);
  g_free (graph->states);
  g_free (graph->ops);
  g_free (graph);
}

const TpGraph *
tp_api_get_graph (const TplanGraph *graph)
{
  return graph->graph;
}

const TpDims *
tp_api_get_assumed (const TplanGraph *graph)
{
  return graph->assumed;
}

const TplanTensor *
tplan_graph_get_inputs (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  tp_set_n (out_n, graph->graph->n_inputs);
  return graph->inputs;
}

const TplanTensor *
tplan_graph_get_outputs (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  tp_set_n (out_n, graph->graph->n_outputs);
  return graph->outputs;
}

const TplanTensor *
tplan_graph_get_states (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  tp_set_n (out_n, graph->n_states);
  return graph->states;
}

const char *const *
tplan_graph_get_ops (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  tp_set_n (out_n, graph->graph->n_nodes);
  return graph->ops;
}
