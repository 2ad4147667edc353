/* op-fill.c: tensors made of little: Size, ConstantOfShape, Range, EyeLike,
 * OneHot. */
#include "config.h"

#include "ir/graph-value.h"
#include "ops/op-cast.h"
#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define FILL                                                                   \
  .kind = TP_OP_MOVE, .n_outputs_max = 1, .tolerance = 0.0

/* ---- Size --------------------------------------------------------------- */

static gboolean
size_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  outputs[0].dtype = TPLAN_DTYPE_INT64;
  outputs[0].rank = 0;
  return TRUE;
}

static void
size_reference (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  outputs[0].data[0] = inputs[0]->count;
}

const TpOp tp_op_size = {
  .name = "Size",
  FILL,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .flags = TP_OP_READS_SHAPE,
  .infer = size_infer,
  .reference = size_reference,
};

/* ---- ConstantOfShape ---------------------------------------------------- */

/* A list of extents: input @i. */
static gboolean
get_extents (const TpNode *node, const TpTensor *const *inputs, int i,
             TpShape *shape, GError **error)
{
  TpInts dims = { shape->dims, TP_MAX_RANK, 0 };

  if (!tp_input_get_ints (node, inputs, i, &dims, error))
    return FALSE;
  shape->rank = dims.n;
  for (int k = 0; k < shape->rank; k++)
    if (shape->dims[k] < 0)
      return tp_op_fail (node, error,
                         "dimension %d of the shape in input %d is "
                         "%" G_GINT64_FORMAT,
                         k, i, shape->dims[k]);
  return TRUE;
}

static gboolean
constant_of_shape_infer (const TpNode *node, const TpTensor *const *inputs,
                         TpShape *outputs, GError **error)
{
  const TpAttr *value = tp_node_find_attr (node, "value");

  if (value != NULL && value->n != 1)
    return tp_op_fail (node, error,
                       "attribute 'value' has %d elements, must have 1",
                       value->n);
  if (value != NULL && tp_dtype_is_integer (value->dtype)
      && fabs (value->f) >= 0x1p53)
    return tp_op_refuse (node, error,
                         "attribute 'value' is %.0f: integers from 2^53 on "
                         "are not exact here",
                         value->f);
  outputs[0].dtype = value != NULL ? value->dtype : TPLAN_DTYPE_FLOAT32;
  return get_extents (node, inputs, 0, &outputs[0], error);
}

static double
constant_of_shape_get_value (const TpNode *node)
{
  const TpAttr *value = tp_node_find_attr (node, "value");

  return value != NULL ? value->f : 0.0;
}

/* What is too large to be folded. */
static gboolean
constant_of_shape_lower (const TpGraph *graph, const TpNode *node,
                         TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  double value = constant_of_shape_get_value (node);

  tp_lowering_add_output_axes (&lowering);
  return tp_lowering_finish (
      &lowering, tp_dtype_is_integer (lowering.out->dtype)
                     ? tp_nest_const_integer (lowering.nest, (gint64) value)
                     : tp_nest_const (lowering.nest, value));
}

static void
constant_of_shape_reference (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs)
{
  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] = constant_of_shape_get_value (node);
}

static const TpAttrSpec value_attrs[] = {
  { "value", TP_ATTR_TENSOR, FALSE },
  { 0 },
};

const TpOp tp_op_constant_of_shape = {
  .name = "ConstantOfShape",
  FILL,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .attrs = value_attrs,
  .infer = constant_of_shape_infer,
  .lower = constant_of_shape_lower,
  .reference = constant_of_shape_reference,
};

/* ---- Range -------------------------------------------------------------- */

/* How many lie from start to limit, of which that is none. */
static double
count_reals (const TpTensor *const *inputs)
{
  double x[3]; /* start, limit, delta */

  for (int i = 0; i < 3; i++)
    tp_tensor_write_doubles (inputs[i], &x[i]);
  return ceil ((x[1] - x[0]) / x[2]);
}

static gint64
read_integer (const TpTensor *tensor)
{
  char memory[sizeof (gint64)];
  gint64 value;

  tp_tensor_write_part (tensor, 0, 1, memory);
  tp_dtype_get (tensor->dtype)->load_integers (memory, 1, 1, &value);
  return value;
}

/* The same; the way may be longer than any integer. */
static double
count_integers (const TpTensor *const *inputs)
{
  gint64 start = read_integer (inputs[0]), limit = read_integer (inputs[1]);
  gint64 delta = read_integer (inputs[2]);
  guint64 way, step;

  if (delta > 0 ? limit <= start : limit >= start)
    return 0.0;
  way = delta > 0 ? (guint64) limit - (guint64) start
                  : (guint64) start - (guint64) limit;
  step = delta > 0 ? (guint64) delta : 0 - (guint64) delta;
  return (double) (way / step + (way % step != 0));
}

static gboolean
range_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  double n = 0.0, delta = 0.0;

  for (int i = 0; i < 3; i++)
    {
      if (inputs[i]->count != 1)
        return tp_op_fail (node, error,
                           "input %d has %" G_GINT64_FORMAT
                           " elements, must have 1",
                           i, inputs[i]->count);
      if (!tp_tensor_is_constant (inputs[i]))
        return tp_op_refuse (node, error, "input %d ('%s') must be a constant",
                             i, inputs[i]->name);
    }
  tp_tensor_write_doubles (inputs[2], &delta);
  if (delta == 0.0)
    return tp_op_fail (node, error, "delta (input 2) is 0");
  if (!tp_infer_one_dtype (node, inputs, error))
    return FALSE;
  n = tp_dtype_is_integer (inputs[0]->dtype) ? count_integers (inputs)
                                              : count_reals (inputs);
  if (!(n < 0x1p53))
    return tp_op_fail (node, error, "%g elements are too many", n);
  outputs[0].dtype = inputs[0]->dtype;
  outputs[0].rank = 1;
  outputs[0].dims[0] = MAX (n, 0.0);
  return TRUE;
}

/* What is too large to be folded. */
static gboolean
range_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  TpNest *nest = lowering.nest;
  int at;

  if (lowering.out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty",
                         lowering.out->name);
  tp_lowering_add_output_axes (&lowering);
  at = tp_nest_convert (nest, tp_lowering_number_points (&lowering),
                        lowering.out->dtype);
  at = tp_nest_binary (nest, TP_EXPR_MUL, at,
                       tp_lowering_load_broadcast (&lowering, 2));
  return tp_lowering_finish (
      &lowering, tp_nest_binary (nest, TP_EXPR_ADD, at,
                                 tp_lowering_load_broadcast (&lowering, 0)));
}

static void
range_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] = inputs[0]->data[0] + i * inputs[2]->data[0];
}

static void
range_reference_integer (const TpNode *node, const TpRefTensor *const *inputs,
                         TpRefTensor *outputs)
{
  guint64 start = (guint64) inputs[0]->integers[0];
  guint64 delta = (guint64) inputs[2]->integers[0];

  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].integers[i]
        = tp_dtype_wrap (outputs[0].dtype,
                         (gint64) (start + (guint64) i * delta));
}

const TpOp tp_op_range = {
  .name = "Range",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .tolerance = 1e-6,
  .infer = range_infer,
  .lower = range_lower,
  .reference = range_reference,
  .reference_integer = range_reference_integer,
};

/* ---- EyeLike ------------------------------------------------------------ */

static gboolean
eye_like_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  if (inputs[0]->rank != 2)
    return tp_op_fail (node, error, "input 0 has rank %d, must have 2",
                       inputs[0]->rank);
  tp_shape_copy (&outputs[0], inputs[0]);
  return tp_node_get_dtype (node, "dtype", inputs[0]->dtype, &outputs[0].dtype,
                            error);
}

/* One where column - row - k is 0, by the guard of a load that is never made. */
static gboolean
eye_like_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *out = lowering.out;
  gint64 k = CLAMP (tp_node_get_int (node, "k", 0), -out->dims[0], out->dims[1]);
  TpNest *nest = lowering.nest;
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, 0);
  load->n_guards = 1;
  load->guards[0].coef[0] = -1;
  load->guards[0].coef[1] = 1;
  load->guards[0].offset = -k;
  load->guards[0].extent = 1;
  return tp_lowering_finish (
      &lowering, tp_nest_convert (nest, tp_nest_inside (nest, 0), out->dtype));
}

static void
eye_like_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  gint64 k = tp_node_get_int (node, "k", 0);
  gint64 width = outputs[0].dims[1];

  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] = i % width - i / width == k;
}

static const TpAttrSpec eye_like_attrs[] = {
  { "dtype", TP_ATTR_INT, FALSE },
  { "k", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_eye_like = {
  .name = "EyeLike",
  FILL,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .flags = TP_OP_READS_SHAPE,
  .attrs = eye_like_attrs,
  .infer = eye_like_infer,
  .lower = eye_like_lower,
  .reference = eye_like_reference,
};

/* ---- OneHot ------------------------------------------------------------- */

static gboolean
one_hot_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  const TpTensor *indices = inputs[0];
  TpShape *out = &outputs[0];
  gint64 depth = 0;
  TpInts list = { &depth, 1, 0 };
  int axis = 0;

  if (indices->rank == TP_MAX_RANK)
    return tp_op_fail (node, error, "rank %d is more than %d",
                       indices->rank + 1, TP_MAX_RANK);
  if (!tp_node_get_axis (node, -1, indices->rank + 1, &axis, error)
      || !tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (list.n != 1 || depth < 0)
    return tp_op_fail (node, error, "depth (input 1) must be one number");
  if (inputs[2]->count != 2)
    return tp_op_fail (node, error, "input 2 must hold the values off and on");
  out->dtype = inputs[2]->dtype;
  out->rank = indices->rank + 1;
  memcpy (out->dims, indices->dims, axis * sizeof out->dims[0]);
  out->dims[axis] = depth;
  memcpy (out->dims + axis + 1, indices->dims + axis,
          (indices->rank - axis) * sizeof out->dims[0]);
  return TRUE;
}

/* All off; then each index has its place. */
static gboolean
one_hot_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) off = tp_lowering_new (graph, node, lowered);
  g_auto (TpLowering) on = tp_lowering_new (graph, node, lowered);
  const TpTensor *indices = tp_lowering_get_input (&on, 0);
  const TpTensor *values = tp_lowering_get_input (&on, 2);
  const TpTensor *out = on.out;
  TpAccess *load = NULL;
  int axis = 0, at;

  if (!tp_node_get_axis (node, -1, out->rank, &axis, error))
    return FALSE;
  if (out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", out->name);
  tp_lowering_add_output_axes (&off);
  tp_lowering_add_load (&off, 2);
  tp_lowering_finish (&off, tp_lowering_last_load (&off));
  for (int i = 0; i < indices->rank; i++)
    tp_lowering_add_axis (&on, indices->dims[i],
                          out->strides[i < axis ? i : i + 1]);
  load = tp_lowering_add_load (&on, 0);
  memcpy (load->stride, indices->strides,
          indices->rank * sizeof indices->strides[0]);
  at = tp_nest_convert (on.nest, tp_lowering_last_load (&on),
                        TPLAN_DTYPE_INT64);
  tp_access_pick (&on.nest->store, out, axis, at);
  load = tp_lowering_add_load (&on, 2);
  load->offset = values->strides[0];
  return tp_lowering_finish (&on, tp_lowering_last_load (&on));
}

static void
one_hot_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  const TpRefTensor *out = &outputs[0];
  gint64 depth = 0;
  gint64 n = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, -1, out->rank, &axis, NULL))
    g_assert_not_reached ();
  depth = out->dims[axis];
  n = tp_dims_product (out->dims, axis + 1, out->rank);
  for (gint64 i = 0; i < out->count; i++)
    {
      double index = trunc (inputs[0]->data[i / (n * depth) * n + i % n]);

      index += index < 0.0 ? depth : 0;
      out->data[i] = inputs[2]->data[index == i / n % depth];
    }
}

const TpOp tp_op_one_hot = {
  .name = "OneHot",
  FILL,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .attrs = tp_attrs_axis,
  .infer = one_hot_infer,
  .lower = one_hot_lower,
  .reference = one_hot_reference,
  .moves = TP_MOVES (2),
};
