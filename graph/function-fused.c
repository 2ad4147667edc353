/* function-fused.c: sums of products and what is made of them, in one op, as ONNX
 * Runtime (com.microsoft) saves models that it optimized: fusion puts them together
 * again. */
#include "config.h"

#include "graph/function-fused.h"

#include <string.h>

#define MAX_VALUES 2    /* of an activation */
#define MAX_SUM_ATTRS 6 /* of a Conv; a Gemm has 4 */

/* ---- activations --------------------------------------------------------- */

/* Values of an activation: activation_params in this order, or activation_alpha
 * and the like. */
typedef struct
{
  const char *type;
  const char *values[MAX_VALUES];
} Activation;

static const Activation activations[] = {
  { "Clip", { "min", "max" } },
  { "Elu", { "alpha" } },
  { "HardSigmoid", { "alpha", "beta" } },
  { "LeakyRelu", { "alpha" } },
  { "Relu", { NULL } },
  { "Selu", { "alpha", "gamma" } },
  { "Sigmoid", { NULL } },
  { "Softplus", { NULL } },
  { "Softsign", { NULL } },
  { "Tanh", { NULL } },
  { "ThresholdedRelu", { "alpha" } },
};

static const Activation *
find_activation (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    if (strcmp (activations[i].type, type) == 0)
      return &activations[i];
  return NULL;
}

/* The values that are given, as attributes of the activation. */
static int
list_values (const TpBody *self, const Activation *activation, TpAttr *attrs)
{
  int n = 0, n_attrs = 0;
  const double *params
      = tp_node_get_floats (self->node, "activation_params", &n);

  for (int i = 0; i < MAX_VALUES && activation->values[i] != NULL; i++)
    {
      const char *value = activation->values[i];
      char name[32];

      g_snprintf (name, sizeof name, "activation_%s", value);
      if (i < n || tp_node_find_attr (self->node, name) != NULL)
        attrs[n_attrs++] = (TpAttr){
          .name = value,
          .kind = TP_ATTR_FLOAT,
          .f = i < n ? params[i] : tp_node_get_float (self->node, name, 0.0)
        };
    }
  return n_attrs;
}

/* @value, a number, of the type of @like. */
static const char *
add_number (TpBody *self, double value, const char *like)
{
  return tp_body_apply (self, "CastLike", tp_body_add_float (self, value), like,
                        NULL);
}

/* The result is what attribute activation makes of @x. A Clip has its bounds as
 * inputs. */
static void
add_activation (TpBody *self, const char *x)
{
  const char *type = tp_node_get_string (self->node, "activation", "");
  const Activation *activation = find_activation (type);
  TpAttr attrs[MAX_VALUES];
  TpNode node = { .type = type, .attrs = attrs };

  if (*type == '\0')
    tp_body_add (self, "Identity", NULL, self->ends.outputs[0], x, NULL);
  else if (activation == NULL)
    tp_body_refuse (self, "activation '%s' is not known", type);
  else
    {
      node.n_attrs = list_values (self, activation, attrs);
      if (strcmp (type, "Clip") != 0)
        tp_body_add_node (self, &node, (TpNodeNames){ 1, &x, 1, self->ends.outputs });
      else if (node.n_attrs < 2)
        tp_body_refuse (self, "a Clip needs 2 activation_params, there are %d",
                        node.n_attrs);
      else
        tp_body_add (self, type, NULL, self->ends.outputs[0], x,
                     add_number (self, attrs[0].f, x),
                     add_number (self, attrs[1].f, x), NULL);
    }
}

/* ---- sums of products ---------------------------------------------------- */

/* @type of the first inputs, up to three, by the attributes that are not of the
 * activation. */
static const char *
add_sums (TpBody *self, const char *type)
{
  TpAttr attrs[MAX_SUM_ATTRS];
  TpNode node = { .type = type, .attrs = attrs };
  const char *y = tp_body_make_name (self);
  const char *inputs[] = { tp_body_get_input (self, 0),
                           tp_body_get_input (self, 1),
                           tp_body_get_input (self, 2) };

  for (const char *const *name = self->function->attrs; *name != NULL; name++)
    if (!g_str_has_prefix (*name, "activation")
        && tp_node_find_attr (self->node, *name) != NULL)
      attrs[node.n_attrs++] = *tp_node_find_attr (self->node, *name);
  tp_body_add_node (self, &node,
                    (TpNodeNames){ inputs[2] != NULL ? 3 : 2, inputs, 1, &y });
  return y;
}

static void
add_fused_conv (TpBody *self)
{
  const char *y = add_sums (self, "Conv");
  const char *other = tp_body_get_input (self, 3);

  add_activation (self, other == NULL ? y : tp_body_apply (self, "Add", y, other, NULL));
}

static void
add_fused_gemm (TpBody *self)
{
  add_activation (self, add_sums (self, "Gemm"));
}

/* ---- the table ----------------------------------------------------------- */

static const char *const conv_attrs[]
    = { "activation", "activation_params", "auto_pad", "dilations", "group",
        "kernel_shape", "pads", "strides", NULL };
static const char *const gemm_attrs[]
    = { "activation", "activation_alpha", "activation_beta", "activation_gamma",
        "alpha", "beta", "transA", "transB", NULL };

static const TpFunction functions[] = {
  { "com.microsoft.FusedConv", 2, 4, 1, conv_attrs, { 0.0 }, add_fused_conv },
  { "com.microsoft.FusedGemm", 2, 3, 1, gemm_attrs, { 0.0 }, add_fused_gemm },
};

const TpFunction *
tp_function_list_fused (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
