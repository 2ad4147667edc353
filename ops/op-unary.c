/* op-unary.c: elementwise ops of one tensor. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>

#define UNARY                                                                  \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .n_inputs_max = 1, .n_outputs_max = 1, \
  .infer = tp_infer_same, .lower = tp_lower_map, .reference = tp_reference_map

static int
relu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, 0.0), x[0]);
}

static double
relu_value (const TpNode *node, const double *x)
{
  return x[0] < 0.0 ? 0.0 : x[0];
}

static gint64
relu_integer (const TpNode *node, const gint64 *x)
{
  return MAX (x[0], 0);
}

const TpOp tp_op_relu = {
  .name = "Relu",
  UNARY,
  .tolerance = 0.0,
  .map_expr = relu_expr,
  .map_value = relu_value,
  .map_integer = relu_integer,
};

static int
sigmoid_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_SIGMOID, x[0]);
}

static double
sigmoid_value (const TpNode *node, const double *x)
{
  return 1.0 / (1.0 + exp (-x[0]));
}

const TpOp tp_op_sigmoid = {
  .name = "Sigmoid",
  UNARY,
  .tolerance = 1e-5,
  .map_expr = sigmoid_expr,
  .map_value = sigmoid_value,
};

static int
tanh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_TANH, x[0]);
}

static double
tanh_value (const TpNode *node, const double *x)
{
  return tanh (x[0]);
}

const TpOp tp_op_tanh = {
  .name = "Tanh",
  UNARY,
  .tolerance = 1e-5,
  .map_expr = tanh_expr,
  .map_value = tanh_value,
};

static int
exp_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_EXP, x[0]);
}

static double
exp_value (const TpNode *node, const double *x)
{
  return exp (x[0]);
}

const TpOp tp_op_exp = {
  .name = "Exp",
  UNARY,
  .tolerance = 1e-5,
  .map_expr = exp_expr,
  .map_value = exp_value,
};

static int
log_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_LOG, x[0]);
}

static double
log_value (const TpNode *node, const double *x)
{
  return log (x[0]);
}

const TpOp tp_op_log = {
  .name = "Log",
  UNARY,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-5,
  .map_expr = log_expr,
  .map_value = log_value,
};

static int
sqrt_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_SQRT, x[0]);
}

static double
sqrt_value (const TpNode *node, const double *x)
{
  return sqrt (x[0]);
}

const TpOp tp_op_sqrt = {
  .name = "Sqrt",
  UNARY,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-6,
  .map_expr = sqrt_expr,
  .map_value = sqrt_value,
};

static int
erf_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_ERF, x[0]);
}

static double
erf_value (const TpNode *node, const double *x)
{
  return erf (x[0]);
}

const TpOp tp_op_erf = {
  .name = "Erf",
  UNARY,
  .tolerance = 1e-5,
  .map_expr = erf_expr,
  .map_value = erf_value,
};

static int
neg_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_NEG, x[0]);
}

static double
neg_value (const TpNode *node, const double *x)
{
  return -x[0];
}

static gint64
neg_integer (const TpNode *node, const gint64 *x)
{
  return (gint64) (0 - (guint64) x[0]);
}

const TpOp tp_op_neg = {
  .name = "Neg",
  UNARY,
  .tolerance = 0.0,
  .map_expr = neg_expr,
  .map_value = neg_value,
  .map_integer = neg_integer,
};

static int
abs_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
}

static double
abs_value (const TpNode *node, const double *x)
{
  return fabs (x[0]);
}

static gint64
abs_integer (const TpNode *node, const gint64 *x)
{
  return x[0] < 0 ? (gint64) (0 - (guint64) x[0]) : x[0];
}

const TpOp tp_op_abs = {
  .name = "Abs",
  UNARY,
  .tolerance = 0.0,
  .map_expr = abs_expr,
  .map_value = abs_value,
  .map_integer = abs_integer,
};

static int
floor_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_FLOOR, x[0]);
}

static double
floor_value (const TpNode *node, const double *x)
{
  return floor (x[0]);
}

/* Of what is whole already. */
static gint64
same_integer (const TpNode *node, const gint64 *x)
{
  return x[0];
}

const TpOp tp_op_floor = {
  .name = "Floor",
  UNARY,
  .tolerance = 0.0,
  .map_expr = floor_expr,
  .map_value = floor_value,
  .map_integer = same_integer,
};

static int
reciprocal_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_const (nest, 1.0), x[0]);
}

static double
reciprocal_value (const TpNode *node, const double *x)
{
  return 1.0 / x[0];
}

const TpOp tp_op_reciprocal = {
  .name = "Reciprocal",
  UNARY,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-6,
  .map_expr = reciprocal_expr,
  .map_value = reciprocal_value,
};

static int
leaky_relu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", 0.01);
  int is_negative =
      tp_nest_binary (nest, TP_EXPR_LESS, x[0], tp_nest_const (nest, 0.0));

  return tp_nest_select (
      nest, is_negative,
      tp_nest_binary (nest, TP_EXPR_MUL, x[0], tp_nest_const (nest, alpha)),
      x[0]);
}

static double
leaky_relu_value (const TpNode *node, const double *x)
{
  return x[0] < 0.0 ? x[0] * tp_node_get_float (node, "alpha", 0.01) : x[0];
}

const TpOp tp_op_leaky_relu = {
  .name = "LeakyRelu",
  UNARY,
  .attrs = tp_attrs_alpha,
  .tolerance = 1e-6,
  .map_expr = leaky_relu_expr,
  .map_value = leaky_relu_value,
};

/* The bounds first: of them and NaN it is NaN. */
static int
clamp_expr (TpNest *nest, int x, double low, double high)
{
  x = tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, low), x);
  return tp_nest_binary (nest, TP_EXPR_MIN, tp_nest_const (nest, high), x);
}

/* @scale * x + @shift within [0, 1] */
static int
ramp_expr (TpNest *nest, int x, double scale, double shift)
{
  x = tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_const (nest, scale));
  x = tp_nest_binary (nest, TP_EXPR_ADD, x, tp_nest_const (nest, shift));
  return clamp_expr (nest, x, 0.0, 1.0);
}

static const TpAttrSpec hard_sigmoid_attrs[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE },
  { "beta", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

static int
hard_sigmoid_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return ramp_expr (nest, x[0], tp_node_get_float (node, "alpha", 0.2),
                    tp_node_get_float (node, "beta", 0.5));
}

/* @x within [0, 1]; NaN stays. */
static double
clamp_value (double x)
{
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static double
hard_sigmoid_value (const TpNode *node, const double *x)
{
  double alpha = tp_node_get_float (node, "alpha", 0.2);
  double beta = tp_node_get_float (node, "beta", 0.5);

  return clamp_value (alpha * x[0] + beta);
}

const TpOp tp_op_hard_sigmoid = {
  .name = "HardSigmoid",
  UNARY,
  .attrs = hard_sigmoid_attrs,
  .tolerance = 1e-6,
  .map_expr = hard_sigmoid_expr,
  .map_value = hard_sigmoid_value,
};

static int
hard_swish_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x[0],
                         ramp_expr (nest, x[0], 1.0 / 6.0, 0.5));
}

static double
hard_swish_value (const TpNode *node, const double *x)
{
  return x[0] * clamp_value (x[0] / 6.0 + 0.5);
}

const TpOp tp_op_hard_swish = {
  .name = "HardSwish",
  UNARY,
  .tolerance = 1e-6,
  .map_expr = hard_swish_expr,
  .map_value = hard_swish_value,
};

/* ---- rounding ----------------------------------------------------------- */

/* -floor (-x) */
static int
ceil_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int down = tp_nest_unary (nest, TP_EXPR_NEG, x[0]);

  return tp_nest_unary (nest, TP_EXPR_NEG,
                        tp_nest_unary (nest, TP_EXPR_FLOOR, down));
}

static double
ceil_value (const TpNode *node, const double *x)
{
  return ceil (x[0]);
}

const TpOp tp_op_ceil = {
  .name = "Ceil",
  UNARY,
  .tolerance = 0.0,
  .map_expr = ceil_expr,
  .map_value = ceil_value,
  .map_integer = same_integer,
};

static int
round_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_ROUND, x[0]);
}

/* Half to even. */
static double
round_value (const TpNode *node, const double *x)
{
  double down = floor (x[0]);
  double rest = x[0] - down;

  if (rest == 0.5)
    return 2.0 * floor (down / 2.0) == down ? down : down + 1.0;
  return rest < 0.5 ? down : down + 1.0;
}

const TpOp tp_op_round = {
  .name = "Round",
  UNARY,
  .tolerance = 0.0,
  .map_expr = round_expr,
  .map_value = round_value,
  .map_integer = same_integer,
};

/* What is neither above nor below 0 stays: 0, -0 and NaN. */
static int
sign_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int zero = tp_nest_const (nest, 0.0);
  int rest = tp_nest_select (
      nest, tp_nest_binary (nest, TP_EXPR_LESS, x[0], zero),
      tp_nest_const (nest, -1.0), x[0]);

  return tp_nest_select (nest,
                         tp_nest_binary (nest, TP_EXPR_LESS, zero, x[0]),
                         tp_nest_const (nest, 1.0), rest);
}

static double
sign_value (const TpNode *node, const double *x)
{
  return x[0] > 0.0 ? 1.0 : x[0] < 0.0 ? -1.0 : x[0];
}

static gint64
sign_integer (const TpNode *node, const gint64 *x)
{
  return (x[0] > 0) - (x[0] < 0);
}

const TpOp tp_op_sign = {
  .name = "Sign",
  UNARY,
  .tolerance = 0.0,
  .map_expr = sign_expr,
  .map_value = sign_value,
  .map_integer = sign_integer,
};
