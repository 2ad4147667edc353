/* function-contrib.c: ops of ONNX Runtime (com.microsoft), which its optimizer
 * puts into models: short functions of ONNX's own, which fusion puts together
 * again. */
#include "config.h"

#include "graph/function-contrib.h"

#include <math.h>

#define SUM_EPSILON 1e-12 /* usual of SkipLayerNormalization and the like */

/* ---- pieces ------------------------------------------------------------ */

/* @x, which output @i is, too, if anybody asks for that. */
static const char *
show (TpBody *self, const char *x, int i)
{
  const char *output = tp_body_get_output (self, i);

  return output == NULL ? x
                        : tp_body_add (self, "Identity", NULL, output, x, NULL);
}

/* ---- activations and norms ---------------------------------------------- */

static void
add_bias_gelu (TpBody *self)
{
  const char *sum = tp_body_add_input (self, tp_body_get_input (self, 0), 1);

  tp_body_add (self, "Gelu", NULL, self->ends.outputs[0], sum, NULL);
}

static void
add_quick_gelu (TpBody *self)
{
  TpAttr alpha = tp_body_take_float (self, "alpha", 1.702);

  tp_body_add (self, "Swish", &alpha, self->ends.outputs[0],
               tp_body_get_input (self, 0), NULL);
}

static void
add_simplified_norm (TpBody *self)
{
  TpAttr attrs[] = { tp_body_take_float (self, "epsilon", 1e-5),
                     tp_body_make_int ("axis",
                               tp_node_get_int (self->node, "axis", -1)) };
  TpNode node = { .type = "RMSNormalization", .n_attrs = 2, .attrs = attrs };

  tp_body_add_node (
      self, &node,
      (TpNodeNames){ 2, self->ends.inputs, 1, self->ends.outputs });
}

/* Mean and deviation are outputs of LayerNormalization, too. */
static void
add_layer_norm (TpBody *self, const char *x, int scale, int bias, int n_outputs)
{
  TpAttr epsilon = tp_body_take_float (self, "epsilon", SUM_EPSILON);
  TpNode node = { .type = "LayerNormalization",
                  .n_attrs = 1,
                  .attrs = &epsilon };
  const char *inputs[] = { x, tp_body_get_input (self, scale),
                           tp_body_get_input (self, bias) };

  tp_body_add_node (self, &node,
                    (TpNodeNames){ inputs[2] != NULL ? 3 : 2, inputs,
                                   MIN (n_outputs, self->ends.n_outputs),
                                   self->ends.outputs });
}

static void
add_skip_norm (TpBody *self)
{
  const char *sum = tp_body_add_input (self, tp_body_get_input (self, 0), 1);

  sum = show (self, tp_body_add_input (self, sum, 4), 3);
  add_layer_norm (self, sum, 2, 3, 3);
}

static void
add_skip_simplified_norm (TpBody *self)
{
  TpAttr epsilon = tp_body_take_float (self, "epsilon", SUM_EPSILON);
  const char *sum = tp_body_add_input (self, tp_body_get_input (self, 0), 1);

  if (tp_body_get_output (self, 1) != NULL
      || tp_body_get_output (self, 2) != NULL)
    tp_body_refuse (self, "outputs 1 and 2, for training, are not computed: "
                          "export for inference");
  sum = show (self, tp_body_add_input (self, sum, 3), 3);
  tp_body_add (self, "RMSNormalization", &epsilon, self->ends.outputs[0], sum,
               tp_body_get_input (self, 2), NULL);
}

/* ---- embeddings -------------------------------------------------------- */

/* Rows of the table that input @i is, for all tokens of the batch. */
static const char *
add_positions (TpBody *self, int i)
{
  const char *ids = tp_body_get_input (self, 8);
  const char *one = NULL;
  const char *n = NULL;

  if (ids != NULL)
    return tp_body_add (self, "Gather", NULL, NULL, tp_body_get_input (self, i),
                        ids, NULL);
  one = tp_body_add_view (self, "Unsqueeze", tp_body_add_int (self, 1), 0);
  n = tp_body_add (self, "Shape", NULL, NULL, tp_body_get_input (self, 0),
                   NULL);
  n = tp_body_add (self, "Gather", NULL, NULL, n, one, NULL);
  return tp_body_add (
      self, "Slice", NULL, NULL, tp_body_get_input (self, i),
      tp_body_add_view (self, "Unsqueeze", tp_body_add_int (self, 0), 0), n,
      NULL);
}

/* How many tokens of each row count: the sum of the mask, or 0. */
static void
add_lengths (TpBody *self, const char *output)
{
  const char *ids = tp_body_get_input (self, 0);
  const char *mask = tp_body_get_input (self, 7);
  TpAttr keeps = tp_body_make_int ("keepdims", 0);
  const char *axes =
      tp_body_add_view (self, "Unsqueeze", tp_body_add_int (self, 1), 0);

  if (output == NULL)
    return;
  if (self->builder->draft->opset < 13)
    tp_body_refuse (self, "opset %d is not supported, from 13 on are",
                    self->builder->draft->opset);
  if (mask == NULL)
    mask = tp_body_add (self, "Sub", NULL, NULL, ids, ids, NULL);
  tp_body_add (self, "ReduceSum", &keeps, output, mask, axes, NULL);
}

static void
add_embed_norm (TpBody *self)
{
  static const int needed[] = { 0, 2, 3, 5, 6 };
  const char *segments = tp_body_get_input (self, 1);
  const char *table = tp_body_get_input (self, 4);
  const char *sum = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    if (tp_body_get_input (self, needed[i]) == NULL)
      {
        tp_body_refuse (self, "input %d may not be left out", needed[i]);
        return;
      }
  sum = tp_body_add (self, "Gather", NULL, NULL, tp_body_get_input (self, 2),
                     tp_body_get_input (self, 0), NULL);
  sum = tp_body_add (self, "Add", NULL, NULL, sum, add_positions (self, 3),
                     NULL);
  if (segments != NULL && table != NULL)
    sum = tp_body_add (self, "Add", NULL, NULL, sum,
                       tp_body_add (self, "Gather", NULL, NULL, table, segments,
                                    NULL),
                       NULL);
  add_layer_norm (self, show (self, sum, 2), 5, 6, 1);
  add_lengths (self, tp_body_get_output (self, 1));
}

/* ---- the table --------------------------------------------------------- */

static const char *const no_attrs[] = { NULL };
static const char *const alpha_attrs[] = { "alpha", NULL };
static const char *const epsilon_attrs[] = { "epsilon", NULL };
static const char *const embed_attrs[] = { "epsilon", "mask_index_type", NULL };
static const char *const norm_attrs[] = { "axis", "epsilon", "stash_type",
                                          NULL };

#define FUNCTION(type, least, most, n_outputs, attrs, add)                    \
  { type, least, most, n_outputs, attrs, { 0.0 }, add }

/* The one without its domain is written in ONNX's own, too. */
static const TpFunction functions[] = {
  FUNCTION ("SimplifiedLayerNormalization", 2, 2, 1, norm_attrs,
            add_simplified_norm),
  FUNCTION ("com.microsoft.BiasGelu", 2, 2, 1, no_attrs, add_bias_gelu),
  FUNCTION ("com.microsoft.EmbedLayerNormalization", 1, 9, 3, embed_attrs,
            add_embed_norm),
  FUNCTION ("com.microsoft.QuickGelu", 1, 1, 1, alpha_attrs, add_quick_gelu),
  FUNCTION ("com.microsoft.SkipLayerNormalization", 3, 5, 4, epsilon_attrs,
            add_skip_norm),
  FUNCTION ("com.microsoft.SkipSimplifiedLayerNormalization", 3, 4, 4,
            epsilon_attrs, add_skip_simplified_norm),
};

const TpFunction *
tp_function_list_contrib (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
