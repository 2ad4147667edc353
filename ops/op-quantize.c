/* op-quantize.c: QuantizeLinear and DequantizeLinear: reals as small integers and back,
 * by a scale and a zero point for all elements, for each place of an axis, or for each
 * block of places. */
#include "config.h"

#include "ops/op-quantize.h"

#include "ir/narrow.h"
#include "ops/op-cast.h"
#include "ops/round-narrow.h"

#include <math.h>
#include <string.h>

enum { Q_X, Q_SCALE, Q_ZERO };

/* Which elements share a scale: all (axis -1), or @block of each along @axis. */
typedef struct
{
  int axis;
  gint64 block;
} Grain;

/* ---- numbers ------------------------------------------------------------ */

gboolean
tp_dtype_is_quantized (TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);

  return row->class == TP_CLASS_INTEGER && row->size <= 2;
}

int
tp_nest_unscale (TpNest *nest, int value, int scale)
{
  const TpExpr *s = &nest->exprs[scale];

  if (s->op == TP_EXPR_CONST && !s->is_integer && s->value == 1.0)
    return value;
  return tp_nest_binary (nest, TP_EXPR_DIV, value, scale);
}

int
tp_nest_shift (TpNest *nest, int value, int zero)
{
  const TpExpr *z = zero < 0 ? NULL : &nest->exprs[zero];

  if (z == NULL
      || (z->op == TP_EXPR_CONST
          && (z->is_integer ? z->integer == 0 : z->value == 0.0)))
    return value;
  return tp_nest_binary (nest, TP_EXPR_SUB, value, zero);
}

/* A maximum whose first operand is no number is its second. */
int
tp_nest_quantize (TpNest *nest, int value, int zero, TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);

  value = tp_nest_unary (nest, TP_EXPR_ROUND, value);
  if (zero >= 0)
    value = tp_nest_binary (nest, TP_EXPR_ADD, value, zero);
  value = tp_nest_binary (nest, TP_EXPR_MAX, value,
                          tp_nest_const (nest, (double) row->low));
  value = tp_nest_binary (nest, TP_EXPR_MIN, value,
                          tp_nest_const (nest, (double) row->high));
  return tp_nest_convert (nest, value, dtype);
}

double
tp_quantize_number (double value, double zero, TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  double whole = nearbyint (value) + zero;

  return isnan (whole) ? (double) row->low
                       : CLAMP (whole, (double) row->low, (double) row->high);
}

double
tp_quantize_round (double value, TpDtype dtype)
{
  if (tp_dtype_get (dtype)->compute == TP_COMPUTE_FLOAT32)
    dtype = TPLAN_DTYPE_FLOAT32;
  tp_dtype_round (dtype, &value, 1);
  return value;
}

/* What is narrower than the type of the output, which has its values; NULL: nothing is. */
static const TpNarrow *
find_narrow (const TpNode *node)
{
  return tp_narrow_find_onnx (tp_node_get_int (node, "output_dtype", 0));
}

static gboolean
saturates (const TpNode *node)
{
  return tp_node_get_int (node, "saturate", 1) != 0;
}

static double
quantize_number (const TpNode *node, double value, double zero, TpDtype dtype)
{
  const TpNarrow *narrow = find_narrow (node);

  if (narrow == NULL)
    return tp_quantize_number (value, zero, dtype);
  if (tp_dtype_is_integer (dtype))
    return CLAMP (tp_quantize_number (value, zero, dtype), narrow->low, narrow->high);
  return tp_narrow_round (narrow, value + zero, saturates (node));
}

/* ---- shapes ------------------------------------------------------------- */

static gboolean
grain_fail (const TpNode *node, const TpTensor *const *inputs, int i,
            GError **error)
{
  g_autofree char *x = tp_dims_to_text (inputs[Q_X]->rank, inputs[Q_X]->dims);
  g_autofree char *own = tp_dims_to_text (inputs[i]->rank, inputs[i]->dims);

  return tp_op_fail (node, error,
                     "input %d (%s) has shape %s, which does not go with %s: "
                     "it has one number, one for each place of the axis, or, "
                     "with block_size, one for each block of the axis",
                     i, i == Q_SCALE ? "scale" : "zero point", own, x);
}

static gboolean
is_blocked (const TpTensor *x, const TpTensor *scale, const Grain *grain)
{
  for (int i = 0; i < x->rank; i++)
    if (scale->dims[i]
        != (i == grain->axis ? (x->dims[i] - 1) / grain->block + 1
                             : x->dims[i]))
      return FALSE;
  return TRUE;
}

/* Whether one number is for all. */
static gboolean
is_whole (const TpNode *node, int scale_rank, gint64 scale_count)
{
  return tp_node_get_int (node, "block_size", 0) == 0
         && (scale_rank == 0 || scale_count == 1);
}

/* Of types and shapes that fit. */
static Grain
grain_of (const TpNode *node, int rank, int scale_rank, gint64 scale_count)
{
  gint64 axis = tp_node_get_int (node, "axis", 1);
  gint64 block = tp_node_get_int (node, "block_size", 0);

  if (is_whole (node, scale_rank, scale_count))
    return (Grain){ -1, 1 };
  return (Grain){ axis < 0 ? (int) axis + rank : (int) axis, MAX (block, 1) };
}

static gboolean
grain_check (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  const TpTensor *x = inputs[Q_X], *scale = inputs[Q_SCALE];
  const TpTensor *zero = node->n_inputs > Q_ZERO ? inputs[Q_ZERO] : NULL;
  gint64 block = tp_node_get_int (node, "block_size", 0);
  Grain grain = grain_of (node, x->rank, scale->rank, scale->count);
  gboolean has_axis = !is_whole (node, scale->rank, scale->count);
  int axis = 0;

  if (block < 0)
    return tp_op_fail (node, error, "block_size is %" G_GINT64_FORMAT, block);
  if (has_axis && !tp_node_get_axis (node, 1, x->rank, &axis, error))
    return FALSE;
  if (has_axis
      && (block > 0 ? scale->rank != x->rank || !is_blocked (x, scale, &grain)
                    : scale->rank != 1 || scale->dims[0] != x->dims[axis]))
    return grain_fail (node, inputs, Q_SCALE, error);
  if (zero == NULL || (zero->count == 1 && scale->count == 1))
    return TRUE;
  if (zero->rank != scale->rank
      || memcmp (zero->dims, scale->dims, zero->rank * sizeof zero->dims[0])
             != 0)
    return grain_fail (node, inputs, Q_ZERO, error);
  return TRUE;
}

/* ---- nests -------------------------------------------------------------- */

/* Blocks of one size, from the @first on. */
typedef struct
{
  Grain grain;
  gint64 first, n_blocks, size;
  int axes[TP_MAX_RANK];      /* of the dimensions; of @grain.axis that of blocks */
  int inner;                  /* within a block; -1: none */
} Part;

static void
part_add_axes (Part *part, TpLowering *lowering)
{
  const TpTensor *out = lowering->out;
  int axis = part->grain.axis;

  part->inner = -1;
  for (int i = 0; i < out->rank; i++)
    part->axes[i] = tp_lowering_add_axis (
        lowering, i == axis ? part->n_blocks : out->dims[i],
        out->strides[i] * (i == axis ? part->grain.block : 1));
  if (axis < 0)
    return;
  lowering->nest->store.offset
      = part->first * part->grain.block * out->strides[axis];
  if (part->size > 1)
    part->inner
        = tp_lowering_add_axis (lowering, part->size, out->strides[axis]);
}

static int
part_load_x (const Part *part, TpLowering *lowering)
{
  const TpTensor *x = tp_lowering_get_input (lowering, Q_X);
  TpAccess *load = tp_lowering_add_load (lowering, Q_X);
  int axis = part->grain.axis;

  for (int i = 0; i < x->rank; i++)
    load->stride[part->axes[i]]
        = x->strides[i] * (i == axis ? part->grain.block : 1);
  if (axis >= 0)
    load->offset = part->first * part->grain.block * x->strides[axis];
  if (part->inner >= 0)
    load->stride[part->inner] = x->strides[axis];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* Of the type that scales are of, in which all is computed. */
static int
to_real (const TpLowering *lowering, int value)
{
  return tp_nest_convert (lowering->nest, value,
                          tp_lowering_get_input (lowering, Q_SCALE)->dtype);
}

/* The scale or the zero point as a real; -1: left out. */
static int
part_load (const Part *part, TpLowering *lowering, int i)
{
  const TpTensor *tensor = tp_lowering_get_input (lowering, i);
  int axis = part->grain.axis, value;

  if (tensor == NULL)
    return -1;
  if (tensor->count == 1)
    value = tp_lowering_load_broadcast (lowering, i);
  else
    {
      TpAccess *load = tp_lowering_add_load (lowering, i);

      if (tensor->rank == 1)
        load->stride[part->axes[axis]] = tensor->strides[0];
      for (int k = 0; k < tensor->rank && tensor->rank > 1; k++)
        load->stride[part->axes[k]] = tensor->strides[k];
      load->offset = part->first * tensor->strides[tensor->rank > 1 ? axis : 0];
      value = tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
    }
  return to_real (lowering, value);
}

static int
quantize_narrow (TpLowering *lowering, int value, int zero)
{
  TpNest *nest = lowering->nest;
  const TpNarrow *narrow = find_narrow (lowering->node);

  if (!tp_dtype_is_integer (narrow->dtype))
    return tp_nest_round_narrow (
        nest, zero < 0 ? value : tp_nest_binary (nest, TP_EXPR_ADD, value, zero),
        narrow, saturates (lowering->node));
  value = tp_nest_quantize (nest, value, zero, narrow->dtype);
  value = tp_nest_binary (nest, TP_EXPR_MAX, value,
                          tp_nest_const_integer (nest, (gint64) narrow->low));
  return tp_nest_binary (nest, TP_EXPR_MIN, value,
                         tp_nest_const_integer (nest, (gint64) narrow->high));
}

static int
part_quantize (const Part *part, TpLowering *lowering)
{
  TpNest *nest = lowering->nest;
  int x = to_real (lowering, part_load_x (part, lowering));
  int scale = part_load (part, lowering, Q_SCALE);
  int zero = part_load (part, lowering, Q_ZERO);

  x = tp_nest_unscale (nest, x, scale);
  return find_narrow (lowering->node) != NULL
             ? quantize_narrow (lowering, x, zero)
             : tp_nest_quantize (nest, x, zero, lowering->out->dtype);
}

static int
part_dequantize (const Part *part, TpLowering *lowering)
{
  TpNest *nest = lowering->nest;
  int x = to_real (lowering, part_load_x (part, lowering));
  int scale = part_load (part, lowering, Q_SCALE);
  int zero = part_load (part, lowering, Q_ZERO);

  return tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_shift (nest, x, zero),
                         scale);
}

/* Where the last block is a shorter one, it has a nest of its own. */
static gboolean
lower_parts (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             int (*compute) (const Part *part, TpLowering *lowering))
{
  const TpTensor *x = &graph->tensors[node->inputs[Q_X]];
  const TpTensor *scale = &graph->tensors[node->inputs[Q_SCALE]];
  Grain grain = grain_of (node, x->rank, scale->rank, scale->count);
  gint64 n = grain.axis < 0 ? 1 : x->dims[grain.axis];
  gint64 block = grain.block = CLAMP (grain.block, 1, MAX (n, 1)); /* a longer one is all */
  Part parts[] = { { grain, 0, n / block, block, { 0 }, -1 },
                   { grain, n / block, 1, n % block, { 0 }, -1 } };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].n_blocks > 0 && parts[i].size > 0)
      {
        g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

        part_add_axes (&parts[i], &lowering);
        tp_lowering_finish (&lowering, compute (&parts[i], &lowering));
      }
  return TRUE;
}

static gboolean
quantize_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  return lower_parts (graph, node, lowered, part_quantize);
}

static gboolean
dequantize_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  return lower_parts (graph, node, lowered, part_dequantize);
}

/* ---- references --------------------------------------------------------- */

/* The number of @param that the element at @at goes by. */
static double
pick (const Grain *grain, const TpRefTensor *param, const gint64 *at)
{
  gint64 index = 0;

  if (param->count == 1)
    return param->data[0];
  if (param->rank == 1 && grain->block == 1)
    return param->data[at[grain->axis]];
  for (int i = 0; i < param->rank; i++)
    index = index * param->dims[i]
            + (i == grain->axis ? at[i] / grain->block : at[i]);
  return param->data[index];
}

/* The same of the zero point; 0 where there is none. */
static double
pick_zero (const Grain *grain, const TpNode *node,
           const TpRefTensor *const *inputs, const gint64 *at)
{
  return tp_node_has_input (node, Q_ZERO) ? pick (grain, inputs[Q_ZERO], at)
                                          : 0.0;
}

/* Divided as the scale is computed with: where halves come of it, they come here too. */
static void
quantize_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[Q_X], *scale = inputs[Q_SCALE];
  Grain grain = grain_of (node, x->rank, scale->rank, scale->count);
  TpRefTensor *out = &outputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    {
      double value = tp_quantize_round (x->data[i], scale->dtype);

      value /= pick (&grain, scale, at);
      value = tp_quantize_round (value, scale->dtype);
      out->data[i] = quantize_number (
          node, value, pick_zero (&grain, node, inputs, at), out->dtype);
      tp_dims_next (out->rank, out->dims, at);
    }
}

static void
dequantize_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[Q_X], *scale = inputs[Q_SCALE];
  Grain grain = grain_of (node, x->rank, scale->rank, scale->count);
  TpRefTensor *out = &outputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    {
      double shift = pick_zero (&grain, node, inputs, at);

      out->data[i] = (x->data[i] - shift) * pick (&grain, scale, at);
      tp_dims_next (out->rank, out->dims, at);
    }
}

/* ---- records ------------------------------------------------------------ */

static gboolean
check_scale (const TpNode *node, const TpTensor *scale, GError **error)
{
  if (tp_dtype_get (scale->dtype)->class == TP_CLASS_REAL)
    return TRUE;
  return tp_op_fail (node, error, "input 1 (scale) is %s, scales are reals",
                     tp_dtype_get_name (scale->dtype));
}

/* What attribute @name says of the type, if anything, is that of @of. */
static gboolean
check_dtype (const TpNode *node, const char *name, const TpTensor *of,
             GError **error)
{
  TpDtype dtype = of->dtype;

  if (tp_node_get_int (node, name, 0) == 0)
    return TRUE;
  if (!tp_node_get_dtype (node, name, of->dtype, &dtype, error))
    return FALSE;
  return dtype == of->dtype
         || tp_op_fail (node, error, "%s is %s, tensor '%s' is %s", name,
                        tp_dtype_get_name (dtype), of->name,
                        tp_dtype_get_name (of->dtype));
}

/* The type of the output: that of the zero point, if there is one. */
static gboolean
infer_quantized (const TpNode *node, const TpTensor *zero, TpDtype *out_dtype,
                 GError **error)
{
  const TpNarrow *narrow = find_narrow (node);

  *out_dtype = zero != NULL ? zero->dtype : TPLAN_DTYPE_UINT8;
  if (narrow == NULL)
    return zero != NULL
               ? check_dtype (node, "output_dtype", zero, error)
               : tp_node_get_int (node, "output_dtype", 0) == 0
                     || tp_node_get_dtype (node, "output_dtype", *out_dtype, out_dtype,
                                           error);
  *out_dtype = narrow->dtype;
  if (!tp_narrow_is_target (narrow))
    return tp_op_refuse (node, error, "output_dtype %" G_GINT64_FORMAT " is one of "
                         "scales: nothing is rounded to it", narrow->onnx);
  return zero == NULL || zero->dtype == narrow->dtype
         || tp_op_fail (node, error, "tensor '%s' is %s, the zero point of output_dtype %"
                        G_GINT64_FORMAT " is %s", zero->name,
                        tp_dtype_get_name (zero->dtype), narrow->onnx,
                        tp_dtype_get_name (narrow->dtype));
}

static gboolean
quantize_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  const TpTensor *zero = node->n_inputs > Q_ZERO ? inputs[Q_ZERO] : NULL;
  TpDtype *dtype = &outputs[0].dtype;

  tp_shape_copy (&outputs[0], inputs[Q_X]);
  if (tp_dtype_get (inputs[Q_X]->dtype)->class != TP_CLASS_REAL
      && inputs[Q_X]->dtype != TPLAN_DTYPE_INT32)
    return tp_op_fail (node, error, "input 0 is %s, reals and int32 can be "
                       "quantized", tp_dtype_get_name (inputs[Q_X]->dtype));
  if (!check_scale (node, inputs[Q_SCALE], error)
      || !check_dtype (node, "precision", inputs[Q_SCALE], error)
      || !infer_quantized (node, zero, dtype, error))
    return FALSE;
  if (find_narrow (node) == NULL && !tp_dtype_is_quantized (*dtype))
    return tp_op_fail (node, error, "reals are quantized to int8, uint8, int16 "
                       "or uint16, not to %s", tp_dtype_get_name (*dtype));
  return grain_check (node, inputs, error);
}

static const TpAttrSpec quantize_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "block_size", TP_ATTR_INT, FALSE },
  { "output_dtype", TP_ATTR_INT, FALSE },
  { "precision", TP_ATTR_INT, FALSE },
  { "saturate", TP_ATTR_INT, FALSE }, /* of 8-bit reals */
  { 0 },
};

const TpOp tp_op_quantize_linear = {
  .name = "QuantizeLinear",
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = quantize_attrs,
  .tolerance = 0.0,
  .infer = quantize_infer,
  .lower = quantize_lower,
  .reference = quantize_reference,
};

static gboolean
dequantize_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[Q_X];
  const TpTensor *zero = node->n_inputs > Q_ZERO ? inputs[Q_ZERO] : NULL;
  TpDtype *dtype = &outputs[0].dtype;

  tp_shape_copy (&outputs[0], x);
  *dtype = inputs[Q_SCALE]->dtype;
  if (!tp_dtype_is_quantized (x->dtype) && x->dtype != TPLAN_DTYPE_INT32
      && x->dtype != TPLAN_DTYPE_BFLOAT16) /* as reals of 8 bits are read */
    return tp_op_fail (node, error, "input 0 is %s, what was quantized is "
                       "int8, uint8, int16, uint16 or int32",
                       tp_dtype_get_name (x->dtype));
  if (zero != NULL && zero->dtype != x->dtype)
    return tp_op_fail (node, error, "the zero point is %s, input 0 is %s",
                       tp_dtype_get_name (zero->dtype),
                       tp_dtype_get_name (x->dtype));
  if (!check_scale (node, inputs[Q_SCALE], error)
      || (tp_node_get_int (node, "output_dtype", 0) != 0
          && !tp_node_get_dtype (node, "output_dtype", *dtype, dtype, error)))
    return FALSE;
  if (tp_dtype_get (*dtype)->class != TP_CLASS_REAL)
    return tp_op_fail (node, error, "output_dtype is %s, reals come of it",
                       tp_dtype_get_name (*dtype));
  return grain_check (node, inputs, error);
}

static const TpAttrSpec dequantize_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "block_size", TP_ATTR_INT, FALSE },
  { "output_dtype", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_dequantize_linear = {
  .name = "DequantizeLinear",
  .flags = TP_OP_DEQUANTIZES,
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = dequantize_attrs,
  .tolerance = 1e-6,
  .infer = dequantize_infer,
  .lower = dequantize_lower,
  .reference = dequantize_reference,
};
