/* span-jobs.h: how long engines are at it that have so much to do. */
#ifndef TP_PLANNER_SPAN_JOBS_H
#define TP_PLANNER_SPAN_JOBS_H

#include "ir/array.h"

typedef struct
{
  int engine;
  gint64 head, time, tail;    /* before it, itself, after it */
} TpSpanJob;

/* No engine that does one thing at a time is done sooner with its part of @jobs
 * (TpSpanJob), which are put in order, and what comes after them. Sums of all are
 * below 2^62. */
gint64 tp_span_jobs_find_longest (TpArray *jobs);

#endif
