/* op-gelu.c: x times a soft step: the normal distribution function, its
 * approximation, and the sigmoid. ONNX has Gelu from opset 20, Swish from 24;
 * exporters wrote them before. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_2_OVER_PI 0.79788456080286535588
#define CUBE_FACTOR 0.044715

static int
scale_expr (TpNest *nest, int x, double factor)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_const (nest, factor));
}

/* 0.5 * x * (1 + y) */
static int
half_expr (TpNest *nest, int x, int y)
{
  y = tp_nest_binary (nest, TP_EXPR_ADD, y, tp_nest_const (nest, 1.0));
  return tp_nest_binary (nest, TP_EXPR_MUL, scale_expr (nest, x, 0.5), y);
}

/* 0.5 * x * (1 + tanh (sqrt (2 / pi) * x * (1 + 0.044715 * x^2))) */
static int
tanh_gelu_expr (TpNest *nest, int x)
{
  int inner = scale_expr (
      nest, tp_nest_binary (nest, TP_EXPR_MUL, x, x), CUBE_FACTOR);

  inner = tp_nest_binary (nest, TP_EXPR_ADD, inner, tp_nest_const (nest, 1.0));
  inner = tp_nest_binary (nest, TP_EXPR_MUL, inner,
                          scale_expr (nest, x, SQRT_2_OVER_PI));
  return half_expr (nest, x, tp_nest_unary (nest, TP_EXPR_TANH, inner));
}

static double
tanh_gelu_value (double x)
{
  return 0.5 * x
         * (1.0 + tanh (SQRT_2_OVER_PI * (x + CUBE_FACTOR * pow (x, 3.0))));
}

/* ---- Gelu --------------------------------------------------------------- */

static gboolean
gelu_is_tanh (const TpNode *node)
{
  return strcmp (tp_node_get_string (node, "approximate", "none"), "tanh") == 0;
}

static gboolean
gelu_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  const char *approximate = tp_node_get_string (node, "approximate", "none");

  if (!gelu_is_tanh (node) && strcmp (approximate, "none") != 0)
    return tp_op_fail (node, error,
                       "approximate '%s' is not known: 'none' or 'tanh'",
                       approximate);
  return tp_infer_same (node, inputs, outputs, error);
}

static int
gelu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int root = -1;

  if (gelu_is_tanh (node))
    return tanh_gelu_expr (nest, x[0]);
  root = scale_expr (nest, x[0], SQRT_HALF);
  return half_expr (nest, x[0], tp_nest_unary (nest, TP_EXPR_ERF, root));
}

static double
gelu_value (const TpNode *node, const double *x)
{
  if (gelu_is_tanh (node))
    return tanh_gelu_value (x[0]);
  return x[0] * 0.5 * erfc (-x[0] / sqrt (2.0));
}

static const TpAttrSpec gelu_attrs[] = {
  { "approximate", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_gelu = {
  .name = "Gelu",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = gelu_attrs,
  .tolerance = 1e-5,
  .infer = gelu_infer,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = gelu_expr,
  .map_value = gelu_value,
};

/* ---- FastGelu: the approximation of x + bias ------------------------------ */

static int
fast_gelu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int sum = tp_node_has_input (node, 1)
                ? tp_nest_binary (nest, TP_EXPR_ADD, x[0], x[1])
                : x[0];

  return tanh_gelu_expr (nest, sum);
}

static double
fast_gelu_value (const TpNode *node, const double *x)
{
  return tanh_gelu_value (x[0] + (tp_node_has_input (node, 1) ? x[1] : 0.0));
}

const TpOp tp_op_fast_gelu = {
  .name = "FastGelu",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .tolerance = 1e-5,
  .infer = tp_infer_broadcast,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = fast_gelu_expr,
  .map_value = fast_gelu_value,
};

/* ---- Swish, also called SiLU: x times the sigmoid of it; from opset 24 ------ */

static int
swish_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);
  int gate = alpha == 1.0 ? x[0] : scale_expr (nest, x[0], alpha);

  gate = tp_nest_unary (nest, TP_EXPR_SIGMOID, gate);
  return tp_nest_binary (nest, TP_EXPR_MUL, x[0], gate);
}

static double
swish_value (const TpNode *node, const double *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);

  return x[0] / (1.0 + exp (-alpha * x[0]));
}

const TpOp tp_op_swish = {
  .name = "Swish",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = tp_attrs_alpha,
  .tolerance = 1e-5,
  .infer = tp_infer_same,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = swish_expr,
  .map_value = swish_value,
};
