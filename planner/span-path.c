/* span-path.c: see span-path.h. For each op and device: when it ends there at the
 * earliest, if what it reads was made where that serves it best. Two that read one
 * tensor may each have its maker elsewhere: so it is a bound and no schedule. */
#include "config.h"

#include "planner/span-path.h"

#include "ir/guard.h"

typedef struct
{
  const TpProblem *problem;
  int *group_of;              /* [node], or -1 */
  gint64 *ends;               /* [node * n_devices + device]: at the earliest;
                               * TP_COST_NONE: may not be there */
} Path;

static void
path_clear (Path *path)
{
  g_free (path->group_of);
  g_free (path->ends);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Path, path_clear)

static gint64 *
get_end (const Path *path, int node, int device)
{
  return &path->ends[(gsize) node * path->problem->n_devices + device];
}

/* When @tensor is at @place (a device, or TP_COSTS_HOST) at the earliest. */
static gint64
find_arrival (const Path *path, int tensor, int place)
{
  const TpProblem *problem = path->problem;
  const TpTensor *it = &problem->graph->tensors[tensor];
  gboolean stays = tp_tensor_is_resident (it);
  gint64 first = TP_COST_NONE;

  if (it->producer < 0)
    return stays ? 0
                 : tp_problem_edge_cost (problem, tensor, TP_COSTS_HOST, place);
  for (int d = 0; d < problem->n_devices; d++)
    {
      gint64 end = *get_end (path, it->producer, d);

      if (end == TP_COST_NONE)
        continue;
      if (!stays)
        end += tp_problem_edge_cost (problem, tensor, d, place);
      first = MIN (first, end);
    }
  return first;
}

/* When all is there that @node reads but what others of @group make; -1: no
 * group. */
static gint64
find_ready (const Path *path, int node, int device, int group)
{
  const TpNode *it = &path->problem->graph->nodes[node];
  gint64 ready = 0;

  for (int k = 0; k < it->n_inputs; k++)
    {
      int tensor = it->inputs[k];
      int producer
          = tensor < 0 ? -1 : path->problem->graph->tensors[tensor].producer;

      if (tensor < 0
          || (group >= 0 && producer >= 0
              && path->group_of[producer] == group))
        continue;
      ready = MAX (ready, find_arrival (path, tensor, device));
    }
  return ready;
}

/* As one kernel with the rest of @group, of which it is the last. */
static gint64
find_fused_end (const Path *path, int group, int device)
{
  const TpProblem *problem = path->problem;
  const TpGroup *it = &problem->groups->groups[group];
  gint64 ready = 0, time_ns = -tp_problem_get_gain (problem, group, device);

  if (time_ns == 0)
    return TP_COST_NONE;
  for (int i = 0; i < it->n_nodes; i++)
    {
      gint64 cost = tp_problem_node_cost (problem, it->nodes[i], device);

      if (cost == TP_COST_NONE)
        return TP_COST_NONE;
      time_ns += cost;
      ready = MAX (ready, find_ready (path, it->nodes[i], device, group));
    }
  return ready + time_ns;
}

static gboolean
is_last (const Path *path, int node)
{
  const TpGroup *group;

  if (path->group_of[node] < 0)
    return TRUE;
  group = &path->problem->groups->groups[path->group_of[node]];
  return group->nodes[group->n_nodes - 1] == node;
}

/* As one kernel all of @group is done at once. What reads any of it comes after its last. */
static void
join_ends (const Path *path, int group, int device)
{
  const TpGroup *it = &path->problem->groups->groups[group];
  gint64 fused = find_fused_end (path, group, device);

  for (int i = 0; i < it->n_nodes; i++)
    {
      gint64 *end = get_end (path, it->nodes[i], device);

      *end = MIN (*end, fused);
    }
}

static void
fill_ends (const Path *path, int node)
{
  int group = path->group_of[node];

  for (int d = 0; d < path->problem->n_devices; d++)
    {
      gint64 cost = tp_problem_node_cost (path->problem, node, d);
      gint64 *end = get_end (path, node, d);

      *end = cost;
      if (cost != TP_COST_NONE)
        *end += find_ready (path, node, d, -1);
      if (group >= 0 && is_last (path, node))
        join_ends (path, group, d);
    }
}

/* When @node is done, and what of it the caller wants is in host memory. */
static gint64
find_done (const Path *path, int node)
{
  const TpNode *it = &path->problem->graph->nodes[node];
  gint64 done = TP_COST_NONE;

  for (int d = 0; d < path->problem->n_devices; d++)
    done = MIN (done, *get_end (path, node, d));
  for (int k = 0; k < it->n_outputs; k++)
    {
      const TpTensor *tensor
          = &path->problem->graph->tensors[it->outputs[k]];

      if (tensor->is_output && !tp_tensor_is_resident (tensor))
        done = MAX (done, find_arrival (path, it->outputs[k], TP_COSTS_HOST));
    }
  return done;
}

gint64
tp_span_path_find (const TpProblem *problem)
{
  gsize n = (gsize) problem->graph->n_nodes;
  g_auto (Path) path = { .problem = problem };
  gint64 longest = 0;

  path.group_of = tp_new (int, n + 1);
  path.ends = tp_new0 (gint64, n * problem->n_devices + 1);
  for (gsize i = 0; i < n; i++)
    path.group_of[i] = -1;
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      path.group_of[problem->groups->groups[i].nodes[k]] = i;
  for (int i = 0; i < (int) n; i++)
    fill_ends (&path, i);
  for (int i = 0; i < (int) n; i++)
    longest = MAX (longest, find_done (&path, i));
  return longest;
}
