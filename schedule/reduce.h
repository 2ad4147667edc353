/* reduce.h: reductions along a contiguous axis, a point at a time: softmax, means,
 * dot products. */
#ifndef TP_SCHEDULE_REDUCE_H
#define TP_SCHEDULE_REDUCE_H

#include "schedule/emit.h"

#define TP_REDUCE_MAX_SUMS 4

/* What a nest is. */
typedef struct
{
  const TpTarget *target;
  TpNest *nest;
  int axis;                   /* reduce axis of the vectors */
  int n_others;               /* other reduce axes, outer to inner */
  int others[TP_NEST_MAX_AXES];
  gboolean is_long;           /* has functions that take long */
  int kept;                   /* stage whose values are used again, or -1 */
  gint64 n_points, work;
} TpReduce;

/* The values of a choice of the family "reduce". */
enum
{
  TP_REDUCE_LANES,
  TP_REDUCE_SUMS,             /* vectors that accumulate at once */
  TP_REDUCE_POINTS,           /* per group, about */
};

/* The choice made. */
typedef struct
{
  const TpReduce *a;
  int lanes, sums;
  int row_buffer;             /* values of the kept stage */
} TpReducePlan;

/* NULL: no such reduction. */
TpReduce *tp_reduce_new (const TpBuild *build, const TpNest *nest);
void tp_reduce_free (TpReduce *reduce); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpReduce, tp_reduce_free)
/* For @kernel, to which scratch may be added. */
void tp_reduce_plan_init (TpReducePlan *plan, const TpReduce *reduce,
                          const TpChoice *choice, TpKernel *kernel);
/* All stages and results of the point at which the spatial axes are. */
void tp_reduce_emit_point (const TpReducePlan *plan, TpEmit *emit);

#endif
