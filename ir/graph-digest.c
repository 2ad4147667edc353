/* graph-digest.c: one number for what a graph computes, as far as plans care.
 *
 * Everything is fed with its length or as a fixed-size integer, so that no two
 * graphs give the same stream. */
#include "config.h"

#include "ir/graph-digest.h"

#include "ir/graph-value.h"

#define MAX_VALUE_BYTES 4096

static void
feed_double (TpDigest *digest, double value)
{
  gint64 bits;

  memcpy (&bits, &value, sizeof bits);
  tp_digest_add_number (digest, bits);
}

/* Values that decide what is computed: shapes, axes, bounds. Weights do not:
 * a model trained again keeps its plan. */
static void
feed_value (TpDigest *digest, const TpTensor *tensor)
{
  double values[MAX_VALUE_BYTES];
  gboolean is_small = tp_tensor_is_constant (tensor)
                      && tensor->size_bytes <= MAX_VALUE_BYTES
                      && (tensor->count == 1
                          || tp_dtype_is_integer (tensor->dtype));

  tp_digest_add_number (digest, tp_tensor_is_constant (tensor));
  tp_digest_add_number (digest, is_small);
  if (!is_small)
    return;
  tp_tensor_write_doubles (tensor, values);
  for (gint64 i = 0; i < tensor->count; i++)
    feed_double (digest, values[i]);
}

static void
feed_tensor (TpDigest *digest, const TpTensor *tensor)
{
  tp_digest_add_string (digest, tp_dtype_get_name (tensor->dtype));
  tp_digest_add_number (digest, tensor->rank);
  for (int i = 0; i < tensor->rank; i++)
    {
      tp_digest_add_number (digest, tensor->dims[i]);
      tp_digest_add_number (digest, tensor->strides[i]);
    }
  feed_value (digest, tensor);
}

static void
feed_states (TpDigest *digest, const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0)
      {
        tp_digest_add_string (digest, "state");
        tp_digest_add_number (digest, i);
        tp_digest_add_number (digest, graph->tensors[i].state);
      }
}

static void
feed_copies (TpDigest *digest, const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    for (int k = 0; k < graph->tensors[i].n_copies; k++)
      {
        const TpGivenCopy *it = &graph->tensors[i].copies[k];

        tp_digest_add_string (digest, "copy");
        tp_digest_add_number (digest, i);
        tp_digest_add_string (digest, it->device);
        tp_digest_add_number (digest, it->to_ns);
        tp_digest_add_number (digest, it->to_spread_ns);
        tp_digest_add_number (digest, it->from_ns);
        tp_digest_add_number (digest, it->from_spread_ns);
      }
}

static void
feed_attr (TpDigest *digest, const TpAttr *attr)
{
  tp_digest_add_string (digest, attr->name);
  tp_digest_add_number (digest, attr->kind);
  switch (attr->kind)
    {
    case TP_ATTR_INT:
    case TP_ATTR_TENSOR:
      tp_digest_add_number (digest, attr->i);
      return;
    case TP_ATTR_FLOAT:
      feed_double (digest, attr->f);
      return;
    case TP_ATTR_STRING:
      tp_digest_add_string (digest, attr->s);
      return;
    case TP_ATTR_INTS:
    case TP_ATTR_FLOATS:
    case TP_ATTR_STRINGS:
      tp_digest_add_number (digest, attr->n);
      for (int i = 0; i < attr->n; i++)
        if (attr->kind == TP_ATTR_INTS)
          tp_digest_add_number (digest, attr->ints[i]);
        else if (attr->kind == TP_ATTR_STRINGS)
          tp_digest_add_string (digest, attr->strings[i]);
        else
          feed_double (digest, attr->floats[i]);
      return;
    }
}

static void
feed_indices (TpDigest *digest, const int *tensors, int n)
{
  tp_digest_add_number (digest, n);
  for (int i = 0; i < n; i++)
    tp_digest_add_number (digest, tensors[i]);
}

static void
feed_costs (TpDigest *digest, const TpNodeCost *costs, int n)
{
  tp_digest_add_number (digest, n);
  for (int i = 0; i < n; i++)
    {
      tp_digest_add_string (digest, costs[i].device);
      tp_digest_add_number (digest, costs[i].time_ns);
      if (costs[i].spread_ns != 0)
        tp_digest_add_number (digest, -costs[i].spread_ns);
    }
}

static void
feed_node (TpDigest *digest, const TpNode *node)
{
  tp_digest_add_string (digest, node->name);
  tp_digest_add_string (digest, node->type);
  feed_indices (digest, node->inputs, node->n_inputs);
  feed_indices (digest, node->outputs, node->n_outputs);
  tp_digest_add_number (digest, node->n_attrs);
  for (int i = 0; i < node->n_attrs; i++)
    feed_attr (digest, &node->attrs[i]);
  if (node->has_small_sums)
    tp_digest_add_string (digest, "small sums");
  for (int i = 0; node->pins != NULL && node->pins[i] != NULL; i++)
    tp_digest_add_string (digest, node->pins[i]);
  feed_costs (digest, node->costs, node->n_costs);
}

/* What most graphs lack adds nothing, so that theirs stay as they were. */
static void
feed_colocations (TpDigest *digest, const TpGraph *graph)
{
  if (graph->n_colocations == 0)
    return;
  tp_digest_add_string (digest, "colocations");
  tp_digest_add_number (digest, graph->n_colocations);
  for (int i = 0; i < graph->n_colocations; i++)
    feed_indices (digest, graph->colocations[i].nodes,
                  graph->colocations[i].n_nodes);
}

static void
feed_groups (TpDigest *digest, const TpGraph *graph)
{
  for (int i = 0; i < graph->n_groups; i++)
    {
      const TpGivenGroup *it = &graph->groups[i];

      tp_digest_add_string (digest, "group");
      feed_indices (digest, it->nodes, it->n_nodes);
      feed_costs (digest, it->figures->costs, it->figures->n_costs);
    }
}

static char *
compute_digest (const TpGraph *graph)
{
  g_autoptr (TpDigest) digest = tp_digest_new ();

  tp_digest_add_string (digest, "tplan-graph-digest/1");
  tp_digest_add_number (digest, graph->opset);
  tp_digest_add_number (digest, graph->n_tensors);
  for (int i = 0; i < graph->n_tensors; i++)
    feed_tensor (digest, &graph->tensors[i]);
  tp_digest_add_number (digest, graph->n_nodes);
  for (int i = 0; i < graph->n_nodes; i++)
    feed_node (digest, &graph->nodes[i]);
  feed_indices (digest, graph->inputs, graph->n_inputs);
  feed_indices (digest, graph->outputs, graph->n_outputs);
  feed_colocations (digest, graph);
  feed_states (digest, graph);
  feed_copies (digest, graph);
  feed_groups (digest, graph);
  return tp_digest_finish (digest);
}

/* The only thing in a graph that is written after it was built: whoever comes
 * second to that throws its own away. */
char *
tp_graph_digest (const TpGraph *graph)
{
  char **kept = &((TpGraph *) graph)->digest;
  char *digest = g_atomic_pointer_get (kept), *copy;

  if (digest != NULL)
    return g_strdup (digest);
  digest = compute_digest (graph);
  copy = g_strdup (digest);
  if (!g_atomic_pointer_compare_and_exchange (kept, NULL, copy))
    g_free (copy);
  return digest;
}
