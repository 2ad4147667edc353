/* fuse-value.c: see fuse-value.h. */
#include "config.h"

#include "planner/fuse-value.h"

#include "ir/op.h"

#include <string.h>

TpOpKind
tp_fuse_get_kind (const TpNode *node)
{
  return node->op == NULL ? TP_OP_OPAQUE : node->op->kind;
}

static gboolean
pins_can_meet (const TpNode *a, const TpNode *b)
{
  if (a->pins == NULL || b->pins == NULL)
    return TRUE;
  for (int i = 0; a->pins[i] != NULL; i++)
    if (g_strv_contains (b->pins, a->pins[i]))
      return TRUE;
  return FALSE;
}

gboolean
tp_fuse_has_equal_dims (const TpTensor *a, const TpTensor *b)
{
  return a->rank == b->rank
         && memcmp (a->dims, b->dims, sizeof a->dims[0] * a->rank) == 0;
}

/* How often @node reads @tensor. */
static int
count_reads (const TpNode *node, int tensor)
{
  int n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    n += node->inputs[i] == tensor;
  return n;
}

/* Who casts to a real of fewer digits wants these and no more. */
static gboolean
is_rounding (const TpGraph *graph, const TpNode *node)
{
  TpDtype dtype = graph->tensors[node->outputs[0]].dtype;

  return node->op != NULL && (node->op->flags & TP_OP_COPIES) != 0
         && !tp_dtype_holds_results (dtype) && !tp_dtype_is_integer (dtype)
         && node->inputs[0] >= 0
         && graph->tensors[node->inputs[0]].dtype != dtype;
}

gboolean
tp_fuse_joins (const TpNode *node)
{
  return node->op != NULL && (node->op->flags & TP_OP_JOINS) != 0;
}

int
tp_fuse_find_given (const TpGraph *graph, const guint8 *counts, int node)
{
  int index = graph->group_of == NULL ? -1 : graph->group_of[node];

  return index < 0 || !counts[index] ? -1 : index;
}

gboolean
tp_fuse_are_parted (const TpGraph *graph, const guint8 *counts, const TpNode *a,
                    const TpNode *b)
{
  return tp_fuse_find_given (graph, counts, (int) (a - graph->nodes))
         != tp_fuse_find_given (graph, counts, (int) (b - graph->nodes));
}

gboolean
tp_fuse_is_for_one (const TpGraph *graph, const TpNode *producer,
                    const TpNode *consumer)
{
  const TpTensor *value, *out;

  if (producer->n_outputs != 1 || consumer->n_outputs != 1
      || producer->outputs[0] < 0 || consumer->outputs[0] < 0)
    return FALSE;
  value = &graph->tensors[producer->outputs[0]];
  out = &graph->tensors[consumer->outputs[0]];
  if (value->n_consumers != 1 || value->is_output || value->state > 0
      || !pins_can_meet (producer, consumer))
    return FALSE;
  if (tp_fuse_get_kind (consumer) == TP_OP_MAP)
    return tp_fuse_has_equal_dims (value, out);
  return (consumer->inputs[0] == producer->outputs[0] || tp_fuse_joins (consumer))
         && count_reads (consumer, producer->outputs[0]) == 1;
}

gboolean
tp_fuse_hands_on (const TpGraph *graph, const TpNode *producer)
{
  return tp_dtype_hands_on (graph->tensors[producer->outputs[0]].dtype)
         && !is_rounding (graph, producer);
}

gboolean
tp_fuse_merges_dims (const TpTensor *in, const TpTensor *out)
{
  int k = 0;

  if (in->dtype != out->dtype || !tp_tensor_is_row_major (in)
      || !tp_tensor_is_row_major (out))
    return FALSE;
  for (int i = 0; i < out->rank; i++)
    {
      gint64 left = out->dims[i];

      for (; left > 1 && k < in->rank && in->dims[k] > 0
             && left % in->dims[k] == 0;
           k++)
        left /= in->dims[k];
      if (left != 1)
        return FALSE;
    }
  return TRUE;
}
