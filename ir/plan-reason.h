/* plan-reason.h: why an op is where it is. */
#ifndef TP_IR_PLAN_REASON_H
#define TP_IR_PLAN_REASON_H

#include "ir/plan.h"

typedef enum
{
  TP_REASON_ALONE,            /* the plan has one device */
  TP_REASON_STREAMED,         /* where the weights are that it sends */
  TP_REASON_PINNED,
  TP_REASON_ONLY,             /* no other device can */
  TP_REASON_TIE,              /* the cheapest plan has it elsewhere, but is
                               * cheaper by less than noise */
  TP_REASON_MEMORY,           /* the cheapest plan has it elsewhere, but takes
                               * more memory than there is */
  TP_REASON_LOAD,             /* the plan cheapest for one run has it elsewhere,
                               * where the busiest engine would carry more */
  TP_REASON_RATED,            /* the fastest plan has it elsewhere, where the run
                               * would take more energy, or cost more */
  TP_REASON_FASTER,           /* by itself, than on any other */
  TP_REASON_EQUAL,            /* and beside its neighbours */
  TP_REASON_TOGETHER,         /* slower here, where what it is to be with is */
  TP_REASON_NEIGHBOURS,       /* slower here, but leaving would cost more in
                               * copies or in fusion */
} TpReason;

/* @out_rival: (nullable): the fastest other device for the op by itself; -1:
 * none can. */
TpReason tp_plan_find_reason (const TpPlan *plan, const TpGraph *graph,
                              const TpPlacement *placement, int *out_rival);
/* "faster": for programs, never changes. */
const char *tp_reason_get_name (TpReason reason);

#endif
