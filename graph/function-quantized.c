/* function-quantized.c: quantized ops of ONNX Runtime (com.microsoft), as its tools
 * write them. Elementwise ops and pools are of what was dequantized; sums of products
 * are of integers, exact, and scaled then. */
#include "config.h"

#include "graph/function-quantized.h"

#include "ir/guard.h"

#define FLOAT32 1 /* as ONNX numbers types */
#define MAX_PASSED 8

static const TpAttr to_float = { .name = "to",
                                 .kind = TP_ATTR_INT,
                                 .i = FLOAT32 };

/* ---- pieces -------------------------------------------------------------- */

/* Inputs from @i on: what was quantized, its scale and its zero point. */
static const char *
dequantize (TpBody *self, int i)
{
  return tp_body_add (
      self, "DequantizeLinear", NULL, NULL, tp_body_get_input (self, i),
      tp_body_get_input (self, i + 1), tp_body_get_input (self, i + 2), NULL);
}

/* The result, from input @i on: its scale and its zero point. */
static void
quantize (TpBody *self, const char *value, int i)
{
  tp_body_add (self, "QuantizeLinear", NULL, self->ends.outputs[0], value,
               tp_body_get_input (self, i), tp_body_get_input (self, i + 1),
               NULL);
}

static const char *
multiply (TpBody *self, const char *a, const char *b)
{
  return tp_body_add (self, "Mul", NULL, NULL, a, b, NULL);
}

/* The product of integers, as float32; zero points may be NULL. */
static const char *
add_product (TpBody *self, const char *const inputs[4])
{
  const char *sum = tp_body_make_name (self);
  const char *names[] = { inputs[0], inputs[1],
                          inputs[2] == NULL ? "" : inputs[2],
                          inputs[3] == NULL ? "" : inputs[3] };

  tp_body_add_node (self, &(TpNode){ .type = "MatMulInteger" },
                    (TpNodeNames){ 4, names, 1, &sum });
  return tp_body_add (self, "Cast", &to_float, NULL, sum, NULL);
}

/* The result is @value, plus @bias unless that is NULL. */
static void
finish (TpBody *self, const char *value, const char *bias)
{
  if (bias == NULL)
    tp_body_add (self, "Identity", NULL, self->ends.outputs[0], value, NULL);
  else
    tp_body_add (self, "Add", NULL, self->ends.outputs[0], value, bias, NULL);
}

static gboolean
check_zero (TpBody *self, const char *attr)
{
  if (tp_node_get_int (self->node, attr, 0) == 0)
    return TRUE;
  tp_body_refuse (self, "%s is not supported", attr);
  return FALSE;
}

/* ---- bodies -------------------------------------------------------------- */

static void
add_qlinear_add (TpBody *self)
{
  const char *a = dequantize (self, 0);

  quantize (
      self,
      tp_body_add (self, "Add", NULL, NULL, a, dequantize (self, 3), NULL), 6);
}

static void
add_qlinear_mul (TpBody *self)
{
  const char *a = dequantize (self, 0);

  quantize (self, multiply (self, a, dequantize (self, 3)), 6);
}

/* Input 0 through @type, with those of its attributes that are given. */
static void
add_qlinear_unary (TpBody *self, const char *type, const char *const *passed)
{
  TpAttr attrs[MAX_PASSED];
  TpNode node = { .type = type, .attrs = attrs };
  const char *x = dequantize (self, 0), *y = tp_body_make_name (self);

  for (int i = 0; passed[i] != NULL; i++)
    if (tp_node_find_attr (self->node, passed[i]) != NULL)
      attrs[node.n_attrs++] = *tp_node_find_attr (self->node, passed[i]);
  tp_body_add_node (self, &node, (TpNodeNames){ 1, &x, 1, &y });
  quantize (self, y, 3);
}

static void
add_qlinear_sigmoid (TpBody *self)
{
  add_qlinear_unary (self, "Sigmoid", (const char *const[]){ NULL });
}

static void
add_qlinear_leaky_relu (TpBody *self)
{
  add_qlinear_unary (self, "LeakyRelu", (const char *const[]){ "alpha", NULL });
}

/* Attribute opset: the one whose Softmax is meant; before 13 it flattens. */
static void
add_qlinear_softmax (TpBody *self)
{
  if ((tp_node_get_int (self->node, "opset", 13) < 13)
      != (self->builder->draft->opset < 13))
    tp_body_refuse (self, "a Softmax of another opset than the model's is not "
                    "supported");
  add_qlinear_unary (self, "Softmax", (const char *const[]){ "axis", NULL });
}

static void
add_qlinear_average_pool (TpBody *self)
{
  static const char *const passed[]
      = { "auto_pad", "ceil_mode", "count_include_pad",
          "kernel_shape", "pads", "strides", NULL };

  if (check_zero (self, "channels_last"))
    add_qlinear_unary (self, "AveragePool", passed);
}

static void
add_qlinear_where (TpBody *self)
{
  const char *a = dequantize (self, 1);

  quantize (self,
            tp_body_add (self, "Where", NULL, NULL, tp_body_get_input (self, 0),
                         a, dequantize (self, 4), NULL),
            7);
}

/* Scale and zero point of the result, then each part with its own: each is quantized
 * anew, so that bytes are put together. */
static void
add_qlinear_concat (TpBody *self)
{
  TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT,
                  .i = tp_node_get_int (self->node, "axis", 0) };
  TpNode node = { .type = "Concat", .n_attrs = 1, .attrs = &axis };
  int n = (self->ends.n_inputs - 2) / 3;
  g_autofree const char **parts = tp_new (const char *, n + 1);

  if (self->ends.n_inputs != 2 + 3 * n)
    {
      tp_body_refuse (self, "each part needs a scale and a zero point");
      return;
    }
  for (int i = 0; i < n; i++)
    parts[i] = tp_body_add (self, "QuantizeLinear", NULL, NULL,
                            dequantize (self, 2 + 3 * i),
                            tp_body_get_input (self, 0),
                            tp_body_get_input (self, 1), NULL);
  tp_body_add_node (self, &node,
                    (TpNodeNames){ n, parts, 1, self->ends.outputs });
}

static void
add_qlinear_pool (TpBody *self)
{
  if (check_zero (self, "channels_last"))
    quantize (self,
              tp_body_add (self, "GlobalAveragePool", NULL, NULL,
                           dequantize (self, 0), NULL),
              3);
}

/* a, its scale and zero point, b, likewise, c in their steps, scale and zero
 * point of the result, which is float32 without them. */
static void
add_qgemm (TpBody *self)
{
  const char *factors[4] = { tp_body_get_input (self, 0),
                             tp_body_get_input (self, 3),
                             tp_body_get_input (self, 2),
                             tp_body_get_input (self, 5) };
  const char *sum, *scale;
  double alpha = tp_node_get_float (self->node, "alpha", 1.0);

  if (!check_zero (self, "transA"))
    return;
  if (tp_node_get_int (self->node, "transB", 0) != 0)
    factors[1] = tp_body_add (self, "Transpose", NULL, NULL, factors[1], NULL);
  sum = add_product (self, factors);
  if (tp_body_get_input (self, 6) != NULL)
    sum = tp_body_add (self, "Add", NULL, NULL, sum,
                       tp_body_add (self, "Cast", &to_float, NULL,
                                    tp_body_get_input (self, 6), NULL),
                       NULL);
  scale =
      multiply (self, tp_body_get_input (self, 1), tp_body_get_input (self, 4));
  if (alpha != 1.0)
    scale = multiply (self, scale, tp_body_add_float (self, alpha));
  if (tp_body_get_input (self, 7) == NULL)
    finish (self, multiply (self, sum, scale), NULL);
  else
    quantize (self, multiply (self, sum, scale), 7);
}

/* a of float32, b, its scale and zero point, bias. */
static void
add_dynamic_matmul (TpBody *self)
{
  const char *a = tp_body_get_input (self, 0);
  const char *made[3];
  const char *factors[4];

  for (int i = 0; i < 3; i++)
    made[i] = tp_body_make_name (self);
  tp_body_add_node (self, &(TpNode){ .type = "DynamicQuantizeLinear" },
                    (TpNodeNames){ 1, &a, 3, made });
  factors[0] = made[0];
  factors[1] = tp_body_get_input (self, 1);
  factors[2] = made[2];
  factors[3] = tp_body_get_input (self, 3);
  finish (self,
          multiply (self, add_product (self, factors),
                    multiply (self, made[1], tp_body_get_input (self, 2))),
          tp_body_get_input (self, 4));
}

/* a, b, their scales, their zero points, bias. */
static void
add_integer_matmul (TpBody *self)
{
  const char *factors[4] = { tp_body_get_input (self, 0),
                             tp_body_get_input (self, 1),
                             tp_body_get_input (self, 4),
                             tp_body_get_input (self, 5) };

  finish (self,
          multiply (self, add_product (self, factors),
                    multiply (self, tp_body_get_input (self, 2),
                              tp_body_get_input (self, 3))),
          tp_body_get_input (self, 6));
}

/* ---- the table ----------------------------------------------------------- */

static const char *const no_attrs[] = { NULL };
static const char *const gemm_attrs[] = { "alpha", "transA", "transB", NULL };
static const char *const pool_attrs[] = { "channels_last", NULL };
static const char *const window_attrs[]
    = { "auto_pad", "ceil_mode", "channels_last", "count_include_pad",
        "kernel_shape", "pads", "strides", NULL };
static const char *const axis_attrs[] = { "axis", NULL };
static const char *const alpha_attrs[] = { "alpha", NULL };
static const char *const softmax_attrs[] = { "axis", "opset", NULL };

#define FUNCTION(type, least, most, attrs, add)                               \
  { "com.microsoft." type, least, most, 1, attrs, { 0.0 }, add }

static const TpFunction functions[] = {
  FUNCTION ("DynamicQuantizeMatMul", 3, 5, no_attrs, add_dynamic_matmul),
  FUNCTION ("MatMulIntegerToFloat", 4, 7, no_attrs, add_integer_matmul),
  FUNCTION ("QGemm", 6, 9, gemm_attrs, add_qgemm),
  FUNCTION ("QLinearAdd", 8, 8, no_attrs, add_qlinear_add),
  FUNCTION ("QLinearAveragePool", 5, 5, window_attrs, add_qlinear_average_pool),
  FUNCTION ("QLinearConcat", 5, G_MAXINT, axis_attrs, add_qlinear_concat),
  FUNCTION ("QLinearGlobalAveragePool", 5, 5, pool_attrs, add_qlinear_pool),
  FUNCTION ("QLinearLeakyRelu", 5, 5, alpha_attrs, add_qlinear_leaky_relu),
  FUNCTION ("QLinearMul", 8, 8, no_attrs, add_qlinear_mul),
  FUNCTION ("QLinearSigmoid", 5, 5, no_attrs, add_qlinear_sigmoid),
  FUNCTION ("QLinearSoftmax", 5, 5, softmax_attrs, add_qlinear_softmax),
  FUNCTION ("QLinearWhere", 9, 9, no_attrs, add_qlinear_where),
};

const TpFunction *
tp_function_list_quantized (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
