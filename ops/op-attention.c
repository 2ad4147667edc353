/* op-attention.c: Attention, and SinkAttention, in which each head has a score more
 * that has no value (input 7, of one head or all): what it draws of the weight is lost.
 * Shapes and records. */
#include "config.h"

#include "ir/types.h"
#include "ops/attention-lower.h"
#include "ops/attention-reference.h"
#include "ops/attention.h"

#include <math.h>
#include <string.h>

static const char *const input_names[TP_ATTENTION_N_INPUTS]
    = { "Q", "K", "V", "attn_mask", "past_key", "past_value",
        "nonpad_kv_seqlen", "sink" };

/* ---- types ------------------------------------------------------------- */

static gboolean
check_dtypes (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  for (int i = 1; i < node->n_inputs; i++)
    {
      gboolean is_bool = inputs[i] != NULL && i == TP_ATTENTION_MASK
                         && inputs[i]->dtype == TPLAN_DTYPE_BOOL;
      TpDtype wanted = i == TP_ATTENTION_LENGTHS ? TPLAN_DTYPE_INT64
                                                 : inputs[0]->dtype;

      if (inputs[i] != NULL && inputs[i]->dtype != wanted && !is_bool)
        return tp_op_fail (node, error, "input %d (%s) is %s, must be %s%s", i,
                           input_names[i], tp_dtype_get_name (inputs[i]->dtype),
                           tp_dtype_get_name (wanted),
                           i == TP_ATTENTION_MASK ? " or bool" : "");
    }
  return !tp_dtype_is_integer (inputs[0]->dtype)
         || tp_op_fail (node, error, "input 0 (Q) is %s, must be of reals",
                        tp_dtype_get_name (inputs[0]->dtype));
}

/* ---- shapes ------------------------------------------------------------ */

static gboolean
check_ranks (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  static const char *const heads[] = { "q_num_heads", "kv_num_heads" };

  for (int i = TP_ATTENTION_Q; i <= TP_ATTENTION_V; i++)
    if (inputs[i]->rank != inputs[0]->rank
        || (inputs[i]->rank != 3 && inputs[i]->rank != 4))
      return tp_op_fail (node, error,
                         "input %d (%s) has rank %d: Q, K and V all have 3, or "
                         "all have 4",
                         i, input_names[i], inputs[i]->rank);
  for (int i = 0; inputs[0]->rank == 3 && i < 2; i++)
    if (tp_node_get_int (node, heads[i], 0) < 1)
      return tp_op_fail (node, error,
                         "inputs of rank 3 need the attribute '%s', at least 1",
                         heads[i]);
  return TRUE;
}

static gboolean
check_dims (const TpNode *node, const TpTensor *const *inputs, int i,
            const gint64 *wanted, GError **error)
{
  const TpTensor *x = i < node->n_inputs ? inputs[i] : NULL;
  gboolean is_packed = i <= TP_ATTENTION_V && x != NULL && x->rank == 3;
  int rank = i == TP_ATTENTION_LENGTHS ? 1 : is_packed ? 3 : 4;
  gboolean fits = x == NULL || x->rank == rank;
  g_autofree char *own = NULL;
  g_autofree char *text = NULL;

  for (int k = 0; x != NULL && fits && k < rank; k++)
    fits = wanted[k] == x->dims[k];
  if (fits)
    return TRUE;
  own = tp_dims_to_text (x->rank, x->dims);
  text = tp_dims_to_text (rank, wanted);
  return tp_op_fail (node, error,
                     "input %d (%s) has shape %s, %s is needed", i,
                     input_names[i], own, text);
}

/* K, V and what is past of them go together. */
static gboolean
check_keys (const TpAttention *a, const TpNode *node,
            const TpTensor *const *inputs, GError **error)
{
  gint64 n_new = a->n_keys - a->n_past;
  const gint64 sizes[] = { a->size, a->value_size };

  if (tp_node_has_input (node, TP_ATTENTION_PAST_K)
      != tp_node_has_input (node, TP_ATTENTION_PAST_V))
    return tp_op_fail (node, error,
                       "past_key and past_value go together: give both");
  for (int i = 0; i < 2; i++)
    {
      const gint64 packed[] = { a->n_batch, n_new, a->n_kv_heads * sizes[i] };
      const gint64 plain[] = { a->n_batch, a->n_kv_heads, n_new, sizes[i] };
      const gint64 past[] = { a->n_batch, a->n_kv_heads, a->n_past, sizes[i] };

      if (!check_dims (node, inputs, TP_ATTENTION_K + i,
                       a->is_packed ? packed : plain, error)
          || !check_dims (node, inputs, TP_ATTENTION_PAST_K + i, past, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_heads (const TpAttention *a, const TpNode *node, const TpTensor *q,
             GError **error)
{
  if (a->n_heads < 1 || a->n_kv_heads < 1 || a->n_heads % a->n_kv_heads != 0)
    return tp_op_fail (node, error,
                       "%" G_GINT64_FORMAT " heads of keys do not divide %"
                       G_GINT64_FORMAT " heads of queries",
                       a->n_kv_heads, a->n_heads);
  if (a->is_packed && q->dims[2] % a->n_heads != 0)
    return tp_op_fail (node, error,
                       "%" G_GINT64_FORMAT " heads do not divide the %"
                       G_GINT64_FORMAT " columns of input 0 (Q)",
                       a->n_heads, q->dims[2]);
  return a->size > 0
         || tp_op_fail (node, error, "heads of input 0 (Q) have no elements");
}

/* All at once, as kernels may have them. */
static gboolean
check_scores (const TpAttention *a, const TpNode *node, GError **error)
{
  gint64 n = sizeof (float);

  return (tp_size_mul (n, a->n_batch, &n) && tp_size_mul (n, a->n_heads, &n)
          && tp_size_mul (n, a->n_queries, &n)
          && tp_size_mul (n, a->n_keys, &n))
         || tp_op_fail (node, error,
                        "%" G_GINT64_FORMAT " queries of %" G_GINT64_FORMAT
                        " keys are too many: the size of the scores overflows "
                        "64 bits",
                        a->n_queries, a->n_keys);
}

/* It may end before the keys do. */
static gboolean
check_mask (const TpAttention *a, const TpNode *node, const TpTensor *mask,
            GError **error)
{
  const gint64 wanted[] = { a->n_batch, a->n_heads, a->n_queries, a->n_keys };
  int rank = mask == NULL ? 0 : mask->rank;
  gboolean fits = rank <= 4;
  g_autofree char *own = NULL;
  g_autofree char *text = NULL;

  for (int i = 0; fits && i < rank; i++)
    fits = mask->dims[i] == 1 || mask->dims[i] == wanted[4 - rank + i]
           || (i == rank - 1 && mask->dims[i] < a->n_keys);
  if (fits)
    return TRUE;
  own = tp_dims_to_text (rank, mask->dims);
  text = tp_dims_to_text (4, wanted);
  return tp_op_fail (node, error,
                     "input 3 (attn_mask) has shape %s, which does not "
                     "broadcast to %s",
                     own, text);
}

static gboolean
check_lengths (const TpAttention *a, const TpNode *node,
               const TpTensor *const *inputs, GError **error)
{
  if (!tp_node_has_input (node, TP_ATTENTION_LENGTHS))
    return TRUE;
  if (tp_node_has_input (node, TP_ATTENTION_PAST_K))
    return tp_op_fail (node, error,
                       "nonpad_kv_seqlen does not go with past_key: K is to "
                       "hold all keys");
  return check_dims (node, inputs, TP_ATTENTION_LENGTHS, &a->n_batch, error);
}

static gboolean
check_sink (const TpAttention *a, const TpNode *node,
            const TpTensor *const *inputs, GError **error)
{
  const TpTensor *sink
      = tp_node_has_input (node, TP_ATTENTION_SINK) ? inputs[TP_ATTENTION_SINK]
                                                    : NULL;
  g_autofree char *own = NULL;

  if (sink == NULL
      || (sink->rank == 1
          && (sink->dims[0] == 1 || sink->dims[0] == a->n_heads)))
    return TRUE;
  own = tp_dims_to_text (sink->rank, sink->dims);
  return tp_op_fail (node, error,
                     "input 7 (sink) has shape %s, [%" G_GINT64_FORMAT
                     "] or [1] is needed", own, a->n_heads);
}

static gboolean
check_attrs (const TpAttention *a, const TpNode *node, GError **error)
{
  static const gint64 reals[] = { 1, 10, 11, 16 }; /* ONNX's float types */
  gint64 precision = tp_node_get_int (node, "softmax_precision", 1);
  gint64 mode = tp_node_get_int (node, "qk_matmul_output_mode", 0);
  gboolean is_real = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    is_real |= precision == reals[i];
  if (!is_real)
    return tp_op_fail (node, error,
                       "softmax_precision %" G_GINT64_FORMAT
                       " is none of 1, 10, 11 and 16",
                       precision);
  if (mode < TP_SCORES_RAW || mode > TP_SCORES_WEIGHTS)
    return tp_op_fail (node, error,
                       "qk_matmul_output_mode %" G_GINT64_FORMAT
                       " is none of 0 to 3",
                       mode);
  return (a->softcap >= 0.0 && isfinite (a->softcap))
         || tp_op_fail (node, error, "softcap is %g, must be 0 or more",
                        a->softcap);
}

static void
set_shapes (const TpAttention *a, const TpNode *node, TpDtype dtype,
            TpShape *outputs)
{
  const TpShape all[] = {
    { dtype, 4, { a->n_batch, a->n_heads, a->n_queries, a->value_size } },
    { dtype, 4, { a->n_batch, a->n_kv_heads, a->n_keys, a->size } },
    { dtype, 4, { a->n_batch, a->n_kv_heads, a->n_keys, a->value_size } },
    { dtype, 4, { a->n_batch, a->n_heads, a->n_queries, a->n_keys } },
  };

  for (int i = 0; i < node->n_outputs; i++)
    outputs[i] = all[i];
  if (a->is_packed)
    outputs[0] = (TpShape){ dtype, 3, { a->n_batch, a->n_queries,
                                        a->n_heads * a->value_size } };
}

static gboolean
attention_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  const TpTensor *q = inputs[0];
  TpAttentionShape shapes[TP_ATTENTION_N_INPUTS] = { { 0 } };
  TpAttention a;

  for (int i = 0; i < node->n_inputs; i++)
    if (inputs[i] != NULL)
      shapes[i] = (TpAttentionShape){ inputs[i]->rank, inputs[i]->dims };
  if (!check_ranks (node, inputs, error) || !check_dtypes (node, inputs, error))
    return FALSE;
  tp_attention_init (&a, node, shapes);
  if (!check_heads (&a, node, q, error) || !check_scores (&a, node, error)
      || !check_keys (&a, node, inputs, error)
      || !check_lengths (&a, node, inputs, error)
      || !check_sink (&a, node, inputs, error)
      || !check_mask (&a, node, node->n_inputs > TP_ATTENTION_MASK
                                    ? inputs[TP_ATTENTION_MASK] : NULL, error)
      || !check_attrs (&a, node, error))
    return FALSE;
  set_shapes (&a, node, q->dtype, outputs);
  return TRUE;
}

/* ---- record ------------------------------------------------------------ */

static const TpAttrSpec attention_attrs[] = {
  { "is_causal", TP_ATTR_INT, FALSE },
  { "kv_num_heads", TP_ATTR_INT, FALSE },
  { "q_num_heads", TP_ATTR_INT, FALSE },
  { "qk_matmul_output_mode", TP_ATTR_INT, FALSE },
  { "scale", TP_ATTR_FLOAT, FALSE },
  { "softcap", TP_ATTR_FLOAT, FALSE },
  { "softmax_precision", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_attention = {
  .name = "Attention",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 3,
  .n_inputs_max = TP_ATTENTION_SINK,
  .n_outputs_max = TP_ATTENTION_N_OUTPUTS,
  .attrs = attention_attrs,
  .flags = TP_OP_ANY_STRIDES,
  .tolerance = 1e-5,
  .infer = attention_infer,
  .lower = tp_attention_lower,
  .reference = tp_attention_reference,
};

const TpOp tp_op_sink_attention = {
  .name = "SinkAttention",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 3,
  .n_inputs_max = TP_ATTENTION_N_INPUTS,
  .n_outputs_max = TP_ATTENTION_N_OUTPUTS,
  .attrs = attention_attrs,
  .flags = TP_OP_ANY_STRIDES,
  .tolerance = 1e-5,
  .infer = attention_infer,
  .lower = tp_attention_lower,
  .reference = tp_attention_reference,
};
