/* graph-draft.c: a graph under construction, its order and its links. */
#include "config.h"

#include "graph/graph-draft.h"

#include "graph/graph-colocate.h"
#include "graph/graph-group.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/op.h"

#include <string.h>

TpDraft *
tp_draft_new (gint64 budget_bytes)
{
  TpDraft *draft = g_new0 (TpDraft, 1);

  draft->region = tp_region_new (budget_bytes);
  tp_limits_init (&draft->limits);
  draft->name = "";
  draft->tensors = tp_array_new (sizeof (TpTensor));
  draft->nodes = tp_array_new (sizeof (TpNode));
  draft->inputs = tp_array_new (sizeof (int));
  draft->outputs = tp_array_new (sizeof (int));
  draft->branches = tp_array_new (sizeof (TpBranch));
  draft->bodies = tp_array_new (sizeof (TpDraftBody));
  return draft;
}

static void
free_bodies (TpArray *bodies)
{
  for (guint i = 0; i < bodies->len; i++)
    {
      TpDraftBody *body = &tp_array_index (bodies, TpDraftBody, i);

      tp_array_unref (body->nodes);
      tp_array_unref (body->inputs);
      tp_array_unref (body->outputs);
      tp_array_unref (body->branches);
    }
  tp_array_unref (bodies);
}

void
tp_draft_free (TpDraft *draft)
{
  if (draft == NULL)
    return;
  g_clear_pointer (&draft->region, tp_region_free);
  tp_array_unref (draft->tensors);
  tp_array_unref (draft->nodes);
  tp_array_unref (draft->inputs);
  tp_array_unref (draft->outputs);
  tp_array_unref (draft->branches);
  free_bodies (draft->bodies);
  tp_map_free (draft->names[0]);
  tp_map_free (draft->names[1]);
  g_free (draft);
}

static void
release_region (gpointer region)
{
  tp_region_free (region);
}

/* Copies of the index arrays of all nodes, in one block of memory. */
static int *
copy_indices (const TpGraph *graph, TpNode *nodes)
{
  gsize n = 1;
  int *all, *next;

  for (int i = 0; i < graph->n_nodes; i++)
    n += graph->nodes[i].n_inputs + graph->nodes[i].n_outputs;
  all = next = tp_new (int, n);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];
      nodes[i].inputs = memcpy (next, node->inputs,
                                node->n_inputs * sizeof (int));
      next += node->n_inputs;
      nodes[i].outputs = memcpy (next, node->outputs,
                                 node->n_outputs * sizeof (int));
      next += node->n_outputs;
    }
  return all;
}

TpDraft *
tp_draft_new_from_graph (const TpGraph *graph)
{
  g_autoptr (TpDraft) draft = tp_draft_new (TP_REGION_NO_BUDGET);

  tp_region_own (draft->region, tp_region_ref (graph->region),
                 release_region);
  draft->name = graph->name;
  draft->source = graph->source;
  draft->opset = graph->opset;
  tp_array_append_vals (draft->tensors, graph->tensors, graph->n_tensors);
  tp_array_append_vals (draft->nodes, graph->nodes, graph->n_nodes);
  tp_array_append_vals (draft->inputs, graph->inputs, graph->n_inputs);
  tp_array_append_vals (draft->outputs, graph->outputs, graph->n_outputs);
  tp_region_own (draft->region,
                 copy_indices (graph, (TpNode *) (void *) draft->nodes->data),
                 g_free);
  return g_steal_pointer (&draft);
}

/* What is not kept of @graph lies in its region. */
static TpDraft *
take_all (TpGraph *graph)
{
  g_autoptr (TpDraft) draft = tp_draft_new (TP_REGION_NO_BUDGET);

  tp_array_append_vals (draft->inputs, graph->inputs, graph->n_inputs);
  tp_array_append_vals (draft->outputs, graph->outputs, graph->n_outputs);
  draft->name = graph->name;
  draft->source = graph->source;
  draft->opset = graph->opset;
  tp_array_unref (draft->tensors);
  draft->tensors = g_steal_pointer (&graph->tables[0]);
  tp_array_unref (draft->nodes);
  draft->nodes = g_steal_pointer (&graph->tables[1]);
  tp_region_own (draft->region, tp_region_ref (graph->region),
                 release_region);
  return g_steal_pointer (&draft);
}

TpDraft *
tp_draft_take_graph (TpGraph *graph)
{
  g_autoptr (TpGraph) owned = graph;

  return g_atomic_int_get (&owned->ref_count) == 1 && owned->tables[0] != NULL
                 && tp_region_is_sole (owned->region)
             ? take_all (owned)
             : tp_draft_new_from_graph (owned);
}

char *
tp_draft_dup_prefix (const TpDraft *draft, const char *place)
{
  return g_strconcat (draft->source ? draft->source : "",
                      draft->source ? ": " : "", place ? place : "",
                      place && *place ? ": " : "", NULL);
}

int
tp_draft_add_tensor (TpDraft *draft, const TpTensor *tensor)
{
  tp_array_append_val (draft->tensors, *tensor);
  return draft->tensors->len - 1;
}

static guint
hash_form (int rank, const gint64 *dims)
{
  guint64 sum = 0;

  for (int i = 0; i < rank; i++)
    sum = (sum ^ (guint64) dims[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (sum >> 32) % TP_DRAFT_FORMS;
}

static gboolean
is_form (const gint64 *form, int rank, const gint64 *dims,
         const gint64 *strides)
{
  if (form == NULL || form[0] != rank)
    return FALSE;
  for (int i = 0; i < rank; i++)
    if (form[1 + i] != dims[i] || form[1 + rank + i] != strides[i])
      return FALSE;
  return TRUE;
}

static const gint64 *
make_form (TpRegion *region, int rank, const gint64 *dims,
           const gint64 *strides)
{
  gint64 *form = tp_region_take (region, 1 + 2 * rank, sizeof *form);

  form[0] = rank;
  for (int i = 0; i < rank; i++)
    {
      form[1 + i] = dims[i];
      form[1 + rank + i] = strides[i];
    }
  return form;
}

/* Most tensors have the form of one met lately, and share what says it. */
void
tp_draft_set_form (TpDraft *draft, TpTensor *tensor, const gint64 *dims,
                   const gint64 *strides)
{
  int rank = tensor->rank;
  const gint64 **met = &draft->forms[hash_form (rank, dims)];

  if (!is_form (*met, rank, dims, strides))
    *met = make_form (draft->region, rank, dims, strides);
  tensor->dims = *met + 1;
  tensor->strides = *met + 1 + rank;
}

gboolean
tp_draft_set_shape (TpDraft *draft, TpTensor *tensor, TpDtype dtype, int rank,
                    const gint64 *dims)
{
  gint64 count, strides[TP_MAX_RANK];

  if (rank < 0 || rank > TP_MAX_RANK || !tp_dims_count (rank, dims, &count))
    return FALSE;
  /* With a dimension of 0 the others must still not overflow as strides. */
  if (count == 0)
    {
      gint64 solid[TP_MAX_RANK], ignored;

      for (int i = 0; i < rank; i++)
        solid[i] = MAX (dims[i], 1);
      if (!tp_dims_count (rank, solid, &ignored))
        return FALSE;
    }
  tensor->dtype = dtype;
  tensor->rank = rank;
  tp_dims_row_major (rank, dims, strides);
  tp_draft_set_form (draft, tensor, dims, strides);
  tensor->count = count;
  tensor->size_bytes = count * (gint64) tp_dtype_get_size (dtype);
  return TRUE;
}

void
tp_draft_link (TpDraft *draft)
{
  for (guint i = 0; i < draft->tensors->len; i++)
    tp_draft_tensor (draft, i)->producer = -1;
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; node->type != NULL && j < node->n_outputs; j++)
        tp_draft_tensor (draft, node->outputs[j])->producer = i;
    }
}

void
tp_draft_count_uses (TpDraft *draft, int *n_uses)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; node->type != NULL && j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          n_uses[node->inputs[j]]++;
    }
  for (guint i = 0; i < draft->outputs->len; i++)
    n_uses[tp_array_index (draft->outputs, int, i)]++;
  for (guint i = 0; i < draft->tensors->len; i++)
    n_uses[i] += tp_draft_tensor (draft, i)->state > 0;
}

gint64
tp_draft_count_products (TpDraft *draft, const TpNode *node)
{
  g_autofree const TpTensor **inputs = NULL;

  if (node->op->kind != TP_OP_CONTRACT)
    return 0;
  if (node->op->count_products == NULL)
    return G_MAXINT64;
  inputs = tp_new0 (const TpTensor *, node->n_inputs + 1);
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      inputs[i] = tp_draft_tensor (draft, node->inputs[i]);
  return node->op->count_products (node, inputs,
                                   tp_draft_tensor (draft, node->outputs[0]));
}

/* ---- removal ----------------------------------------------------------- */

/* Marks nodes removed that no output needs; nodes must be sorted. */
static void
remove_dead (TpDraft *draft)
{
  g_autofree guint8 *is_needed = tp_new0 (guint8, draft->tensors->len + 1);

  for (guint i = 0; i < draft->outputs->len; i++)
    is_needed[tp_array_index (draft->outputs, int, i)] = TRUE;
  for (guint i = 0; i < draft->tensors->len; i++)
    is_needed[i] |= tp_draft_tensor (draft, i)->state > 0;
  for (guint i = draft->nodes->len; i > 0; i--)
    {
      TpNode *node = tp_draft_node (draft, i - 1);
      gboolean is_alive = FALSE;

      for (int j = 0; node->type != NULL && j < node->n_outputs; j++)
        is_alive |= is_needed[node->outputs[j]];
      if (!is_alive)
        node->type = NULL;
      for (int j = 0; is_alive && j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          is_needed[node->inputs[j]] = TRUE;
    }
}

/* Gives @tensor the next number, unless it has one. */
static void
number (int *map, int *n, int tensor)
{
  if (tensor >= 0 && map[tensor] < 0)
    map[tensor] = (*n)++;
}

/* Numbers tensors in the order in which they are met: the graph's inputs, then
 * what each node reads and writes. So it does not matter in which order a file
 * lists them. Returns how many are met. */
static int
number_tensors (TpDraft *draft, int *map)
{
  int n = 0;

  for (guint i = 0; i < draft->inputs->len; i++)
    number (map, &n, tp_array_index (draft->inputs, int, i));
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      if (node->type == NULL)
        continue;
      for (int j = 0; j < node->n_inputs; j++)
        number (map, &n, node->inputs[j]);
      for (int j = 0; j < node->n_attrs; j++)
        if (node->attrs[j].kind == TP_ATTR_TENSOR)
          number (map, &n, node->attrs[j].i);
      for (int j = 0; j < node->n_outputs; j++)
        number (map, &n, node->outputs[j]);
    }
  for (guint i = 0; i < draft->outputs->len; i++)
    number (map, &n, tp_array_index (draft->outputs, int, i));
  for (guint i = 0; i < draft->tensors->len; i++)
    if (map[i] >= 0)
      number (map, &n, tp_draft_tensor (draft, i)->state - 1);
  return n;
}

/* To where @map says, -1: forgotten; in place, along its cycles. @map is spoilt. */
static void
move_tensors (TpDraft *draft, int *map, int n)
{
  for (guint i = 0; i < draft->tensors->len; i++)
    while (map[i] >= 0 && map[i] != (int) i)
      {
        int to = map[i];
        TpTensor moving = *tp_draft_tensor (draft, i);

        *tp_draft_tensor (draft, i) = *tp_draft_tensor (draft, to);
        *tp_draft_tensor (draft, to) = moving;
        map[i] = map[to];
        map[to] = to;
      }
  tp_array_set_size (draft->tensors, n);
}

static void
renumber (int *tensors, int n, const int *map)
{
  for (int i = 0; i < n; i++)
    if (tensors[i] >= 0)
      tensors[i] = map[tensors[i]];
}

static gboolean
renumber_attrs (TpDraft *draft, TpNode *node, const int *map, GError **error)
{
  gboolean has_tensor = FALSE;
  TpAttr *attrs;

  for (int i = 0; i < node->n_attrs; i++)
    has_tensor |= node->attrs[i].kind == TP_ATTR_TENSOR;
  if (!has_tensor)
    return TRUE;
  attrs = tp_region_dup (draft->region, node->attrs, node->n_attrs,
                         sizeof (TpAttr), error);
  if (attrs == NULL)
    return FALSE;
  for (int i = 0; i < node->n_attrs; i++)
    if (attrs[i].kind == TP_ATTR_TENSOR)
      attrs[i].i = map[attrs[i].i];
  node->attrs = attrs;
  return TRUE;
}

static void
renumber_states (TpDraft *draft, const int *map)
{
  for (guint i = 0; i < draft->tensors->len; i++)
    {
      TpTensor *tensor = tp_draft_tensor (draft, i);

      if (tensor->state > 0)
        tensor->state = 1 + map[tensor->state - 1];
    }
}

gboolean
tp_draft_remove_unused_tensors (TpDraft *draft, GError **error)
{
  guint n_tensors = draft->tensors->len;
  g_autofree int *map = tp_new (int, n_tensors + 1);
  int n;

  memset (map, -1, n_tensors * sizeof (int));
  n = number_tensors (draft, map);
  renumber ((int *) (void *) draft->inputs->data, draft->inputs->len, map);
  renumber ((int *) (void *) draft->outputs->data, draft->outputs->len, map);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);

      if (node->type == NULL)
        continue;
      renumber (tp_node_edit (node->inputs), node->n_inputs, map);
      renumber (tp_node_edit (node->outputs), node->n_outputs, map);
      if (!renumber_attrs (draft, node, map, error))
        return FALSE;
    }
  renumber_states (draft, map);
  move_tensors (draft, map, n);
  return TRUE;
}

/* ---- finish ------------------------------------------------------------ */

static void
drop_removed_nodes (TpDraft *draft)
{
  guint n = 0;

  for (guint i = 0; i < draft->nodes->len; i++)
    if (tp_draft_node (draft, i)->type != NULL)
      *tp_draft_node (draft, n++) = *tp_draft_node (draft, i);
  tp_array_set_size (draft->nodes, n);
}

void
tp_draft_sweep (TpDraft *draft)
{
  remove_dead (draft);
  drop_removed_nodes (draft);
  tp_draft_link (draft);
}

/* Calls @use for every tensor a node reads, once per node. */
static void
each_use (TpDraft *draft, void (*use) (TpTensor *tensor, int node))
{
  g_autofree int *last = tp_new (int, draft->tensors->len + 1);

  memset (last, -1, draft->tensors->len * sizeof (int));
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] >= 0 && last[node->inputs[j]] != (int) i)
          {
            last[node->inputs[j]] = i;
            use (tp_draft_tensor (draft, node->inputs[j]), i);
          }
    }
}

static void
count_use (TpTensor *tensor, int node)
{
  tensor->n_consumers++;
}

static void
add_use (TpTensor *tensor, int node)
{
  tp_node_edit (tensor->consumers)[tensor->n_consumers++] = node;
}

static gboolean
link_consumers (TpDraft *draft, GError **error)
{
  gint64 total = 0;
  int *next;

  for (guint i = 0; i < draft->tensors->len; i++)
    tp_draft_tensor (draft, i)->n_consumers = 0;
  each_use (draft, count_use);
  for (guint i = 0; i < draft->tensors->len; i++)
    total += tp_draft_tensor (draft, i)->n_consumers;
  next = tp_region_alloc (draft->region, total, sizeof (int), error);
  if (next == NULL)
    return FALSE;
  for (guint i = 0; i < draft->tensors->len; i++)
    {
      TpTensor *tensor = tp_draft_tensor (draft, i);

      tensor->consumers = next;
      next += tensor->n_consumers;
      tensor->n_consumers = 0;
    }
  each_use (draft, add_use);
  return TRUE;
}

static void *
dup_array (TpRegion *region, const TpArray *array, GError **error)
{
  return tp_region_dup (region, array->data, array->len, array->size, error);
}

static void
mark_ends (TpDraft *draft)
{
  for (guint i = 0; i < draft->tensors->len; i++)
    {
      tp_draft_tensor (draft, i)->is_input = FALSE;
      tp_draft_tensor (draft, i)->is_output = FALSE;
    }
  for (guint i = 0; i < draft->inputs->len; i++)
    tp_draft_tensor (draft, tp_array_index (draft->inputs, int, i))->is_input
        = TRUE;
  for (guint i = 0; i < draft->outputs->len; i++)
    tp_draft_tensor (draft, tp_array_index (draft->outputs, int, i))->is_output
        = TRUE;
}

TpGraph *
tp_draft_finish (TpDraft *draft, GError **error)
{
  TpRegion *region = draft->region;
  TpGraph *graph;

  tp_region_set_budget (draft->region, TP_REGION_NO_BUDGET);
  drop_removed_nodes (draft);
  tp_draft_link (draft);
  mark_ends (draft);
  if (!link_consumers (draft, error))
    return NULL;
  graph = tp_region_alloc (draft->region, 1, sizeof (TpGraph), error);
  if (graph == NULL)
    return NULL;
  graph->inputs = dup_array (region, draft->inputs, error);
  graph->outputs
      = graph->inputs ? dup_array (region, draft->outputs, error) : NULL;
  if (graph->outputs == NULL)
    return NULL;
  graph->ref_count = 1;
  graph->name = draft->name;
  graph->source = draft->source;
  graph->opset = draft->opset;
  graph->n_tensors = draft->tensors->len;
  graph->n_nodes = draft->nodes->len;
  graph->n_inputs = draft->inputs->len;
  graph->n_outputs = draft->outputs->len;
  tp_array_trim (draft->tensors);
  tp_array_trim (draft->nodes);
  graph->tensors = (TpTensor *) (void *) draft->tensors->data;
  graph->nodes = (TpNode *) (void *) draft->nodes->data;
  if (!tp_graph_colocate (graph, draft->region, error)
      || !tp_graph_group (graph, draft->region, error))
    return NULL;
  graph->tables[0] = g_steal_pointer (&draft->tensors);
  graph->tables[1] = g_steal_pointer (&draft->nodes);
  graph->region = g_steal_pointer (&draft->region);
  return graph;
}
