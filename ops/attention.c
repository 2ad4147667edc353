/* attention.c: sizes and attributes of Attention. */
#include "config.h"

#include "ops/attention.h"

#include <math.h>

static gint64
get_heads (const TpNode *node, const TpAttentionShape *shape, const char *attr)
{
  return shape->rank == 4 ? shape->dims[1] : tp_node_get_int (node, attr, 0);
}

/* Of a head of what has @n_heads of them. */
static gint64
get_size (const TpAttentionShape *shape, gint64 n_heads)
{
  return shape->rank == 4 ? shape->dims[3]
                          : shape->dims[2] / MAX (n_heads, 1);
}

void
tp_attention_init (TpAttention *self, const TpNode *node,
                   const TpAttentionShape *shapes)
{
  const TpAttentionShape *q = &shapes[TP_ATTENTION_Q];
  const TpAttentionShape *k = &shapes[TP_ATTENTION_K];
  const TpAttentionShape *mask = &shapes[TP_ATTENTION_MASK];
  const TpAttentionShape *past = &shapes[TP_ATTENTION_PAST_K];

  *self = (TpAttention){ .is_packed = q->rank == 3 };
  self->n_batch = q->dims[0];
  self->n_queries = q->dims[q->rank - 2];
  self->n_heads = get_heads (node, q, "q_num_heads");
  self->n_kv_heads = get_heads (node, k, "kv_num_heads");
  self->size = get_size (q, self->n_heads);
  self->value_size = get_size (&shapes[TP_ATTENTION_V], self->n_kv_heads);
  self->n_past = past->dims != NULL && past->rank == 4 ? past->dims[2] : 0;
  self->n_keys = self->n_past + k->dims[k->rank - 2];
  self->n_masked = self->n_keys;
  if (mask->dims != NULL && mask->rank > 0
      && (mask->dims[mask->rank - 1] != 1 || node->opset >= 24))
    self->n_masked = MIN (self->n_keys, mask->dims[mask->rank - 1]);
  self->scale = tp_node_get_float (node, "scale",
                                   1.0 / sqrt (MAX (self->size, 1)));
  self->softcap = tp_node_get_float (node, "softcap", 0.0);
  self->is_causal = tp_node_get_int (node, "is_causal", 0) != 0;
  self->scores = tp_node_get_int (node, "qk_matmul_output_mode", 0);
}
