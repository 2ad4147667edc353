/* check-jobs.c: see check-jobs.h. The words are those of docs/planner.md, "Stages": some
 * jobs of an engine take as long as they take, with the least before any of them and the
 * least after any. */
#include "config.h"

#include "planner/check/check-jobs.h"

#include <stdlib.h>

#define MANY 64               /* of an engine */

__extension__ typedef __int128 Wide;

/* By engine, and of one what leaves most after it first. */
static int
compare_jobs (const void *a, const void *b)
{
  const TpCheckerJob *first = a, *second = b;

  if (first->engine != second->engine)
    return first->engine < second->engine ? -1 : 1;
  if (first->after != second->after)
    return first->after > second->after ? -1 : 1;
  return 0;
}

/* Of jobs of an engine those that have at least @before before them. */
static Wide
find_since (const TpCheckerJob *jobs, guint n, gint64 before)
{
  Wide all = before, most = 0;

  for (guint i = 0; i < n; i++)
    {
      if (jobs[i].before < before)
        continue;
      all += jobs[i].time;
      most = MAX (most, all + jobs[i].after);
    }
  return most;
}

static Wide
find_busy (const TpCheckerJob *jobs, guint n)
{
  gint64 least = G_MAXINT64;
  Wide most = 0;

  for (guint i = 0; i < n; i++)
    {
      least = MIN (least, jobs[i].before);
      if (n <= MANY)
        most = MAX (most, find_since (jobs, n, jobs[i].before));
    }
  return MAX (most, find_since (jobs, n, least));
}

gint64
tp_checker_find_busiest (TpArray *jobs)
{
  const TpCheckerJob *list = (const TpCheckerJob *) (const void *) jobs->data;
  Wide most = 0;
  guint first = 0;

  if (jobs->len > 1)
    qsort (jobs->data, jobs->len, sizeof (TpCheckerJob), compare_jobs);
  for (guint i = 1; i <= jobs->len; i++)
    {
      if (i < jobs->len && list[i].engine == list[first].engine)
        continue;
      most = MAX (most, find_busy (&list[first], i - first));
      first = i;
    }
  return (gint64) MIN (most, (Wide) G_MAXINT64);
}
