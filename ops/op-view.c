/* op-view.c: the same elements in the same order under another shape, or the same
 * bytes as those of another type. */
#include "config.h"

#include "ops/op-view.h"

#include "ops/op-cast.h"
#include "ops/op-util.h"

#include <string.h>

#define VIEW                                                                   \
  .kind = TP_OP_VIEW, .n_outputs_max = 1, .tolerance = 0.0,                    \
  .reference = tp_reference_copy, .moves = TP_MOVES (0)

/* ---- Reshape ------------------------------------------------------------ */

static gboolean
reshape_infer_rest (const TpNode *node, const TpTensor *x, int open,
                    TpShape *out, GError **error)
{
  gint64 count = 1;

  for (int i = 0; i < out->rank; i++)
    if (i != open && !tp_size_mul (count, out->dims[i], &count))
      return tp_op_fail (node, error, "the shape in input 1 is too large");
  if (open >= 0 && count > 0 && x->count % count == 0)
    {
      out->dims[open] = x->count / count;
      count *= out->dims[open];
    }
  if ((open >= 0 && out->dims[open] < 0) || count != x->count)
    {
      g_autofree char *text = tp_dims_to_text (out->rank, out->dims);

      return tp_op_fail (node, error,
                         "input 0 has %" G_GINT64_FORMAT
                         " elements, which do not make up %s",
                         x->count, text);
    }
  return TRUE;
}

static gboolean
reshape_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  gboolean is_zero_kept = tp_node_get_int (node, "allowzero", 0) != 0;
  TpInts dims = { out->dims, TP_MAX_RANK, 0 };
  int open = -1;

  out->dtype = x->dtype;
  if (!tp_input_get_ints (node, inputs, 1, &dims, error))
    return FALSE;
  out->rank = dims.n;
  for (int i = 0; i < out->rank; i++)
    {
      if (out->dims[i] < -1 || (out->dims[i] == -1 && open >= 0))
        return tp_op_fail (node, error,
                           "dimension %d of the shape in input 1 is "
                           "%" G_GINT64_FORMAT "; only one may be -1",
                           i, out->dims[i]);
      if (out->dims[i] == -1)
        open = i;
      if (out->dims[i] != 0 || is_zero_kept)
        continue;
      if (i >= x->rank)
        return tp_op_fail (node, error,
                           "dimension %d of the shape in input 1 is 0, but "
                           "input 0 has only %d to copy",
                           i, x->rank);
      out->dims[i] = x->dims[i];
    }
  return reshape_infer_rest (node, x, open, out, error);
}

static const TpAttrSpec reshape_attrs[] = {
  { "allowzero", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_reshape = {
  .name = "Reshape",
  VIEW,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .attrs = reshape_attrs,
  .infer = reshape_infer,
};

/* ---- Flatten ------------------------------------------------------------ */

static gboolean
flatten_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 axis = tp_node_get_int (node, "axis", 1);

  if (axis < -x->rank || axis > x->rank)
    return tp_op_fail (node, error,
                       "axis %" G_GINT64_FORMAT " is not in %d..%d", axis,
                       -x->rank, x->rank);
  if (axis < 0)
    axis += x->rank;
  outputs[0].dtype = x->dtype;
  outputs[0].rank = 2;
  outputs[0].dims[0] = tp_dims_product (x->dims, 0, axis);
  outputs[0].dims[1] = tp_dims_product (x->dims, axis, x->rank);
  return TRUE;
}

const TpOp tp_op_flatten = {
  .name = "Flatten",
  VIEW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .attrs = tp_attrs_axis,
  .infer = flatten_infer,
};

/* ---- Squeeze and Unsqueeze ---------------------------------------------- */

/* The axes an op names: before opset 13 in an attribute, since then in input 1;
 * n is -1 where they are not given. */
typedef struct
{
  int n;
  gint64 values[TP_MAX_RANK];
  gboolean is_named[TP_MAX_RANK];
} Axes;

static gboolean
axes_read (Axes *self, const TpNode *node, const TpTensor *const *inputs,
           GError **error)
{
  TpInts list = { self->values, TP_MAX_RANK, 0 };
  const gint64 *given = tp_node_get_ints (node, "axes", &list.n);

  memset (self, 0, sizeof *self);
  if (tp_node_has_input (node, 1))
    {
      if (!tp_input_get_ints (node, inputs, 1, &list, error))
        return FALSE;
    }
  else if (list.n > TP_MAX_RANK)
    return tp_op_fail (node, error, "%d axes are more than %d", list.n,
                       TP_MAX_RANK);
  else if (given != NULL)
    memcpy (self->values, given, list.n * sizeof given[0]);
  else
    list.n = -1;
  self->n = list.n;
  return TRUE;
}

/* Among @rank dimensions. */
static gboolean
axes_resolve (Axes *self, const TpNode *node, int rank, GError **error)
{
  for (int i = 0; i < self->n; i++)
    {
      int axis = 0;

      if (!tp_axis_resolve (node, self->values[i], rank, &axis, error))
        return FALSE;
      if (self->is_named[axis])
        return tp_op_fail (node, error, "axis %d is named twice", axis);
      self->is_named[axis] = TRUE;
    }
  return TRUE;
}

static gboolean
squeeze_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  Axes axes;

  if (!axes_read (&axes, node, inputs, error)
      || !axes_resolve (&axes, node, x->rank, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = 0;
  for (int i = 0; i < x->rank; i++)
    {
      if (axes.is_named[i] && x->dims[i] != 1)
        return tp_op_fail (node, error,
                           "dimension %d has extent %" G_GINT64_FORMAT
                           ", only 1 can be squeezed",
                           i, x->dims[i]);
      if (!axes.is_named[i] && !(axes.n < 0 && x->dims[i] == 1))
        out->dims[out->rank++] = x->dims[i];
    }
  return TRUE;
}

static gboolean
unsqueeze_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  int k = 0;
  Axes axes;

  if (!axes_read (&axes, node, inputs, error))
    return FALSE;
  if (axes.n < 0)
    return tp_op_fail (node, error, "axes are missing");
  if (axes.n > TP_MAX_RANK - x->rank)
    return tp_op_fail (node, error, "rank %d is more than %d",
                       x->rank + axes.n, TP_MAX_RANK);
  /* How many there are tells the rank they count in. */
  if (!axes_resolve (&axes, node, x->rank + axes.n, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = x->rank + axes.n;
  for (int i = 0; i < out->rank; i++)
    out->dims[i] = axes.is_named[i] ? 1 : x->dims[k++];
  return TRUE;
}

static const TpAttrSpec axes_attrs[] = {
  { "axes", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_squeeze = {
  .name = "Squeeze",
  VIEW,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .attrs = axes_attrs,
  .infer = squeeze_infer,
};

const TpOp tp_op_unsqueeze = {
  .name = "Unsqueeze",
  VIEW,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .attrs = axes_attrs,
  .infer = unsqueeze_infer,
};

/* ---- BitCast ------------------------------------------------------------ */

static gboolean
bit_cast_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  TpDtype from = inputs[0]->dtype, to = from;

  if (!tp_node_get_dtype (node, "to", from, &to, error))
    return FALSE;
  if (tp_dtype_get_size (to) != tp_dtype_get_size (from))
    return tp_op_fail (node, error, "input 0 is %s, which has not as many bits as %s",
                       tp_dtype_get_name (from), tp_dtype_get_name (to));
  if (to == TPLAN_DTYPE_BOOL && from != to)
    return tp_op_refuse (node, error, "bytes of %s may be neither 0 nor 1, which a bool "
                         "is: use Cast", tp_dtype_get_name (from));
  tp_shape_copy (&outputs[0], inputs[0]);
  outputs[0].dtype = to;
  return TRUE;
}

static void
bit_cast_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const TpDtypeRow *from = tp_dtype_get (inputs[0]->dtype);
  const TpDtypeRow *to = tp_dtype_get (outputs[0].dtype);

  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      guint64 memory = 0;

      if (from->class == TP_CLASS_REAL)
        from->store_reals (&inputs[0]->data[i], 1, 1, &memory);
      else
        from->store_integers (&inputs[0]->integers[i], 1, 1, &memory);
      if (to->class == TP_CLASS_REAL)
        to->load_reals (&memory, 1, 1, &outputs[0].data[i]);
      else
        to->load_integers (&memory, 1, 1, &outputs[0].integers[i]);
    }
}

static const TpAttrSpec bit_cast_attrs[] = {
  { "to", TP_ATTR_INT, TRUE },
  { 0 },
};

const TpOp tp_op_bit_cast = {
  .name = "BitCast",
  .kind = TP_OP_VIEW,
  .n_outputs_max = 1,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .flags = TP_OP_OF_BITS,
  .attrs = bit_cast_attrs,
  .infer = bit_cast_infer,
  .reference = bit_cast_reference,
};

/* ---- Stream ------------------------------------------------------------- */

const TpOp tp_op_stream = {
  .name = "Stream",
  VIEW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .flags = TP_OP_STREAMS,
  .infer = tp_infer_same,
};
