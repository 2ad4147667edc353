/* span-best.c: see span-best.h. */
#include "config.h"

#include "planner/span-best.h"

#include "ir/guard.h"
#include "planner/span-tasks.h"

#include <string.h>

#define MAX_LENGTH 64         /* of runs of ops that are moved at once */

gboolean
tp_span_best_offer (TpSpanBest *best, const guint8 *devices)
{
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (best->problem, devices);
  gint64 span_ns = tp_span_tasks_schedule (tasks);

  best->work_left -= best->problem->graph->n_nodes + tasks->n_tasks;
  if (span_ns >= best->span_ns)
    return FALSE;
  best->span_ns = span_ns;
  memcpy (best->devices, devices, best->problem->graph->n_nodes);
  return TRUE;
}

static gboolean
wants_more (const TpSpanBest *best)
{
  return best->work_left > 0 && best->span_ns > best->bound_ns;
}

/* Those that may be on @device; FALSE: nothing changes. */
static gboolean
move (const TpSpanBest *best, const TpGroup *piece, int device, guint8 *devices)
{
  gboolean has_moved = FALSE;

  for (int i = 0; i < piece->n_nodes; i++)
    {
      int node = piece->nodes[i];

      if (devices[node] == device
          || tp_problem_node_cost (best->problem, node, device)
                 == TP_COST_NONE)
        continue;
      devices[node] = (guint8) device;
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

void
tp_span_best_improve (TpSpanBest *best)
{
  int n = best->problem->graph->n_nodes;
  g_autofree int *ops = tp_new (int, (gsize) n + 1);
  g_autofree guint8 *devices = tp_memdup (best->devices, (gsize) n + 1);
  gboolean is_better = TRUE;

  for (int i = 0; i < n; i++)
    ops[i] = i;
  while (is_better && wants_more (best))
    {
      is_better = try_groups (best, devices);
      for (int length = MIN (MAX_LENGTH, n); length > 0; length /= 2)
        if (try_runs (best, ops, length, devices))
          is_better = TRUE;
    }
}
