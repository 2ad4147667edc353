/* op-window.c: where a sliding window stands, for convolution and pools. */
#include "config.h"

#include "ops/op-window.h"

#include <string.h>

#define WINDOW_LIMIT (G_GINT64_CONSTANT (1) << 40) /* keeps sums exact */

/* ---- attributes -------------------------------------------------------- */

/* An attribute of @n values, each @low or more. */
typedef struct
{
  const char *name;
  int n;
  gint64 low;
} ListSpec;

/* Leaves @values as they are where the attribute is not given. */
static gboolean
window_read_list (const TpNode *node, ListSpec spec, gint64 *values,
                  GError **error)
{
  int n_given = 0;
  const gint64 *given = tp_node_get_ints (node, spec.name, &n_given);

  if (given == NULL)
    return TRUE;
  if (n_given != spec.n)
    return tp_op_fail (node, error,
                       "attribute '%s' has %d values, %d are needed", spec.name,
                       n_given, spec.n);
  for (int i = 0; i < spec.n; i++)
    {
      if (given[i] < spec.low || given[i] > WINDOW_LIMIT)
        return tp_op_fail (node, error,
                           "attribute '%s' has %" G_GINT64_FORMAT
                           ", must be %" G_GINT64_FORMAT " to %"
                           G_GINT64_FORMAT, spec.name, given[i], spec.low,
                           (gint64) WINDOW_LIMIT);
      values[i] = given[i];
    }
  return TRUE;
}

static gboolean
window_read_kernel (TpWindow *window, const TpNode *node, const gint64 *kernel,
                    GError **error)
{
  gint64 given[TP_WINDOW_MAX_DIMS] = { 0 };

  if (!window_read_list (node, (ListSpec){ "kernel_shape", window->n, 1 },
                         given, error))
    return FALSE;
  for (int i = 0; i < window->n; i++)
    {
      window->kernel[i] = kernel != NULL ? kernel[i] : given[i];
      if (window->kernel[i] < 1 || window->kernel[i] > WINDOW_LIMIT)
        return tp_op_fail (node, error,
                           "the kernel has extent %" G_GINT64_FORMAT
                           " in dimension %d",
                           window->kernel[i], i);
      if (given[i] != 0 && given[i] != window->kernel[i])
        return tp_op_fail (node, error,
                           "kernel_shape[%d] is %" G_GINT64_FORMAT
                           ", the filter has %" G_GINT64_FORMAT,
                           i, given[i], window->kernel[i]);
    }
  return TRUE;
}

/* ---- positions --------------------------------------------------------- */

static gint64
window_span (const TpWindow *window, int i)
{
  return (window->kernel[i] - 1) * window->dilation[i] + 1;
}

/* As many outputs as strides fit; padding is shared out. */
static void
window_pad_same (TpWindow *window, int i, gboolean is_lower)
{
  gint64 out = (window->in[i] + window->stride[i] - 1) / window->stride[i];
  gint64 pad = MAX (0, (out - 1) * window->stride[i] + window_span (window, i)
                           - window->in[i]);

  window->out[i] = out;
  window->pad_begin[i] = is_lower ? pad - pad / 2 : pad / 2;
  window->pad_end[i] = pad - window->pad_begin[i];
}

static gboolean
window_count (TpWindow *window, const TpNode *node, int i, GError **error)
{
  gboolean is_ceil = tp_node_get_int (node, "ceil_mode", 0) != 0;
  gint64 stride = window->stride[i];
  gint64 room = window->in[i] + window->pad_begin[i] + window->pad_end[i]
                - window_span (window, i);

  if (room < 0)
    return tp_op_fail (node, error,
                       "the window spans %" G_GINT64_FORMAT
                       " in spatial dimension %d, the padded input has only "
                       "%" G_GINT64_FORMAT,
                       window_span (window, i), i,
                       room + window_span (window, i));
  window->out[i] = (room + (is_ceil ? stride - 1 : 0)) / stride + 1;
  /* No window may start behind the input. */
  if (is_ceil
      && (window->out[i] - 1) * stride >= window->in[i] + window->pad_begin[i])
    window->out[i]--;
  return TRUE;
}

static gboolean
window_place (TpWindow *window, const TpNode *node, GError **error)
{
  const char *mode = tp_node_get_string (node, "auto_pad", "NOTSET");
  gint64 pads[2 * TP_WINDOW_MAX_DIMS] = { 0 };
  gboolean is_same =
      strcmp (mode, "SAME_UPPER") == 0 || strcmp (mode, "SAME_LOWER") == 0;
  gboolean is_explicit = strcmp (mode, "NOTSET") == 0;

  if (!is_same && !is_explicit && strcmp (mode, "VALID") != 0)
    return tp_op_fail (node, error, "auto_pad '%s' is not known", mode);
  if (is_explicit
      && !window_read_list (node, (ListSpec){ "pads", 2 * window->n, 0 }, pads,
                            error))
    return FALSE;
  for (int i = 0; i < window->n; i++)
    {
      window->pad_begin[i] = pads[i];
      window->pad_end[i] = pads[window->n + i];
      if (is_same)
        window_pad_same (window, i, strcmp (mode, "SAME_LOWER") == 0);
      else if (!window_count (window, node, i, error))
        return FALSE;
    }
  return TRUE;
}

/* All but where it stands. */
static gboolean
window_read (TpWindow *window, const TpNode *node, const TpWindowSource *source,
             GError **error)
{
  memset (window, 0, sizeof *window);
  window->n = source->rank - 2;
  if (window->n < 1 || window->n > TP_WINDOW_MAX_DIMS)
    return tp_op_fail (node, error, "input 0 has rank %d, 3 to %d are possible",
                       source->rank, TP_WINDOW_MAX_DIMS + 2);
  for (int i = 0; i < window->n; i++)
    {
      window->in[i] = source->dims[2 + i];
      window->stride[i] = 1;
      window->dilation[i] = 1;
      if (window->in[i] < 1 || window->in[i] > WINDOW_LIMIT)
        return tp_op_fail (node, error,
                           "spatial dimension %d of input 0 is "
                           "%" G_GINT64_FORMAT,
                           i, window->in[i]);
    }
  if (!window_read_kernel (window, node, source->kernel, error)
      || !window_read_list (node, (ListSpec){ "strides", window->n, 1 },
                            window->stride, error)
      || !window_read_list (node, (ListSpec){ "dilations", window->n, 1 },
                            window->dilation, error))
    return FALSE;
  for (int i = 0; i < window->n; i++)
    if (window->dilation[i] > WINDOW_LIMIT / window->kernel[i])
      return tp_op_fail (node, error, "the window is too large");
  return TRUE;
}

gboolean
tp_window_init (TpWindow *window, const TpNode *node,
                const TpWindowSource *source, GError **error)
{
  return window_read (window, node, source, error)
         && window_place (window, node, error);
}

/* ---- transposed positions ------------------------------------------------ */

/* What the attributes say of the outputs of a transposed convolution. */
typedef struct
{
  const char *auto_pad;
  gboolean is_same;
  gint64 pads[2 * TP_WINDOW_MAX_DIMS];
  gint64 output_padding[TP_WINDOW_MAX_DIMS];
  gint64 output_shape[TP_WINDOW_MAX_DIMS]; /* 0: not given */
} Outputs;

/* Some files give batch and channels in output_shape too. */
static gboolean
outputs_read_shape (Outputs *self, const TpNode *node, int n, GError **error)
{
  int n_given = 0;
  const gint64 *given = tp_node_get_ints (node, "output_shape", &n_given);

  if (n_given != n + 2)
    return window_read_list (node, (ListSpec){ "output_shape", n, 1 },
                             self->output_shape, error);
  for (int i = 0; i < n; i++)
    self->output_shape[i] = CLAMP (given[2 + i], 1, WINDOW_LIMIT);
  return TRUE;
}

static gboolean
outputs_read (Outputs *self, const TpNode *node, int n, GError **error)
{
  gboolean is_explicit = FALSE;

  memset (self, 0, sizeof *self);
  self->auto_pad = tp_node_get_string (node, "auto_pad", "NOTSET");
  self->is_same = strcmp (self->auto_pad, "SAME_UPPER") == 0
                  || strcmp (self->auto_pad, "SAME_LOWER") == 0;
  is_explicit = strcmp (self->auto_pad, "NOTSET") == 0;
  if (!self->is_same && !is_explicit && strcmp (self->auto_pad, "VALID") != 0)
    return tp_op_fail (node, error, "auto_pad '%s' is not known",
                       self->auto_pad);
  if (is_explicit
      && !window_read_list (node, (ListSpec){ "pads", 2 * n, 0 }, self->pads,
                            error))
    return FALSE;
  return window_read_list (node, (ListSpec){ "output_padding", n, 0 },
                           self->output_padding, error)
         && outputs_read_shape (self, node, n, error);
}

/* An output that is given, or as many as strides fit, shares out what is too
 * much; where it is too little, the outputs at the end get nothing. */
static gboolean
window_place_transposed (TpWindow *window, const TpNode *node, int i,
                         const Outputs *outputs, GError **error)
{
  gint64 pad = 0;
  gint64 full = 0;

  if (!tp_size_mul (window->stride[i], window->in[i] - 1, &full)
      || full > WINDOW_LIMIT)
    return tp_op_fail (node, error, "the output is too large");
  full += outputs->output_padding[i] + window_span (window, i);
  window->pad_begin[i] = outputs->pads[i];
  window->out[i] = full - outputs->pads[i] - outputs->pads[window->n + i];
  if (outputs->output_shape[i] > 0 || outputs->is_same)
    {
      window->out[i] = outputs->output_shape[i] > 0
                           ? outputs->output_shape[i]
                           : window->in[i] * window->stride[i];
      pad = MAX (0, full - window->out[i]);
      window->pad_begin[i] = strcmp (outputs->auto_pad, "SAME_UPPER") == 0
                                 ? pad / 2
                                 : pad - pad / 2;
    }
  if (window->out[i] < 1)
    return tp_op_fail (node, error,
                       "pads leave nothing of spatial dimension %d of the "
                       "output",
                       i);
  return TRUE;
}

gboolean
tp_window_init_transposed (TpWindow *window, const TpNode *node,
                           const TpWindowSource *source, GError **error)
{
  Outputs outputs;

  if (!window_read (window, node, source, error)
      || !outputs_read (&outputs, node, window->n, error))
    return FALSE;
  for (int i = 0; i < window->n; i++)
    if (!window_place_transposed (window, node, i, &outputs, error))
      return FALSE;
  return TRUE;
}

/* Whether some window leaves the input in dimension @i. */
static gboolean
is_padded (const TpWindow *window, int i)
{
  gint64 last = (window->out[i] - 1) * window->stride[i] - window->pad_begin[i]
                + window_span (window, i) - 1;

  return window->pad_begin[i] > 0 || last >= window->in[i];
}

/* ---- nests ------------------------------------------------------------- */

void
tp_window_add_axes (const TpWindow *window, TpLowering *lowering, int first_out,
                    TpWindowAxes *out_axes)
{
  for (int i = 0; i < window->n; i++)
    {
      out_axes->out[i] = first_out + i;
      out_axes->kernel[i] =
          tp_lowering_add_reduce_axis (lowering, window->kernel[i]);
    }
}

TpGuard
tp_window_guard (const TpWindow *window, const TpWindowAxes *axes, int i)
{
  TpGuard guard = { .offset = -window->pad_begin[i], .extent = window->in[i] };

  guard.coef[axes->out[i]] = window->stride[i];
  if (axes->kernel[i] >= 0)
    guard.coef[axes->kernel[i]] = window->dilation[i];
  return guard;
}

void
tp_window_set_load (const TpWindow *window, const TpWindowAxes *axes,
                    const TpTensor *input, TpAccess *load)
{
  for (int i = 0; i < window->n; i++)
    {
      gint64 stride = input->strides[2 + i];

      load->stride[axes->out[i]] = window->stride[i] * stride;
      if (axes->kernel[i] >= 0)
        load->stride[axes->kernel[i]] = window->dilation[i] * stride;
      load->offset -= window->pad_begin[i] * stride;
      if (is_padded (window, i))
        load->guards[load->n_guards++] = tp_window_guard (window, axes, i);
    }
}
