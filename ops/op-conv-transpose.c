/* op-conv-transpose.c: transposed convolution: input i and filter tap k add to
 * output i * stride + k * dilation - pad. Each phase (transposed.h) is a dense
 * convolution: an up-convolution 2 x 2 with stride 2 is one product, with the phases
 * among its columns. */
#include "config.h"

#include "ops/transposed.h"

#include <string.h>

/* ---- shape ------------------------------------------------------------- */

static gboolean
transpose_check (const TpNode *node, const TpTensor *const *inputs,
                 GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *w = inputs[1];
  const TpTensor *bias = node->n_inputs > 2 ? inputs[2] : NULL;
  gint64 group = tp_node_get_int (node, "group", 1);

  if (x->rank != w->rank || x->rank < 3)
    return tp_op_fail (node, error,
                       "input 0 has rank %d and the filter %d: both must be "
                       "3, 4 or 5",
                       x->rank, w->rank);
  if (group < 1 || x->dims[1] % group != 0)
    return tp_op_fail (node, error,
                       "%" G_GINT64_FORMAT
                       " groups do not divide %" G_GINT64_FORMAT " channels",
                       group, x->dims[1]);
  if (x->dims[1] != w->dims[0])
    return tp_op_fail (node, error,
                       "input 0 has %" G_GINT64_FORMAT
                       " channels, filter expects %" G_GINT64_FORMAT,
                       x->dims[1], w->dims[0]);
  if (group > G_MAXINT32 || w->dims[1] > G_MAXINT32)
    return tp_op_fail (node, error, "too many filters");
  if (bias != NULL && (bias->rank != 1 || bias->dims[0] != w->dims[1] * group))
    return tp_op_fail (node, error,
                       "the bias has %" G_GINT64_FORMAT
                       " elements, there are %" G_GINT64_FORMAT " filters",
                       bias->count, w->dims[1] * group);
  return tp_infer_one_dtype (node, inputs, error);
}

static gboolean
transpose_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *w = inputs[1];
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  TpShape *out = &outputs[0];
  TpWindow window;

  if (!transpose_check (node, inputs, error)
      || !tp_window_init_transposed (&window, node, &source, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = x->rank;
  out->dims[0] = x->dims[0];
  out->dims[1] = w->dims[1] * tp_node_get_int (node, "group", 1);
  memcpy (out->dims + 2, window.out, window.n * sizeof window.out[0]);
  return TRUE;
}

/* ---- nests ------------------------------------------------------------- */

typedef struct
{
  const TpTransposed *places;
  gint64 n_groups, n_filters, n_channels; /* the last two per group */
} Transpose;

typedef struct
{
  TpTransposedAxes places;
  int group, filter, channel; /* axes; -1: none */
} TransposeAxes;

static void
add_axes (TpLowering *lowering, const Transpose *self, TransposeAxes *axes)
{
  const TpTensor *out = lowering->out;

  tp_lowering_add_axis (lowering, out->dims[0], out->strides[0]);
  axes->group = axes->filter = axes->channel = -1;
  if (self->n_groups > 1)
    axes->group = tp_lowering_add_axis (lowering, self->n_groups,
                                        out->strides[1] * self->n_filters);
  if (self->n_groups == 1 || self->n_filters > 1)
    axes->filter
        = tp_lowering_add_axis (lowering, self->n_filters, out->strides[1]);
  tp_transposed_add_positions (self->places, lowering, &axes->places);
  axes->channel = tp_lowering_add_reduce_axis (lowering, self->n_channels);
  tp_transposed_add_taps (self->places, lowering, &axes->places);
}

static int
load_input (TpLowering *lowering, const Transpose *self,
            const TransposeAxes *axes)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);

  load->stride[0] = x->strides[0];
  if (axes->group >= 0)
    load->stride[axes->group] = x->strides[1] * self->n_channels;
  if (axes->channel >= 0)
    load->stride[axes->channel] = x->strides[1];
  for (int i = 0; i < self->places->window.n; i++)
    tp_transposed_set_positions (self->places, &axes->places, i,
                                 x->strides[2 + i], load);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static int
load_weights (TpLowering *lowering, const Transpose *self,
              const TransposeAxes *axes)
{
  const TpTensor *w = tp_lowering_get_input (lowering, 1);
  TpAccess *load = tp_lowering_add_load (lowering, 1);

  if (axes->group >= 0)
    load->stride[axes->group] = w->strides[0] * self->n_channels;
  if (axes->filter >= 0)
    load->stride[axes->filter] = w->strides[1];
  if (axes->channel >= 0)
    load->stride[axes->channel] = w->strides[0];
  for (int i = 0; i < self->places->window.n; i++)
    tp_transposed_set_taps (&axes->places, i, w->strides[2 + i], load);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static int
load_bias (TpLowering *lowering, const Transpose *self,
           const TransposeAxes *axes)
{
  const TpTensor *bias = tp_lowering_get_input (lowering, 2);
  TpAccess *load = tp_lowering_add_load (lowering, 2);

  if (axes->group >= 0)
    load->stride[axes->group] = bias->strides[0] * self->n_filters;
  if (axes->filter >= 0)
    load->stride[axes->filter] = bias->strides[0];
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* Outputs that no tap reaches are the bias, or 0. */
static void
lower_untouched (TpLowering *lowering, const Transpose *self,
                 TransposeAxes *axes)
{
  Transpose one = *self;

  one.n_channels = 1;
  add_axes (lowering, &one, axes);
  tp_lowering_finish (lowering, tp_node_has_input (lowering->node, 2)
                                    ? load_bias (lowering, self, axes)
                                    : tp_nest_const (lowering->nest, 0.0));
}

/* Of phases one per dimension. */
static void
lower_phases (TpLowering *lowering, const Transpose *self, TransposeAxes *axes)
{
  TpNest *nest = lowering->nest;
  int result = -1;

  add_axes (lowering, self, axes);
  result = tp_nest_binary (nest, TP_EXPR_MUL,
                           load_input (lowering, self, axes),
                           load_weights (lowering, self, axes));
  result = tp_lowering_reduce (lowering, TP_COMBINE_SUM, result);
  if (tp_node_has_input (lowering->node, 2))
    result = tp_nest_binary (nest, TP_EXPR_ADD, result,
                             load_bias (lowering, self, axes));
  tp_lowering_finish (lowering, result);
}

/* Phases of one dimension merged take an axis more than nests may have when
 * all of groups, three dimensions and taps are there. */
static gboolean
transpose_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                 GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[0]];
  const TpTensor *w = &graph->tensors[node->inputs[1]];
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  gint64 extents[TP_WINDOW_MAX_DIMS];
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };
  gint64 n_groups = tp_node_get_int (node, "group", 1);
  g_auto (TpTransposed) places = { 0 };
  Transpose self = { .n_groups = n_groups,
                     .n_filters = w->dims[1],
                     .n_channels = x->dims[1] / n_groups };

  if (!tp_window_init_transposed (&places.window, node, &source, error)
      || !tp_transposed_split (&places, node, x->rank < 5 || n_groups == 1,
                               error))
    return FALSE;
  self.places = &places;
  tp_transposed_get_extents (&places, extents);
  do
    {
      g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
      TransposeAxes axes;

      if (tp_transposed_get_phases (&places, at, &axes.places))
        lower_phases (&lowering, &self, &axes);
      else
        lower_untouched (&lowering, &self, &axes);
    }
  while (tp_dims_next (places.window.n, extents, at));
  return TRUE;
}

/* ---- reference --------------------------------------------------------- */

/* Adds one input plane through one filter plane to one output plane. */
static void
scatter_plane (const TpWindow *window, const double *x, const double *w,
               double *out)
{
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };

  do
    {
      gint64 tap[TP_WINDOW_MAX_DIMS] = { 0 };
      gint64 k = 0;

      do
        {
          gint64 index = 0;
          gboolean is_inside = TRUE;

          for (int i = 0; i < window->n; i++)
            {
              gint64 o = at[i] * window->stride[i]
                         + tap[i] * window->dilation[i] - window->pad_begin[i];

              is_inside = is_inside && o >= 0 && o < window->out[i];
              index = index * window->out[i] + o;
            }
          if (is_inside)
            out[index] += *x * w[k];
          k++;
        }
      while (tp_dims_next (window->n, window->kernel, tap));
      x++;
    }
  while (tp_dims_next (window->n, window->in, at));
}

static void
transpose_reference (const TpNode *node, const TpRefTensor *const *inputs,
                     TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const TpRefTensor *w = inputs[1];
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  gint64 n_channels = x->dims[1] / tp_node_get_int (node, "group", 1);
  gint64 n_filters = w->dims[1];
  gint64 in_plane = tp_dims_product (x->dims, 2, x->rank);
  gint64 out_plane = tp_dims_product (outputs->dims, 2, outputs->rank);
  gint64 kernel_plane = tp_dims_product (w->dims, 2, w->rank);
  TpWindow window;

  if (!tp_window_init_transposed (&window, node, &source, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < outputs->count; i++)
    outputs->data[i] = tp_node_has_input (node, 2)
                           ? inputs[2]->data[i / out_plane % outputs->dims[1]]
                           : 0.0;
  for (gint64 i = 0; i < x->dims[0] * x->dims[1]; i++)
    {
      gint64 channel = i % x->dims[1];
      gint64 first = i / x->dims[1] * outputs->dims[1]
                     + channel / n_channels * n_filters;

      for (gint64 f = 0; f < n_filters; f++)
        scatter_plane (&window, x->data + i * in_plane,
                       w->data + (channel * n_filters + f) * kernel_plane,
                       outputs->data + (first + f) * out_plane);
    }
}

static const TpAttrSpec transpose_attrs[] = {
  { "auto_pad", TP_ATTR_STRING, FALSE },
  { "dilations", TP_ATTR_INTS, FALSE },
  { "group", TP_ATTR_INT, FALSE },
  { "kernel_shape", TP_ATTR_INTS, FALSE },
  { "output_padding", TP_ATTR_INTS, FALSE },
  { "output_shape", TP_ATTR_INTS, FALSE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "strides", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_conv_transpose = {
  .name = "ConvTranspose",
  .kind = TP_OP_CONTRACT,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .flags = TP_OP_CHANNELS_LAST,
  .attrs = transpose_attrs,
  .tolerance = 1e-5,
  .infer = transpose_infer,
  .lower = transpose_lower,
  .reference = transpose_reference,
  .products = TP_PRODUCT (TP_MOVES (0) | TP_MOVES (1), TP_MOVES (2)),
};
