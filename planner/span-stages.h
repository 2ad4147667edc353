/* span-stages.h: a graph in stages: what is between one op and the next of which all
 * others come either before or after. */
#ifndef TP_PLANNER_SPAN_STAGES_H
#define TP_PLANNER_SPAN_STAGES_H

#include "planner/problem.h"

typedef struct
{
  int n_waists;               /* stage 0 is before the first, stage n_waists after
                               * the last */
  int *waists;                /* [waist]: op, ascending; each is an op of the stage
                               * that it ends */
  int *stage_of;              /* [node] */
  int *first_op;              /* [stage], and one more: its ops stand together */
  int *group_of;              /* [node]: all of a group are in one stage; -1: none */
} TpSpanStages;

/* Of groups only the last op is to be read by others. O(nodes and what they read). */
TpSpanStages *tp_span_stages_new (const TpProblem *problem);
void tp_span_stages_free (TpSpanStages *stages); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSpanStages, tp_span_stages_free)

#endif
