/* limit-layout.c: see limit-layout.h. */
#include "config.h"

#include "planner/limit-layout.h"

#include "ir/guard.h"
#include "ir/pools.h"

#include <string.h>

/* Each tensor in pages of its own, and all constants. */
static gint64
sum_all (const TpExecution *execution)
{
  const TpGraph *graph = execution->graph;
  gint64 sum = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *it = &graph->tensors[i];
      gint64 bytes = tp_tensor_is_resident (it)
                         ? tp_tensor_get_resident_bytes (it)
                         : MAX (it->size_bytes, 1);

      if (execution->roots[i] == i
          && (!tp_size_add (bytes, TP_ARENA_ALIGN - 1, &bytes)
              || !tp_size_add (sum, bytes / TP_ARENA_ALIGN * TP_ARENA_ALIGN,
                               &sum)))
        return G_MAXINT64;
    }
  return sum;
}

void
tp_limit_layout_init (TpLimitLayout *layout, const TpProblem *problem)
{
  const TpGraph *graph = problem->graph;

  *layout = (TpLimitLayout){ .problem = problem };
  if (problem->is_unordered)
    tp_limit_held_init (&layout->held, problem);
  else
    layout->execution = tp_execution_new_empty (graph, problem->n_devices);
  layout->all_bytes = problem->is_unordered ? layout->held.all_bytes
                                            : sum_all (layout->execution);
  layout->groups.groups = tp_new (TpGroup, problem->costs->n_groups + 1);
  layout->places = tp_new (int, graph->n_nodes + 1);
  layout->devices = tp_new (gint8, graph->n_nodes + 1);
  layout->is_laid_out = tp_new0 (gboolean, problem->n_devices + 1);
  layout->needed = tp_new0 (gint64, problem->n_devices + 1);
}

void
tp_limit_layout_clear (TpLimitLayout *layout)
{
  tp_limit_held_clear (&layout->held);
  g_clear_pointer (&layout->execution, tp_execution_free);
  tp_scratch_clear (&layout->scratch);
  g_clear_pointer (&layout->groups.groups, g_free);
  g_clear_pointer (&layout->places, g_free);
  g_clear_pointer (&layout->devices, g_free);
  g_clear_pointer (&layout->is_laid_out, g_free);
  g_clear_pointer (&layout->needed, g_free);
}

static void
find_groups (TpLimitLayout *layout, const gint8 *devices)
{
  const TpProblem *problem = layout->problem;
  TpGroups *groups = &layout->groups;

  groups->n_groups = 0;
  for (int i = 0; i < problem->costs->n_groups; i++)
    if (!problem->groups->groups[i].is_claimed
        && tp_problem_find_fused (problem, i, (const guint8 *) devices) >= 0)
      groups->groups[groups->n_groups++] = problem->groups->groups[i];
}

/* Whether it runs. */
static gboolean
set (TpLimitLayout *layout, const gint8 *devices)
{
  const TpProblem *problem = layout->problem;
  int n_ops = problem->graph->n_nodes;
  const TpPlaced placed = { problem->n_devices, problem->costs->host,
                            layout->places, &layout->groups, NULL };

  if (layout->is_set && memcmp (layout->devices, devices, n_ops) == 0)
    return layout->is_good;
  layout->is_set = FALSE;
  find_groups (layout, devices);
  for (int i = 0; i < n_ops; i++)
    layout->places[i] = devices[i];
  memcpy (layout->devices, devices, n_ops);
  memset (layout->is_laid_out, 0, sizeof (gboolean) * problem->n_devices);
  layout->is_good = problem->is_unordered
                    || tp_execution_set (layout->execution, &placed,
                                      &layout->scratch, NULL);
  layout->is_set = TRUE;
  return layout->is_good;
}

static void
lay_out (TpLimitLayout *layout, int device)
{
  if (!layout->is_laid_out[device])
    tp_execution_lay_out (layout->execution, device, &layout->scratch);
  layout->is_laid_out[device] = TRUE;
}

/* What @device takes of what is set. */
static gint64
count_needed (TpLimitLayout *layout, int device)
{
  const TpMemory *memory;
  gint64 needed;
  int step;

  if (layout->problem->is_unordered)
    return tp_limit_held_peak (&layout->held, layout->devices, device, &step);
  lay_out (layout, device);
  memory = &layout->execution->memory[device];
  return tp_size_add (memory->arena_bytes, memory->weight_bytes, &needed)
             ? needed
             : G_MAXINT64;
}

/* Bytes of what is set above the limit of @row, where not everything fits there
 * anyway. */
static gint64
find_row_over (TpLimitLayout *layout, int row)
{
  const TpProblem *problem = layout->problem;
  gint64 limit = problem->limits[row], most = 0;

  for (int d = 0; d < problem->n_devices; d++)
    if (tp_pools_is_in (problem->costs, row, d)
        && !tp_size_add (most, layout->all_bytes, &most))
      most = G_MAXINT64;
  if (limit == 0 || most <= limit)
    return 0;
  for (int d = 0; d < problem->n_devices; d++)
    if (tp_pools_is_in (problem->costs, row, d))
      layout->needed[d] = count_needed (layout, d);
  return tp_pools_find_missing (problem->costs, problem->limits, row,
                                layout->needed);
}

const TpExecution *
tp_limit_layout_get (TpLimitLayout *layout, const gint8 *devices)
{
  if (layout->problem->is_unordered || !set (layout, devices))
    return NULL;
  for (int d = 0; d < layout->problem->n_devices; d++)
    lay_out (layout, d);
  return layout->execution;
}

gint64
tp_limit_layout_get_needed (TpLimitLayout *layout, const gint8 *devices,
                            int device)
{
  return set (layout, devices) ? count_needed (layout, device) : G_MAXINT64;
}

gint64
tp_limit_layout_get_over (TpLimitLayout *layout, const gint8 *devices)
{
  gint64 over = 0;

  if (!set (layout, devices))
    return G_MAXINT64;
  for (int row = 0; row < tp_pools_count_rows (layout->problem->costs); row++)
    {
      gint64 missing = find_row_over (layout, row);

      if (missing > TP_PROBLEM_LIMIT)
        return G_MAXINT64;
      over = MIN (over + missing, TP_PROBLEM_LIMIT);
    }
  return over;
}

int
tp_limit_layout_find_over (TpLimitLayout *layout, const gint8 *devices)
{
  const TpProblem *problem = layout->problem;
  int n = set (layout, devices) ? tp_pools_count_rows (problem->costs) : 0;
  int found = -1;

  for (int row = 0; row < n && found < 0; row++)
    if (find_row_over (layout, row) > 0)
      for (int d = 0; d < problem->n_devices; d++)
        if (tp_pools_is_in (problem->costs, row, d)
            && (found < 0 || layout->needed[d] > layout->needed[found]))
          found = d;
  return found;
}
