/* span-mean.c: see span-mean.h. Each op counts the least that it costs as weighted. Which
 * of two devices that is depends on how many times as long it takes on the one as on the
 * other alone: with ops sorted by that, sums over the first of them serve all weights. */
#include "config.h"

#include "planner/span-mean.h"

#include "ir/load-proof.h"
#include "planner/span-jobs.h"
#include "planner/span-stage-private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES (TP_LOAD_MAX_ENGINES / 3)
#define MAX_WEIGHTS 32        /* ops of which weights are made */
#define PARTS (G_GINT64_CONSTANT (1) << 40) /* the weight where it is fastest */

__extension__ typedef __int128 Wide;

/* Has a choice, and is in no group that could be one kernel. */
static gboolean
is_free (const TpSpanStage *stage, int node)
{
  return find_device (stage, node) < 0 && get_fuses (stage, node) == 0;
}

/* ---- two devices ------------------------------------------------------------ */

/* By how long they take on the first device for each nanosecond on the second. */
static int
compare_ratios (const void *a, const void *b, void *data)
{
  const TpSpanStage *stage = data;
  int x = *(const int *) a, y = *(const int *) b;
  const gint64 *p = &stage->costs[2 * (gsize) x], *q = &stage->costs[2 * (gsize) y];
  Wide first = (Wide) p[0] * (q[0] == 0 ? MAX (q[1], 1) : q[1]);
  Wide second = (Wide) q[0] * (p[0] == 0 ? MAX (p[1], 1) : p[1]);

  if (first != second)
    return first < second ? -1 : 1;
  return (x > y) - (x < y);
}

static void
sort_ops (TpSpanStage *stage)
{
  const int *first = stage->stages->first_op;

  for (int i = 0; i < stage->problem->graph->n_nodes; i++)
    stage->by_ratio[i] = i;
  for (int i = 0; i <= stage->stages->n_waists; i++)
    qsort_r (&stage->by_ratio[first[i]], (gsize) (first[i + 1] - first[i]),
             sizeof (int), compare_ratios, stage);
}

/* Sums of what is free, up to each op by ratio. */
static void
sum_up (TpSpanStage *stage)
{
  int first = stage->stages->first_op[stage->stage];
  int end = stage->stages->first_op[stage->stage + 1];

  stage->sums[2 * (gsize) first] = stage->sums[2 * (gsize) first + 1] = 0;
  for (gsize i = (gsize) first; i < (gsize) end; i++)
    {
      int node = stage->by_ratio[i];

      for (int d = 0; d < 2; d++)
        stage->sums[2 * i + 2 + d]
            = stage->sums[2 * i + d]
              + (is_free (stage, node) ? get_cost (stage, node, d) : 0);
    }
}

/* Of those: the first by ratio take no longer on the first device, as weighted. */
static Wide
weigh_free (const TpSpanStage *stage, const gint64 *weights)
{
  int low = stage->stages->first_op[stage->stage];
  int end = stage->stages->first_op[stage->stage + 1], high = end;
  const gint64 *sums = stage->sums;

  while (low < high)
    {
      int middle = low + (high - low) / 2, node = stage->by_ratio[middle];

      if ((Wide) weights[0] * get_cost (stage, node, 0)
          <= (Wide) weights[1] * get_cost (stage, node, 1))
        low = middle + 1;
      else
        high = middle;
    }
  return (Wide) weights[0] * sums[2 * (gsize) low]
         + (Wide) weights[1]
               * (sums[2 * (gsize) end + 1] - sums[2 * (gsize) low + 1]);
}

/* ---- any number ------------------------------------------------------------- */

/* What is no choice of a device: the least of @node. */
static inline Wide
weigh_node (const TpSpanStage *stage, int node, const gint64 *weights)
{
  const gint64 *costs = &stage->costs[get_at (stage, node, 0)];
  guint left = stage->may[node];
  int d = __builtin_ctz (left);
  Wide least = (Wide) weights[d] * costs[d];

  while ((left &= left - 1) != 0)
    {
      Wide cost;

      d = __builtin_ctz (left);
      cost = (Wide) weights[d] * costs[d];
      least = MIN (least, cost);
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
  for (int d = 0; d < stage->n_devices; d++)
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
      head = MIN (head, stage->ready[get_at (stage, i, device)]);
      tail = MIN (tail, stage->tails[get_at (stage, i, device)]);
    }
  return is_used ? head + tail : 0;
}

/* Whatever the weights are: @busy, [device]: idle, and what is there for sure. */
static void
sort_out (TpSpanStage *stage, gint64 *busy)
{
  stage->n_free = stage->n_fusable = 0;
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1]; i++)
    {
      int group = stage->stages->group_of[i];

      if (is_free (stage, i))
        stage->free[stage->n_free++] = i;
      else if (get_fuses (stage, i) == 0)
        busy[find_device (stage, i)]
            += get_cost (stage, i, find_device (stage, i));
      else if (get_last (stage, group) == i)
        stage->fusable[stage->n_fusable++] = group;
    }
  if (stage->n_devices == 2)
    sum_up (stage);
}

static Wide
find_mean (const TpSpanStage *stage, const gint64 *busy, const gint64 *weights)
{
  Wide all = 0, sum = stage->n_devices == 2 ? weigh_free (stage, weights) : 0;

  for (int d = 0; d < stage->n_devices; d++)
    {
      all += weights[d];
      sum += (Wide) weights[d] * busy[d];
    }
  for (int i = 0; i < stage->n_free && stage->n_devices > 2; i++)
    sum += weigh_node (stage, stage->free[i], weights);
  for (int i = 0; i < stage->n_fusable; i++)
    sum += weigh_group (stage, stage->fusable[i], weights);
  return (sum + all - 1) / all;
}

/* Those with which @node is as dear on each device, if there are any. */
static void
find_weights (TpSpanStage *stage, int node)
{
  gint64 *out = &stage->weights[get_at (stage, node, 0)];
  gint64 least = TP_COST_NONE;

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 cost = get_cost (stage, node, d);

      if (cost == 0 || cost == TP_COST_NONE)
        return;
      least = MIN (least, cost);
    }
  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 cost = get_cost (stage, node, d);

      out[d] = (gint64) (((Wide) PARTS * least + cost - 1) / cost);
    }
}

void
tp_span_mean_prepare (TpSpanStage *stage)
{
  if (stage->n_devices == 2)
    sort_ops (stage);
  for (int i = 0; i < stage->problem->graph->n_nodes; i++)
    find_weights (stage, i);
}

/* Whether those of @node are among the @n of @tried: ops that are alike have the same. */
static gboolean
is_tried (const TpSpanStage *stage, const int *tried, int n, int node)
{
  gsize size = sizeof (gint64) * (gsize) stage->n_devices;

  for (int i = 0; i < n; i++)
    if (memcmp (&stage->weights[get_at (stage, tried[i], 0)],
                &stage->weights[get_at (stage, node, 0)], size) == 0)
      return TRUE;
  return FALSE;
}

gint64
tp_span_mean_find (TpSpanStage *stage)
{
  gint64 busy[MAX_DEVICES], ones[MAX_DEVICES];
  int tried[MAX_WEIGHTS], n_tried = 0, n = 0;
  Wide most;

  for (int d = 0; d < stage->n_devices; d++)
    {
      busy[d] = find_idle (stage, d);
      ones[d] = 1;
    }
  sort_out (stage, busy);
  most = find_mean (stage, busy, ones);
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1] && n < MAX_WEIGHTS; i++)
    {
      const gint64 *weights = &stage->weights[get_at (stage, i, 0)];

      if (*weights == 0)
        continue;
      n++;
      if (is_tried (stage, tried, n_tried, i))
        continue;
      tried[n_tried++] = i;
      most = MAX (most, find_mean (stage, busy, weights));
    }
  return (gint64) most;
}
