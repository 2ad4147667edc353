/* span-tasks.h: what one run by a placement has to do, as tasks of engines, and a
 * schedule of them: what can overlap does. */
#ifndef TP_PLANNER_SPAN_TASKS_H
#define TP_PLANNER_SPAN_TASKS_H

#include "ir/array.h"
#include "ir/span-proof.h"
#include "planner/problem.h"

/* Of what could begin, what does. */
typedef enum
{
  TP_SPAN_BY_RANK,            /* from where the way to the end is longest */
  TP_SPAN_BY_PLACE,           /* what comes first in the plan: less is alive at once */
  TP_SPAN_BUFFERED,           /* likewise, and a weight that is streamed is sent no
                               * sooner than the kernel before its reader begins */
  TP_SPAN_IN_TURN,            /* likewise, and one thing after the other */
} TpSpanOrder;

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  const guint8 *devices;      /* (unowned): [node] */
  TpArray *transfers;         /* TpTransfer: the copies it needs */
  int n_tasks;                /* nodes, then two for each transfer: to host memory,
                               * and from there */
  int *unit_of;               /* [node]: the task that runs it: the last of its
                               * group in effect, or itself */
  int *source_of;             /* [tensor * n_devices + device]: the task that brings
                               * it there, or -1 */
  struct TpSpanTask *tasks;   /* [task] */
  TpArray *arcs;              /* of these to those that wait for them */
  gboolean has_streams;       /* weights are streamed */
} TpSpanTasks;

TpSpanTasks *tp_span_tasks_new (const TpProblem *problem,
                                const guint8 *devices);
void tp_span_tasks_free (TpSpanTasks *tasks); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSpanTasks, tp_span_tasks_free)

/* Begins each task as soon as its engine is free and all it waits for is done; of
 * several the one from which the way to the end is longest. Where engines slow each
 * other, each goes on as fast as those beside it let it. Returns when the last ends:
 * never later than if they ran one after the other. */
gint64 tp_span_tasks_schedule (TpSpanTasks *tasks);
/* The same, but given up, with @limit, as soon as it is seen not to end before that. */
gint64 tp_span_tasks_schedule_below (TpSpanTasks *tasks, gint64 limit);
/* In whatever order, after those that are before it in the list. */
gint64 tp_span_tasks_schedule_as (TpSpanTasks *tasks, TpSpanOrder order);
/* Of the last schedule; bound_ns is 0. */
TpSpanProof *tp_span_tasks_dup_proof (const TpSpanTasks *tasks);
/* What it takes alone; of an op that is run with others, by the last of them, 0. */
gint64 tp_span_tasks_get_time (const TpSpanTasks *tasks, int task);

#endif
