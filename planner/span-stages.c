/* span-stages.c: see span-stages.h. Take ops in any order in which each comes after
 * what it reads: where one is the only that could come next, all that is left comes
 * after it. The same from the end says what comes before it. */
#include "config.h"

#include "planner/span-stages.h"

#include "ir/guard.h"

#include <string.h>

void
tp_span_stages_free (TpSpanStages *stages)
{
  if (stages == NULL)
    return;
  g_free (stages->waists);
  g_free (stages->stage_of);
  g_free (stages->first_op);
  g_free (stages->group_of);
  g_free (stages);
}

static void
fill_groups (const TpProblem *problem, int *group_of)
{
  memset (group_of, -1, sizeof (int) * (gsize) problem->graph->n_nodes);
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      group_of[problem->groups->groups[i].nodes[k]] = i;
}

/* ---- waists --------------------------------------------------------------- */

typedef struct
{
  const TpGraph *graph;
  gboolean is_back;           /* from the end of the graph */
  int *left;                  /* [node]: how often it is still to be met */
  int *queue, n_queue;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_free (walk->left);
  g_free (walk->queue);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

typedef void (*WalkStep) (Walk *walk, int node);

static void
count (Walk *walk, int node)
{
  walk->left[node]++;
}

static void
meet (Walk *walk, int node)
{
  if (--walk->left[node] == 0)
    walk->queue[walk->n_queue++] = node;
}

static void
pass_readers (Walk *walk, int node, WalkStep step)
{
  const TpNode *it = &walk->graph->nodes[node];

  for (int k = 0; k < it->n_outputs; k++)
    {
      const TpTensor *tensor = &walk->graph->tensors[it->outputs[k]];

      for (int c = 0; c < tensor->n_consumers; c++)
        step (walk, tensor->consumers[c]);
    }
}

static void
pass_makers (Walk *walk, int node, WalkStep step)
{
  const TpNode *it = &walk->graph->nodes[node];

  for (int k = 0; k < it->n_inputs; k++)
    {
      int tensor = it->inputs[k];
      int maker = tensor < 0 ? -1 : walk->graph->tensors[tensor].producer;

      if (maker >= 0)
        step (walk, maker);
    }
}

static void
go_past (Walk *walk, int node, WalkStep step)
{
  if (walk->is_back)
    pass_makers (walk, node, step);
  else
    pass_readers (walk, node, step);
}

/* Adds to @sums, for each node, how many are left when it alone could be next; where
 * others could too, what makes any sum negative. */
static void
add_left (const TpGraph *graph, gboolean is_back, gint64 *sums)
{
  gsize n = (gsize) graph->n_nodes + 1;
  g_auto (Walk) walk = { .graph = graph, .is_back = is_back };

  walk.left = tp_new0 (int, n);
  walk.queue = tp_new (int, n);
  for (int i = 0; i < graph->n_nodes; i++)
    go_past (&walk, i, count);
  for (int i = 0; i < graph->n_nodes; i++)
    if (walk.left[i] == 0)
      walk.queue[walk.n_queue++] = i;
  for (int i = 0; i < walk.n_queue; i++)
    {
      int node = walk.queue[i];

      sums[node] += i + 1 == walk.n_queue ? graph->n_nodes - 1 - i
                                          : -2 * (gint64) graph->n_nodes;
      go_past (&walk, node, meet);
    }
}

/* A group is one kernel: only its last op may be one. */
static gboolean
may_end (const TpProblem *problem, const TpSpanStages *stages, int node)
{
  const TpGroup *group;

  if (stages->group_of[node] < 0)
    return TRUE;
  group = &problem->groups->groups[stages->group_of[node]];
  return group->nodes[group->n_nodes - 1] == node;
}

static void
find_waists (const TpProblem *problem, TpSpanStages *stages)
{
  int n = problem->graph->n_nodes;
  g_autofree gint64 *sums = tp_new0 (gint64, (gsize) n + 1);

  add_left (problem->graph, FALSE, sums);
  add_left (problem->graph, TRUE, sums);
  for (int i = 0; i < n; i++)
    if (sums[i] == n - 1 && may_end (problem, stages, i))
      stages->waists[stages->n_waists++] = i;
}

/* ---- stages --------------------------------------------------------------- */

/* All ops before a waist stand before it, and all after it behind. */
static void
fill_stages (const TpProblem *problem, TpSpanStages *stages)
{
  int stage = 0;

  for (int i = 0; i < problem->graph->n_nodes; i++)
    {
      stages->stage_of[i] = stage;
      if (stage < stages->n_waists && stages->waists[stage] == i)
        stages->first_op[++stage] = i + 1;
    }
  stages->first_op[stages->n_waists + 1] = problem->graph->n_nodes;
}

TpSpanStages *
tp_span_stages_new (const TpProblem *problem)
{
  gsize n = (gsize) problem->graph->n_nodes + 2;
  g_autoptr (TpSpanStages) stages = tp_new0 (TpSpanStages, 1);

  stages->waists = tp_new (int, n);
  stages->stage_of = tp_new (int, n);
  stages->first_op = tp_new0 (int, n);
  stages->group_of = tp_new (int, n);
  fill_groups (problem, stages->group_of);
  find_waists (problem, stages);
  fill_stages (problem, stages);
  return g_steal_pointer (&stages);
}
