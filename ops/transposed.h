/* transposed.h: what a window that is slid backwards reaches: input i and tap k add to
 * output i * stride + k * dilation - pad.
 *
 * Outputs of one phase (the remainder of o by the stride) are reached by the
 * same taps, so they are dense, with affine indices. Neighbouring phases whose taps
 * are neighbours too become one nest with an axis of phases. */
#ifndef TP_OPS_TRANSPOSED_H
#define TP_OPS_TRANSPOSED_H

#include "ir/array.h"
#include "ops/op-window.h"

/* In one dimension: the outputs first + phase + stride * q, for phase <
 * n_phases and q < n_positions, sum over tap < n_taps input q + in_offset -
 * in_step * tap times filter element kernel_first + phase + kernel_step * tap. */
typedef struct
{
  gint64 first, n_phases, n_positions;
  gint64 n_taps;
  gint64 in_offset, in_step;
  gint64 kernel_first, kernel_step;
} TpPhases;

typedef struct
{
  TpWindow window;
  TpArray *phases[TP_WINDOW_MAX_DIMS]; /* of TpPhases */
} TpTransposed;

/* Phases of one dimension, and their axes in a nest; -1: none. */
typedef struct
{
  const TpPhases *phases[TP_WINDOW_MAX_DIMS];
  int position[TP_WINDOW_MAX_DIMS], phase[TP_WINDOW_MAX_DIMS];
  int tap[TP_WINDOW_MAX_DIMS];
} TpTransposedAxes;

/* Splits each dimension of the window in @self into as few phases as possible; those
 * that are neighbours are one if they may be merged. */
gboolean tp_transposed_split (TpTransposed *self, const TpNode *node,
                              gboolean is_merged, GError **error);
void tp_transposed_clear (TpTransposed *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpTransposed, tp_transposed_clear)

/* How many phases there are along each dimension: a nest for each of all combinations. */
void tp_transposed_get_extents (const TpTransposed *self, gint64 *extents);
/* The combination @at; FALSE where no tap reaches it. */
gboolean tp_transposed_get_phases (const TpTransposed *self, const gint64 *at,
                                   TpTransposedAxes *axes);
void tp_transposed_add_positions (const TpTransposed *self,
                                  TpLowering *lowering, TpTransposedAxes *axes);
void tp_transposed_add_taps (const TpTransposed *self, TpLowering *lowering,
                             TpTransposedAxes *axes);
/* Lets @load run over the input positions of dimension @i, which are @stride apart,
 * guarded where they may leave it. Taps are walked from the last one to the first: positions
 * then go up, as those of a convolution, and are staged like these. */
void tp_transposed_set_positions (const TpTransposed *self,
                                  const TpTransposedAxes *axes, int i,
                                  gint64 stride, TpAccess *load);
/* And over the filter elements of dimension @i. */
void tp_transposed_set_taps (const TpTransposedAxes *axes, int i, gint64 stride,
                             TpAccess *load);

#endif
