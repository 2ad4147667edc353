/* span-mean.c: see span-mean.h. Each op counts the least that it costs as weighted.
 * Which device that is depends on how many times as long it takes on the one as on the
 * other alone: with ops sorted by that, sums over the first of them serve all weights. */
#include "config.h"

#include "planner/span-mean.h"

#include "planner/span-jobs.h"
#include "planner/span-stage-private.h"

#include <stdlib.h>

#define MAX_WEIGHTS 32        /* units of which weights are made */

__extension__ typedef __int128 Wide;

/* By how long they take on the first device for each nanosecond on the second. */
static int
compare_ratios (const void *a, const void *b, void *data)
{
  const TpSpanStage *stage = data;
  int x = *(const int *) a, y = *(const int *) b;
  const gint64 *p = &stage->costs[2 * x], *q = &stage->costs[2 * y];
  Wide first = (Wide) p[0] * (q[0] == 0 ? MAX (q[1], 1) : q[1]);
  Wide second = (Wide) q[0] * (p[0] == 0 ? MAX (p[1], 1) : p[1]);

  if (first != second)
    return first < second ? -1 : 1;
  return (x > y) - (x < y);
}

void
tp_span_mean_sort (TpSpanStage *stage)
{
  const int *first = stage->stages->first_op;

  for (int i = 0; i < stage->problem->graph->n_nodes; i++)
    stage->by_ratio[i] = i;
  for (int i = 0; i <= stage->stages->n_waists; i++)
    qsort_r (&stage->by_ratio[first[i]], (gsize) (first[i + 1] - first[i]),
             sizeof (int), compare_ratios, stage);
  for (int i = 0; i < stage->problem->graph->n_nodes; i++)
    stage->ratio_rank[stage->by_ratio[i]] = i;
}

/* What is no choice of a device: the least of @node. */
static Wide
weigh_node (const TpSpanStage *stage, int node, const gint64 *weights)
{
  Wide least = -1;

  for (int d = 0; d < 2; d++)
    {
      Wide cost;

      if (!may_be (stage, node, d))
        continue;
      cost = (Wide) weights[d]
             * get_cost (stage, node, d);
      least = least < 0 ? cost : MIN (least, cost);
    }
  return least;
}

/* Of a group that could be one kernel. */
static Wide
weigh_group (const TpSpanStage *stage, int group, const gint64 *weights)
{
  const TpGroup *it = get_group (stage, group);
  Wide least = 0;

  for (int i = 0; i < it->n_nodes; i++)
    least += weigh_node (stage, it->nodes[i], weights);
  for (int d = 0; d < 2; d++)
    if (stage->fuses[group] >> d & 1)
      {
        Wide cost = (Wide) weights[d] * get_fused_cost (stage, group, d);

        least = stage->fuses[group] & FUSED ? cost : MIN (least, cost);
      }
  return least;
}

/* Before the first kernel that may be on @device, and after the last; 0: there may be
 * none. */
static gint64
find_idle (const TpSpanStage *stage, int device)
{
  gint64 head = TP_COST_NONE, tail = TP_COST_NONE;
  gboolean is_used = FALSE;

  for (guint i = 0; i < stage->jobs->len; i++)
    is_used |= tp_array_index (stage->jobs, TpSpanJob, i).engine == device;
  for (int i = stage->stages->first_op[stage->stage];
       is_used && i < stage->stages->first_op[stage->stage + 1]; i++)
    {
      if (!may_be (stage, i, device)
          || (stage->stages->group_of[i] < 0
              && get_cost (stage, i, device) == 0))
        continue;
      head = MIN (head, stage->ready[2 * i + device]);
      tail = MIN (tail, stage->tails[2 * i + device]);
    }
  return is_used ? head + tail : 0;
}

/* What counts whatever the weights are. Of ops that have a choice, those that take less
 * as weighted on the first device come first by ratio: so sums over the first of them,
 * for each device, tell what all take at least. */
typedef struct
{
  gint64 fixed[2];            /* [device]: idle, and ops that are there for sure */
  gint64 free;                /* on the second, of those with a choice */
} Weighed;

static void
sum_up (TpSpanStage *stage, Weighed *out)
{
  int first = stage->stages->first_op[stage->stage];
  int end = stage->stages->first_op[stage->stage + 1];

  out->fixed[0] = find_idle (stage, 0);
  out->fixed[1] = find_idle (stage, 1);
  out->free = 0;
  stage->sums[2 * first] = stage->sums[2 * first + 1] = 0;
  for (int i = first; i < end; i++)
    {
      int node = stage->by_ratio[i], device = find_device (stage, node);
      gboolean is_free = device < 0 && get_fuses (stage, node) == 0;

      for (int d = 0; d < 2; d++)
        stage->sums[2 * i + 2 + d]
            = stage->sums[2 * i + d]
              + (is_free ? get_cost (stage, node, d) : 0);
      if (device >= 0 && get_fuses (stage, node) == 0)
        out->fixed[device] += get_cost (stage, node, device);
    }
  out->free = stage->sums[2 * end + 1];
}

/* Groups that end in the stage. */
static void
list_fusable (TpSpanStage *stage)
{
  stage->n_fusable = 0;
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1]; i++)
    {
      int group = stage->stages->group_of[i];

      if (get_fuses (stage, i) != 0 && get_last (stage, group) == i)
        stage->fusable[stage->n_fusable++] = group;
    }
}

/* @n_first: ops of the stage, by ratio, that take less on the first device. */
static Wide
find_mean (const TpSpanStage *stage, const Weighed *it, const gint64 *weights,
           int n_first)
{
  Wide all = (Wide) weights[0] + weights[1];
  const gint64 *sums = &stage->sums[2 * n_first];
  Wide sum = (Wide) weights[0] * (it->fixed[0] + sums[0])
             + (Wide) weights[1] * (it->fixed[1] + it->free - sums[1]);

  for (int i = 0; i < stage->n_fusable; i++)
    sum += weigh_group (stage, stage->fusable[i], weights);
  return sum / all + (sum % all > 0);
}

/* How many ops, those before the stage with them, take no longer on the first. */
static int
count_faster (const TpSpanStage *stage)
{
  int low = stage->stages->first_op[stage->stage];
  int high = stage->stages->first_op[stage->stage + 1];

  while (low < high)
    {
      int middle = low + (high - low) / 2, node = stage->by_ratio[middle];

      if (get_cost (stage, node, 0) <= get_cost (stage, node, 1))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gint64
tp_span_mean_find (TpSpanStage *stage)
{
  Weighed it;
  int n = 0;
  Wide most;

  sum_up (stage, &it);
  list_fusable (stage);
  most = find_mean (stage, &it, (gint64[]){ 1, 1 }, count_faster (stage));
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1] && n < MAX_WEIGHTS; i++)
    {
      gint64 first = get_cost (stage, i, 0);
      gint64 second = get_cost (stage, i, 1);

      if (MIN (first, second) == 0 || MAX (first, second) == TP_COST_NONE)
        continue;
      most = MAX (most, find_mean (stage, &it, (gint64[]){ second, first },
                                   stage->ratio_rank[i]));
      n++;
    }
  return (gint64) most;
}
