/* winograd.h: convolutions with windows of 3 x 3 by Winograd's minimal filtering.
 *
 * A tile of output x output results comes from side x side points of x, side =
 * output + 2, and the sums run over channels alone:
 *
 *   V = B^T x B   per tile and channel     side^2 products V * U, summed over
 *   U = G w G^T   packed once              channels, instead of 9 output^2
 *   result = A^T (sum V * U) A
 *
 * With output = 2 that is 4/9 of the multiplications, with 4 it is 1/4, at the
 * price of accuracy. What is not finite reaches all results of its tile. */
#ifndef TP_SCHEDULE_WINOGRAD_H
#define TP_SCHEDULE_WINOGRAD_H

#include "schedule/contract-plan.h"

#define TP_WINOGRAD_MAX_SIDE 6

/* What a nest is: a contraction whose staged x is rows, columns, channels. */
typedef struct
{
  TpContract *c;
  int window_axes[2];         /* of rows, of columns; 3 long */
  int channel_axis;
  gint64 n_channels;
  gboolean is_relaxed;        /* tiles of 4x4 are listed, not of 2x2 */
  double ratio;               /* of the model's time to that of a contraction; 0
                               * where the choice is given */
} TpWinograd;

/* The values of a choice of the family "winograd". */
enum
{
  TP_WINOGRAD_OUTPUT,         /* rows and columns of a tile's results */
  TP_WINOGRAD_BLOCK_ROWS, TP_WINOGRAD_BLOCK_COLS, /* tiles per group */
  TP_WINOGRAD_LANES,
  TP_WINOGRAD_VECTORS,        /* lanes * vectors: panel width */
  TP_WINOGRAD_TILES,          /* tiles per micro-kernel */
  TP_WINOGRAD_BLOCK_PANELS,   /* per group */
};

/* Tiles along rows or columns. */
typedef struct
{
  gint64 n;
  gint64 block;               /* per group */
  gint64 n_blocks;
} TpWinogradSpan;

/* A nest with a choice: all sizes of its kernel. In scratch lie staged x, V as
 * [point][tile][channel] and the sums as [point][tile][column of w]. */
typedef struct
{
  const TpWinograd *w;
  TpContractPlan stage;
  int output, side, points;   /* points = side * side */
  int lanes, vectors, tiles;
  TpWinogradSpan rows, cols;
  gint64 n_panels, block_panels, n_panel_blocks;
  gint64 block_tiles;
  gint64 v_tile, v_point;     /* elements to the next tile, point */
  gint64 sum_tile, sum_point;
  gint64 scratch;             /* elements in all */
} TpWinogradPlan;

/* Sizes of a choice as far as it is made: what is still 0 is one. */
void tp_winograd_plan_init (TpWinogradPlan *plan, const TpWinograd *w,
                            const TpChoice *choice);
gint64 tp_winograd_plan_width (const TpWinogradPlan *plan); /* of a panel */
gint64 tp_winograd_plan_v_size (const TpWinogradPlan *plan);
gint64 tp_winograd_plan_sum_size (const TpWinogradPlan *plan);

#endif
