/* span-jobs.c: see span-jobs.h. Of any jobs of one engine, the first begins no sooner
 * than the least head of them, and after the last there is the least tail (J. Carlier,
 * The one-machine sequencing problem, 1982). It is enough to look at those with at
 * least some head and at least some tail. */
#include "config.h"

#include "planner/span-jobs.h"

#include <stdlib.h>

#define MANY 64               /* of an engine: then all heads count */

/* By engine; of one, the longest tail first. */
static int
compare (const void *a, const void *b)
{
  const TpSpanJob *first = a, *second = b;

  if (first->engine != second->engine)
    return first->engine < second->engine ? -1 : 1;
  return (first->tail < second->tail) - (first->tail > second->tail);
}

/* Of those with at least @head, any with the longest tails. */
static gint64
find_since (const TpSpanJob *jobs, int n, gint64 head)
{
  gint64 sum = head, most = 0;

  for (int i = 0; i < n; i++)
    {
      if (jobs[i].head < head)
        continue;
      sum += jobs[i].time;
      most = MAX (most, sum + jobs[i].tail);
    }
  return most;
}

/* Of one engine. */
static gint64
find_busy (const TpSpanJob *jobs, int n)
{
  gint64 least = G_MAXINT64, most = 0;

  for (int i = 0; i < n; i++)
    {
      least = MIN (least, jobs[i].head);
      if (n <= MANY)
        most = MAX (most, find_since (jobs, n, jobs[i].head));
    }
  return MAX (most, find_since (jobs, n, least));
}

gint64
tp_span_jobs_find_longest (TpArray *jobs)
{
  TpSpanJob *list = (TpSpanJob *) (void *) jobs->data;
  int n = (int) jobs->len;
  gint64 most = 0;

  if (n > 1)
    qsort (list, (gsize) n, sizeof (TpSpanJob), compare);
  for (int i = 0, end; i < n; i = end)
    {
      for (end = i + 1; end < n && list[end].engine == list[i].engine;)
        end++;
      most = MAX (most, find_busy (&list[i], end - i));
    }
  return most;
}
