/* op-resize.c: Resize and Upsample: images of another size. */
#include "config.h"

#include "ops/op-resize.h"

#include "ir/graph-value.h"
#include "ops/resize.h"

#include <math.h>
#include <string.h>

/* The input that holds the scales: inputs moved between opsets. */
static int
find_scales (const TpNode *node)
{
  const TpResizeKind *kind = node->op->data;

  return !kind->is_upsample && node->opset >= 11 ? 2 : 1;
}

/* Scales from attributes: of Upsample, one for each dimension before opset 9, of
 * an image's two before opset 7. Returns how many. */
static int
get_attr_scales (const TpNode *node, double *out_scales)
{
  const TpAttr *scales = tp_node_find_attr (node, "scales");

  if (tp_node_find_attr (node, "height_scale") != NULL)
    {
      out_scales[0] = out_scales[1] = 1.0;
      out_scales[2] = tp_node_get_float (node, "height_scale", 1.0);
      out_scales[3] = tp_node_get_float (node, "width_scale", 1.0);
      return 4;
    }
  if (scales == NULL || scales->n > TP_MAX_RANK)
    return 0;
  memcpy (out_scales, scales->floats, scales->n * sizeof *out_scales);
  return scales->n;
}

/* Scales from attributes or an input; *out_n is 0 when there are none. */
static gboolean
get_scales (const TpNode *node, const TpTensor *const *inputs,
            double *out_scales, int *out_n, GError **error)
{
  int i = find_scales (node);

  *out_n = get_attr_scales (node, out_scales);
  if (!tp_node_has_input (node, i) || inputs[i]->count == 0)
    return TRUE;
  if (!tp_tensor_is_constant (inputs[i]))
    return tp_op_refuse (node, error, "the scales must be constant");
  if (inputs[i]->rank != 1 || inputs[i]->count > TP_MAX_RANK)
    return tp_op_fail (node, error, "the scales must be a list, one for each "
                       "dimension");
  tp_tensor_write_doubles (inputs[i], out_scales);
  *out_n = inputs[i]->count;
  return TRUE;
}

/* Which dimension each scale or size is for. */
static gboolean
get_axes (const TpNode *node, int rank, int n, int *out_axes, GError **error)
{
  int n_axes = 0;
  const gint64 *axes = tp_node_get_ints (node, "axes", &n_axes);

  if (n != (axes != NULL ? n_axes : rank) || n > rank)
    return tp_op_fail (node, error, "%d scales or sizes for %d dimensions", n,
                       axes != NULL ? n_axes : rank);
  for (int i = 0; i < n; i++)
    {
      out_axes[i] = i;
      if (axes != NULL
          && !tp_axis_resolve (node, axes[i], rank, &out_axes[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
infer_scales (const TpNode *node, const double *scales, int n, TpShape *out,
              GError **error)
{
  int axes[TP_MAX_RANK];

  if (!get_axes (node, out->rank, n, axes, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      double extent = floor (out->dims[axes[i]] * scales[i]);

      if (!(scales[i] > 0.0 && extent >= 1.0 && extent < 0x1p53))
        return tp_op_fail (node, error, "dimension %d is scaled by %g", axes[i],
                           scales[i]);
      out->dims[axes[i]] = extent;
    }
  return TRUE;
}

/* How sizes are taken that do not keep the form of the image. */
typedef enum { STRETCH, NOT_LARGER, NOT_SMALLER } Policy;

static gboolean
get_policy (const TpNode *node, Policy *out_policy, GError **error)
{
  static const char *const names[]
      = { "stretch", "not_larger", "not_smaller" };
  const char *name
      = tp_node_get_string (node, "keep_aspect_ratio_policy", names[0]);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      {
        *out_policy = (Policy) i;
        return TRUE;
      }
  return tp_op_fail (node, error,
                     "keep_aspect_ratio_policy '%s' is not known: 'stretch', "
                     "'not_larger' or 'not_smaller'",
                     name);
}

/* Of all dimensions the least that @sizes ask for, or the most. */
static double
find_common_scale (Policy policy, const double *scales, int n)
{
  double scale = scales[0];

  for (int i = 1; i < n; i++)
    scale = policy == NOT_LARGER ? MIN (scale, scales[i])
                                 : MAX (scale, scales[i]);
  return scale;
}

static gboolean
infer_sizes (const TpNode *node, const TpTensor *const *inputs, TpShape *out,
             GError **error)
{
  gint64 sizes[TP_MAX_RANK];
  TpInts list = { sizes, TP_MAX_RANK, 0 };
  double scales[TP_MAX_RANK];
  int axes[TP_MAX_RANK];
  Policy policy;

  if (!get_policy (node, &policy, error)
      || !tp_input_get_ints (node, inputs, 3, &list, error)
      || !get_axes (node, out->rank, list.n, axes, error))
    return FALSE;
  for (int i = 0; i < list.n; i++)
    {
      if (sizes[i] < 1)
        return tp_op_fail (node, error,
                           "dimension %d gets size %" G_GINT64_FORMAT, axes[i],
                           sizes[i]);
      scales[i] = (double) sizes[i] / (double) MAX (out->dims[axes[i]], 1);
    }
  for (int i = 0; i < list.n; i++)
    {
      double common = find_common_scale (policy, scales, list.n);
      double extent = floor (common * (double) out->dims[axes[i]] + 0.5);

      out->dims[axes[i]] = policy == STRETCH ? sizes[i]
                                             : (gint64) MAX (extent, 1.0);
    }
  return TRUE;
}

/* The part looked at is a constant: two numbers for each dimension. */
static gboolean
check_roi (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  int axes[TP_MAX_RANK];
  gint64 n;

  if (!tp_node_has_input (node, 1) || !tp_tensor_is_constant (inputs[1]))
    return tp_op_refuse (node, error, "input 1, the part looked at, must be a "
                         "constant");
  n = inputs[1]->count;
  if (inputs[1]->rank != 1 || n % 2 != 0 || n > 2 * TP_MAX_RANK)
    return tp_op_fail (node, error, "input 1 must be a list, two numbers for "
                       "each dimension");
  return get_axes (node, inputs[0]->rank, (int) n / 2, axes, error);
}

/* Sums of so many elements that there is no kernel for them. */
static gboolean
check_taps (const TpNode *node, const TpResize *resize, const TpTensor *x,
            const TpShape *out, GError **error)
{
  for (int k = 0; k < x->rank; k++)
    {
      TpResizeAxis axis = { x->dims[k], out->dims[k],
                            (double) out->dims[k] / (double) MAX (x->dims[k], 1),
                            { 0.0, 1.0 } };

      /* given scales are less than one element away */
      axis.scale = MIN (axis.scale, 1.0);
      if (x->dims[k] != out->dims[k] && tp_resize_count_taps (resize, &axis) < 0)
        return tp_op_refuse (node, error,
                             "dimension %d shrinks from %" G_GINT64_FORMAT
                             " to %" G_GINT64_FORMAT
                             ": more than %d elements make up one",
                             k, x->dims[k], out->dims[k], TP_RESIZE_MAX_TAPS);
    }
  return TRUE;
}

/* Attributes that came and went. */
static gboolean
check_opset (const TpNode *node, GError **error)
{
  int n_old = (tp_node_find_attr (node, "height_scale") != NULL)
              + (tp_node_find_attr (node, "width_scale") != NULL);

  if (n_old > 0 && node->opset >= 7)
    return tp_op_fail (node, error,
                       "attributes 'height_scale' and 'width_scale' went with "
                       "opset 7, this is opset %d: give 'scales'",
                       node->opset);
  if (n_old == 1)
    return tp_op_fail (node, error, "of the attributes 'height_scale' and "
                       "'width_scale' one is missing");
  return TRUE;
}

static gboolean
resize_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  double scales[TP_MAX_RANK];
  TpResize resize;
  int n = 0;

  if (!check_opset (node, error) || !tp_resize_init (&resize, node, error)
      || !get_scales (node, inputs, scales, &n, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[0]);
  if (tp_resize_needs_roi (&resize) && !check_roi (node, inputs, error))
    return FALSE;
  if (n == 0 && !tp_node_has_input (node, 3))
    return tp_op_fail (node, error, "neither scales nor sizes are given");
  if (n > 0 ? !infer_scales (node, scales, n, &outputs[0], error)
            : !infer_sizes (node, inputs, &outputs[0], error))
    return FALSE;
  return check_taps (node, &resize, inputs[0], &outputs[0], error);
}

/* Of sizes: each by itself, or all by one scale. */
static void
set_size_scales (const TpNode *node, const double *sizes, int n,
                 const int *which, TpResizeAxis *axes)
{
  double scales[TP_MAX_RANK];
  Policy policy;

  if (!get_policy (node, &policy, NULL) || policy == STRETCH)
    return;
  for (int i = 0; i < n; i++)
    scales[i] = sizes[i] / (double) MAX (axes[which[i]].in, 1);
  for (int i = 0; i < n; i++)
    axes[which[i]].scale = find_common_scale (policy, scales, n);
}

void
tp_resize_set_axes (const TpNode *node, const TpResizeGiven given, int rank,
                    TpResizeAxis *axes)
{
  const double *scales = given[find_scales (node)];
  gboolean has_roi = find_scales (node) > 1 && given[1] != NULL;
  int which[TP_MAX_RANK];
  int n = 0;
  double own[TP_MAX_RANK];

  for (int i = 0; i < rank; i++)
    {
      axes[i].scale = (double) axes[i].out / axes[i].in;
      axes[i].roi[0] = 0.0;
      axes[i].roi[1] = 1.0;
    }
  if (scales == NULL && get_attr_scales (node, own) > 0)
    scales = own;
  tp_node_get_ints (node, "axes", &n);
  if (n == 0)
    n = rank;
  if (!get_axes (node, rank, n, which, NULL))
    return;
  for (int i = 0; i < n && scales != NULL; i++)
    axes[which[i]].scale = scales[i];
  if (scales == NULL && given[3] != NULL)
    set_size_scales (node, given[3], n, which, axes);
  for (int i = 0; i < n && has_roi; i++)
    {
      axes[which[i]].roi[0] = given[1][i];
      axes[which[i]].roi[1] = given[1][n + i];
    }
}

void
tp_resize_find_axes (const TpNode *node, const TpTensor *const *inputs,
                     const TpTensor *out, TpResizeAxis *axes)
{
  const TpTensor *x = inputs[0];
  double values[TP_RESIZE_INPUTS][2 * TP_MAX_RANK];
  TpResizeGiven given = { NULL };

  for (int i = 1; i < TP_RESIZE_INPUTS; i++)
    {
      if (inputs[i] == NULL || inputs[i]->count == 0
          || !tp_tensor_is_constant (inputs[i])
          || inputs[i]->count > 2 * TP_MAX_RANK)
        continue;
      tp_tensor_write_doubles (inputs[i], values[i]);
      given[i] = values[i];
    }
  for (int k = 0; k < x->rank; k++)
    axes[k] = (TpResizeAxis){ .in = x->dims[k], .out = out->dims[k] };
  tp_resize_set_axes (node, given, x->rank, axes);
}

gboolean
tp_resize_repeats (const TpResize *resize, const TpResizeAxis *axes, int rank)
{
  int n_axes = rank;

  for (int k = 0; k < rank; k++)
    {
      gint64 n = tp_resize_count_repeats (resize, &axes[k]);

      if (n == 0)
        return FALSE;
      n_axes += n > 1;
    }
  return n_axes <= TP_NEST_MAX_AXES;
}

/* What repeats elements. All else is taken apart (graph/pass-resize.c), or runs on
 * `ref`. */
static gboolean
resize_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *inputs[TP_RESIZE_INPUTS];
  const TpTensor *out = lowering.out;
  TpAccess *load = tp_lowering_add_load (&lowering, 0);
  TpResizeAxis axes[TP_MAX_RANK];
  TpResize resize;

  if (!tp_resize_init (&resize, node, error))
    return FALSE;
  for (int i = 0; i < TP_RESIZE_INPUTS; i++)
    inputs[i] = tp_lowering_get_input (&lowering, i);
  tp_resize_find_axes (node, inputs, out, axes);
  if (!tp_resize_repeats (&resize, axes, out->rank))
    return tp_op_refuse (node, error,
                         "it does more than repeat elements, which has no kernels: only "
                         "the device ref runs it, where it is named (--devices cpu,ref)");
  for (int k = 0; k < out->rank; k++)
    {
      gint64 n = out->dims[k] / axes[k].in;
      int axis = tp_lowering_add_axis (&lowering, axes[k].in, n * out->strides[k]);

      load->stride[axis] = inputs[0]->strides[k];
      if (n > 1)
        tp_lowering_add_axis (&lowering, n, out->strides[k]);
    }
  return tp_lowering_finish (&lowering, tp_lowering_last_load (&lowering));
}

/* The sum over all combinations of taps. */
static double
resize_element (const TpRefTensor *x, const TpResizePoint *points, int dim,
                gint64 index)
{
  const TpResizePoint *point = &points[dim];
  double sum = 0.0;

  if (dim == x->rank)
    return x->data[index];
  for (int i = 0; i < point->n; i++)
    if (point->weight[i] != 0.0)
      sum += point->weight[i]
             * resize_element (x, points, dim + 1,
                               index * x->dims[dim] + point->index[i]);
  return sum;
}

static gboolean
is_extrapolated (const TpResizePoint *points, int rank)
{
  for (int k = 0; k < rank; k++)
    if (points[k].is_extrapolated)
      return TRUE;
  return FALSE;
}

static void
resize_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  TpRefTensor *out = &outputs[0];
  TpResizeGiven given = { NULL };
  gint64 at[TP_MAX_RANK] = { 0 };
  TpResizeAxis axes[TP_MAX_RANK];
  TpResize resize;

  if (!tp_resize_init (&resize, node, NULL))
    g_assert_not_reached ();
  for (int i = 1; i < TP_RESIZE_INPUTS; i++)
    if (tp_node_has_input (node, i) && inputs[i]->count > 0)
      given[i] = inputs[i]->data;
  for (int k = 0; k < x->rank; k++)
    axes[k] = (TpResizeAxis){ .in = x->dims[k], .out = out->dims[k] };
  tp_resize_set_axes (node, given, x->rank, axes);
  for (gint64 i = 0; i < out->count; i++)
    {
      TpResizePoint points[TP_MAX_RANK];

      for (int k = 0; k < x->rank; k++)
        if (tp_resize_is_idle (&resize, &axes[k]))
          points[k] = (TpResizePoint){ 1, { at[k] }, { 1.0 }, FALSE };
        else
          tp_resize_get_point (&resize, &axes[k], at[k], &points[k]);
      out->data[i] = is_extrapolated (points, x->rank)
                         ? resize.extrapolation
                         : resize_element (x, points, 0, 0);
      if (tp_dtype_is_integer (out->dtype))
        out->data[i] = tp_reference_to_integer (out->data[i], out->dtype);
      tp_dims_next (out->rank, out->dims, at);
    }
}

static const TpAttrSpec resize_attrs[] = {
  { "antialias", TP_ATTR_INT, FALSE },
  { "axes", TP_ATTR_INTS, FALSE },
  { "coordinate_transformation_mode", TP_ATTR_STRING, FALSE },
  { "cubic_coeff_a", TP_ATTR_FLOAT, FALSE },
  { "exclude_outside", TP_ATTR_INT, FALSE },
  { "extrapolation_value", TP_ATTR_FLOAT, FALSE },
  { "keep_aspect_ratio_policy", TP_ATTR_STRING, FALSE },
  { "mode", TP_ATTR_STRING, FALSE },
  { "nearest_mode", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_resize = {
  .name = "Resize",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = resize_attrs,
  .tolerance = 1e-5,
  .data = &(const TpResizeKind){ .is_upsample = FALSE },
  .infer = resize_infer,
  .lower = resize_lower,
  .reference = resize_reference,
  .moves = TP_MOVES (0),
};

static const TpAttrSpec upsample_attrs[] = {
  { "height_scale", TP_ATTR_FLOAT, FALSE },
  { "mode", TP_ATTR_STRING, FALSE },
  { "scales", TP_ATTR_FLOATS, FALSE },
  { "width_scale", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_upsample = {
  .name = "Upsample",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = upsample_attrs,
  .tolerance = 1e-5,
  .data = &(const TpResizeKind){ .is_upsample = TRUE },
  .infer = resize_infer,
  .lower = resize_lower,
  .reference = resize_reference,
  .moves = TP_MOVES (0),
};
