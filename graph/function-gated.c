/* function-gated.c: ops of ONNX Runtime (com.microsoft) that its model builder writes for
 * networks with gates and states: what ONNX has by the same name, of which no more is
 * asked, and short functions. */
#include "config.h"

#include "graph/function-gated.h"

#include <string.h>

#define PREFIX "com.microsoft."
#define MOST_ATTRS 8
#define EPSILON 1e-5

/* ---- ops of ONNX ------------------------------------------------------------- */

/* The op without its domain, with the attributes that it has there; the others have to be
 * as @usual says, which 0 ends. */
static void
add_own (TpBody *self, const char *const *passed, const TpAttr *usual)
{
  TpAttr attrs[MOST_ATTRS];
  TpNode node = { .type = self->node->type + strlen (PREFIX), .attrs = attrs };

  for (; usual->name != NULL; usual++)
    if (tp_node_get_int (self->node, usual->name, usual->i) != usual->i)
      {
        tp_body_refuse (self, "%s other than %" G_GINT64_FORMAT " is not supported",
                        usual->name, usual->i);
        return;
      }
  for (; *passed != NULL; passed++)
    if (tp_node_find_attr (self->node, *passed) != NULL)
      attrs[node.n_attrs++] = *tp_node_find_attr (self->node, *passed);
  tp_body_add_node (self, &node, self->ends);
}

static void
add_linear_attention (TpBody *self)
{
  static const char *const passed[] = { "chunk_size", "kv_num_heads", "q_num_heads",
                                        "scale", "update_rule", NULL };
  static const TpAttr usual[] = { { .name = "state_window", .i = 0 }, { .name = NULL } };

  add_own (self, passed, usual);
}

static void
add_causal_conv (TpBody *self)
{
  static const char *const passed[] = { "activation", NULL };
  static const TpAttr usual[] = {
    { .name = "channels_last", .i = 0 },  { .name = "dilation", .i = 1 },
    { .name = "ndim", .i = 1 },           { .name = "state_channels_last", .i = -1 },
    { .name = "state_length", .i = 0 },   { .name = "state_update_capacity", .i = 0 },
    { .name = "state_window", .i = 0 },   { .name = "input_channels", .i = 0 },
    { .name = "input_channel_offset", .i = 0 }, { .name = NULL },
  };

  add_own (self, passed, usual);
}

/* ---- short functions ----------------------------------------------------------- */

static const char *
add_two (TpBody *self, const char *type, const char *a, const char *b)
{
  return tp_body_apply (self, type, a, b, NULL);
}

/* decay = scale * Softplus (a + bias), of float32; beta = Sigmoid (b). */
static void
add_attention_gate (TpBody *self)
{
  const char *a = tp_body_get_input (self, 0), *scale = tp_body_get_input (self, 2);
  const char *beta = tp_body_get_output (self, 1), *b = tp_body_get_input (self, 3);
  const char *x = add_two (self, "CastLike", a, scale);

  x = add_two (self, "Add", x, tp_body_get_input (self, 1));
  x = tp_body_apply (self, "Softplus", x, NULL, NULL);
  x = add_two (self, "Mul", x, scale);
  tp_body_add (self, "CastLike", NULL, self->ends.outputs[0], x, a, NULL);
  if (beta == NULL)
    return;
  if (b == NULL)
    tp_body_refuse (self, "output 1 needs input 3");
  else
    tp_body_add (self, "Sigmoid", NULL, beta, b, NULL);
}

/* Of groups as long as the scale: RMSNormalization times an activation of the gate. */
static void
add_gated_norm (TpBody *self)
{
  const char *activation = tp_node_get_string (self->node, "activation", "silu");
  TpAttr epsilon = { .name = "epsilon", .kind = TP_ATTR_FLOAT,
                     .f = tp_node_get_float (self->node, "epsilon", EPSILON) };
  const char *x = tp_body_get_input (self, 0), *scale = tp_body_get_input (self, 1);
  const char *shape = tp_body_add_shape (self, x), *gate = tp_body_get_input (self, 2);
  const char *rows = TP_BODY_JOIN (self, TP_BODY_INTS (self, -1),
                                   tp_body_add_shape (self, scale));

  if (strcmp (activation, "silu") == 0 || strcmp (activation, "swish") == 0)
    gate = tp_body_apply (self, "Swish", gate, NULL, NULL);
  else if (strcmp (activation, "sigmoid") == 0)
    gate = tp_body_apply (self, "Sigmoid", gate, NULL, NULL);
  else
    tp_body_refuse (self, "activation '%s' is not known: silu, swish or sigmoid",
                    activation);
  x = add_two (self, "Reshape", x, rows);
  x = tp_body_add (self, "RMSNormalization", &epsilon, NULL, x, scale, NULL);
  x = add_two (self, "Reshape", x, shape);
  tp_body_add (self, "Mul", NULL, self->ends.outputs[0], x, gate, NULL);
}

/* ---- the table ----------------------------------------------------------------- */

static const char *const no_attrs[] = { NULL };
static const char *const norm_attrs[] = { "activation", "epsilon", NULL };
static const char *const attention_attrs[] = { "chunk_size", "kv_num_heads", "q_num_heads",
                                               "scale", "state_window", "update_rule",
                                               NULL };
static const char *const conv_attrs[]
    = { "activation", "channels_last", "dilation", "input_channel_offset",
        "input_channels", "ndim", "state_channels_last", "state_length",
        "state_update_capacity", "state_window", NULL };

static const TpFunction functions[] = {
  { PREFIX "CausalConvWithState", 2, 4, 2, conv_attrs, { 0.0 }, add_causal_conv },
  { PREFIX "GatedRMSNorm", 3, 3, 1, norm_attrs, { 0.0 }, add_gated_norm },
  { PREFIX "LinearAttention", 3, 6, 2, attention_attrs, { 0.0 }, add_linear_attention },
  { PREFIX "LinearAttentionGate", 3, 4, 2, no_attrs, { 0.0 }, add_attention_gate },
};

const TpFunction *
tp_function_list_gated (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
