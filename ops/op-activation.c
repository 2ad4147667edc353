/* op-activation.c: activations with a bend: Elu, Selu, Celu, ThresholdedRelu,
 * Shrink, Softplus, Softsign, PRelu. */
#include "config.h"

#include "nest/nest-expr.h"
#include "ops/op-util.h"

#include <math.h>

#define ACTIVATION                                                             \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .n_inputs_max = 1, .n_outputs_max = 1, \
  .infer = tp_infer_same, .lower = tp_lower_map, .reference = tp_reference_map

static int
times (TpNest *nest, int x, double factor)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_const (nest, factor));
}

static int
plus (TpNest *nest, int x, double term)
{
  return tp_nest_binary (nest, TP_EXPR_ADD, x, tp_nest_const (nest, term));
}

static int
is_below (TpNest *nest, int x, double bound)
{
  return tp_nest_binary (nest, TP_EXPR_LESS, x, tp_nest_const (nest, bound));
}

static int
is_above (TpNest *nest, int x, double bound)
{
  return tp_nest_binary (nest, TP_EXPR_LESS, tp_nest_const (nest, bound), x);
}

/* @factor * (exp (x / @scale) - 1) */
static int
exponential (TpNest *nest, int x, double scale, double factor)
{
  x = tp_nest_unary (nest, TP_EXPR_EXP, times (nest, x, 1.0 / scale));
  return times (nest, plus (nest, x, -1.0), factor);
}

/* ---- Elu, Selu, Celu ---------------------------------------------------- */

static int
elu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);

  return tp_nest_select (nest, is_below (nest, x[0], 0.0),
                         exponential (nest, x[0], 1.0, alpha), x[0]);
}

static double
elu_value (const TpNode *node, const double *x)
{
  return x[0] < 0.0 ? tp_node_get_float (node, "alpha", 1.0) * expm1 (x[0])
                    : x[0];
}

const TpOp tp_op_elu = {
  .name = "Elu",
  ACTIVATION,
  .attrs = tp_attrs_alpha,
  .tolerance = 1e-5,
  .map_expr = elu_expr,
  .map_value = elu_value,
};

#define SELU_ALPHA 1.67326319217681884765625
#define SELU_GAMMA 1.05070102214813232421875

static int
selu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", SELU_ALPHA);
  double gamma = tp_node_get_float (node, "gamma", SELU_GAMMA);

  return tp_nest_select (nest, is_below (nest, x[0], 0.0),
                         exponential (nest, x[0], 1.0, alpha * gamma),
                         times (nest, x[0], gamma));
}

static double
selu_value (const TpNode *node, const double *x)
{
  double alpha = tp_node_get_float (node, "alpha", SELU_ALPHA);

  return tp_node_get_float (node, "gamma", SELU_GAMMA)
         * (x[0] < 0.0 ? alpha * expm1 (x[0]) : x[0]);
}

static const TpAttrSpec selu_attrs[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE },
  { "gamma", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_selu = {
  .name = "Selu",
  ACTIVATION,
  .attrs = selu_attrs,
  .tolerance = 1e-5,
  .map_expr = selu_expr,
  .map_value = selu_value,
};

static gboolean
celu_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  if (tp_node_get_float (node, "alpha", 1.0) == 0.0)
    return tp_op_fail (node, error, "alpha is 0, by which Celu divides");
  return tp_infer_same (node, inputs, outputs, error);
}

static int
celu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);

  return tp_nest_select (nest, is_below (nest, x[0], 0.0),
                         exponential (nest, x[0], alpha, alpha), x[0]);
}

static double
celu_value (const TpNode *node, const double *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);

  return x[0] < 0.0 ? alpha * expm1 (x[0] / alpha) : x[0];
}

const TpOp tp_op_celu = {
  .name = "Celu",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = tp_attrs_alpha,
  .tolerance = 1e-5,
  .infer = celu_infer,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = celu_expr,
  .map_value = celu_value,
};

/* ---- thresholds --------------------------------------------------------- */

static int
thresholded_relu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double alpha = tp_node_get_float (node, "alpha", 1.0);

  return tp_nest_select (nest, is_above (nest, x[0], alpha), x[0],
                         tp_nest_const (nest, 0.0));
}

static double
thresholded_relu_value (const TpNode *node, const double *x)
{
  return x[0] > tp_node_get_float (node, "alpha", 1.0) ? x[0] : 0.0;
}

const TpOp tp_op_thresholded_relu = {
  .name = "ThresholdedRelu",
  ACTIVATION,
  .attrs = tp_attrs_alpha,
  .tolerance = 0.0,
  .map_expr = thresholded_relu_expr,
  .map_value = thresholded_relu_value,
};

static int
shrink_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double lambd = tp_node_get_float (node, "lambd", 0.5);
  double bias = tp_node_get_float (node, "bias", 0.0);
  int high = tp_nest_select (nest, is_above (nest, x[0], lambd),
                             plus (nest, x[0], -bias),
                             tp_nest_const (nest, 0.0));

  return tp_nest_select (nest, is_below (nest, x[0], -lambd),
                         plus (nest, x[0], bias), high);
}

static double
shrink_value (const TpNode *node, const double *x)
{
  double lambd = tp_node_get_float (node, "lambd", 0.5);
  double bias = tp_node_get_float (node, "bias", 0.0);

  if (x[0] < -lambd)
    return x[0] + bias;
  return x[0] > lambd ? x[0] - bias : 0.0;
}

/* @x + @bias, cut to an integer. */
static gint64
add_bias (gint64 x, double bias)
{
  gint64 sum = (gint64) ((guint64) x
                         + (guint64) tp_real_to_integer (floor (bias)));

  return sum < 0 && bias != floor (bias) ? sum + 1 : sum;
}

static gint64
shrink_integer (const TpNode *node, const gint64 *x)
{
  gint64 lambd = tp_real_to_integer (
      floor (tp_node_get_float (node, "lambd", 0.5)));
  gint64 least = tp_real_to_integer (
      ceil (-tp_node_get_float (node, "lambd", 0.5)));
  double bias = tp_node_get_float (node, "bias", 0.0);

  if (x[0] < least)
    return add_bias (x[0], bias);
  return x[0] > lambd ? add_bias (x[0], -bias) : 0;
}

static const TpAttrSpec shrink_attrs[] = {
  { "bias", TP_ATTR_FLOAT, FALSE },
  { "lambd", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_shrink = {
  .name = "Shrink",
  ACTIVATION,
  .attrs = shrink_attrs,
  .tolerance = 1e-6,
  .map_expr = shrink_expr,
  .map_value = shrink_value,
  .map_integer = shrink_integer,
};

/* ---- soft ones ---------------------------------------------------------- */

/* max (x, 0) + log (1 + exp (-|x|)): nothing overflows */
static int
softplus_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int small = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);

  small = tp_nest_unary (nest, TP_EXPR_NEG, small);
  small = plus (nest, tp_nest_unary (nest, TP_EXPR_EXP, small), 1.0);
  return tp_nest_binary (
      nest, TP_EXPR_ADD,
      tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, 0.0), x[0]),
      tp_nest_unary (nest, TP_EXPR_LOG, small));
}

static double
softplus_value (const TpNode *node, const double *x)
{
  return x[0] > 30.0 ? x[0] : log1p (exp (x[0]));
}

const TpOp tp_op_softplus = {
  .name = "Softplus",
  ACTIVATION,
  .tolerance = 1e-5,
  .map_expr = softplus_expr,
  .map_value = softplus_value,
};

static int
softsign_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int size = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);

  return tp_nest_binary (nest, TP_EXPR_DIV, x[0], plus (nest, size, 1.0));
}

static double
softsign_value (const TpNode *node, const double *x)
{
  return x[0] / (1.0 + fabs (x[0]));
}

const TpOp tp_op_softsign = {
  .name = "Softsign",
  ACTIVATION,
  .tolerance = 1e-6,
  .map_expr = softsign_expr,
  .map_value = softsign_value,
};

/* ---- PRelu: a slope per channel before opset 7, then any broadcast ------- */

/* A single slope may have more dimensions than what it is for. */
static int
prelu_align (const TpNode *node, int i, int rank, int out_rank)
{
  gboolean is_channel = i == 1 && node->opset < 7 && rank == 1 && out_rank > 1;

  return is_channel ? 1 : MAX (out_rank - rank, 0);
}

static gboolean
prelu_stretches (const TpNode *node, const TpTensor *slope, const TpTensor *x)
{
  int first = prelu_align (node, 1, slope->rank, x->rank);

  for (int i = 0; i < slope->rank; i++)
    if (slope->dims[i] != 1
        && (slope->rank > x->rank || slope->dims[i] != x->dims[first + i]))
      return FALSE;
  return TRUE;
}

static gboolean
prelu_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *slope = inputs[1];

  if (!prelu_stretches (node, slope, x))
    {
      g_autofree char *wide = tp_dims_to_text (x->rank, x->dims);
      g_autofree char *other = tp_dims_to_text (slope->rank, slope->dims);

      return tp_op_fail (node, error, "slope %s does not stretch to %s", other,
                         wide);
    }
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static int
prelu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_select (nest, is_below (nest, x[0], 0.0),
                         tp_nest_binary (nest, TP_EXPR_MUL, x[0], x[1]), x[0]);
}

static double
prelu_value (const TpNode *node, const double *x)
{
  return x[0] < 0.0 ? x[0] * x[1] : x[0];
}

static gint64
prelu_integer (const TpNode *node, const gint64 *x)
{
  return x[0] < 0 ? (gint64) ((guint64) x[0] * (guint64) x[1]) : x[0];
}

const TpOp tp_op_prelu = {
  .name = "PRelu",
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .tolerance = 1e-6,
  .infer = prelu_infer,
  .align = prelu_align,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = prelu_expr,
  .map_value = prelu_value,
  .map_integer = prelu_integer,
};
