/* check-paths.c: see check-paths.h.
 *
 * A run takes no less than the kernels of a path and the copies between them. Of a group
 * that is one kernel it takes all, so no less than the ops on the path less what the group
 * saves, nor less than nothing. A copy is the path's own where nobody else reads the tensor. */
#include "config.h"

#include "planner/check/check-paths.h"

#include "ir/guard.h"

#define MAX_SUM (G_GINT64_CONSTANT (1) << 60)
#define MAX_GAIN (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

void
tp_checker_passed_clear (TpCheckerPassed *passed)
{
  g_clear_pointer (&passed->ops, g_free);
  g_clear_pointer (&passed->gains, g_free);
  g_clear_pointer (&passed->tensors, g_free);
}

/* By halves: a file may ask often of what many read. */
static gboolean
is_read_by (const TpTensorOutline *tensor, int op)
{
  int low = 0, high = tensor->n_readers;

  while (low < high)
    {
      int middle = low + (high - low) / 2;

      if (tensor->readers[middle] < op)
        low = middle + 1;
      else
        high = middle;
    }
  return low < tensor->n_readers && tensor->readers[low] == op;
}

/* Whether tensor @index of the graph can be number @at. */
static gboolean
may_follow (const TpChecker *checker, const TpPath *path, int at)
{
  int index = path->tensors[at];
  const TpTensorOutline *before;

  if (index < 0 || index >= checker->graph->n_tensors
      || (checker->tensors[index].is_resident && at + 1 < path->n_tensors))
    return FALSE;
  if (at == 0)
    return TRUE;
  before = &checker->tensors[path->tensors[at - 1]];
  return checker->tensors[index].producer >= 0
         && is_read_by (before, checker->tensors[index].producer);
}

static gboolean
is_path (const TpChecker *checker, const TpPath *path)
{
  gboolean is_good = path->weight >= 1 && path->weight < MAX_SUM;

  for (int i = 0; i < path->n_tensors && is_good; i++)
    is_good = may_follow (checker, path, i);
  return is_good;
}

/* Of a group: from number @at of the path those that follow each other; what they take on
 * @device, if they may be there. Returns the number after them. */
static int
sum_run (const TpChecker *checker, const TpPath *path, int at, int device,
         Wide *out_sum)
{
  int n_devices = checker->costs->n_devices;
  int group = checker->group_of[checker->tensors[path->tensors[at]].producer];

  *out_sum = 0;
  for (; at < path->n_tensors; at++)
    {
      int op = checker->tensors[path->tensors[at]].producer;

      if (checker->group_of[op] != group)
        return at;
      *out_sum += checker->node_costs[(gsize) op * n_devices + device];
    }
  return at;
}

static void
count_gains (const TpChecker *checker, const TpPath *path, TpCheckerPassed *out)
{
  int n_devices = checker->costs->n_devices, next = 1;

  for (int i = 0; i < path->n_tensors; i = next)
    {
      int op = checker->tensors[path->tensors[i]].producer;
      int group = op < 0 ? -1 : checker->group_of[op];

      next = i + 1;
      for (int d = 0; d < n_devices && group >= 0; d++)
        {
          gsize at = (gsize) group * n_devices + d;
          Wide sum;

          next = sum_run (checker, path, i, d, &sum);
          sum = path->weight * MIN (sum, checker->gains[at]) + out->gains[at];
          out->gains[at] = (gint64) MIN (sum, MAX_GAIN);
        }
    }
}

static void
count (const TpChecker *checker, const TpPath *path, TpCheckerPassed *out)
{
  for (int i = 0; i < path->n_tensors; i++)
    {
      const TpTensorOutline *it = &checker->tensors[path->tensors[i]];
      gboolean is_shown = it->producer >= 0 && it->is_output;

      if (it->producer >= 0)
        out->ops[it->producer] += path->weight;
      if (!it->is_resident && it->n_readers + is_shown == 1
          && (i + 1 < path->n_tensors || is_shown))
        out->tensors[path->tensors[i]] += path->weight;
    }
  count_gains (checker, path, out);
}

gboolean
tp_checker_count_paths (TpChecker *checker, const TpPointers *paths,
                        TpCheckerPassed *out)
{
  out->ops = tp_new0 (gint64, (gsize) checker->graph->n_nodes + 1);
  out->gains = tp_new0 (gint64, (gsize) checker->costs->n_groups
                                        * checker->costs->n_devices + 1);
  out->tensors = tp_new0 (gint64, (gsize) checker->graph->n_tensors + 1);
  for (guint i = 0; i < paths->len; i++)
    {
      const TpPath *path = paths->pdata[i];

      if (!is_path (checker, path) || out->sum + path->weight >= MAX_SUM)
        return tp_checker_fail (checker, "paths[%u] is none through the graph, or "
                                         "its weight is below 1 or too large", i);
      out->sum += path->weight;
      count (checker, path, out);
    }
  return TRUE;
}
