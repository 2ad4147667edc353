/* op-conv-transpose.c: transposed convolution: input i and filter tap k add to
 * output i * stride + k * dilation - pad.
 *
 * Outputs of one phase (the remainder of o by the stride) are reached by the
 * same taps, so they are a dense convolution with affine indices. Neighbouring
 * phases whose taps are neighbours too become one nest with an axis of phases:
 * an up-convolution 2 x 2 with stride 2 is one product, with the phases among
 * its columns. */
#include "config.h"

#include "ir/array.h"
#include "ir/types.h"
#include "ops/op-window.h"

#include <string.h>

#define MAX_STRIDE 4096
#define MAX_NESTS 256

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

/* ---- phases ------------------------------------------------------------ */

/* In one dimension: the outputs first + phase + stride * q, for phase <
 * n_phases and q < n_positions, sum over tap < n_taps input q + in_offset -
 * in_step * tap times filter element kernel_first + phase + kernel_step * tap. */
typedef struct
{
  gint64 first, n_phases, n_positions;
  gint64 n_taps;
  gint64 in_offset, in_step;
  gint64 kernel_first, kernel_step;
} Phases;

/* The one phase of output @first. */
static Phases
phases_find (const TpWindow *window, int i, gint64 first)
{
  gint64 stride = window->stride[i];
  gint64 dilation = window->dilation[i];
  gint64 common = tp_gcd (dilation, stride);
  gint64 place = first + window->pad_begin[i]; /* i * stride + k * dilation */
  gint64 k = 0;
  Phases phases = { .first = first,
                    .n_phases = 1,
                    .n_positions = (window->out[i] - first - 1) / stride + 1,
                    .in_step = dilation / common,
                    .kernel_step = stride / common };

  while (k < phases.kernel_step && (place - k * dilation) % stride != 0)
    k++;
  if (k >= MIN (phases.kernel_step, window->kernel[i]))
    return phases; /* no tap gets there */
  phases.n_taps = (window->kernel[i] - k - 1) / phases.kernel_step + 1;
  phases.kernel_first = k;
  phases.in_offset = (place - k * dilation) / stride;
  return phases;
}

static gboolean
phases_continue (const Phases *before, const Phases *next)
{
  return before->n_positions == next->n_positions
         && before->n_taps == next->n_taps
         && (next->n_taps == 0
             || (before->in_offset == next->in_offset
                 && before->kernel_first + before->n_phases
                        == next->kernel_first));
}

/* Splits dimension @i into as few as possible: an array of Phases. */
static TpArray *
phases_split (const TpWindow *window, int i, gboolean is_merged)
{
  TpArray *all = tp_array_new (sizeof (Phases));
  gint64 n = MIN (window->stride[i], window->out[i]);

  for (gint64 first = 0; first < n; first++)
    {
      Phases next = phases_find (window, i, first);
      Phases *last =
          all->len > 0 ? &tp_array_index (all, Phases, all->len - 1) : NULL;

      if (last != NULL && is_merged && phases_continue (last, &next))
        last->n_phases++;
      else
        tp_array_append_val (all, next);
    }
  return all;
}

/* ---- nests ------------------------------------------------------------- */

typedef struct
{
  TpWindow window;
  gint64 n_groups, n_filters, n_channels; /* the last two per group */
  TpArray *phases[TP_WINDOW_MAX_DIMS];
} Transpose;

typedef struct
{
  const Phases *phases[TP_WINDOW_MAX_DIMS];
  int group, filter, channel; /* axes; -1: none */
  int position[TP_WINDOW_MAX_DIMS], phase[TP_WINDOW_MAX_DIMS];
  int tap[TP_WINDOW_MAX_DIMS];
} TransposeAxes;

static void
transpose_clear (Transpose *self)
{
  for (int i = 0; i < TP_WINDOW_MAX_DIMS; i++)
    g_clear_pointer (&self->phases[i], tp_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Transpose, transpose_clear)

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
  for (int i = 0; i < self->window.n; i++)
    {
      const Phases *phases = axes->phases[i];
      gint64 stride = out->strides[2 + i];

      axes->position[i]
          = tp_lowering_add_axis (lowering, phases->n_positions,
                                  stride * self->window.stride[i]);
      axes->phase[i] = phases->n_phases == 1
                           ? -1
                           : tp_lowering_add_axis (lowering,
                                                   phases->n_phases, stride);
      lowering->nest->store.offset += phases->first * stride;
    }
  axes->channel = tp_lowering_add_reduce_axis (lowering, self->n_channels);
  for (int i = 0; i < self->window.n; i++)
    axes->tap[i] =
        tp_lowering_add_reduce_axis (lowering, MAX (1, axes->phases[i]->n_taps));
}

/* Input positions of dimension @i, guarded where they may leave it. */
static void
set_position (const Transpose *self, const TransposeAxes *axes, int i,
              gint64 stride, TpAccess *load)
{
  const Phases *phases = axes->phases[i];
  gint64 low = phases->in_offset - phases->in_step * (phases->n_taps - 1);
  gint64 high = phases->in_offset + phases->n_positions - 1;
  TpGuard *guard = NULL;

  load->stride[axes->position[i]] = stride;
  load->offset += phases->in_offset * stride;
  if (axes->tap[i] >= 0)
    load->stride[axes->tap[i]] = -phases->in_step * stride;
  if (low >= 0 && high < self->window.in[i])
    return;
  guard = &load->guards[load->n_guards++];
  guard->coef[axes->position[i]] = 1;
  if (axes->tap[i] >= 0)
    guard->coef[axes->tap[i]] = -phases->in_step;
  guard->offset = phases->in_offset;
  guard->extent = self->window.in[i];
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
  for (int i = 0; i < self->window.n; i++)
    set_position (self, axes, i, x->strides[2 + i], load);
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
  for (int i = 0; i < self->window.n; i++)
    {
      const Phases *phases = axes->phases[i];

      load->offset += phases->kernel_first * w->strides[2 + i];
      if (axes->phase[i] >= 0)
        load->stride[axes->phase[i]] = w->strides[2 + i];
      if (axes->tap[i] >= 0)
        load->stride[axes->tap[i]] = phases->kernel_step * w->strides[2 + i];
    }
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
transpose_split (Transpose *self, const TpNode *node, GError **error)
{
  gboolean is_merged = self->window.n < 3 || self->n_groups == 1;
  gint64 n = 1;

  for (int i = 0; i < self->window.n; i++)
    {
      if (self->window.stride[i] > MAX_STRIDE)
        return tp_op_refuse (node, error,
                             "stride %" G_GINT64_FORMAT
                             " is not supported, at most %d is",
                             self->window.stride[i], MAX_STRIDE);
      self->phases[i] = phases_split (&self->window, i, is_merged);
      n *= self->phases[i]->len;
    }
  if (n > MAX_NESTS)
    return tp_op_refuse (node, error,
                         "strides and dilations make %" G_GINT64_FORMAT
                         " loop nests, at most %d are supported",
                         n, MAX_NESTS);
  return TRUE;
}

static gboolean
transpose_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                 GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[0]];
  const TpTensor *w = &graph->tensors[node->inputs[1]];
  TpWindowSource source = { x->rank, x->dims, w->dims + 2 };
  gint64 extents[TP_WINDOW_MAX_DIMS];
  gint64 at[TP_WINDOW_MAX_DIMS] = { 0 };
  g_auto (Transpose) self = { .n_groups = tp_node_get_int (node, "group", 1),
                              .n_filters = w->dims[1] };

  self.n_channels = x->dims[1] / self.n_groups;
  if (!tp_window_init_transposed (&self.window, node, &source, error)
      || !transpose_split (&self, node, error))
    return FALSE;
  for (int i = 0; i < self.window.n; i++)
    extents[i] = self.phases[i]->len;
  do
    {
      g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
      TransposeAxes axes;
      gboolean has_taps = TRUE;

      for (int i = 0; i < self.window.n; i++)
        {
          axes.phases[i] = &tp_array_index (self.phases[i], Phases, at[i]);
          has_taps = has_taps && axes.phases[i]->n_taps > 0;
        }
      if (has_taps)
        lower_phases (&lowering, &self, &axes);
      else
        lower_untouched (&lowering, &self, &axes);
    }
  while (tp_dims_next (self.window.n, extents, at));
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
