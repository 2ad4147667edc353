/* op-window.h: where a sliding window stands, for convolution and pools. */
#ifndef TP_OPS_OP_WINDOW_H
#define TP_OPS_OP_WINDOW_H

#include "nest/nest.h"
#include "ops/op-util.h"

#define TP_WINDOW_MAX_DIMS 3

/* Per spatial dimension: output position o covers the input positions
 * o * stride - pad_begin + k * dilation, k < kernel. */
typedef struct
{
  int n;
  gint64 in[TP_WINDOW_MAX_DIMS];
  gint64 out[TP_WINDOW_MAX_DIMS];
  gint64 kernel[TP_WINDOW_MAX_DIMS];
  gint64 stride[TP_WINDOW_MAX_DIMS];
  gint64 dilation[TP_WINDOW_MAX_DIMS];
  gint64 pad_begin[TP_WINDOW_MAX_DIMS];
  gint64 pad_end[TP_WINDOW_MAX_DIMS];
} TpWindow;

/* What a window slides over. */
typedef struct
{
  int rank;
  const gint64 *dims;   /* of input 0: [N, C, spatial...] */
  const gint64 *kernel; /* the filter's spatial dimensions, or NULL: the attribute
                         * kernel_shape must say */
} TpWindowSource;

/* From the attributes of @node: kernel_shape, strides, dilations, pads,
 * auto_pad, ceil_mode. */
gboolean tp_window_init (TpWindow *window, const TpNode *node,
                         const TpWindowSource *source, GError **error);
/* The same for a transposed convolution, with output_padding and output_shape:
 * input position i and tap k reach output i * stride + k * dilation -
 * pad_begin. pad_end is not set. */
gboolean tp_window_init_transposed (TpWindow *window, const TpNode *node,
                                    const TpWindowSource *source,
                                    GError **error);
/* Axes of a nest over a window. */
typedef struct
{
  int out[TP_WINDOW_MAX_DIMS];    /* of output positions */
  int kernel[TP_WINDOW_MAX_DIMS]; /* reduce axes; -1: extent 1 */
} TpWindowAxes;

/* Lets @load run over the window: strides, offset, and guards where padding can
 * be met. */
void tp_window_set_load (const TpWindow *window, const TpWindowAxes *axes,
                         const TpTensor *input, TpAccess *load);
/* That the window is inside the input in dimension @i. */
TpGuard tp_window_guard (const TpWindow *window, const TpWindowAxes *axes, int i);
void tp_window_add_axes (const TpWindow *window, TpLowering *lowering,
                         int first_out, TpWindowAxes *out_axes);

#endif
