/* graph-digest.c: one number for what a graph computes, as far as plans care.
 *
 * Everything is fed with its length or as a fixed-size integer, so that no two
 * graphs give the same stream. */
#include "config.h"

#include "ir/graph-digest.h"

#include "ir/graph-value.h"
#include "ir/graph.h"

#include <string.h>

#define MAX_VALUE_BYTES 4096
#define MAX_BUFFER (16 << 10)

/* The stream goes to the checksum in large pieces: most are 8 bytes. */
typedef struct
{
  GChecksum *sum;
  gsize n;
  guchar buffer[MAX_BUFFER];
} Feed;

static void
flush (Feed *feed)
{
  g_checksum_update (feed->sum, feed->buffer, feed->n);
  feed->n = 0;
}

static inline void
feed_bytes (Feed *feed, const void *bytes, gsize size)
{
  if (size > MAX_BUFFER - feed->n)
    flush (feed);
  if (size > MAX_BUFFER)
    {
      g_checksum_update (feed->sum, bytes, size);
      return;
    }
  memcpy (feed->buffer + feed->n, bytes, size);
  feed->n += size;
}

static inline void
feed_int (Feed *feed, gint64 value)
{
  gint64 little = GINT64_TO_LE (value);

  feed_bytes (feed, &little, sizeof little);
}

static void
feed_double (Feed *feed, double value)
{
  gint64 bits;

  memcpy (&bits, &value, sizeof bits);
  feed_int (feed, bits);
}

static void
feed_string (Feed *feed, const char *string)
{
  gsize size = strlen (string);

  feed_int (feed, size);
  feed_bytes (feed, string, size);
}

/* Values that decide what is computed: shapes, axes, bounds. Weights do not:
 * a model trained again keeps its plan. */
static void
feed_value (Feed *feed, const TpTensor *tensor)
{
  double values[MAX_VALUE_BYTES];
  gboolean is_small = tp_tensor_is_constant (tensor)
                      && tensor->size_bytes <= MAX_VALUE_BYTES
                      && (tensor->count == 1
                          || tp_dtype_is_integer (tensor->dtype));

  feed_int (feed, tp_tensor_is_constant (tensor));
  feed_int (feed, is_small);
  if (!is_small)
    return;
  tp_tensor_write_doubles (tensor, values);
  for (gint64 i = 0; i < tensor->count; i++)
    feed_double (feed, values[i]);
}

static void
feed_tensor (Feed *feed, const TpTensor *tensor)
{
  feed_string (feed, tp_dtype_get_name (tensor->dtype));
  feed_int (feed, tensor->rank);
  for (int i = 0; i < tensor->rank; i++)
    {
      feed_int (feed, tensor->dims[i]);
      feed_int (feed, tensor->strides[i]);
    }
  feed_value (feed, tensor);
}

static void
feed_attr (Feed *feed, const TpAttr *attr)
{
  feed_string (feed, attr->name);
  feed_int (feed, attr->kind);
  switch (attr->kind)
    {
    case TP_ATTR_INT:
    case TP_ATTR_TENSOR:
      feed_int (feed, attr->i);
      return;
    case TP_ATTR_FLOAT:
      feed_double (feed, attr->f);
      return;
    case TP_ATTR_STRING:
      feed_string (feed, attr->s);
      return;
    case TP_ATTR_INTS:
    case TP_ATTR_FLOATS:
    case TP_ATTR_STRINGS:
      feed_int (feed, attr->n);
      for (int i = 0; i < attr->n; i++)
        if (attr->kind == TP_ATTR_INTS)
          feed_int (feed, attr->ints[i]);
        else if (attr->kind == TP_ATTR_STRINGS)
          feed_string (feed, attr->strings[i]);
        else
          feed_double (feed, attr->floats[i]);
      return;
    }
}

static void
feed_indices (Feed *feed, const int *tensors, int n)
{
  feed_int (feed, n);
  for (int i = 0; i < n; i++)
    feed_int (feed, tensors[i]);
}

static void
feed_node (Feed *feed, const TpNode *node)
{
  feed_string (feed, node->name);
  feed_string (feed, node->type);
  feed_indices (feed, node->inputs, node->n_inputs);
  feed_indices (feed, node->outputs, node->n_outputs);
  feed_int (feed, node->n_attrs);
  for (int i = 0; i < node->n_attrs; i++)
    feed_attr (feed, &node->attrs[i]);
  for (int i = 0; node->pins != NULL && node->pins[i] != NULL; i++)
    feed_string (feed, node->pins[i]);
  feed_int (feed, node->n_costs);
  for (int i = 0; i < node->n_costs; i++)
    {
      feed_string (feed, node->costs[i].device);
      feed_int (feed, node->costs[i].time_ns);
    }
}

char *
tp_graph_digest (const TpGraph *graph)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  Feed feed;

  feed.sum = sum;
  feed.n = 0;
  feed_string (&feed, "tplan-graph-digest/1");
  feed_int (&feed, graph->opset);
  feed_int (&feed, graph->n_tensors);
  for (int i = 0; i < graph->n_tensors; i++)
    feed_tensor (&feed, &graph->tensors[i]);
  feed_int (&feed, graph->n_nodes);
  for (int i = 0; i < graph->n_nodes; i++)
    feed_node (&feed, &graph->nodes[i]);
  feed_indices (&feed, graph->inputs, graph->n_inputs);
  feed_indices (&feed, graph->outputs, graph->n_outputs);
  flush (&feed);
  return g_strdup (g_checksum_get_string (sum));
}
