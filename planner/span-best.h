/* span-best.h: the placement met whose run ends first, and what is beside it. */
#ifndef TP_PLANNER_SPAN_BEST_H
#define TP_PLANNER_SPAN_BEST_H

#include "planner/span-room.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  guint8 *devices;            /* [node]; caller's */
  gint64 span_ns;             /* G_MAXINT64: none was met */
  TpSpanOrder order;          /* in which it has that */
  gint64 bound_ns;            /* where it is reached there is no more to look for */
  gint64 work_left;           /* ops and tensors that may be looked at */
  TpSpanRoom *room;           /* (nullable) (unowned): of limits of memory */
} TpSpanBest;

/* Takes @devices if a run by it ends sooner, and fits. */
gboolean tp_span_best_offer (TpSpanBest *best, const guint8 *devices);
/* Moves ops, groups and runs of ops to the other device as long as that helps and
 * there is work left. */
void tp_span_best_improve (TpSpanBest *best);

#endif
