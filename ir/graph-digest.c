/* graph-digest.c: one number for what a graph computes, as far as plans care.
 *
 * Everything is fed with its length or as a fixed-size integer, so that no two
 * graphs give the same stream. */
#include "config.h"

#include "ir/graph.h"

#include <string.h>

#define MAX_VALUE_BYTES 4096

static void
feed_int (GChecksum *sum, gint64 value)
{
  gint64 little = GINT64_TO_LE (value);

  g_checksum_update (sum, (const guchar *) &little, sizeof little);
}

static void
feed_double (GChecksum *sum, double value)
{
  gint64 bits;

  memcpy (&bits, &value, sizeof bits);
  feed_int (sum, bits);
}

static void
feed_string (GChecksum *sum, const char *string)
{
  feed_int (sum, strlen (string));
  g_checksum_update (sum, (const guchar *) string, strlen (string));
}

static gboolean
is_integer (TpDtype dtype)
{
  return dtype != TP_DTYPE_FLOAT32 && dtype != TP_DTYPE_FLOAT64;
}

/* Values that decide what is computed: shapes, axes, bounds. Weights do not:
 * a model trained again keeps its plan. */
static void
feed_value (GChecksum *sum, const TpTensor *tensor)
{
  double values[MAX_VALUE_BYTES];
  gboolean is_small = tp_tensor_is_constant (tensor)
                      && tensor->size_bytes <= MAX_VALUE_BYTES
                      && (tensor->count == 1 || is_integer (tensor->dtype));

  feed_int (sum, tp_tensor_is_constant (tensor));
  feed_int (sum, is_small);
  if (!is_small)
    return;
  tp_tensor_write_doubles (tensor, values);
  for (gint64 i = 0; i < tensor->count; i++)
    feed_double (sum, values[i]);
}

static void
feed_tensor (GChecksum *sum, const TpTensor *tensor)
{
  feed_string (sum, tp_dtype_get_name (tensor->dtype));
  feed_int (sum, tensor->rank);
  for (int i = 0; i < tensor->rank; i++)
    {
      feed_int (sum, tensor->dims[i]);
      feed_int (sum, tensor->strides[i]);
    }
  feed_value (sum, tensor);
}

static void
feed_attr (GChecksum *sum, const TpAttr *attr)
{
  feed_string (sum, attr->name);
  feed_int (sum, attr->kind);
  switch (attr->kind)
    {
    case TP_ATTR_INT:
    case TP_ATTR_TENSOR:
      feed_int (sum, attr->i);
      return;
    case TP_ATTR_FLOAT:
      feed_double (sum, attr->f);
      return;
    case TP_ATTR_STRING:
      feed_string (sum, attr->s);
      return;
    case TP_ATTR_INTS:
    case TP_ATTR_FLOATS:
      feed_int (sum, attr->n);
      for (int i = 0; i < attr->n; i++)
        if (attr->kind == TP_ATTR_INTS)
          feed_int (sum, attr->ints[i]);
        else
          feed_double (sum, attr->floats[i]);
      return;
    }
}

static void
feed_indices (GChecksum *sum, const int *tensors, int n)
{
  feed_int (sum, n);
  for (int i = 0; i < n; i++)
    feed_int (sum, tensors[i]);
}

static void
feed_node (GChecksum *sum, const TpNode *node)
{
  feed_string (sum, node->name);
  feed_string (sum, node->type);
  feed_indices (sum, node->inputs, node->n_inputs);
  feed_indices (sum, node->outputs, node->n_outputs);
  feed_int (sum, node->n_attrs);
  for (int i = 0; i < node->n_attrs; i++)
    feed_attr (sum, &node->attrs[i]);
  for (int i = 0; node->pins != NULL && node->pins[i] != NULL; i++)
    feed_string (sum, node->pins[i]);
  feed_int (sum, node->n_costs);
  for (int i = 0; i < node->n_costs; i++)
    {
      feed_string (sum, node->costs[i].device);
      feed_int (sum, node->costs[i].time_ns);
    }
}

char *
tp_graph_digest (const TpGraph *graph)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  feed_string (sum, "tplan-graph-digest/1");
  feed_int (sum, graph->opset);
  feed_int (sum, graph->n_tensors);
  for (int i = 0; i < graph->n_tensors; i++)
    feed_tensor (sum, &graph->tensors[i]);
  feed_int (sum, graph->n_nodes);
  for (int i = 0; i < graph->n_nodes; i++)
    feed_node (sum, &graph->nodes[i]);
  feed_indices (sum, graph->inputs, graph->n_inputs);
  feed_indices (sum, graph->outputs, graph->n_outputs);
  return g_strdup (g_checksum_get_string (sum));
}
