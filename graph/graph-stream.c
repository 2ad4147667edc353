/* graph-stream.c: see graph-stream.h. */
#include "config.h"

#include "graph/graph-stream.h"

#include "graph/graph-draft-make.h"
#include "graph/graph-sort.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "ir/name-hash.h"
#include "ir/units.h"
#include "ops/op-view.h"

#define FREE (-1)             /* may be streamed, is not */
#define NAMED (-2)            /* is to be */

typedef struct
{
  TpDraft *draft;
  const char *const *pins;    /* of every Stream */
  int *streams;               /* [tensor]: what the last op to read it reads in its
                               * place; or FREE, NAMED */
  int *reader;                /* [tensor]: that op */
} Streaming;

gboolean
tp_graph_can_stream (const TpGraph *graph, int tensor)
{
  const TpTensor *it = &graph->tensors[tensor];

  if (!tp_tensor_is_constant (it) || it->n_consumers == 0
      || tp_dtype_get (it->dtype)->class != TP_CLASS_REAL
      || !g_utf8_validate (it->name, -1, NULL))
    return FALSE;
  for (int i = 0; i < it->n_consumers; i++)
    if (tp_node_is_view (&graph->nodes[it->consumers[i]])
        || tp_node_is_stream (&graph->nodes[it->consumers[i]]))
      return FALSE;
  return TRUE;
}

static gboolean
fail (const char *name, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "'%.100s' cannot be streamed: %s", name, what);
  return FALSE;
}

/* Marks what is to be streamed in @streams, one per tensor. */
static gboolean
find_named (const TpGraph *graph, const char *const *names, int *streams,
            GError **error)
{
  g_autoptr (TpMap) tensors
      = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);

  for (int i = 0; i < graph->n_tensors; i++)
    {
      streams[i] = FREE;
      tp_map_insert (tensors, (char *) graph->tensors[i].name,
                     GINT_TO_POINTER (i + 1));
    }
  for (; *names != NULL; names++)
    {
      int tensor = GPOINTER_TO_INT (tp_map_lookup (tensors, *names)) - 1;

      if (tensor < 0)
        return fail (*names, "the graph has no tensor of this name", error);
      if (streams[tensor] != FREE)
        return fail (*names, "it is named twice", error);
      if (!tp_graph_can_stream (graph, tensor))
        return fail (*names, "it is no constant of floats that ops read as it "
                     "is", error);
      streams[tensor] = NAMED;
    }
  return TRUE;
}

/* What @node reads in place of @weight; -1 on error. */
static int
add_stream (Streaming *streaming, int node, int weight, GError **error)
{
  TpDraft *draft = streaming->draft;
  TpTensor made = *tp_draft_tensor (draft, weight);
  int *ends = tp_region_alloc (draft->region, 2, sizeof (int), error);
  TpNode stream = { .type = tp_op_stream.name,
                    .op = &tp_op_stream,
                    .opset = draft->opset,
                    .n_inputs = 1,
                    .inputs = ends,
                    .n_outputs = 1,
                    .outputs = ends == NULL ? NULL : ends + 1,
                    .pins = streaming->pins,
                    .place = tp_draft_node (draft, node)->place };

  made.name = ends == NULL ? NULL
                           : tp_draft_make_tensor_name (draft, made.name,
                                                        ":streamed", error);
  stream.name = made.name == NULL
                    ? NULL
                    : tp_draft_make_node_name (
                          draft, tp_draft_node (draft, node)->name, ":stream",
                          error);
  if (stream.name == NULL)
    return -1;
  made.init = (TpInit){ .kind = TP_INIT_NONE };
  made.is_output = FALSE;
  made.n_copies = 0;
  made.copies = NULL;
  ends[0] = weight;
  ends[1] = tp_draft_add_tensor (draft, &made);
  tp_array_append_val (draft->nodes, stream);
  return ends[1];
}

/* What an op takes from the value of an input, it takes when it is planned. */
static gboolean
check_shapes (Streaming *streaming, const TpNode *node, GError **error)
{
  g_autofree const TpTensor **inputs
      = tp_new (const TpTensor *, node->n_inputs + 1);
  g_autofree TpShape *outputs = tp_new0 (TpShape, node->n_outputs + 1);
  g_autoptr (GError) local = NULL;

  if (node->op == NULL)
    return TRUE;
  for (int i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] < 0
                    ? NULL
                    : tp_draft_tensor (streaming->draft, node->inputs[i]);
  if (node->op->infer (node, inputs, outputs, &local))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "weights of op '%s' cannot be streamed: %s", node->name,
               local->message);
  return FALSE;
}

static gboolean
stream_node (Streaming *streaming, int index, GError **error)
{
  gboolean is_changed = FALSE;

  for (int i = 0; i < tp_draft_node (streaming->draft, index)->n_inputs; i++)
    {
      int weight = tp_draft_node (streaming->draft, index)->inputs[i];

      if (weight < 0 || streaming->streams[weight] == FREE)
        continue;
      if (streaming->reader[weight] != index)
        streaming->streams[weight]
            = add_stream (streaming, index, weight, error);
      if (streaming->streams[weight] < 0)
        return FALSE;
      streaming->reader[weight] = index;
      tp_node_edit (tp_draft_node (streaming->draft, index)->inputs)[i]
          = streaming->streams[weight];
      is_changed = TRUE;
    }
  return !is_changed
         || check_shapes (streaming, tp_draft_node (streaming->draft, index),
                          error);
}

static const char *const *
make_pins (TpDraft *draft, const char *host, GError **error)
{
  const char **pins = tp_region_alloc (draft->region, 2, sizeof (char *),
                                       error);

  if (pins == NULL)
    return NULL;
  pins[0] = tp_region_strdup (draft->region, host, error);
  return pins[0] == NULL ? NULL : pins;
}

TpGraph *
tp_graph_stream (TpGraph *graph, const char *const *names, const char *host,
                 GError **error)
{
  g_autofree int *streams = tp_new (int, graph->n_tensors + 1);
  g_autofree int *reader = tp_new (int, graph->n_tensors + 1);
  g_autoptr (TpDraft) draft = NULL;
  Streaming streaming = { .streams = streams, .reader = reader };

  if (names == NULL || names[0] == NULL)
    return tp_graph_ref (graph);
  if (!find_named (graph, names, streams, error))
    return NULL;
  draft = streaming.draft = tp_draft_new_from_graph (graph);
  streaming.pins = make_pins (draft, host, error);
  for (int i = 0; i < graph->n_tensors; i++)
    reader[i] = -1;
  for (int i = 0; i < graph->n_nodes && streaming.pins != NULL; i++)
    if (!stream_node (&streaming, i, error))
      return NULL;
  if (streaming.pins == NULL || !tp_draft_sort (draft, error))
    return NULL;
  return tp_draft_finish (draft, error);
}
