/* op-binary.c: elementwise ops of two or more inputs, with broadcasting. */
#include "config.h"

#include "ops/op-broadcast.h"
#include "ops/op-util.h"

#include <math.h>

#define BINARY                                                                 \
  .kind = TP_OP_MAP, .n_inputs_min = 2, .n_inputs_max = 2, .n_outputs_max = 1, \
  .attrs = tp_binary_attrs, .align = tp_align_binary, .lower = tp_lower_map,   \
  .reference = tp_reference_map

#define VARIADIC                                                               \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .n_inputs_max = TP_VARIADIC,           \
  .n_outputs_max = 1, .infer = tp_infer_broadcast, .lower = tp_lower_map,      \
  .reference = tp_reference_map

static int
add_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_ADD, x[0], x[1]);
}

static double
add_value (const TpNode *node, const double *x)
{
  return x[0] + x[1];
}

static gint64
add_integer (const TpNode *node, const gint64 *x)
{
  return (gint64) ((guint64) x[0] + (guint64) x[1]);
}

const TpOp tp_op_add = {
  .name = "Add",
  BINARY,
  .infer = tp_infer_arithmetic,
  .tolerance = 1e-6,
  .map_expr = add_expr,
  .map_value = add_value,
  .map_integer = add_integer,
};

static int
sub_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_SUB, x[0], x[1]);
}

static double
sub_value (const TpNode *node, const double *x)
{
  return x[0] - x[1];
}

static gint64
sub_integer (const TpNode *node, const gint64 *x)
{
  return (gint64) ((guint64) x[0] - (guint64) x[1]);
}

const TpOp tp_op_sub = {
  .name = "Sub",
  BINARY,
  .infer = tp_infer_arithmetic,
  .tolerance = 1e-6,
  .map_expr = sub_expr,
  .map_value = sub_value,
  .map_integer = sub_integer,
};

static int
mul_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x[0], x[1]);
}

static double
mul_value (const TpNode *node, const double *x)
{
  return x[0] * x[1];
}

static gint64
mul_integer (const TpNode *node, const gint64 *x)
{
  return (gint64) ((guint64) x[0] * (guint64) x[1]);
}

const TpOp tp_op_mul = {
  .name = "Mul",
  BINARY,
  .infer = tp_infer_arithmetic,
  .tolerance = 1e-6,
  .map_expr = mul_expr,
  .map_value = mul_value,
  .map_integer = mul_integer,
};

static int
div_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_DIV, x[0], x[1]);
}

static double
div_value (const TpNode *node, const double *x)
{
  return x[0] / x[1];
}

static gint64
div_integer (const TpNode *node, const gint64 *x)
{
  if (x[1] == 0)
    return 0;
  return x[1] == -1 ? (gint64) (0 - (guint64) x[0]) : x[0] / x[1];
}

const TpOp tp_op_div = {
  .name = "Div",
  BINARY,
  .infer = tp_infer_arithmetic,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-6,
  .map_expr = div_expr,
  .map_value = div_value,
  .map_integer = div_integer,
};

/* The exponent may be of another type from opset 12 on. */
static gboolean
pow_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  return node->opset < 12
             ? tp_infer_arithmetic (node, inputs, outputs, error)
             : tp_infer_binary (node, inputs, outputs, error);
}

#define LAST_PLACES 0x1p-49     /* of a double */

/* Expression: @exponent as an integer; -1: it may be a fraction. */
static int
find_whole (TpNest *nest, int exponent)
{
  const TpExpr *e = &nest->exprs[exponent];

  if (e->is_integer)
    return exponent;
  if (e->op != TP_EXPR_CONST || e->value != floor (e->value)
      || fabs (e->value) >= 0x1p62)
    return -1;
  return tp_nest_const_integer (nest, (gint64) e->value);
}

/* The bits that @exponent may have, if it is positive. */
static guint64
find_bits (const TpNest *nest, int exponent)
{
  const TpExpr *e = &nest->exprs[exponent];

  if (e->op == TP_EXPR_CONST)
    return e->integer;
  return e->op == TP_EXPR_LOAD
             ? (guint64) tp_dtype_get (nest->loads[e->index].dtype)->high
             : G_MAXINT64;
}

/* @base by an exponent below 0: 0 but of 1 and -1. */
static int
raise_to_negative (TpNest *nest, int base, int exponent)
{
  int zero = tp_nest_const_integer (nest, 0), one = tp_nest_const_integer (nest, 1);
  int minus = tp_nest_const_integer (nest, -1);
  int is_odd = tp_nest_binary (nest, TP_EXPR_AND, exponent, one);
  int of_minus
      = tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_EQUAL, base, minus),
                        tp_nest_select (nest, is_odd, minus, one), zero);

  return tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_EQUAL, base, one),
                         one, of_minus);
}

/* By squaring, once for each bit. */
static int
raise_integer (TpNest *nest, int base, int exponent)
{
  guint64 bits = find_bits (nest, exponent);
  gboolean is_known = nest->exprs[exponent].op == TP_EXPR_CONST;
  int zero = tp_nest_const_integer (nest, 0);
  int power = tp_nest_const_integer (nest, 1), square = base;

  if (is_known && (gint64) bits < 0)
    return raise_to_negative (nest, base, exponent);
  for (guint64 bit = 1; bit <= bits; bit *= 2)
    {
      int bit_expr = tp_nest_const_integer (nest, (gint64) bit);
      int more = tp_nest_binary (nest, TP_EXPR_MUL, power, square);

      square = tp_nest_binary (nest, TP_EXPR_MUL, square, square);
      if (!is_known)
        power = tp_nest_select (
            nest, tp_nest_binary (nest, TP_EXPR_AND, exponent, bit_expr), more, power);
      else if ((bits & bit) != 0)
        power = more;
    }
  if (is_known)
    return power;
  return tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_LESS, exponent, zero),
                         raise_to_negative (nest, base, exponent), power);
}

/* Through doubles: what is a whole number but for its last places is that one, whoever
 * computes it; what is no number, or infinite, is 0. */
static int
raise_to_real (TpNest *nest, int base, int exponent)
{
  int power = tp_nest_binary (
      nest, TP_EXPR_POW, tp_nest_convert (nest, base, TPLAN_DTYPE_FLOAT64),
      tp_nest_convert (nest, exponent, TPLAN_DTYPE_FLOAT64));
  int whole = tp_nest_unary (nest, TP_EXPR_ROUND, power);
  int apart = tp_nest_unary (nest, TP_EXPR_ABS,
                             tp_nest_binary (nest, TP_EXPR_SUB, power, whole));
  int least = tp_nest_binary (nest, TP_EXPR_MUL, whole,
                              tp_nest_const (nest, LAST_PLACES));
  int is_whole = tp_nest_binary (nest, TP_EXPR_LESS, apart,
                                 tp_nest_unary (nest, TP_EXPR_ABS, least));

  int is_finite
      = tp_nest_binary (nest, TP_EXPR_LESS, tp_nest_unary (nest, TP_EXPR_ABS, power),
                        tp_nest_const (nest, 0x1p63));

  power = tp_nest_select (nest, is_whole, whole, power);
  power = tp_nest_select (nest, is_finite, power, tp_nest_const (nest, 0.0));
  return tp_nest_convert (nest, power, nest->store.dtype);
}

static int
pow_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int whole = nest->exprs[x[0]].is_integer ? find_whole (nest, x[1]) : -1;

  if (whole >= 0)
    return raise_integer (nest, x[0], whole);
  if (nest->exprs[x[0]].is_integer)
    return raise_to_real (nest, x[0], x[1]);
  return tp_nest_binary (nest, TP_EXPR_POW, x[0],
                         tp_nest_convert (nest, x[1],
                                          nest->exprs[x[0]].is_double
                                              ? TPLAN_DTYPE_FLOAT64
                                              : TPLAN_DTYPE_FLOAT32));
}

static double
pow_value (const TpNode *node, const double *x)
{
  return pow (x[0], x[1]);
}

/* By squaring. What a negative exponent leaves is a fraction but of 1 and -1. */
static gint64
pow_integer (const TpNode *node, const gint64 *x)
{
  guint64 base = (guint64) x[0], power = 1;
  gint64 exponent = x[1];

  if (exponent < 0 && x[0] != 1 && x[0] != -1)
    return 0;
  if (exponent < 0)
    return exponent % 2 == 0 ? 1 : x[0];
  for (; exponent > 0; exponent /= 2)
    {
      if (exponent % 2 == 1)
        power *= base;
      base *= base;
    }
  return (gint64) power;
}

const TpOp tp_op_pow = {
  .name = "Pow",
  BINARY,
  .infer = pow_infer,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-5,
  .map_expr = pow_expr,
  .map_value = pow_value,
  .map_integer = pow_integer,
};

/* ---- Mod: the sign of the divisor, or with fmod that of the dividend ------ */

static gboolean
mod_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  if (tp_dtype_get (inputs[0]->dtype)->class != TP_CLASS_BOOL
      && (tp_dtype_is_integer (inputs[0]->dtype)
          || tp_node_get_int (node, "fmod", 0) != 0))
    return tp_infer_broadcast (node, inputs, outputs, error);
  return tp_op_fail (node, error, "input 0 is %s, which needs fmod=1",
                     tp_dtype_get_name (inputs[0]->dtype));
}

/* What division towards zero leaves, which has the sign of the dividend: the least
 * integer has no size. */
static int
rest_of_integers (TpNest *nest, const int *x)
{
  int whole = tp_nest_binary (nest, TP_EXPR_MUL,
                              tp_nest_binary (nest, TP_EXPR_DIV, x[0], x[1]),
                              x[1]);

  return tp_nest_select (nest, x[1],
                         tp_nest_binary (nest, TP_EXPR_SUB, x[0], whole),
                         tp_nest_const_integer (nest, 0));
}

/* The remainder of the sizes with the sign of the dividend. Of a size below that
 * of the divisor it is the size itself, also where that is infinite: what MOD
 * subtracts is then no number. */
static int
rest_of_reals (TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int b = tp_nest_unary (nest, TP_EXPR_ABS, x[1]);
  int rest = tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_LESS, a, b),
                             a, tp_nest_binary (nest, TP_EXPR_MOD, a, b));

  return tp_nest_select (nest,
                         tp_nest_binary (nest, TP_EXPR_LESS, x[0],
                                         tp_nest_const (nest, 0.0)),
                         tp_nest_unary (nest, TP_EXPR_NEG, rest), rest);
}

static int
mod_expr (const TpNode *node, TpNest *nest, const int *x)
{
  if (tp_node_get_int (node, "fmod", 0) == 0)
    return tp_nest_binary (nest, TP_EXPR_MOD, x[0], x[1]);
  return nest->exprs[x[0]].is_integer ? rest_of_integers (nest, x)
                                      : rest_of_reals (nest, x);
}

static double
mod_value (const TpNode *node, const double *x)
{
  double rest = fmod (x[0], x[1]);

  if (tp_node_get_int (node, "fmod", 0) == 0 && rest * x[1] < 0.0)
    rest += x[1];
  return rest;
}

static gint64
mod_integer (const TpNode *node, const gint64 *x)
{
  gint64 rest = x[1] == 0 || x[1] == -1 ? 0 : x[0] % x[1];

  if (tp_node_get_int (node, "fmod", 0) == 0 && rest != 0
      && (rest < 0) != (x[1] < 0))
    rest += x[1];
  return rest;
}

static const TpAttrSpec mod_attrs[] = {
  { "fmod", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_mod = {
  .name = "Mod",
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = mod_attrs,
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 0.0,
  .infer = mod_infer,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = mod_expr,
  .map_value = mod_value,
  .map_integer = mod_integer,
};

/* ---- any number of inputs ---------------------------------------------- */

/* MAX and MIN give the second of two when either is NaN: so the first has to be
 * looked at. */
static int
extremum_expr (const TpNode *node, TpNest *nest, const int *x, TpExprOp op)
{
  int value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    {
      int best = tp_nest_binary (nest, op, value, x[i]);

      value = nest->exprs[value].is_integer
                  ? best
                  : tp_nest_select (nest,
                                    tp_nest_unary (nest, TP_EXPR_IS_NAN, value),
                                    value, best);
    }
  return value;
}

static int
max_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return extremum_expr (node, nest, x, TP_EXPR_MAX);
}

static double
max_value (const TpNode *node, const double *x)
{
  double value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = isnan (value) || value > x[i] ? value : x[i];
  return value;
}

static gint64
max_integer (const TpNode *node, const gint64 *x)
{
  gint64 value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = MAX (value, x[i]);
  return value;
}

const TpOp tp_op_max = {
  .name = "Max",
  VARIADIC,
  .tolerance = 0.0,
  .map_expr = max_expr,
  .map_value = max_value,
  .map_integer = max_integer,
};

static int
min_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return extremum_expr (node, nest, x, TP_EXPR_MIN);
}

static double
min_value (const TpNode *node, const double *x)
{
  double value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = isnan (value) || value < x[i] ? value : x[i];
  return value;
}

static gint64
min_integer (const TpNode *node, const gint64 *x)
{
  gint64 value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = MIN (value, x[i]);
  return value;
}

const TpOp tp_op_min = {
  .name = "Min",
  VARIADIC,
  .tolerance = 0.0,
  .map_expr = min_expr,
  .map_value = min_value,
  .map_integer = min_integer,
};

static int
sum_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = tp_nest_binary (nest, TP_EXPR_ADD, value, x[i]);
  return value;
}

static double
sum_value (const TpNode *node, const double *x)
{
  double value = x[0];

  for (int i = 1; i < node->n_inputs; i++)
    value = value + x[i];
  return value;
}

static gint64
sum_integer (const TpNode *node, const gint64 *x)
{
  guint64 value = 0;

  for (int i = 0; i < node->n_inputs; i++)
    value += (guint64) x[i];
  return (gint64) value;
}

const TpOp tp_op_sum = {
  .name = "Sum",
  VARIADIC,
  .tolerance = 1e-6,
  .map_expr = sum_expr,
  .map_value = sum_value,
  .map_integer = sum_integer,
};

static int
mean_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int sum = sum_expr (node, nest, x);

  if (nest->exprs[sum].is_integer)
    return tp_nest_binary (nest, TP_EXPR_DIV, sum,
                           tp_nest_const_integer (nest, node->n_inputs));
  return tp_nest_binary (nest, TP_EXPR_MUL, sum,
                         tp_nest_const (nest, 1.0 / node->n_inputs));
}

static double
mean_value (const TpNode *node, const double *x)
{
  return sum_value (node, x) / node->n_inputs;
}

static gint64
mean_integer (const TpNode *node, const gint64 *x)
{
  return sum_integer (node, x) / node->n_inputs;
}

const TpOp tp_op_mean = {
  .name = "Mean",
  VARIADIC,
  .tolerance = 1e-6,
  .map_expr = mean_expr,
  .map_value = mean_value,
  .map_integer = mean_integer,
};
