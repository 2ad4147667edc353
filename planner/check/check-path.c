/* check-path.c: see check-path.h. */
#include "config.h"

#include "planner/check/check-path.h"

#include "ir/guard.h"

/* Of what was worked out: when an op ends on a device at the earliest. */
typedef struct
{
  const TpChecker *checker;
  gint64 *ends;               /* [node * n_devices + device] */
} Walk;

static void
walk_clear (Walk *walk)
{
  g_free (walk->ends);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gint64
get_feed (const TpChecker *checker, int tensor, int to)
{
  return to == TP_COSTS_HOST
             ? 0
             : checker->legs[(gsize) tensor * checker->costs->n_devices + to]
                   .feed;
}

/* The earliest that @tensor is at @to. */
static gint64
arrive (const Walk *walk, int tensor, int to)
{
  const TpChecker *checker = walk->checker;
  int maker = checker->tensors[tensor].producer;
  int n = checker->costs->n_devices;
  gboolean is_free = checker->tensors[tensor].is_resident;
  gint64 best = TP_COST_NONE;

  if (maker < 0)
    return is_free ? 0 : get_feed (checker, tensor, to);
  for (int d = 0; d < n; d++)
    {
      gint64 end = walk->ends[(gsize) maker * n + d];

      if (end != TP_COST_NONE && d != to && !is_free)
        end += checker->legs[(gsize) tensor * n + d].fetch
               + get_feed (checker, tensor, to);
      best = MIN (best, end);
    }
  return best;
}

/* All that @node reads, but what @group (-1: none) makes. */
static gint64
wait_for (const Walk *walk, int node, int device, int group)
{
  const TpNode *it = &walk->checker->graph->nodes[node];
  gint64 ready = 0;

  for (int k = 0; k < it->n_inputs; k++)
    {
      int maker = it->inputs[k] < 0
                      ? -1
                      : walk->checker->tensors[it->inputs[k]].producer;

      if (it->inputs[k] >= 0
          && (group < 0 || maker < 0
              || walk->checker->group_of[maker] != group))
        ready = MAX (ready, arrive (walk, it->inputs[k], device));
    }
  return ready;
}

/* With its whole group as one kernel. */
static gint64
end_fused (const Walk *walk, int group, int device)
{
  const TpChecker *checker = walk->checker;
  const TpGroup *it = &checker->plan->all_groups->groups[group];
  int n = checker->costs->n_devices;
  gint64 gain = checker->gains[(gsize) group * n + device];
  gint64 time_ns = -gain, ready = 0;

  for (int k = 0; k < it->n_nodes && gain > 0; k++)
    {
      time_ns += checker->node_costs[(gsize) it->nodes[k] * n + device];
      ready = MAX (ready, wait_for (walk, it->nodes[k], device, group));
    }
  return gain > 0 ? ready + time_ns : TP_COST_NONE;
}

/* An op inside a group may never end by itself. */
static gboolean
ends_unit (const TpChecker *checker, int node)
{
  int group = checker->group_of[node];
  const TpGroup *it;

  if (group < 0)
    return TRUE;
  it = &checker->plan->all_groups->groups[group];
  return it->nodes[it->n_nodes - 1] == node;
}

/* What one kernel makes is all there at its end. */
static void
end_group (const Walk *walk, int group, int device)
{
  const TpGroup *it = &walk->checker->plan->all_groups->groups[group];
  int n = walk->checker->costs->n_devices;
  gint64 whole = end_fused (walk, group, device);

  for (int k = 0; k < it->n_nodes; k++)
    {
      gint64 *end = &walk->ends[(gsize) it->nodes[k] * n + device];

      *end = MIN (*end, whole);
    }
}

static void
end_node (const Walk *walk, int node)
{
  const TpChecker *checker = walk->checker;
  int n = checker->costs->n_devices, group = checker->group_of[node];

  for (int d = 0; d < n; d++)
    {
      gint64 cost = checker->node_costs[(gsize) node * n + d];
      gint64 *end = &walk->ends[(gsize) node * n + d];

      *end = cost == TP_COST_NONE ? cost : cost + wait_for (walk, node, d, -1);
      if (group >= 0 && ends_unit (checker, node))
        end_group (walk, group, d);
    }
}

/* Where it is done first. */
static gint64
find_first (const Walk *walk, int node)
{
  int n = walk->checker->costs->n_devices;
  gint64 best = TP_COST_NONE;

  for (int d = 0; d < n; d++)
    best = MIN (best, walk->ends[(gsize) node * n + d]);
  return best;
}

gint64
tp_checker_find_path (const TpChecker *checker)
{
  gsize n = (gsize) checker->graph->n_nodes * checker->costs->n_devices;
  g_auto (Walk) walk = { checker, tp_new0 (gint64, n + 1) };
  gint64 longest = 0;

  for (int i = 0; i < checker->graph->n_nodes; i++)
    end_node (&walk, i);
  for (int i = 0; i < checker->graph->n_nodes; i++)
    longest = MAX (longest, find_first (&walk, i));
  for (int t = 0; t < checker->graph->n_tensors; t++)
    if (checker->tensors[t].is_output && !checker->tensors[t].is_resident
        && checker->tensors[t].producer >= 0)
      longest = MAX (longest, arrive (&walk, t, TP_COSTS_HOST));
  return longest;
}
