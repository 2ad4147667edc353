/* contract.h: what the parts of the contraction schedule share. A contraction
 * is a sum of products x * w: matmul, fully connected, convolution.
 *
 *   M  axes in x and the result: two of them, rows and columns, are tiled
 *   N  the axis in w and the result, not in x: the vector axis
 *   K  reduce axes
 *   outer  all other spatial axes: batch, group, further M or N */
#ifndef TP_SCHEDULE_CONTRACT_H
#define TP_SCHEDULE_CONTRACT_H

#include "schedule/emit.h"

/* A reduce loop of the micro-kernel and how far it walks x and w. */
typedef struct
{
  gint64 extent;
  gint64 x, w;
} TpContractLoop;

/* A dimension of staged x: coordinate = position of the tiled axis times its
 * coefficient + those of the reduce axes. In range when 0 <= coordinate +
 * offset < extent. */
typedef struct
{
  int carrier;                /* axis that stands for the coordinate */
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset, extent;
  gint64 scale;               /* stride of the main load */
  gint64 size;                /* of a group */
  gint64 pitch;               /* in scratch */
} TpStageDim;

/* Rows or columns: the points of an M axis. */
typedef struct
{
  int axis;                   /* -1: one point */
  gint64 extent;
  gint64 tile;                /* points per micro-kernel */
  gint64 block;               /* points per group, a multiple of tile */
  gint64 n_blocks;
  gint64 x;                   /* step in x as the micro-kernel reads it */
} TpContractSpan;

typedef struct
{
  TpNest *nest;               /* its w load may be redirected to packed w */
  int x_expr, x_load;         /* factor; its main load */
  int w_load;
  int n_axis;
  TpContractSpan rows, cols;
  int n_outer, outer[TP_NEST_MAX_AXES];
  int n_k, k_axes[TP_NEST_MAX_AXES];  /* outer to inner */
  int n_loops;
  TpContractLoop loops[TP_NEST_MAX_AXES];
  gint64 k_total, n_total;
  gint64 l1_bytes;            /* of the target */
  int lanes, vectors;         /* panel width = lanes * vectors */
  gint64 block_panels, n_panel_blocks;  /* full panels per group */
  gboolean is_staged;
  double fill;                /* of staged x outside its guards */
  int n_dims;
  TpStageDim dims[TP_NEST_MAX_AXES];    /* outer to inner in scratch */
  gint64 scratch;             /* elements */
  gboolean is_packed;         /* w; else it is read in place */
  gint64 w_panel;             /* elements from one panel of w to the next */
} TpContract;

/* Roles of operands and axes; FALSE: no contraction. */
gboolean tp_contract_analyze (TpContract *c, const TpNest *nest,
                              const TpTarget *target);
void tp_contract_clear (TpContract *c);

/* Staging of x: FALSE when x cannot be staged. Sizes follow the blocks. */
gboolean tp_contract_find_dims (TpContract *c);
void tp_contract_size_dims (TpContract *c);
void tp_contract_emit_stage (const TpContract *c, TpEmit *emit, int buffer,
                             TpValue row_block, TpValue col_block);

/* Register tile and blocks. */
void tp_contract_choose_tile (TpContract *c, const TpTarget *target);
gboolean tp_contract_choose_blocks (TpContract *c, const TpTarget *target);

/* Packs w into panels, as a constant or by a step. */
void tp_contract_pack (TpContract *c, TpBuild *build);
/* Loops over K, merged where x and w allow. */
void tp_contract_merge_loops (TpContract *c);

/* One tile: @rows x @cols points, @vectors vectors of which the last has
 * @active lanes. @x_buffer and @x_base: where x is read. */
typedef struct
{
  int rows, cols, vectors, active;
  int x_buffer;
  TpValue x_base, w_base;
} TpContractTile;

void tp_contract_emit_tile (const TpContract *c, TpEmit *emit,
                            const TpContractTile *tile);

#endif
