/* span-best.c: see span-best.h. */
#include "config.h"

#include "planner/span-best.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/span-tasks.h"

#include <string.h>

#define MAX_LENGTH 64         /* of runs of ops that are moved at once */
#define NEAR 12               /* groups and ops from one to another */

/* Whether a run in that order ends before the best, and fits. */
static gboolean
try_order (const TpSpanBest *best, TpSpanTasks *tasks, TpSpanOrder order,
           gint64 *out_span)
{
  *out_span = tp_span_tasks_schedule_as (tasks, order);
  return *out_span < best->span_ns && tp_span_room_fits (best->room, tasks);
}

/* The first order in which a run ends before the best, and fits. FALSE: there is none. */
static gboolean
find_order (const TpSpanBest *best, TpSpanTasks *tasks, gint64 *out_span,
            TpSpanOrder *out_order)
{
  *out_order = TP_SPAN_BY_RANK;
  *out_span = tp_span_tasks_schedule_below (tasks, best->span_ns);
  if (*out_span >= best->span_ns || best->room == NULL
      || tp_span_room_fits (best->room, tasks))
    return *out_span < best->span_ns;
  *out_order = TP_SPAN_BY_PLACE;
  if (try_order (best, tasks, TP_SPAN_BY_PLACE, out_span))
    return TRUE;
  *out_order = TP_SPAN_BUFFERED;
  return tasks->has_streams
         && try_order (best, tasks, TP_SPAN_BUFFERED, out_span);
}

gboolean
tp_span_best_offer (TpSpanBest *best, const guint8 *devices)
{
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (best->problem, devices);
  TpSpanOrder order;
  gint64 span_ns;

  best->work_left -= best->problem->graph->n_nodes + tasks->n_tasks;
  if (!find_order (best, tasks, &span_ns, &order))
    return FALSE;
  best->span_ns = span_ns;
  best->order = order;
  memcpy (best->devices, devices, best->problem->graph->n_nodes);
  return TRUE;
}

static gboolean
wants_more (const TpSpanBest *best)
{
  return best->work_left > 0 && best->span_ns > best->bound_ns;
}

/* Those that may be on @device, each with what is to be where it is; FALSE: nothing
 * changes. */
static gboolean
move (const TpSpanBest *best, const TpGroup *piece, int device, guint8 *devices)
{
  gboolean has_moved = FALSE;

  for (int i = 0; i < piece->n_nodes; i++)
    {
      const int *node = &piece->nodes[i];

      if (devices[*node] == device
          || tp_problem_node_cost (best->problem, *node, device)
                 == TP_COST_NONE)
        continue;
      tp_problem_move (best->problem, node, device, devices);
      has_moved = TRUE;
    }
  return has_moved;
}

/* On each device; @devices is for trying, and is left as the best is. */
static gboolean
try_piece (TpSpanBest *best, const TpGroup *piece, guint8 *devices)
{
  int n = best->problem->graph->n_nodes;
  gboolean is_better = FALSE;

  for (int d = 0; d < best->problem->n_devices && wants_more (best); d++)
    {
      if (move (best, piece, d, devices)
          && tp_span_best_offer (best, devices))
        is_better = TRUE;
      memcpy (devices, best->devices, n);
    }
  return is_better;
}

static gboolean
try_groups (TpSpanBest *best, guint8 *devices)
{
  gboolean is_better = FALSE;

  for (int i = 0; i < best->problem->costs->n_groups && wants_more (best); i++)
    if (try_piece (best, &best->problem->groups->groups[i], devices))
      is_better = TRUE;
  return is_better;
}

/* Runs of @length ops as they stand in the graph, each half over the next. */
static gboolean
try_runs (TpSpanBest *best, int *ops, int length, guint8 *devices)
{
  int n = best->problem->graph->n_nodes, step = MAX (length / 2, 1);
  gboolean is_better = FALSE;

  for (int i = 0; i < n && wants_more (best); i += step)
    {
      TpGroup piece = { .nodes = &ops[i], .n_nodes = MIN (length, n - i) };

      if (try_piece (best, &piece, devices))
        is_better = TRUE;
    }
  return is_better;
}

static gboolean
takes_time (const TpProblem *problem, int node)
{
  for (int d = 0; d < problem->n_devices; d++)
    if (tp_problem_node_cost (problem, node, d) > 0)
      return TRUE;
  return FALSE;
}

/* TpGroup, by their last ops: groups, and of none those that take time. @ops: [op]: its
 * own index. */
static TpArray *
list_units (const TpProblem *problem, int *ops)
{
  int n = problem->graph->n_nodes;
  g_autoptr (TpArray) units = tp_array_new (sizeof (TpGroup));
  g_autofree int *group_of = tp_new (int, (gsize) n + 1);

  memset (group_of, -1, sizeof (int) * (gsize) n);
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      group_of[problem->groups->groups[i].nodes[k]] = i;
  for (int i = 0; i < n; i++)
    {
      const TpGroup *group
          = group_of[i] < 0 ? NULL : &problem->groups->groups[group_of[i]];
      TpGroup alone = { .nodes = &ops[i], .n_nodes = 1 };

      if (group == NULL ? takes_time (problem, i)
                        : group->nodes[group->n_nodes - 1] == i)
        tp_array_append_vals (units, group == NULL ? &alone : group, 1);
    }
  return g_steal_pointer (&units);
}

/* Each to those devices, of which it is on neither. */
static gboolean
try_pair (TpSpanBest *best, const TpGroup *pair[2], int first, int second,
          guint8 *devices)
{
  gboolean is_better = first != devices[pair[0]->nodes[0]]
                       && second != devices[pair[1]->nodes[0]]
                       && move (best, pair[0], first, devices)
                       && move (best, pair[1], second, devices)
                       && tp_span_best_offer (best, devices);

  memcpy (devices, best->devices, best->problem->graph->n_nodes);
  return is_better;
}

static gboolean
try_devices (TpSpanBest *best, const TpGroup *pair[2], guint8 *devices)
{
  int n = best->problem->n_devices;
  gboolean is_better = FALSE;

  for (int i = 0; i < n * n && wants_more (best); i++)
    if (try_pair (best, pair, i / n, i % n, devices))
      is_better = TRUE;
  return is_better;
}

/* Two that stand near each other. */
static gboolean
try_pairs (TpSpanBest *best, const TpArray *units, guint8 *devices)
{
  gboolean is_better = FALSE;

  for (guint i = 0; i < units->len; i++)
    for (guint k = i + 1; k < MIN (units->len, i + NEAR) && wants_more (best);
         k++)
      {
        const TpGroup *pair[2] = { &tp_array_index (units, TpGroup, i),
                                   &tp_array_index (units, TpGroup, k) };

        if (try_devices (best, pair, devices))
          is_better = TRUE;
      }
  return is_better;
}

void
tp_span_best_improve (TpSpanBest *best)
{
  int n = best->problem->graph->n_nodes;
  g_autofree int *ops = tp_new (int, (gsize) n + 1);
  g_autofree guint8 *devices = tp_memdup (best->devices, (gsize) n + 1);
  g_autoptr (TpArray) units = NULL;
  gboolean is_better = TRUE;

  for (int i = 0; i < n; i++)
    ops[i] = i;
  units = list_units (best->problem, ops);
  while (is_better && wants_more (best))
    {
      is_better = try_groups (best, devices);
      for (int length = MIN (MAX_LENGTH, n); length > 0; length /= 2)
        if (try_runs (best, ops, length, devices))
          is_better = TRUE;
      if (!is_better)
        is_better = try_pairs (best, units, devices);
    }
}
