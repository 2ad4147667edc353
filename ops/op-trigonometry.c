/* op-trigonometry.c: circular and hyperbolic functions and their inverses. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>

#define FUNCTION                                                               \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .n_inputs_max = 1, .n_outputs_max = 1, \
  .tolerance = 1e-5, .infer = tp_infer_same, .reference = tp_reference_map

static double
sin_value (const TpNode *node, const double *x)
{
  return sin (x[0]);
}

const TpOp tp_op_sin = {
  .name = "Sin",
  FUNCTION,
  .map_value = sin_value,
};

static double
cos_value (const TpNode *node, const double *x)
{
  return cos (x[0]);
}

const TpOp tp_op_cos = {
  .name = "Cos",
  FUNCTION,
  .map_value = cos_value,
};

static double
tan_value (const TpNode *node, const double *x)
{
  return tan (x[0]);
}

const TpOp tp_op_tan = {
  .name = "Tan",
  FUNCTION,
  .map_value = tan_value,
};

static double
asin_value (const TpNode *node, const double *x)
{
  return asin (x[0]);
}

const TpOp tp_op_asin = {
  .name = "Asin",
  FUNCTION,
  .map_value = asin_value,
};

static double
acos_value (const TpNode *node, const double *x)
{
  return acos (x[0]);
}

const TpOp tp_op_acos = {
  .name = "Acos",
  FUNCTION,
  .map_value = acos_value,
};

static double
atan_value (const TpNode *node, const double *x)
{
  return atan (x[0]);
}

const TpOp tp_op_atan = {
  .name = "Atan",
  FUNCTION,
  .map_value = atan_value,
};

static double
sinh_value (const TpNode *node, const double *x)
{
  return sinh (x[0]);
}

const TpOp tp_op_sinh = {
  .name = "Sinh",
  FUNCTION,
  .map_value = sinh_value,
};

static double
cosh_value (const TpNode *node, const double *x)
{
  return cosh (x[0]);
}

const TpOp tp_op_cosh = {
  .name = "Cosh",
  FUNCTION,
  .map_value = cosh_value,
};

static double
asinh_value (const TpNode *node, const double *x)
{
  return asinh (x[0]);
}

const TpOp tp_op_asinh = {
  .name = "Asinh",
  FUNCTION,
  .map_value = asinh_value,
};

static double
acosh_value (const TpNode *node, const double *x)
{
  return acosh (x[0]);
}

const TpOp tp_op_acosh = {
  .name = "Acosh",
  FUNCTION,
  .map_value = acosh_value,
};

static double
atanh_value (const TpNode *node, const double *x)
{
  return atanh (x[0]);
}

const TpOp tp_op_atanh = {
  .name = "Atanh",
  FUNCTION,
  .map_value = atanh_value,
};
