/* span-mean.c: see span-mean.h. Each op counts the least that it costs as weighted. */
#include "config.h"

#include "planner/span-mean.h"

#include "ir/load-proof.h"
#include "planner/span-jobs.h"
#include "planner/span-stage-private.h"

#define MAX_DEVICES (TP_LOAD_MAX_ENGINES / 3)
#define MAX_WEIGHTS 32        /* ops of which weights are made */
#define PARTS (G_GINT64_CONSTANT (1) << 40) /* the weight where it is fastest */

__extension__ typedef __int128 Wide;

/* What is no choice of a device: the least of @node. */
static Wide
weigh_node (const TpSpanStage *stage, int node, const gint64 *weights)
{
  Wide least = -1;

  for (int d = 0; d < stage->n_devices; d++)
    {
      Wide cost;

      if (!may_be (stage, node, d))
        continue;
      cost = (Wide) weights[d] * get_cost (stage, node, d);
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

/* @idle: [device]: when it has nothing to do. */
static Wide
find_mean (const TpSpanStage *stage, const gint64 *idle, const gint64 *weights)
{
  Wide all = 0, sum = 0;

  for (int d = 0; d < stage->n_devices; d++)
    {
      all += weights[d];
      sum += (Wide) weights[d] * idle[d];
    }
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1]; i++)
    {
      int group = stage->stages->group_of[i];

      if (get_fuses (stage, i) == 0)
        sum += weigh_node (stage, i, weights);
      else if (get_last (stage, group) == i)
        sum += weigh_group (stage, group, weights);
    }
  return (sum + all - 1) / all;
}

/* Those with which @node is as dear on each device; FALSE: there are none. */
static gboolean
find_weights (const TpSpanStage *stage, int node, gint64 *out)
{
  gint64 least = TP_COST_NONE;

  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 cost = get_cost (stage, node, d);

      if (cost == 0 || cost == TP_COST_NONE)
        return FALSE;
      least = MIN (least, cost);
    }
  for (int d = 0; d < stage->n_devices; d++)
    {
      gint64 cost = get_cost (stage, node, d);

      out[d] = (gint64) (((Wide) PARTS * least + cost - 1) / cost);
    }
  return TRUE;
}

gint64
tp_span_mean_find (const TpSpanStage *stage)
{
  gint64 idle[MAX_DEVICES], weights[MAX_DEVICES];
  int n = 0;
  Wide most;

  for (int d = 0; d < stage->n_devices; d++)
    {
      idle[d] = find_idle (stage, d);
      weights[d] = 1;
    }
  most = find_mean (stage, idle, weights);
  for (int i = stage->stages->first_op[stage->stage];
       i < stage->stages->first_op[stage->stage + 1] && n < MAX_WEIGHTS; i++)
    if (find_weights (stage, i, weights))
      {
        most = MAX (most, find_mean (stage, idle, weights));
        n++;
      }
  return (gint64) most;
}
