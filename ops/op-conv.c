/* op-conv.c: convolution: grouped, depthwise, strided, dilated, padded, over
 * one to three spatial dimensions. */
#include "config.h"

#include "ops/op-conv.h"

#include <string.h>

/* ---- shape ------------------------------------------------------------- */

static gboolean
conv_check (const TpNode *node, const TpConvTensors *tensors, GError **error)
{
  const TpTensor *x = tensors->x;
  const TpTensor *w = tensors->w;
  const TpTensor *bias = tensors->bias;
  gint64 group = tp_node_get_int (node, "group", 1);

  if (x->rank != w->rank || x->rank < 3)
    return tp_op_fail (node, error,
                       "input 0 has rank %d and the filter %d: both must be "
                       "3, 4 or 5",
                       x->rank, w->rank);
  if (group < 1 || x->dims[1] % group != 0 || w->dims[0] % group != 0)
    return tp_op_fail (node, error,
                       "%" G_GINT64_FORMAT
                       " groups do not divide %" G_GINT64_FORMAT
                       " channels and %" G_GINT64_FORMAT " filters",
                       group, x->dims[1], w->dims[0]);
  if (x->dims[1] != w->dims[1] * group)
    return tp_op_fail (node, error,
                       "input 0 has %" G_GINT64_FORMAT
                       " channels, filter expects %" G_GINT64_FORMAT,
                       x->dims[1], w->dims[1] * group);
  if (bias != NULL && (bias->rank != 1 || bias->dims[0] != w->dims[0]))
    return tp_op_fail (node, error,
                       "the bias has %" G_GINT64_FORMAT
                       " elements, there are %" G_GINT64_FORMAT " filters",
                       bias->count, w->dims[0]);
  return TRUE;
}

gboolean
tp_conv_infer_shape (const TpNode *node, const TpConvTensors *tensors,
                     TpShape *out, GError **error)
{
  const TpTensor *x = tensors->x;
  const TpTensor *w = tensors->w;
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  TpWindow window;

  if (!conv_check (node, tensors, error)
      || !tp_window_init (&window, node, &source, error))
    return FALSE;
  out->rank = x->rank;
  out->dims[0] = x->dims[0];
  out->dims[1] = w->dims[0];
  memcpy (out->dims + 2, window.out, window.n * sizeof window.out[0]);
  return TRUE;
}

static gboolean
conv_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  TpConvTensors tensors = { inputs[0], inputs[1],
                            node->n_inputs > 2 ? inputs[2] : NULL };

  outputs[0].dtype = inputs[0]->dtype;
  return tp_conv_infer_shape (node, &tensors, &outputs[0], error)
         && tp_infer_one_dtype (node, inputs, error);
}

/* ---- nest -------------------------------------------------------------- */

static void
conv_add_axes (TpLowering *lowering, const TpWindow *window, gint64 n_channels,
               TpConvAxes *axes)
{
  const TpTensor *out = lowering->out;
  int first_out = 0;

  tp_lowering_add_axis (lowering, out->dims[0], out->strides[0]);
  axes->group = axes->filter = -1;
  if (axes->n_groups > 1)
    axes->group
        = tp_lowering_add_axis (lowering, axes->n_groups,
                                out->strides[1] * axes->n_filters);
  if (axes->n_groups == 1 || axes->n_filters > 1)
    axes->filter = tp_lowering_add_axis (lowering, axes->n_filters,
                                         out->strides[1]);
  first_out = lowering->nest->n_axes;
  for (int i = 0; i < window->n; i++)
    tp_lowering_add_axis (lowering, out->dims[2 + i], out->strides[2 + i]);
  axes->channel = tp_lowering_add_reduce_axis (lowering, n_channels);
  tp_window_add_axes (window, lowering, first_out, &axes->window);
}

static void
conv_set_input (TpLowering *lowering, const TpWindow *window,
                const TpConvAxes *axes, gint64 n_channels)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);

  load->stride[0] = x->strides[0];
  if (axes->group >= 0)
    load->stride[axes->group] = x->strides[1] * n_channels;
  if (axes->channel >= 0)
    load->stride[axes->channel] = x->strides[1];
  tp_window_set_load (window, &axes->window, x, load);
}

TpAccess *
tp_conv_load_filter (TpLowering *lowering, const TpConvAxes *axes, int i)
{
  const TpTensor *tensor = tp_lowering_get_input (lowering, i);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  if (axes->group >= 0)
    load->stride[axes->group] = tensor->strides[0] * axes->n_filters;
  if (axes->filter >= 0)
    load->stride[axes->filter] = tensor->strides[0];
  return load;
}

static void
conv_set_weights (TpLowering *lowering, const TpWindow *window,
                  const TpConvAxes *axes, int weights)
{
  const TpTensor *w = tp_lowering_get_input (lowering, weights);
  TpAccess *load = tp_conv_load_filter (lowering, axes, weights);

  if (axes->channel >= 0)
    load->stride[axes->channel] = w->strides[1];
  for (int i = 0; i < window->n; i++)
    if (axes->window.kernel[i] >= 0)
      load->stride[axes->window.kernel[i]] = w->strides[2 + i];
}

gboolean
tp_conv_add_loads (TpLowering *lowering, int weights, TpConvAxes *axes,
                   GError **error)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  const TpTensor *w = tp_lowering_get_input (lowering, weights);
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  TpWindow window;

  if (!tp_window_init (&window, lowering->node, &source, error))
    return FALSE;
  axes->n_groups = tp_node_get_int (lowering->node, "group", 1);
  axes->n_filters = w->dims[0] / axes->n_groups;
  conv_add_axes (lowering, &window, w->dims[1], axes);
  conv_set_input (lowering, &window, axes, w->dims[1]);
  conv_set_weights (lowering, &window, axes, weights);
  return TRUE;
}

static gboolean
conv_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  TpConvAxes axes;
  int result = -1;

  if (!tp_conv_add_loads (&lowering, 1, &axes, error))
    return FALSE;
  result = tp_nest_binary (lowering.nest, TP_EXPR_MUL,
                           tp_nest_load (lowering.nest, 0),
                           tp_nest_load (lowering.nest, 1));
  result = tp_lowering_reduce (&lowering, TP_COMBINE_SUM, result);
  if (tp_node_has_input (node, 2))
    {
      tp_conv_load_filter (&lowering, &axes, 2);
      result = tp_nest_binary (lowering.nest, TP_EXPR_ADD, result,
                               tp_nest_load (lowering.nest, 2));
    }
  return tp_lowering_finish (&lowering, result);
}

/* ---- reference --------------------------------------------------------- */

/* Fewer dimensions are the same with leading ones of extent 1. */
static void
conv_widen (TpWindow *window)
{
  int missing = TP_WINDOW_MAX_DIMS - window->n;
  TpWindow wide = { .n = TP_WINDOW_MAX_DIMS };

  for (int i = 0; i < TP_WINDOW_MAX_DIMS; i++)
    {
      int k = i - missing;

      wide.in[i] = k < 0 ? 1 : window->in[k];
      wide.out[i] = k < 0 ? 1 : window->out[k];
      wide.kernel[i] = k < 0 ? 1 : window->kernel[k];
      wide.stride[i] = k < 0 ? 1 : window->stride[k];
      wide.dilation[i] = k < 0 ? 1 : window->dilation[k];
      wide.pad_begin[i] = k < 0 ? 0 : window->pad_begin[k];
    }
  *window = wide;
}

/* Where each output is of one input, all rows are one long one. */
static void
conv_join_rows (TpWindow *w)
{
  gint64 n = 1;

  for (int i = 0; i < TP_WINDOW_MAX_DIMS; i++)
    {
      if (w->kernel[i] != 1 || w->stride[i] != 1 || w->in[i] != w->out[i])
        return;
      n *= w->out[i];
    }
  for (int i = 0; i < TP_WINDOW_MAX_DIMS; i++)
    w->in[i] = w->out[i] = i + 1 < TP_WINDOW_MAX_DIMS ? 1 : n;
}

/* One row of outputs gets one weight's worth of one row of inputs. */
static void
conv_add_row (const TpWindow *window, const double *x, double weight,
              gint64 kernel, double *out)
{
  gint64 stride = window->stride[2];
  gint64 start = kernel * window->dilation[2] - window->pad_begin[2];
  gint64 first = 0;
  gint64 end = window->out[2];

  if (start < 0)
    first = (-start + stride - 1) / stride;
  if (start + (end - 1) * stride >= window->in[2])
    end = start >= window->in[2] ? 0 : (window->in[2] - 1 - start) / stride + 1;
  if (stride == 1 && first < end)
    tp_reference_add_scaled (out + first, x + first + start, weight,
                             end - first);
  else
    for (gint64 o = first; o < end; o++)
      out[o] += weight * x[o * stride + start];
}

/* One filter plane over one channel plane. */
static void
conv_add_plane (const TpWindow *w, const double *x, const double *weights,
                double *out)
{
  for (gint64 od = 0; od < w->out[0]; od++)
    for (gint64 kd = 0; kd < w->kernel[0]; kd++)
      for (gint64 oh = 0; oh < w->out[1]; oh++)
        for (gint64 kh = 0; kh < w->kernel[1]; kh++)
          {
            gint64 id =
                od * w->stride[0] - w->pad_begin[0] + kd * w->dilation[0];
            gint64 ih =
                oh * w->stride[1] - w->pad_begin[1] + kh * w->dilation[1];
            const double *row =
                weights + (kd * w->kernel[1] + kh) * w->kernel[2];

            if (id < 0 || id >= w->in[0] || ih < 0 || ih >= w->in[1])
              continue;
            for (gint64 kw = 0; kw < w->kernel[2]; kw++)
              conv_add_row (w, x + (id * w->in[1] + ih) * w->in[2], row[kw], kw,
                            out + (od * w->out[1] + oh) * w->out[2]);
          }
}

void
tp_conv_reference (const TpNode *node, const TpConvValues *values,
                   TpRefTensor *output)
{
  const TpRefTensor *x = values->x;
  const TpRefTensor *weights = values->w;
  TpWindowSource source = { x->rank, x->dims, weights->dims + 2 };
  gint64 n_channels = weights->dims[1];
  gint64 n_filters = weights->dims[0] / tp_node_get_int (node, "group", 1);
  gint64 in_plane = tp_dims_product (x->dims, 2, x->rank);
  gint64 out_plane = tp_dims_product (output->dims, 2, output->rank);
  gint64 kernel_plane = tp_dims_product (weights->dims, 2, weights->rank);
  TpWindow window;

  if (!tp_window_init (&window, node, &source, NULL))
    g_assert_not_reached ();
  conv_widen (&window);
  conv_join_rows (&window);
  for (gint64 i = 0; i < output->dims[0] * output->dims[1]; i++)
    {
      gint64 filter = i % weights->dims[0];
      gint64 channel =
          i / weights->dims[0] * x->dims[1] + filter / n_filters * n_channels;
      double *out = output->data + i * out_plane;

      for (gint64 k = 0; k < out_plane; k++)
        out[k] = values->bias == NULL ? 0.0 : values->bias[filter];
      for (gint64 c = 0; c < n_channels; c++)
        conv_add_plane (
            &window, x->data + (channel + c) * in_plane,
            weights->data + (filter * n_channels + c) * kernel_plane, out);
    }
}

static void
conv_reference (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  TpConvValues values = { inputs[0], inputs[1],
                          tp_node_has_input (node, 2) ? inputs[2]->data
                                                      : NULL };

  tp_conv_reference (node, &values, &outputs[0]);
}

/* As many for each element as a filter has, those in the padding among them. */
static gint64
conv_count_products (const TpNode *node, const TpTensor *const *inputs,
                     const TpTensor *output)
{
  gint64 filters = MAX (inputs[1]->dims[0], 1), n;

  return tp_size_mul (output->count, inputs[1]->count / filters, &n) ? n
                                                                     : G_MAXINT64;
}

const TpAttrSpec tp_conv_attrs[] = {
  { "auto_pad", TP_ATTR_STRING, FALSE },
  { "dilations", TP_ATTR_INTS, FALSE },
  { "group", TP_ATTR_INT, FALSE },
  { "kernel_shape", TP_ATTR_INTS, FALSE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_conv = {
  .name = "Conv",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .flags = TP_OP_CHANNELS_LAST,
  .attrs = tp_conv_attrs,
  .tolerance = 1e-5,
  .infer = conv_infer,
  .lower = conv_lower,
  .reference = conv_reference,
  .products = TP_PRODUCT (TP_MOVES (0) | TP_MOVES (1), TP_MOVES (2)),
  .count_products = conv_count_products,
};
