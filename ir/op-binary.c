/* op-binary.c: elementwise ops of two or more inputs, with broadcasting. */
#include "config.h"

#include "ir/op-util.h"

#include <math.h>

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

const TpOp tp_op_add = {
  .name = "Add",
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .tolerance = 1e-6,
  .infer = tp_infer_broadcast,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = add_expr,
  .map_value = add_value,
};
