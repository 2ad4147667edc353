/* maxflow-force.c: how much a cut grows when a vertex has to change sides.
 *
 * A vertex forced to the sink side is a sink: the cut grows by as much as can still
 * flow to it from the source. Asked for one vertex after the other, these flows
 * have most of their ways in common, so none is taken back: what was sent to a
 * vertex stays there, and counts as coming from the source when the next vertex
 * asks (J. Hao and J. B. Orlin, A faster algorithm for finding the minimum cut in a
 * directed graph, 1994, go from sink to sink so). That changes no answer: once
 * nothing more gets through to a vertex, those that reach it are a cut, full
 * inwards, empty outwards, without excess but at the vertex, so what is there is
 * the capacity of the cut. For every vertex in it that is an upper bound, and one
 * whose search comes up to it need not search in vain. Forcing to the source side
 * is the same with all arcs turned round, and no such flow crosses the cut. */
#include "config.h"

#include "planner/maxflow-force.h"

#include "ir/guard.h"
#include "planner/maxflow-levels.h"
#include "planner/maxflow-private.h"
#include "planner/maxflow-usable.h"

#include <string.h>

/* What ran out of its part of the scans may have what others left. */
#define ROUNDS 2

/* Depth first, so that what is at one vertex is near the next. */
typedef struct
{
  TpFlow *flow;               /* (unowned) */
  const guint8 *is_wanted;    /* (unowned) [vertex] */
  TpFlowForced *forced;       /* (unowned) [vertex] */
  gint64 limit, scans_left;
  int n_left;                 /* that are wanted and were not met */
  guint8 *is_met;             /* [vertex] */
  int *next;                  /* [vertex]: of its arcs */
  TpArray *path;              /* int: vertices */
  TpArray *reached;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_free (walk->is_met);
  g_free (walk->next);
  g_clear_pointer (&walk->path, tp_array_unref);
  g_clear_pointer (&walk->reached, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static void
begin (TpFlow *flow)
{
  flow->most = tp_new (gint64, (gsize) flow->n_vertices + 1);
  for (int v = 0; v < flow->n_vertices; v++)
    flow->most[v] = G_MAXINT64;
  flow->is_sink = tp_new0 (guint8, (gsize) flow->n_vertices + 1);
  tp_flow_get_sink_side (flow, flow->is_sink);
  tp_flow_list_usable (flow);
}

/* Of a cut that grows by @most, when any of @reached changes sides with all others
 * of them. */
static void
lower_most (TpFlow *flow, const TpArray *reached, gint64 most)
{
  for (guint i = 0; i < reached->len; i++)
    {
      int v = tp_array_index (reached, int, i);

      flow->most[v] = MIN (flow->most[v], most);
    }
}

/* Of @v: what forcing it takes, or what was found of that when @walk ran out of
 * scans. */
static TpFlowForced
force (Walk *walk, int v, gint64 scans)
{
  TpFlow *flow = walk->flow;
  gboolean to_sink = !flow->is_sink[v];
  gint64 found = ABS (flow->terminal[v]);
  gint64 most = MIN (flow->most[v], walk->limit);

  if (found >= most)
    return (TpFlowForced){ most, TRUE };
  flow->terminal[v] = to_sink ? found - most : most - found;
  flow->scans_left = scans;
  found += tp_flow_block (flow, &v, 1, to_sink, walk->reached);
  flow->terminal[v] = to_sink ? found : -found;
  walk->scans_left -= scans - MAX (flow->scans_left, 0);
  if (found < most && flow->scans_left < 0)
    return (TpFlowForced){ found, FALSE };
  if (found < most)
    lower_most (flow, walk->reached, found);
  return (TpFlowForced){ found, TRUE };
}

/* Its part of what scans are left, if it needs any. */
static void
ask (Walk *walk, int v)
{
  TpFlowForced *it = &walk->forced[v];
  TpFlowForced found;

  if (!walk->is_wanted[v] || it->is_exact)
    return;
  found = force (walk, v, walk->scans_left / walk->n_left--);
  it->amount = MAX (it->amount, found.amount);
  it->is_exact = found.is_exact;
}

static void
enter (Walk *walk, int v)
{
  walk->is_met[v] = TRUE;
  walk->next[v] = walk->flow->first[v];
  tp_array_append_val (walk->path, v);
  ask (walk, v);
}

/* A vertex next to @v to which what is at @v can go on; -1: none is left. */
static int
find_next (Walk *walk, int v)
{
  const TpFlow *flow = walk->flow;

  for (; walk->next[v] < flow->first[v + 1]; walk->next[v]++)
    {
      const Arc *arc = &flow->arcs[walk->next[v]];

      if (!walk->is_met[arc->head]
          && flow->is_sink[arc->head] == flow->is_sink[v]
          && (flow->is_sink[v] ? arc->reverse : arc->residual) > 0)
        return arc->head;
    }
  return -1;
}

static void
walk_from (Walk *walk, int v)
{
  enter (walk, v);
  while (walk->path->len > 0)
    {
      int w;

      v = tp_array_index (walk->path, int, walk->path->len - 1);
      w = find_next (walk, v);
      if (w >= 0)
        enter (walk, w);
      else
        tp_array_set_size (walk->path, walk->path->len - 1);
    }
}

static void
count_left (Walk *walk)
{
  walk->n_left = 0;
  for (int v = 0; v < walk->flow->n_vertices; v++)
    walk->n_left += walk->is_wanted[v] && !walk->forced[v].is_exact;
}

void
tp_flow_force_all (TpFlow *flow, const guint8 *is_wanted, gint64 limit,
                   gint64 scans, TpFlowForced *out)
{
  gsize n = flow->n_vertices;
  g_auto (Walk) walk = { .flow = flow, .is_wanted = is_wanted,
                         .limit = limit, .scans_left = scans,
                         .forced = out };

  begin (flow);
  walk.path = tp_array_new (sizeof (int));
  walk.reached = tp_array_new (sizeof (int));
  walk.next = tp_new (int, n + 1);
  walk.is_met = tp_new (guint8, n + 1);
  for (gsize v = 0; v < n; v++)
    out[v] = (TpFlowForced){ 0, FALSE };
  for (int round = 0; round < ROUNDS; round++)
    {
      memset (walk.is_met, 0, n);
      count_left (&walk);
      for (gsize v = 0; v < n; v++)
        if (walk.n_left > 0 && !walk.is_met[v])
          walk_from (&walk, (int) v);
    }
}
