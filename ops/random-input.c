/* random-input.c: values for inputs that nobody gave any. Integers are followed
 * through ops that only move them, to the tables they pick from: token ids are
 * to be words of the vocabulary, wherever in it. */
#include "config.h"

#include "ops/random-input.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/op.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024 /* elements at a time */

static gboolean
has_attr (const TpOp *op, const char *name)
{
  for (const TpAttrSpec *spec = op->attrs; spec != NULL && spec->name; spec++)
    if (strcmp (spec->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* How many integers, from 0 on, pick from every dimension @node may use. */
static gint64
count_rows (const TpGraph *graph, const TpNode *node)
{
  const TpTensor *table = &graph->tensors[node->inputs[0]];
  gint64 axis = tp_node_get_int (node, "axis", 0);
  gint64 n = G_MAXINT64;

  axis += axis < 0 ? table->rank : 0;
  for (int i = 0; i < table->rank; i++)
    if (!has_attr (node->op, "axis") || i == axis)
      n = MIN (n, table->dims[i]);
  return n;
}

/* What is followed: a tensor, and whether something may have been added to it. */
typedef struct
{
  int tensor;
  gboolean is_changed;
} Reach;

static gboolean
reads (const TpNode *node, int tensor)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] == tensor)
      return TRUE;
  return FALSE;
}

/* Whether the outputs of @node are what @tensor is, moved; or, *out_is_changed, made of
 * it element by element. */
static gboolean
passes_on (const TpNode *node, int tensor, gboolean *out_is_changed)
{
  if (node->op == NULL || node->n_inputs == 0)
    return FALSE;
  *out_is_changed = node->op->kind == TP_OP_MAP;
  return *out_is_changed ? reads (node, tensor)
                         : node->inputs[0] == tensor
                               && (node->op->flags & TP_OP_OF_BITS) == 0
                               && (node->op->kind == TP_OP_VIEW
                                   || node->op->kind == TP_OP_MOVE);
}

static void
follow (const TpGraph *graph, const TpNode *node, const Reach *from,
        gboolean *seen, TpArray *queue)
{
  gboolean is_changed = FALSE;

  if (!passes_on (node, from->tensor, &is_changed))
    return;
  for (int i = 0; i < node->n_outputs; i++)
    {
      Reach out = { node->outputs[i], from->is_changed || is_changed };

      if (out.tensor < 0 || seen[out.tensor]
          || !tp_dtype_is_integer (graph->tensors[out.tensor].dtype))
        continue;
      seen[out.tensor] = TRUE;
      tp_array_append_val (queue, out);
    }
}

/* Where numbers pick only once they were computed with, half of what there is to pick
 * from leaves room for what may have been added. */
static gint64
find_range (const TpGraph *graph, int input)
{
  g_autofree gboolean *seen = tp_new0 (gboolean, graph->n_tensors);
  g_autoptr (TpArray) queue = tp_array_new (sizeof (Reach));
  Reach first = { input, FALSE };
  gint64 ranges[] = { G_MAXINT64, G_MAXINT64 };

  tp_array_append_val (queue, first);
  for (guint k = 0; k < queue->len; k++)
    {
      Reach at = tp_array_index (queue, Reach, k);
      const TpTensor *tensor = &graph->tensors[at.tensor];

      for (int i = 0; i < tensor->n_consumers; i++)
        {
          const TpNode *node = &graph->nodes[tensor->consumers[i]];
          gint64 *range = &ranges[at.is_changed ? 1 : 0];

          if (node->op != NULL && node->op->domain == TP_DOMAIN_INDEX
              && node->n_inputs > 1 && node->inputs[1] == at.tensor)
            *range = MIN (*range, count_rows (graph, node));
          follow (graph, node, &at, seen, queue);
        }
    }
  if (ranges[0] < G_MAXINT64)
    return MAX (ranges[0], 1);
  return ranges[1] < G_MAXINT64 ? MAX (ranges[1] / 2, 1) : 2;
}

void
tp_random_input_write (const TpGraph *graph, int tensor, guint64 seed,
                       double scale, void *dst)
{
  const TpTensor *it = &graph->tensors[tensor];
  gsize size = tp_dtype_get_size (it->dtype);
  gboolean is_integer = tp_dtype_is_integer (it->dtype);
  gint64 range = is_integer ? find_range (graph, tensor) : 0;
  double block[BLOCK];

  for (gint64 first = 0; first < it->count; first += BLOCK)
    {
      gint64 n = MIN (BLOCK, it->count - first);

      for (gint64 i = 0; i < n; i++)
        {
          double value = tp_random_uniform (seed, first + i);

          block[i] = is_integer ? floor ((value + 1.0) / 2.0 * range)
                                : value * scale;
        }
      tp_dtype_store_doubles (it->dtype, block, n,
                              (guint8 *)dst + first * size);
    }
}
