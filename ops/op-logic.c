/* op-logic.c: elementwise ops that ask: comparisons, the logic of booleans,
 * IsNaN and IsInf, and Where and If, which choose. */
#include "config.h"

#include "ops/op-logic.h"

#include "ops/op-broadcast.h"
#include "ops/op-util.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ASK                                                                    \
  .kind = TP_OP_MAP, .n_outputs_max = 1, .tolerance = 0.0,                     \
  .lower = tp_lower_map, .reference = tp_reference_map

/* 1 or 0 of either class as what a bool tensor takes. */
static int
truth (TpNest *nest, int expr)
{
  return tp_nest_convert (nest, expr, TPLAN_DTYPE_BOOL);
}

static int
ask (TpNest *nest, TpExprOp op, int a, int b)
{
  return truth (nest, tp_nest_binary (nest, op, a, b));
}

static int
is_zero (TpNest *nest, int x)
{
  return ask (nest, TP_EXPR_EQUAL, x, tp_nest_const (nest, 0.0));
}

/* ---- comparisons -------------------------------------------------------- */

static gboolean
compare_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  if (!tp_infer_arithmetic (node, inputs, outputs, error))
    return FALSE;
  outputs[0].dtype = TPLAN_DTYPE_BOOL;
  return TRUE;
}

#define COMPARE                                                                \
  ASK, .n_inputs_min = 2, .n_inputs_max = 2, .attrs = tp_binary_attrs,         \
       .align = tp_align_binary, .infer = compare_infer

static int
equal_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return ask (nest, TP_EXPR_EQUAL, x[0], x[1]);
}

static double
equal_value (const TpNode *node, const double *x)
{
  return x[0] == x[1];
}

static gint64
equal_integer (const TpNode *node, const gint64 *x)
{
  return x[0] == x[1];
}

const TpOp tp_op_equal = {
  .name = "Equal",
  COMPARE,
  .map_expr = equal_expr,
  .map_value = equal_value,
  .map_integer = equal_integer,
};

static int
less_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return ask (nest, TP_EXPR_LESS, x[0], x[1]);
}

static double
less_value (const TpNode *node, const double *x)
{
  return x[0] < x[1];
}

static gint64
less_integer (const TpNode *node, const gint64 *x)
{
  return x[0] < x[1];
}

const TpOp tp_op_less = {
  .name = "Less",
  COMPARE,
  .map_expr = less_expr,
  .map_value = less_value,
  .map_integer = less_integer,
};

static int
less_or_equal_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX,
                         ask (nest, TP_EXPR_LESS, x[0], x[1]),
                         ask (nest, TP_EXPR_EQUAL, x[0], x[1]));
}

static double
less_or_equal_value (const TpNode *node, const double *x)
{
  return x[0] <= x[1];
}

static gint64
less_or_equal_integer (const TpNode *node, const gint64 *x)
{
  return x[0] <= x[1];
}

const TpOp tp_op_less_or_equal = {
  .name = "LessOrEqual",
  COMPARE,
  .map_expr = less_or_equal_expr,
  .map_value = less_or_equal_value,
  .map_integer = less_or_equal_integer,
};

static int
greater_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return ask (nest, TP_EXPR_LESS, x[1], x[0]);
}

static double
greater_value (const TpNode *node, const double *x)
{
  return x[0] > x[1];
}

static gint64
greater_integer (const TpNode *node, const gint64 *x)
{
  return x[0] > x[1];
}

const TpOp tp_op_greater = {
  .name = "Greater",
  COMPARE,
  .map_expr = greater_expr,
  .map_value = greater_value,
  .map_integer = greater_integer,
};

static int
greater_or_equal_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX,
                         ask (nest, TP_EXPR_LESS, x[1], x[0]),
                         ask (nest, TP_EXPR_EQUAL, x[0], x[1]));
}

static double
greater_or_equal_value (const TpNode *node, const double *x)
{
  return x[0] >= x[1];
}

static gint64
greater_or_equal_integer (const TpNode *node, const gint64 *x)
{
  return x[0] >= x[1];
}

const TpOp tp_op_greater_or_equal = {
  .name = "GreaterOrEqual",
  COMPARE,
  .map_expr = greater_or_equal_expr,
  .map_value = greater_or_equal_value,
  .map_integer = greater_or_equal_integer,
};

/* ---- booleans ----------------------------------------------------------- */

static gboolean
check_bool (const TpNode *node, const TpTensor *input, GError **error)
{
  if (input->dtype == TPLAN_DTYPE_BOOL)
    return TRUE;
  return tp_op_fail (node, error, "input '%s' is %s, must be bool: compare or "
                     "cast it first",
                     input->name, tp_dtype_get_name (input->dtype));
}

static gboolean
logic_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  return check_bool (node, inputs[0], error)
         && tp_infer_arithmetic (node, inputs, outputs, error);
}

#define LOGIC                                                                  \
  ASK, .n_inputs_min = 2, .n_inputs_max = 2, .attrs = tp_binary_attrs,         \
       .align = tp_align_binary, .infer = logic_infer

static int
and_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x[0], x[1]);
}

static double
and_value (const TpNode *node, const double *x)
{
  return x[0] != 0.0 && x[1] != 0.0;
}

const TpOp tp_op_and = {
  .name = "And",
  LOGIC,
  .map_expr = and_expr,
  .map_value = and_value,
};

static int
or_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX, x[0], x[1]);
}

static double
or_value (const TpNode *node, const double *x)
{
  return x[0] != 0.0 || x[1] != 0.0;
}

const TpOp tp_op_or = {
  .name = "Or",
  LOGIC,
  .map_expr = or_expr,
  .map_value = or_value,
};

static int
xor_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return is_zero (nest, ask (nest, TP_EXPR_EQUAL, is_zero (nest, x[0]),
                             is_zero (nest, x[1])));
}

static double
xor_value (const TpNode *node, const double *x)
{
  return (x[0] != 0.0) != (x[1] != 0.0);
}

const TpOp tp_op_xor = {
  .name = "Xor",
  LOGIC,
  .map_expr = xor_expr,
  .map_value = xor_value,
};

static gboolean
not_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  return check_bool (node, inputs[0], error)
         && tp_infer_same (node, inputs, outputs, error);
}

static int
not_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return is_zero (nest, x[0]);
}

static double
not_value (const TpNode *node, const double *x)
{
  return x[0] == 0.0;
}

const TpOp tp_op_not = {
  .name = "Not",
  ASK,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .infer = not_infer,
  .map_expr = not_expr,
  .map_value = not_value,
};

/* ---- what kind of number ------------------------------------------------ */

static gboolean
is_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
          GError **error)
{
  if (tp_dtype_is_integer (inputs[0]->dtype))
    return tp_op_fail (node, error, "input 0 is %s, must be of reals",
                       tp_dtype_get_name (inputs[0]->dtype));
  tp_shape_copy (&outputs[0], inputs[0]);
  outputs[0].dtype = TPLAN_DTYPE_BOOL;
  return TRUE;
}

static int
is_nan_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return truth (nest, tp_nest_unary (nest, TP_EXPR_IS_NAN, x[0]));
}

static double
is_nan_value (const TpNode *node, const double *x)
{
  return isnan (x[0]);
}

const TpOp tp_op_is_nan = {
  .name = "IsNaN",
  ASK,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .infer = is_infer,
  .map_expr = is_nan_expr,
  .map_value = is_nan_value,
};

static int
is_inf_expr (const TpNode *node, TpNest *nest, const int *x)
{
  double bound = nest->exprs[x[0]].is_double ? DBL_MAX : FLT_MAX;
  int most = tp_nest_const (nest, bound);
  int least = tp_nest_const (nest, -bound);
  int found = tp_nest_const (nest, 0.0);

  if (tp_node_get_int (node, "detect_positive", 1) != 0)
    found = tp_nest_binary (nest, TP_EXPR_LESS, most, x[0]);
  if (tp_node_get_int (node, "detect_negative", 1) != 0)
    found = tp_nest_binary (
        nest, TP_EXPR_MAX, found,
        tp_nest_binary (nest, TP_EXPR_LESS, x[0], least));
  return truth (nest, found);
}

static double
is_inf_value (const TpNode *node, const double *x)
{
  const char *sign = x[0] < 0.0 ? "detect_negative" : "detect_positive";

  return isinf (x[0]) && tp_node_get_int (node, sign, 1) != 0;
}

static const TpAttrSpec is_inf_attrs[] = {
  { "detect_negative", TP_ATTR_INT, FALSE },
  { "detect_positive", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_is_inf = {
  .name = "IsInf",
  ASK,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .attrs = is_inf_attrs,
  .infer = is_infer,
  .map_expr = is_inf_expr,
  .map_value = is_inf_value,
};

/* ---- Where -------------------------------------------------------------- */

static gboolean
where_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  if (!check_bool (node, inputs[0], error)
      || !tp_infer_broadcast_any (node, inputs, outputs, error))
    return FALSE;
  outputs[0].dtype = inputs[1]->dtype;
  if (inputs[1]->dtype != inputs[2]->dtype)
    return tp_op_fail (node, error, "input 2 is %s, input 1 is %s",
                       tp_dtype_get_name (inputs[2]->dtype),
                       tp_dtype_get_name (inputs[1]->dtype));
  return TRUE;
}

static int
where_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_select (nest, x[0], x[1], x[2]);
}

static double
where_value (const TpNode *node, const double *x)
{
  return x[0] != 0.0 ? x[1] : x[2];
}

const TpOp tp_op_where = {
  .name = "Where",
  ASK,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .infer = where_infer,
  .map_expr = where_expr,
  .map_value = where_value,
  .moves = TP_MOVES (1) | TP_MOVES (2),
};

/* ---- If ----------------------------------------------------------------- */

/* Asked only where the condition is not known: both branches are computed. */
static gboolean
if_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
          GError **error)
{
  const TpTensor *condition = inputs[0], *a = inputs[1], *b = inputs[2];
  g_autofree char *shape = tp_dims_to_text (a->rank, a->dims);
  g_autofree char *other = tp_dims_to_text (b->rank, b->dims);

  if (!check_bool (node, condition, error))
    return FALSE;
  if (condition->count != 1)
    return tp_op_fail (node, error, "condition '%s' has %" G_GINT64_FORMAT
                       " elements, must have one", condition->name,
                       condition->count);
  if (a->dtype != b->dtype || strcmp (shape, other) != 0)
    return tp_op_refuse (
        node, error, "condition '%s' is not known before a run, and the branches "
        "give %s %s and %s %s: make them alike, or the condition known (by "
        "--dim, or a constant in place of an input)", condition->name,
        tp_dtype_get_name (a->dtype), shape, tp_dtype_get_name (b->dtype),
        other);
  if (condition->rank > a->rank)
    return tp_op_refuse (node, error, "condition '%s' has %d dimensions, the "
                         "branches give %d: make it a scalar",
                         condition->name, condition->rank, a->rank);
  outputs[0].dtype = a->dtype;
  outputs[0].rank = a->rank;
  memcpy (outputs[0].dims, a->dims, a->rank * sizeof a->dims[0]);
  return TRUE;
}

const TpOp tp_op_if = {
  .name = "If",
  ASK,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .infer = if_infer,
  .map_expr = where_expr,
  .map_value = where_value,
  .moves = TP_MOVES (1) | TP_MOVES (2),
};
