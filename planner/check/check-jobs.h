/* check-jobs.h: how long engines take at least for what they have to do. */
#ifndef TP_PLANNER_CHECK_JOBS_H
#define TP_PLANNER_CHECK_JOBS_H

#include "ir/array.h"

/* What is there for an engine to do: it begins no sooner than after @before, and once it
 * is done @after is left. */
typedef struct
{
  int engine;
  gint64 before, time, after;
} TpCheckerJob;

/* Of all engines that of which the greatest bound is known; sorts @jobs. */
gint64 tp_checker_find_busiest (TpArray *jobs);

#endif
