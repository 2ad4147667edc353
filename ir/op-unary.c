/* op-unary.c: elementwise ops of one tensor. */
#include "config.h"

#include "ir/op-util.h"

#include <math.h>

static int
relu_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_binary (nest, TP_EXPR_MAX, x[0], tp_nest_const (nest, 0.0));
}

static double
relu_value (const TpNode *node, const double *x)
{
  return x[0] > 0.0 ? x[0] : 0.0;
}

const TpOp tp_op_relu = {
  .name = "Relu",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .tolerance = 0.0,
  .infer = tp_infer_same,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = relu_expr,
  .map_value = relu_value,
};
