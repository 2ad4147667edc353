/* contract-plan.h: a contraction with a choice: all sizes of its kernel. */
#ifndef TP_SCHEDULE_CONTRACT_PLAN_H
#define TP_SCHEDULE_CONTRACT_PLAN_H

#include "schedule/contract.h"

/* A reduce loop of the micro-kernel and how far it walks x and w. */
typedef struct
{
  gint64 extent;
  gint64 x, w;
  int axis;                   /* of the nest; of several that are one loop the last */
  int dim;                    /* of staged x, whose padding it skips (contract-skip.h);
                               * -1: none */
} TpContractLoop;

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
  const TpContract *c;
  TpContractSpan rows, cols;
  int lanes, vectors;
  gint64 block_panels, n_panel_blocks;
  int unroll;
  gboolean is_staged;
  gint64 dim_size[TP_NEST_MAX_AXES];  /* of a group, per dimension of x */
  gint64 dim_step[TP_NEST_MAX_AXES];  /* every so many points of it are wanted */
  gint64 dim_pitch[TP_NEST_MAX_AXES]; /* in scratch */
  gint64 scratch;             /* elements */
  gint64 n_kept;              /* elements of scratch for sums of a tile whose results
                               * take long and want registers; 0: none */
  /* Set once w is where it is read: */
  TpNest *nest;
  gboolean is_packed;         /* w; else it is read in place */
  gint64 w_panel;             /* elements from one panel of w to the next */
  int n_loops;
  TpContractLoop loops[TP_NEST_MAX_AXES];
} TpContractPlan;

/* Sizes of a choice as far as it is made: what is still 0 is one tile, or one
 * panel. Owns nothing. */
void tp_contract_plan_init (TpContractPlan *plan, const TpContract *c,
                            const TpChoice *choice);
/* Of an element of staged x. */
gint64 tp_contract_plan_get_stage_bytes (const TpContractPlan *plan);
/* Of all scratch of a group. */
gint64 tp_contract_plan_get_scratch_bytes (const TpContractPlan *plan);
gint64 tp_contract_plan_width (const TpContractPlan *plan); /* of a panel */
gint64 tp_contract_plan_count_panels (const TpContractPlan *plan); /* or 1 */
/* Whether @rows x @cols points of x, read in place, are more lines than the sets of
 * the first cache they fall into hold: each is gone before its next element is
 * wanted. */
gboolean tp_contract_plan_collides (const TpContractPlan *plan, gint64 rows,
                                    gint64 cols);
/* Whether x is better staged, and can be. */
gboolean tp_contract_plan_prefers_stage (const TpContractPlan *plan);
/* Loops over K, merged where x and w allow, for w as in plan->nest. */
void tp_contract_plan_merge_loops (TpContractPlan *plan);

#endif
