/* maxflow-levels.c: blocking flows on level graphs.
 *
 * E. A. Dinic, Algorithm for solution of a problem of maximum flow in networks
 * with power estimation, 1970. Strongly polynomial, so it bounds the time of
 * graphs made to be hard; and it searches outwards from its roots only, so it
 * answers small changes to a solved graph at the price of their surroundings.
 *
 * Levels count arcs from the nearest root. Paths are then walked from the other
 * terminal's vertices down the levels: such a walk has no dead ends but those
 * made by saturation. */
#include "config.h"

#include "planner/maxflow-levels.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/maxflow-private.h"
#include "planner/maxflow-usable.h"

/* Residual of the arc as the flow would use it: from root outwards if the roots
 * are sources, else towards the root. @a: leads away from the root. */
static gint64
outward_residual (const TpFlow *flow, int a, gboolean is_sink)
{
  return is_sink ? flow->arcs[a].reverse : flow->arcs[a].residual;
}

static gboolean
is_target (const TpFlow *flow, int v, gboolean is_sink)
{
  return is_sink ? flow->terminal[v] > 0 : flow->terminal[v] < 0;
}

static gboolean
is_live_root (const TpFlow *flow, int v, gboolean is_sink)
{
  return flow->level[v] == 0 && is_target (flow, v, !is_sink);
}

/* Whatever is forced, nothing flows from one side of the cut to the other and
 * on to a terminal there. */
static gboolean
is_across (const TpFlow *flow, int v, int w)
{
  return flow->is_sink != NULL && flow->is_sink[v] != flow->is_sink[w];
}

/* @v was found by the arc @from, or is a root (-1). */
static void
visit (TpFlow *flow, int v, int level, int from, TpArray *queue)
{
  flow->stamp[v] = flow->clock;
  flow->level[v] = level;
  flow->current[v] = from >= 0 ? flow->arcs[from].sister : flow->first[v];
  flow->untried[v] = flow->first[v + 1] - flow->first[v];
  tp_array_append_val (queue, v);
}

/* Breadth first until the nearest targets; they end up at the end of @queue.
 * Returns their level, or -1: there are none, or scans ran out. */
static int
find_levels (TpFlow *flow, const int *roots, int n_roots, gboolean is_sink,
             TpArray *queue)
{
  int found = -1;

  flow->clock++;
  tp_array_set_size (queue, 0);
  for (int i = 0; i < n_roots; i++)
    if (is_target (flow, roots[i], !is_sink))
      visit (flow, roots[i], 0, -1, queue);
  for (guint i = 0; i < queue->len; i++)
    {
      int v = tp_array_index (queue, int, i);
      int n_usable = tp_flow_count_usable (flow, v);

      if (found >= 0 && flow->level[v] >= found)
        break;
      flow->scans_left -= 1 + n_usable;
      if (flow->scans_left < 0)
        return -1;
      for (int k = 0; k < n_usable; k++)
        {
          int a = tp_flow_get_usable (flow, v, k), w = flow->arcs[a].head;

          if (flow->stamp[w] == flow->clock
              || outward_residual (flow, a, is_sink) == 0
              || is_across (flow, v, w))
            continue;
          visit (flow, w, flow->level[v] + 1, a, queue);
          if (is_target (flow, w, is_sink))
            found = flow->level[w];
        }
    }
  return found;
}

/* Pushes what fits along @flow->path, which leads from @target to @root, and
 * cuts the path back to before its first full arc. */
static gint64
augment (TpFlow *flow, int target, int root, gboolean is_sink)
{
  gint64 amount = MIN (ABS (flow->terminal[target]),
                       ABS (flow->terminal[root]));
  const int *path = (const int *) flow->path->data;
  guint n_path = flow->path->len, keep = n_path;

  for (guint i = 0; i < n_path; i++)
    {
      int a = is_sink ? path[i] : flow->arcs[path[i]].sister;
      amount = MIN (amount, flow->arcs[a].residual);
    }
  for (guint i = n_path; i-- > 0;)
    {
      int a = is_sink ? path[i] : flow->arcs[path[i]].sister;

      tp_flow_push (flow, a, amount);
      tp_flow_relist (flow, a);
      if (flow->arcs[a].residual == 0)
        keep = i;
    }
  flow->terminal[target] -= is_sink ? amount : -amount;
  flow->terminal[root] += is_sink ? amount : -amount;
  tp_array_set_size (flow->path, keep);
  return amount;
}

static void
try_next (TpFlow *flow, int v)
{
  flow->untried[v]--;
  if (++flow->current[v] == flow->first[v + 1])
    flow->current[v] = flow->first[v];
}

/* One step down the levels from @v; -1: none is left. @path arcs lead towards
 * the root. */
static int
step_down (TpFlow *flow, int v, gboolean is_sink)
{
  for (; flow->untried[v] > 0; try_next (flow, v))
    {
      int a = flow->current[v], w = flow->arcs[a].head;

      if (flow->stamp[w] == flow->clock && flow->level[w] >= 0
          && flow->level[w] == flow->level[v] - 1
          && outward_residual (flow, a, !is_sink) > 0)
        return a;
    }
  return -1;
}

static int
path_end (const TpFlow *flow, int target)
{
  guint n = flow->path->len;

  return n == 0 ? target
                : flow->arcs[tp_array_index (flow->path, int, n - 1)].head;
}

/* All that @target can still send down this level graph. */
static gint64
drain_target (TpFlow *flow, int target, gboolean is_sink)
{
  gint64 total = 0;

  tp_array_set_size (flow->path, 0);
  while (is_target (flow, target, is_sink))
    {
      int v = path_end (flow, target), a;

      flow->scans_left--;
      if (is_live_root (flow, v, is_sink))
        {
          total += augment (flow, target, v, is_sink);
          continue;
        }
      a = step_down (flow, v, is_sink);
      if (a >= 0)
        {
          tp_array_append_val (flow->path, a);
          continue;
        }
      flow->level[v] = -1;
      if (flow->path->len == 0)
        break;
      tp_array_set_size (flow->path, flow->path->len - 1);
    }
  return total;
}

gint64
tp_flow_block (TpFlow *flow, const int *roots, int n_roots, gboolean is_sink,
               TpArray *reached)
{
  gint64 total = 0;
  int found;

  if (flow->stamp == NULL)
    {
      flow->level = tp_renew (int, flow->level, flow->n_vertices + 1);
      flow->current = tp_renew (int, flow->current, flow->n_vertices + 1);
      flow->untried = tp_renew (int, flow->untried, flow->n_vertices + 1);
      flow->stamp = tp_new0 (int, flow->n_vertices + 1);
    }
  while ((found = find_levels (flow, roots, n_roots, is_sink, reached)) >= 0)
    for (guint i = reached->len; i-- > 0;)
      {
        int v = tp_array_index (reached, int, i);

        if (flow->level[v] >= 0 && flow->level[v] < found)
          break;
        if (is_target (flow, v, is_sink))
          total += drain_target (flow, v, is_sink);
      }
  return total;
}
