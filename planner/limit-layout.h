/* limit-layout.h: what placements take as sessions lay them out: one after the other,
 * in the same memory; or at least, where ops may run in any order. */
#ifndef TP_PLANNER_LIMIT_LAYOUT_H
#define TP_PLANNER_LIMIT_LAYOUT_H

#include "ir/execution.h"
#include "planner/limit-held.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  gint64 all_bytes;           /* no device takes more than that */
  TpLimitHeld held;           /* of problems without an order, which have no
                               * execution */
  TpExecution *execution;     /* of @devices */
  TpScratch scratch;
  TpGroups groups;            /* those in effect, as the problem has them */
  int *places;
  gint8 *devices;             /* the placement asked for last */
  gboolean is_set;
  gboolean is_good;           /* no group hides what others read */
  gboolean *is_laid_out;      /* [device] */
  gint64 *needed;             /* [device]: bytes, where asked for */
} TpLimitLayout;

void tp_limit_layout_init (TpLimitLayout *layout, const TpProblem *problem);
void tp_limit_layout_clear (TpLimitLayout *layout);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitLayout, tp_limit_layout_clear)

/* As it would run, until another is asked for. NULL: its groups hide what others
 * read, or there is no order. */
const TpExecution *tp_limit_layout_get (TpLimitLayout *layout,
                                        const gint8 *devices);
/* What @device takes; G_MAXINT64: it cannot be counted, or it does not run. */
gint64 tp_limit_layout_get_needed (TpLimitLayout *layout, const gint8 *devices,
                                   int device);
/* Bytes above the limits in all rows; G_MAXINT64: they cannot be counted, or it
 * does not run. */
gint64 tp_limit_layout_get_over (TpLimitLayout *layout, const gint8 *devices);
/* A device that takes more than its limit, or the one that takes most of a pool of
 * which they take too much; -1: none, or it does not run. */
int tp_limit_layout_find_over (TpLimitLayout *layout, const gint8 *devices);

#endif
