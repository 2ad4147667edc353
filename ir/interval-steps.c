/* interval-steps.c: see interval-steps.h. */
#include "config.h"

#include "ir/interval-steps.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 4           /* for each interval */

static int
compare_steps (const void *a, const void *b)
{
  int x = *(const int *) a, y = *(const int *) b;

  return (x > y) - (x < y);
}

/* How many steps there are, if from 0 on few of them are none of @intervals; 0: they
 * have to be renumbered. */
static int
count_steps (const TpInterval *intervals, int n)
{
  int low = 0, high = 0;

  for (int i = 0; i < n; i++)
    {
      low = MIN (low, MIN (intervals[i].first, intervals[i].last));
      high = MAX (high, MAX (intervals[i].first, intervals[i].last));
    }
  return low < 0 || high / MAX_STEPS >= n ? 0 : high + 1;
}

/* Rewrites the steps as 0, 1, 2, ... in the same order. */
static int
renumber (TpInterval *intervals, int n, TpScratch *scratch)
{
  int *steps = tp_scratch_new (scratch, int, 2 * (gsize) n + 1);
  int n_steps = 0;

  for (int i = 0; i < n; i++)
    {
      steps[2 * i] = intervals[i].first;
      steps[2 * i + 1] = intervals[i].last;
    }
  qsort (steps, 2 * (gsize) n, sizeof (int), compare_steps);
  for (int i = 0; i < 2 * n; i++)
    if (n_steps == 0 || steps[n_steps - 1] != steps[i])
      steps[n_steps++] = steps[i];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      {
        int *step = k == 0 ? &intervals[i].first : &intervals[i].last;
        int *found = bsearch (step, steps, n_steps, sizeof (int),
                              compare_steps);

        *step = (int) (found - steps);
      }
  return n_steps;
}

TpInterval *
tp_interval_steps_number (TpInterval *intervals, int n, TpScratch *scratch,
                          int *out_n_steps)
{
  TpInterval *copy;

  *out_n_steps = count_steps (intervals, n);
  if (*out_n_steps > 0)
    return intervals;
  copy = tp_scratch_new (scratch, TpInterval, n);
  memcpy (copy, intervals, sizeof (TpInterval) * n);
  *out_n_steps = renumber (copy, n, scratch);
  return copy;
}
