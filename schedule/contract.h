/* contract.h: contractions, sums of products x * w: matmul, fully connected,
 * convolution.
 *
 *   M  axes in x and the result: two of them, rows and columns, are tiled
 *   N  the axis in w and the result, not in x: the vector axis
 *   K  reduce axes
 *   outer  all other spatial axes: batch, group, further M or N */
#ifndef TP_SCHEDULE_CONTRACT_H
#define TP_SCHEDULE_CONTRACT_H

#include "schedule/choice.h"
#include "kernel/target.h"
#include "nest/nest.h"

/* A dimension of staged x: coordinate = position of the tiled axis times its
 * coefficient + those of the reduce axes. In range when 0 <= coordinate +
 * offset < extent. */
typedef struct
{
  int carrier;                /* axis that stands for the coordinate */
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset, extent;
  gint64 scale;               /* stride of the main load */
} TpStageDim;

/* A zero point as the micro-kernel sees it: the value of an expression, of no reduce
 * axis, plus a number. */
typedef struct
{
  int expr;                   /* an integer; -1: 0 */
  gint64 number;
} TpContractZero;

/* What a nest is: who plays which part. */
typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  TpDtype dtype;              /* of its sums: float32 or float64; of bytes: uint8 */
  int lanes;                  /* of a vector of these, at most */
  int n_registers;            /* that hold such vectors */
  int x_expr, x_load;         /* factor; its main load */
  int w_load;                 /* w, or its main load where that may be anything: */
  gboolean is_w_any;
  int n_axis;
  int row_axis, col_axis;     /* -1: one point */
  int n_outer, outer[TP_NEST_MAX_AXES];
  int n_k, k_axes[TP_NEST_MAX_AXES];  /* outer to inner */
  gint64 n_rows, n_cols, n_total;
  gint64 k_total;             /* steps of the micro-kernel over K */
  gint64 n_outer_points;
  gboolean is_w_constant;
  gboolean is_plain;          /* x can be read in place */
  gboolean is_stageable;      /* x can be staged: */
  double fill;                /* of staged x outside its guards */
  gboolean takes_long;        /* what is made of a sum of reals */
  gboolean is_bytes;          /* dot products of four bytes at once, along the last
                               * axis of K (contract-bytes.h): */
  TpContractZero x_zero, w_zero;
  int n_dims;
  TpStageDim dims[TP_NEST_MAX_AXES];    /* outer to inner in scratch */
} TpContract;

/* The values of a choice of the family "contract". */
enum
{
  TP_CONTRACT_LANES,
  TP_CONTRACT_VECTORS,        /* lanes * vectors: panel width */
  TP_CONTRACT_ROWS, TP_CONTRACT_COLS, /* points per micro-kernel */
  TP_CONTRACT_STAGE,          /* x is copied to scratch of the group */
  TP_CONTRACT_PACK,           /* w is copied into panels */
  TP_CONTRACT_BLOCK_ROWS, TP_CONTRACT_BLOCK_COLS, /* points per group */
  TP_CONTRACT_BLOCK_PANELS,   /* full panels per group */
  TP_CONTRACT_UNROLL,         /* steps of K per turn, at most */
};

#endif
