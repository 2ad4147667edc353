/* paths.c: see paths.h.
 *
 * A copy of a tensor that several read is made once for all who read it on a device, and
 * a path that goes on to one of them may have no part in it: such copies are left out, and
 * what is left is no more than the path takes. */
#include "config.h"

#include "planner/paths.h"

#include "ir/guard.h"

#include <string.h>

void
tp_passed_clear (TpPassed *passed)
{
  g_clear_pointer (&passed->ops, g_free);
  g_clear_pointer (&passed->gains, g_free);
  g_clear_pointer (&passed->tensors, g_free);
}

/* Whether all copies of it are for one reader. */
static gboolean
is_read_once (const TpTensor *tensor)
{
  return !tp_tensor_is_resident (tensor)
         && tensor->n_consumers + (tensor->producer >= 0 && tensor->is_output)
                == 1;
}

/* Of getting @tensor to @place (a device, or TP_COSTS_HOST) on a path. */
static gint64
find_copy (const TpPaths *paths, int tensor, int place, const guint8 *devices)
{
  const TpTensor *it = &paths->problem->graph->tensors[tensor];
  int from = it->producer < 0 ? TP_COSTS_HOST : devices[it->producer];

  return is_read_once (it)
             ? tp_problem_edge_cost (paths->problem, tensor, from, place)
             : 0;
}

/* Of op @node, entered from @before (or -1). */
static gint64
find_time (const TpPaths *paths, int node, int before, const guint8 *devices)
{
  const TpProblem *problem = paths->problem;
  gint64 time_ns = tp_problem_node_cost (problem, node, devices[node]);
  int group = paths->group_of[node], device;

  if (group < 0 || (before >= 0 && paths->group_of[before] == group))
    return time_ns;
  device = tp_problem_find_fused (problem, group, devices);
  return device < 0 ? time_ns
                    : time_ns - tp_problem_get_gain (problem, group, device);
}

/* ---- the longest ---------------------------------------------------------- */

typedef struct
{
  gint64 *ends;               /* [tensor]: when it is made */
  int *before;                /* [tensor]: on the longest path there; -1: it begins */
} Longest;

static void
longest_clear (Longest *it)
{
  g_free (it->ends);
  g_free (it->before);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Longest, longest_clear)

static void
pass (const TpPaths *paths, Longest *longest, int node, const guint8 *devices)
{
  const TpGraph *graph = paths->problem->graph;
  const TpNode *it = &graph->nodes[node];
  gint64 end = find_time (paths, node, -1, devices);
  int before = -1;

  for (int k = 0; k < it->n_inputs; k++)
    {
      int tensor = it->inputs[k];
      gint64 through;

      if (tensor < 0 || tp_tensor_is_resident (&graph->tensors[tensor]))
        continue;
      through = longest->ends[tensor]
                + find_copy (paths, tensor, devices[node], devices)
                + find_time (paths, node, graph->tensors[tensor].producer, devices);
      if (through < end)
        continue;
      end = through;
      before = tensor;
    }
  for (int k = 0; k < it->n_outputs; k++)
    if (it->outputs[k] >= 0)
      {
        longest->ends[it->outputs[k]] = end;
        longest->before[it->outputs[k]] = before;
      }
}

/* -1: nothing is made. */
static int
find_last (const TpPaths *paths, const Longest *longest, const guint8 *devices)
{
  const TpGraph *graph = paths->problem->graph;
  gint64 most = 0;
  int found = -1;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      gint64 end = longest->ends[i];

      if (graph->tensors[i].producer < 0)
        continue;
      if (graph->tensors[i].is_output)
        end += find_copy (paths, i, TP_COSTS_HOST, devices);
      if (found >= 0 && end <= most)
        continue;
      most = end;
      found = i;
    }
  return found;
}

TpPath *
tp_paths_find_longest (const TpPaths *paths, const guint8 *devices)
{
  const TpGraph *graph = paths->problem->graph;
  gsize n = (gsize) graph->n_tensors + 1;
  g_auto (Longest) longest = { .ends = tp_new0 (gint64, n) };
  TpPath *path;
  int last, n_tensors = 0;

  longest.before = tp_new (int, n);
  memset (longest.before, -1, sizeof (int) * n);
  for (int i = 0; i < graph->n_nodes; i++)
    pass (paths, &longest, i, devices);
  last = find_last (paths, &longest, devices);
  for (int i = last; i >= 0; i = longest.before[i])
    n_tensors++;
  if (n_tensors == 0)
    return NULL;
  path = tp_path_new (n_tensors);
  for (int i = last; i >= 0; i = longest.before[i])
    path->tensors[--n_tensors] = i;
  return path;
}

/* ---- ops of a path next to each other, of one group --------------------------- */

typedef struct
{
  int first, n;               /* in the path */
  int group;                  /* -1: of none: one op */
} Run;

/* The one after @it; FALSE: it was the last. Zeroed at first. */
static gboolean
next_run (const TpPaths *paths, const TpPath *path, Run *it)
{
  const TpTensor *tensors = paths->problem->graph->tensors;

  it->first += it->n;
  it->n = 1;
  if (it->first < path->n_tensors
      && tensors[path->tensors[it->first]].producer < 0)
    it->first++;              /* of the graph */
  if (it->first >= path->n_tensors)
    return FALSE;
  it->group = paths->group_of[tensors[path->tensors[it->first]].producer];
  while (it->group >= 0 && it->first + it->n < path->n_tensors
         && paths->group_of[tensors[path->tensors[it->first + it->n]].producer]
                == it->group)
    it->n++;
  return TRUE;
}

/* What its ops take on @device by themselves; TP_COST_NONE: one may not be there. */
static gint64
sum_run (const TpPaths *paths, const TpPath *path, const Run *run, int device)
{
  const TpGraph *graph = paths->problem->graph;
  gint64 sum = 0;

  for (int i = 0; i < run->n; i++)
    {
      int op = graph->tensors[path->tensors[run->first + i]].producer;
      gint64 cost = tp_problem_node_cost (paths->problem, op, device);

      if (cost == TP_COST_NONE)
        return TP_COST_NONE;
      sum += cost;
    }
  return sum;
}

/* What is saved of it where its group is one kernel on @device. */
static gint64
find_saved (const TpPaths *paths, const TpPath *path, const Run *run, int device)
{
  return run->group < 0
             ? 0
             : MIN (tp_problem_get_gain (paths->problem, run->group, device),
                    sum_run (paths, path, run, device));
}

gint64
tp_paths_measure (const TpPaths *paths, const TpPath *path,
                  const guint8 *devices)
{
  const TpGraph *graph = paths->problem->graph;
  int last = path->tensors[path->n_tensors - 1];
  gint64 sum = graph->tensors[last].is_output
                   ? find_copy (paths, last, TP_COSTS_HOST, devices)
                   : 0;

  for (int i = 0; i < path->n_tensors; i++)
    {
      int op = graph->tensors[path->tensors[i]].producer;

      if (op >= 0)
        sum += tp_problem_node_cost (paths->problem, op, devices[op]);
      if (i > 0)
        sum += find_copy (paths, path->tensors[i - 1], devices[op], devices);
    }
  for (Run run = { 0 }; next_run (paths, path, &run);)
    {
      int device = run.group < 0 ? -1
                                 : tp_problem_find_fused (paths->problem,
                                                          run.group, devices);

      if (device >= 0)
        sum -= find_saved (paths, path, &run, device);
    }
  return sum;
}

/* ---- all ------------------------------------------------------------------- */

static void
count_path (const TpPaths *paths, const TpPath *path, TpPassed *out)
{
  const TpGraph *graph = paths->problem->graph;
  int n_devices = paths->problem->n_devices;

  for (int i = 0; i < path->n_tensors; i++)
    {
      const TpTensor *it = &graph->tensors[path->tensors[i]];

      if (it->producer >= 0)
        out->ops[it->producer] += path->weight;
      if (is_read_once (it) && (i + 1 < path->n_tensors || it->is_output))
        out->tensors[path->tensors[i]] += path->weight;
    }
  for (Run run = { 0 }; next_run (paths, path, &run);)
    for (int d = 0; d < n_devices && run.group >= 0; d++)
      out->gains[run.group * n_devices + d]
          += path->weight * find_saved (paths, path, &run, d);
}

void
tp_paths_count (const TpPaths *paths, const TpPointers *list, TpPassed *out)
{
  const TpProblem *problem = paths->problem;
  gsize n_gains = (gsize) problem->costs->n_groups * problem->n_devices;

  *out = (TpPassed){ .ops = tp_new0 (gint64, (gsize) problem->graph->n_nodes + 1) };
  out->gains = tp_new0 (gint64, n_gains + 1);
  out->tensors = tp_new0 (gint64, (gsize) problem->graph->n_tensors + 1);
  for (guint i = 0; i < list->len; i++)
    count_path (paths, list->pdata[i], out);
}
