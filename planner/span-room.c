/* span-room.c: see span-room.h. A plan is made of the schedule, as far as a session
 * would ask for one, and spelled out as that would. */
#include "config.h"

#include "planner/span-room.h"

#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "ir/pools.h"
#include "planner/share.h"

#include <string.h>

#define MAX_TRIES 3

static TpGroups *
find_groups (const TpSpanTasks *tasks)
{
  const TpProblem *problem = tasks->problem;
  g_autoptr (TpGroups) groups = tp_groups_new ();

  for (int i = 0; i < problem->costs->n_groups; i++)
    if (tp_problem_find_fused (problem, i, tasks->devices) >= 0)
      tp_groups_add_copy (groups, &problem->groups->groups[i]);
  return g_steal_pointer (&groups);
}

/* No more of one than its memory depends on. */
static TpPlan *
make_plan (const TpSpanTasks *tasks)
{
  const TpProblem *problem = tasks->problem;
  int n = problem->graph->n_nodes;
  g_autoptr (TpPlan) plan = tp_plan_new ();

  plan->n_devices = problem->n_devices;
  plan->costs = tp_costs_ref ((TpCosts *) problem->costs);
  plan->groups = find_groups (tasks);
  plan->placements = tp_new0 (TpPlacement, (gsize) n + 1);
  plan->n_placements = n;
  for (int i = 0; i < n; i++)
    plan->placements[i]
        = (TpPlacement){ .node = i, .device = tasks->devices[i],
                         .time_ns = tp_span_tasks_get_time (tasks, i) };
  plan->transfers = tp_new0 (TpTransfer, (gsize) tasks->transfers->len + 1);
  for (guint i = 0; i < tasks->transfers->len; i++)
    plan->transfers[i] = tp_array_index (tasks->transfers, TpTransfer, i);
  plan->n_transfers = (int) tasks->transfers->len;
  plan->span_proof = tp_span_tasks_dup_proof (tasks);
  return g_steal_pointer (&plan);
}

/* With its memory counted. */
static TpPlan *
count (const TpSpanTasks *tasks)
{
  g_autoptr (TpPlan) plan = make_plan (tasks);

  tp_plan_count_memory (plan, tasks->problem->graph);
  return g_steal_pointer (&plan);
}

gboolean
tp_span_room_fits (TpSpanRoom *room, const TpSpanTasks *tasks)
{
  g_autoptr (TpPlan) plan = NULL;

  if (room->work_left <= 0)
    return FALSE;
  room->work_left -= tasks->n_tasks;
  plan = count (tasks);
  return tp_plan_fits (plan, tasks->problem->limits);
}

/* Lowers them by what a run of @devices takes above those of @problem if all that can
 * overlaps. FALSE: it fits, or nothing would be left. */
static gboolean
lower_limits (const TpProblem *problem, const guint8 *devices, gint64 *limits)
{
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (problem, devices);
  g_autoptr (TpPlan) plan = NULL;
  g_autofree gint64 *bytes = tp_new0 (gint64, (gsize) problem->n_devices + 1);
  gboolean has_changed = FALSE;

  tp_span_tasks_schedule_as (tasks, TP_SPAN_BY_PLACE);
  plan = count (tasks);
  for (int d = 0; d < problem->n_devices; d++)
    if (!tp_size_add (plan->peak_bytes[d], plan->weight_bytes[d], &bytes[d]))
      return FALSE;
  for (int row = 0; row < tp_pools_count_rows (problem->costs); row++)
    {
      gint64 missing = tp_pools_find_missing (problem->costs, problem->limits,
                                              row, bytes);

      if (missing >= limits[row] && missing > 0)
        return FALSE;
      limits[row] -= missing;
      has_changed |= missing > 0;
    }
  return has_changed;
}

gboolean
tp_span_room_find (const TpProblem *problem, guint8 *start, guint8 *roomy,
                   GError **error)
{
  gsize n = (gsize) problem->graph->n_nodes;
  int n_rows = tp_pools_count_rows (problem->costs);
  g_autofree gint64 *limits
      = tp_memdup (problem->limits, sizeof (gint64) * (gsize) n_rows);
  g_autofree guint8 *next = tp_new (guint8, n + 1);
  TpProblem tighter = *problem;

  if (!tp_share_find_any (problem, start, error))
    return FALSE;
  memcpy (roomy, start, n);
  tighter.limits = limits;
  for (int i = 0; i < MAX_TRIES && lower_limits (problem, roomy, limits); i++)
    {
      memset (next, 0, n);
      if (!tp_share_find_any (&tighter, next, NULL))
        break;
      memcpy (roomy, next, n);
    }
  return TRUE;
}
