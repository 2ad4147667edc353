/* function-heads.c: attention as ONNX Runtime's optimizer writes it (com.microsoft): heads
 * side by side or packed, masks by keys, and positions by rotation; all by Attention of
 * ONNX. */
#include "config.h"

#include "graph/function-heads.h"

#define FLOAT32 1         /* as ONNX numbers types */
#define MASKED (-10000.0) /* usual bias of what is not to be seen */

/* ---- pieces ------------------------------------------------------------ */

/* @value, a number, of the type of @like. */
static const char *
add_number (TpBody *self, double value, const char *like)
{
  return tp_body_add (self, "CastLike", NULL, NULL,
                      tp_body_add_float (self, value), like, NULL);
}

/* Thirds of @x along @axis. */
static void
split_three (TpBody *self, const char *x, gint64 axis, const char **out)
{
  TpAttr attrs[] = { tp_body_make_int ("axis", axis), tp_body_make_int ("num_outputs", 3) };
  TpNode node = { .type = "Split", .n_attrs = 1, .attrs = attrs };

  node.n_attrs += self->builder->draft->opset >= 18;
  for (int i = 0; i < 3; i++)
    out[i] = tp_body_make_name (self);
  tp_body_add_node (self, &node, (TpNodeNames){ 1, &x, 3, out });
}

/* ---- attention --------------------------------------------------------- */

static void
add_rotary (TpBody *self)
{
  static const char *const names[] = { "interleaved", "num_heads",
                                       "rotary_embedding_dim" };
  TpAttr attrs[G_N_ELEMENTS (names)];
  TpNode node = { .type = "RotaryEmbedding",
                  .n_attrs = G_N_ELEMENTS (names),
                  .attrs = attrs };
  const char *inputs[] = { tp_body_get_input (self, 0),
                           tp_body_get_input (self, 2),
                           tp_body_get_input (self, 3),
                           tp_body_get_input (self, 1) };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = tp_body_make_int (names[i], tp_node_get_int (self->node, names[i], 0));
  if (tp_node_get_int (self->node, "is_packed_batching", 0) != 0
      || tp_node_get_float (self->node, "scale", 1.0) != 1.0)
    tp_body_refuse (self, "is_packed_batching and scale are not supported");
  tp_body_add_node (self, &node,
                    (TpNodeNames){ 4, inputs, 1, self->ends.outputs });
}

/* What an Attention is to be made of. */
typedef struct
{
  const char *qkv[3];
  const char *mask; /* by keys, of integers: 0 is not to be seen; or how many are */
  const char *bias; /* of scores */
  const char *past[2];
  gboolean has_heads;         /* keys and values are [batch, heads, keys, size] */
  const char *const *outputs; /* as Attention has them: the result, keys and values so far */
  int n_outputs;
} Parts;

/* How many keys there are with those of the past, a list of one. */
static const char *
count_keys (TpBody *self, const Parts *parts)
{
  const char *n = tp_body_pick (self, tp_body_add_shape (self, parts->qkv[1]), -2);
  const char *past = parts->past[0];

  if (past == NULL)
    return n;
  past = tp_body_pick (self, tp_body_add_shape (self, past), -2);
  return tp_body_apply (self, "Add", n, past, NULL);
}

/* [batch, keys], [batch, queries, keys], or how many keys of each row are seen, [batch]:
 * becomes true where they are, [batch, 1 or queries, keys]. Which of these it is its rank
 * tells, as a constant: a mask is to be above 0, a number above the position. A Reshape
 * refuses what else there is. */
static const char *
add_seen (TpBody *self, const Parts *parts)
{
  const char *mask = parts->mask;
  const char *one = TP_BODY_INTS (self, 1);
  const char *rank = tp_body_add_shape (self, tp_body_add_shape (self, mask));
  const char *is_number = tp_body_apply (self, "Equal", rank, one, NULL);
  const char *is_whole = tp_body_apply (self, "Equal", rank, TP_BODY_INTS (self, 3), NULL);
  const char *queries = tp_body_add_shape (self, parts->qkv[0]);
  const char *n_keys = count_keys (self, parts);
  const char *shape = TP_BODY_JOIN (
      self, tp_body_pick (self, queries, 0),
      tp_body_apply (self, "Where", is_whole, tp_body_pick (self, queries, 1), one),
      tp_body_apply (self, "Where", is_number, one, n_keys));
  const char *bound = tp_body_apply (self, "Where", is_number,
                                     tp_body_count_to (self, n_keys),
                                     TP_BODY_INTS (self, 0));

  mask = tp_body_apply (self, "Reshape", mask, shape, NULL);
  bound = tp_body_apply (self, "CastLike", bound, mask, NULL);
  return tp_body_apply (self, "Greater", mask, bound, NULL);
}

/* The mask becomes a bias [batch, 1, 1 or queries, keys]. */
static const char *
add_mask (TpBody *self, const Parts *parts)
{
  double masked = tp_node_get_float (self->node, "mask_filter_value", MASKED);
  const char *seen = add_seen (self, parts);

  seen = tp_body_add_view (self, "Unsqueeze", seen, 1);
  return tp_body_add (self, "Where", NULL, NULL, seen,
                      add_number (self, 0.0, parts->qkv[0]),
                      add_number (self, masked, parts->qkv[0]), NULL);
}

static const char *
add_bias (TpBody *self, const Parts *parts)
{
  const char *mask = parts->mask == NULL ? NULL : add_mask (self, parts);

  if (mask == NULL || parts->bias == NULL)
    return mask != NULL ? mask : parts->bias;
  return tp_body_add (self, "Add", NULL, NULL, mask, parts->bias, NULL);
}

/* [batch, tokens, heads, size] becomes [batch, heads, tokens, size], or back. */
static const char *
turn_heads (TpBody *self, const char *x)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  TpAttr perm = { .name = "perm", .kind = TP_ATTR_INTS, .n = 4, .ints = order };

  return tp_body_add (self, "Transpose", &perm, NULL, x, NULL);
}

/* @x [batch, tokens, heads and size]. */
static const char *
part_heads (TpBody *self, const char *x)
{
  const gint64 dims[] = { 0, 0, tp_node_get_int (self->node, "num_heads", 1), -1 };

  return turn_heads (self, tp_body_add_reshape (self, x, 4, dims));
}

static void
add_attention (TpBody *self, const Parts *parts)
{
  static const gint64 join[] = { 0, 0, -1 };
  gint64 n_heads = tp_node_get_int (self->node, "num_heads", 0);
  TpAttr scale = tp_body_take_float (self, "scale", 0.0);
  TpAttr attrs[4] = {
    tp_body_make_int ("is_causal", tp_node_get_int (self->node, "unidirectional", 0)),
    tp_body_make_int ("q_num_heads", n_heads),
    tp_body_make_int ("kv_num_heads", n_heads),
  };
  TpNode node = { .type = "Attention", .n_attrs = parts->has_heads ? 1 : 3,
                  .attrs = attrs };
  const char *inputs[] = { parts->qkv[0],  parts->qkv[1],
                           parts->qkv[2],  add_bias (self, parts),
                           parts->past[0], parts->past[1] };
  const char *outputs[3] = { parts->outputs[0] };
  int n = G_N_ELEMENTS (inputs);

  for (int i = 1; i < parts->n_outputs; i++)
    outputs[i] = parts->outputs[i];
  while (inputs[n - 1] == NULL)
    n--;
  if (scale.f != 0.0)
    attrs[node.n_attrs++] = scale;
  if (parts->has_heads)
    {
      inputs[0] = part_heads (self, inputs[0]);
      outputs[0] = tp_body_make_name (self);
    }
  tp_body_add_node (self, &node, (TpNodeNames){ n, inputs, parts->n_outputs, outputs });
  if (parts->has_heads)
    tp_body_add (self, "Reshape", NULL, parts->outputs[0],
                 turn_heads (self, outputs[0]), tp_body_add_ints (self, 3, join), NULL);
}

/* Heads are together in @x [batch, tokens, heads, parts, size]: part @i of them
 * becomes [batch, tokens, heads and size]. */
static const char *
unpack (TpBody *self, const char *x, int i)
{
  static const gint64 join[] = { 0, 0, -1 };
  TpAttr axis = tp_body_make_int ("axis", 3);

  x = tp_body_add (self, "Gather", &axis, NULL, x, tp_body_add_int (self, i),
                   NULL);
  return tp_body_add_reshape (self, x, 3, join);
}

/* Each an input of its own, or the last two in one, or all three. */
static gboolean
find_qkv (TpBody *self, const char **qkv)
{
  int n_inputs = 3;

  while (n_inputs > 0 && tp_body_get_input (self, n_inputs - 1) == NULL)
    n_inputs--;
  if (n_inputs == 3 && tp_body_get_input (self, 1) == NULL)
    {
      tp_body_refuse (self, "value has no key: give both, or pack them");
      return FALSE;
    }
  for (int i = 0; i < 3; i++)
    {
      int last = n_inputs - 1;

      qkv[i] = tp_body_get_input (self, MIN (i, last));
      if (n_inputs < 3 && i >= last)
        qkv[i] = unpack (self, qkv[i], i - last);
    }
  return TRUE;
}

/* Whether it is an input of the graph of four dimensions, as what was made of another
 * sequence is. */
static gboolean
is_in_heads (const TpBody *self, const char *name)
{
  const TpArray *specs = self->builder->specs;
  int index = name == NULL ? -1 : tp_builder_find_tensor (self->builder, name);

  for (guint i = 0; i < specs->len && index >= 0; i++)
    if (tp_array_index (specs, TpBuilderSpec, i).tensor == index)
      return tp_array_index (specs, TpBuilderSpec, i).rank == 4;
  return FALSE;
}

static void
add_multi_head (TpBody *self)
{
  const char *bias = tp_body_get_input (self, 3);
  const char *thirds[3];
  Parts parts = { .mask = tp_body_get_input (self, 4),
                  .bias = tp_body_get_input (self, 5),
                  .past = { tp_body_get_input (self, 6),
                            tp_body_get_input (self, 7) },
                  .outputs = self->ends.outputs,
                  .n_outputs = self->ends.n_outputs };

  if (!find_qkv (self, parts.qkv))
    return;
  parts.has_heads = tp_body_get_input (self, 2) != NULL
                    && is_in_heads (self, parts.qkv[1]) && is_in_heads (self, parts.qkv[2]);
  if (bias != NULL)
    split_three (self, bias, 0, thirds);
  for (int i = 0; bias != NULL && i < (parts.has_heads ? 1 : 3); i++)
    parts.qkv[i] = tp_body_add (self, "Add", NULL, NULL, parts.qkv[i],
                                thirds[i], NULL);
  add_attention (self, &parts);
}

/* Its caches are in the order of one kernel for one kind of device. */
static void
refuse_decoder (TpBody *self)
{
  tp_body_refuse (self, "is made for onnxruntime on CUDA and is not supported: "
                        "export with MultiHeadAttention or GroupQueryAttention");
}

/* Queries, keys and values, side by side in @x: of one size, but where sizes are given. */
static void
split_packed (TpBody *self, const char *x, const char **out)
{
  TpAttr attrs[] = { tp_body_make_int ("axis", -1), { .name = "split", .kind = TP_ATTR_INTS } };
  TpNode node = { .type = "Split", .n_attrs = 1, .attrs = attrs };
  const char *inputs[2] = { x };

  attrs[1].ints = tp_node_get_ints (self->node, "qkv_hidden_sizes", &attrs[1].n);
  if (attrs[1].n == 0)
    {
      split_three (self, x, -1, out);
      return;
    }
  if (attrs[1].n != 3)
    tp_body_refuse (self, "qkv_hidden_sizes has %d numbers, there are three", attrs[1].n);
  if (self->builder->draft->opset < 13)
    node.n_attrs = 2;
  else
    inputs[1] = tp_body_add_ints (self, attrs[1].n, attrs[1].ints);
  for (int i = 0; i < 3; i++)
    out[i] = tp_body_make_name (self);
  tp_body_add_node (self, &node, (TpNodeNames){ inputs[1] == NULL ? 1 : 2, inputs, 3, out });
}

/* Part @i of dimension 0. */
static const char *
pick_part (TpBody *self, const char *x, gint64 i)
{
  return tp_body_apply (self, "Gather", x, tp_body_add_int (self, i), NULL);
}

/* Attention of queries, keys and values that are side by side in @x. The keys of the past
 * are in one tensor with its values, and so are all so far, which output 1 is. */
static void
add_packed (TpBody *self, const char *x, const char *past, Parts *parts)
{
  const char *present = tp_body_get_output (self, 1);
  const char *outputs[3] = { self->ends.outputs[0] };

  if (tp_node_get_int (self->node, "do_rotary", 0) != 0
      || tp_node_get_int (self->node, "past_present_share_buffer", 0) != 0)
    {
      tp_body_refuse (self, "do_rotary and past_present_share_buffer are not supported");
      return;
    }
  split_packed (self, x, parts->qkv);
  for (int i = 0; i < 2 && past != NULL; i++)
    parts->past[i] = pick_part (self, past, i);
  parts->outputs = outputs;
  parts->n_outputs = present == NULL ? 1 : 3;
  for (int i = 1; i < parts->n_outputs; i++)
    outputs[i] = tp_body_make_name (self);
  add_attention (self, parts);
  if (present != NULL)
    {
      TpAttr axis = tp_body_make_int ("axis", 0);

      tp_body_add (self, "Concat", &axis, present,
                   tp_body_add_view (self, "Unsqueeze", outputs[1], 0),
                   tp_body_add_view (self, "Unsqueeze", outputs[2], 0), NULL);
    }
}

/* Queries, keys and values by one product. */
static void
add_packed_attention (TpBody *self)
{
  Parts parts = { .mask = tp_body_get_input (self, 3),
                  .bias = tp_body_get_input (self, 5) };
  const char *product = tp_body_apply (self, "MatMul", tp_body_get_input (self, 0),
                                       tp_body_get_input (self, 1), NULL);

  add_packed (self, tp_body_add_input (self, product, 2), tp_body_get_input (self, 4), &parts);
}

/* The same of integers: the product, as it was before it was quantized. */
static void
add_quantized_attention (TpBody *self)
{
  Parts parts = { .mask = tp_body_get_input (self, 5) };
  TpAttr to_float = tp_body_make_int ("to", FLOAT32);
  const char *inputs[4], *x = tp_body_make_name (self);
  static const int from[4] = { 0, 1, 6, 7 };

  for (int i = 0; i < 4; i++)
    inputs[i] = tp_body_get_input (self, from[i]) != NULL
                    ? tp_body_get_input (self, from[i]) : "";
  tp_body_add_node (self, &(TpNode){ .type = "MatMulInteger" },
                    (TpNodeNames){ 4, inputs, 1, &x });
  x = tp_body_add (self, "Cast", &to_float, NULL, x, NULL);
  x = tp_body_apply (self, "Mul", x,
                     tp_body_apply (self, "Mul", tp_body_get_input (self, 3),
                                    tp_body_get_input (self, 4), NULL), NULL);
  add_packed (self, tp_body_add_input (self, x, 2), tp_body_get_input (self, 8), &parts);
}

/* ---- the table --------------------------------------------------------- */

static const char *const rotary_attrs[] = {
  "interleaved", "is_packed_batching",
  "num_heads",   "rotary_embedding_dim",
  "scale",       NULL
};
static const char *const multi_head_attrs[] = { "mask_filter_value",
                                                "num_heads", "scale",
                                                "unidirectional", NULL };
static const char *const decoder_attrs[] = {
  "mask_filter_value", "num_heads", "output_qk", "past_present_share_buffer",
  "scale",             NULL
};
static const char *const packed_attrs[] = { "do_rotary",
                                            "mask_filter_value",
                                            "num_heads",
                                            "past_present_share_buffer",
                                            "qkv_hidden_sizes",
                                            "rotary_embedding_dim",
                                            "scale",
                                            "unidirectional",
                                            NULL };

#define FUNCTION(type, least, most, n_outputs, attrs, add)                    \
  { type, least, most, n_outputs, attrs, { 0.0 }, add }

static const TpFunction functions[] = {
  FUNCTION ("com.microsoft.Attention", 2, 6, 2, packed_attrs,
            add_packed_attention),
  FUNCTION ("com.microsoft.DecoderMaskedMultiHeadAttention", 1, 11, 4,
            decoder_attrs, refuse_decoder),
  FUNCTION ("com.microsoft.MultiHeadAttention", 1, 8, 3, multi_head_attrs,
            add_multi_head),
  FUNCTION ("com.microsoft.QAttention", 5, 9, 2, packed_attrs,
            add_quantized_attention),
  FUNCTION ("com.microsoft.RotaryEmbedding", 4, 4, 1, rotary_attrs, add_rotary),
};

const TpFunction *
tp_function_list_heads (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
