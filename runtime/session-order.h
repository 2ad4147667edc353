/* session-order.h: in which order a run of several engines does its tasks, and which
 * of them wait for which: the schedule of the plan, made to fit what memory is
 * there. */
#ifndef TP_RUNTIME_SESSION_ORDER_H
#define TP_RUNTIME_SESSION_ORDER_H

#include "runtime/session-tasks.h"

/* Lane 0 is the caller's: the kernels of the host, and copies within its memory.
 * Each other engine with tasks is a lane of its own. */
typedef struct
{
  int n_tasks;
  TpSessionTask *tasks;       /* in the order of the actions */
  int n_lanes;
  int *lane_of;               /* [task] */
  int *order;                 /* tasks, as they would be done one after the other:
                               * each lane does its own in this order */
  gint64 *planned_ns;         /* [task]: when the schedule has it begin; -1: it does
                               * not say */
  int *n_waits;               /* [task]: of other lanes, to be waited for */
  int *first_waiter;          /* [task + 1]: in @waiters */
  int *waiters;               /* tasks of other lanes that wait for it */
} TpSessionOrder;

/**
 * tp_session_order_new:
 * @session: of a plan with a schedule, its arenas made
 *
 * A task waits for who makes what it reads, for who still reads what it writes, and
 * for all that is done with the tensors whose place in an arena it takes: all of
 * that comes before it among the actions, so nobody waits in a circle. It is done
 * when the schedule has it, or after the last that it waits for; so where memory is
 * not in the way the order is that of the schedule.
 */
TpSessionOrder *tp_session_order_new (const TpSession *session);
void tp_session_order_free (TpSessionOrder *order); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSessionOrder, tp_session_order_free)

#endif
