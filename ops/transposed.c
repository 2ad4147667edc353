/* transposed.c: phases of windows that are slid backwards. */
#include "config.h"

#include "ops/transposed.h"

#define MAX_STRIDE 4096
#define MAX_NESTS 256

/* ---- phases ------------------------------------------------------------ */

/* The one phase of output @first. */
static TpPhases
phases_find (const TpWindow *window, int i, gint64 first)
{
  gint64 stride = window->stride[i];
  gint64 dilation = window->dilation[i];
  gint64 common = tp_gcd (dilation, stride);
  gint64 place = first + window->pad_begin[i]; /* i * stride + k * dilation */
  gint64 k = 0;
  TpPhases phases = { .first = first,
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
phases_continue (const TpPhases *before, const TpPhases *next)
{
  return before->n_positions == next->n_positions
         && before->n_taps == next->n_taps
         && (next->n_taps == 0
             || (before->in_offset == next->in_offset
                 && before->kernel_first + before->n_phases
                        == next->kernel_first));
}

static TpArray *
phases_split (const TpWindow *window, int i, gboolean is_merged)
{
  TpArray *all = tp_array_new (sizeof (TpPhases));
  gint64 n = MIN (window->stride[i], window->out[i]);

  for (gint64 first = 0; first < n; first++)
    {
      TpPhases next = phases_find (window, i, first);
      TpPhases *last =
          all->len > 0 ? &tp_array_index (all, TpPhases, all->len - 1) : NULL;

      if (last != NULL && is_merged && phases_continue (last, &next))
        last->n_phases++;
      else
        tp_array_append_val (all, next);
    }
  return all;
}

/* An input of one place reaches each output by one tap, as if strides were beyond the
 * filter: all of that is then phases of one product, without guards. */
static void
lengthen_stride (TpWindow *window, int i)
{
  gint64 span = (window->kernel[i] - 1) * window->dilation[i] + 1;

  if (window->in[i] == 1 && span <= MAX_STRIDE)
    window->stride[i] = MAX (window->stride[i], span);
}

gboolean
tp_transposed_split (TpTransposed *self, const TpNode *node, gboolean is_merged,
                     GError **error)
{
  gint64 n = 1;

  for (int i = 0; i < self->window.n; i++)
    {
      if (self->window.stride[i] > MAX_STRIDE)
        return tp_op_refuse (node, error,
                             "stride %" G_GINT64_FORMAT
                             " is not supported, at most %d is",
                             self->window.stride[i], MAX_STRIDE);
      lengthen_stride (&self->window, i);
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

void
tp_transposed_clear (TpTransposed *self)
{
  for (int i = 0; i < TP_WINDOW_MAX_DIMS; i++)
    g_clear_pointer (&self->phases[i], tp_array_unref);
}

void
tp_transposed_get_extents (const TpTransposed *self, gint64 *extents)
{
  for (int i = 0; i < self->window.n; i++)
    extents[i] = self->phases[i]->len;
}

gboolean
tp_transposed_get_phases (const TpTransposed *self, const gint64 *at,
                          TpTransposedAxes *axes)
{
  gboolean has_taps = TRUE;

  for (int i = 0; i < self->window.n; i++)
    {
      axes->phases[i] = &tp_array_index (self->phases[i], TpPhases, at[i]);
      has_taps = has_taps && axes->phases[i]->n_taps > 0;
    }
  return has_taps;
}

/* ---- nests ------------------------------------------------------------- */

void
tp_transposed_add_positions (const TpTransposed *self, TpLowering *lowering,
                             TpTransposedAxes *axes)
{
  for (int i = 0; i < self->window.n; i++)
    {
      const TpPhases *phases = axes->phases[i];
      gint64 stride = lowering->out->strides[2 + i];

      axes->position[i]
          = tp_lowering_add_axis (lowering, phases->n_positions,
                                  stride * self->window.stride[i]);
      axes->phase[i] = phases->n_phases == 1
                           ? -1
                           : tp_lowering_add_axis (lowering,
                                                   phases->n_phases, stride);
      lowering->nest->store.offset += phases->first * stride;
    }
}

void
tp_transposed_add_taps (const TpTransposed *self, TpLowering *lowering,
                        TpTransposedAxes *axes)
{
  for (int i = 0; i < self->window.n; i++)
    axes->tap[i] =
        tp_lowering_add_reduce_axis (lowering, MAX (1, axes->phases[i]->n_taps));
}

void
tp_transposed_set_positions (const TpTransposed *self,
                             const TpTransposedAxes *axes, int i, gint64 stride,
                             TpAccess *load)
{
  const TpPhases *phases = axes->phases[i];
  gint64 low = phases->in_offset - phases->in_step * (phases->n_taps - 1);
  gint64 high = phases->in_offset + phases->n_positions - 1;
  TpGuard *guard = NULL;

  load->stride[axes->position[i]] = stride;
  load->offset += low * stride;
  if (axes->tap[i] >= 0)
    load->stride[axes->tap[i]] += phases->in_step * stride;
  if (low >= 0 && high < self->window.in[i])
    return;
  guard = &load->guards[load->n_guards++];
  guard->coef[axes->position[i]] = 1;
  if (axes->tap[i] >= 0)
    guard->coef[axes->tap[i]] = phases->in_step;
  guard->offset = low;
  guard->extent = self->window.in[i];
}

void
tp_transposed_set_taps (const TpTransposedAxes *axes, int i, gint64 stride,
                        TpAccess *load)
{
  const TpPhases *phases = axes->phases[i];

  load->offset += (phases->kernel_first
                   + (phases->n_taps - 1) * phases->kernel_step)
                  * stride;
  if (axes->phase[i] >= 0)
    load->stride[axes->phase[i]] += stride;
  if (axes->tap[i] >= 0)
    load->stride[axes->tap[i]] -= phases->kernel_step * stride;
}
