/* op-logic.c: elementwise ops that ask: comparisons, the logic of booleans,
 * IsNaN and IsInf, and Where, which chooses. */
#include "config.h"

#include "ir/op-util.h"

#include <math.h>

#define ASK                                                                    \
  .kind = TP_OP_MAP, .n_outputs_max = 1, .tolerance = 0.0,                     \
  .reference = tp_reference_map

/* ---- comparisons -------------------------------------------------------- */

static gboolean
compare_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  if (!tp_infer_arithmetic (node, inputs, outputs, error))
    return FALSE;
  outputs[0].dtype = TP_DTYPE_BOOL;
  return TRUE;
}

#define COMPARE                                                                \
  ASK, .n_inputs_min = 2, .n_inputs_max = 2, .attrs = tp_binary_attrs,         \
       .align = tp_align_binary, .infer = compare_infer

static double
equal_value (const TpNode *node, const double *x)
{
  return x[0] == x[1];
}

const TpOp tp_op_equal = {
  .name = "Equal",
  COMPARE,
  .map_value = equal_value,
};

static double
less_value (const TpNode *node, const double *x)
{
  return x[0] < x[1];
}

const TpOp tp_op_less = {
  .name = "Less",
  COMPARE,
  .map_value = less_value,
};

static double
less_or_equal_value (const TpNode *node, const double *x)
{
  return x[0] <= x[1];
}

const TpOp tp_op_less_or_equal = {
  .name = "LessOrEqual",
  COMPARE,
  .map_value = less_or_equal_value,
};

static double
greater_value (const TpNode *node, const double *x)
{
  return x[0] > x[1];
}

const TpOp tp_op_greater = {
  .name = "Greater",
  COMPARE,
  .map_value = greater_value,
};

static double
greater_or_equal_value (const TpNode *node, const double *x)
{
  return x[0] >= x[1];
}

const TpOp tp_op_greater_or_equal = {
  .name = "GreaterOrEqual",
  COMPARE,
  .map_value = greater_or_equal_value,
};

/* ---- booleans ----------------------------------------------------------- */

static gboolean
check_bool (const TpNode *node, const TpTensor *input, GError **error)
{
  if (input->dtype == TP_DTYPE_BOOL)
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

static double
and_value (const TpNode *node, const double *x)
{
  return x[0] != 0.0 && x[1] != 0.0;
}

const TpOp tp_op_and = {
  .name = "And",
  LOGIC,
  .map_value = and_value,
};

static double
or_value (const TpNode *node, const double *x)
{
  return x[0] != 0.0 || x[1] != 0.0;
}

const TpOp tp_op_or = {
  .name = "Or",
  LOGIC,
  .map_value = or_value,
};

static double
xor_value (const TpNode *node, const double *x)
{
  return (x[0] != 0.0) != (x[1] != 0.0);
}

const TpOp tp_op_xor = {
  .name = "Xor",
  LOGIC,
  .map_value = xor_value,
};

static gboolean
not_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  return check_bool (node, inputs[0], error)
         && tp_infer_same (node, inputs, outputs, error);
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
  .map_value = not_value,
};

/* ---- what kind of number ------------------------------------------------ */

static gboolean
is_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
          GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  outputs[0].dtype = TP_DTYPE_BOOL;
  return TRUE;
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
  .map_value = is_nan_value,
};

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
  .map_value = where_value,
};
