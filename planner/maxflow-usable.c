/* maxflow-usable.c: of each vertex, the arcs by which something can reach it.
 *
 * A tensor that ten thousand ops read is a vertex of as many arcs, and searches for
 * each of these ops pass it. All but a few of the arcs are empty in the direction
 * that they look in. So those that are not stand in front of the others, and change
 * places when something is pushed along them.
 *
 * When vertices are forced, nothing crosses the cut, so each vertex is looked from
 * in one direction alone: from the source's side, where vertices are forced to the
 * sink, against the flow; from the sink's side with it. */
#include "config.h"

#include "planner/maxflow-usable.h"

#include "ir/guard.h"

static gboolean
is_usable (const TpFlow *flow, int v, int a)
{
  const Arc *arc = &flow->arcs[a];

  return flow->is_sink[v] == flow->is_sink[arc->head]
         && (flow->is_sink[v] ? arc->residual : arc->reverse) > 0;
}

static void
put (TpFlow *flow, int place, int a)
{
  flow->listed[place] = a;
  flow->place[a] = place;
}

static void
swap (TpFlow *flow, int place, int other)
{
  int a = flow->listed[place];

  put (flow, place, flow->listed[other]);
  put (flow, other, a);
}

static void
relist_from (TpFlow *flow, int v, int a)
{
  int end = flow->first[v] + flow->n_usable[v];
  gboolean was = flow->place[a] < end;
  gboolean is = is_usable (flow, v, a);

  if (is && !was)
    {
      swap (flow, flow->place[a], end);
      flow->n_usable[v]++;
    }
  else if (was && !is)
    {
      swap (flow, flow->place[a], end - 1);
      flow->n_usable[v]--;
    }
}

void
tp_flow_list_usable (TpFlow *flow)
{
  gsize n_arcs = flow->first[flow->n_vertices];

  flow->listed = tp_new (int, n_arcs + 1);
  flow->place = tp_new (int, n_arcs + 1);
  flow->n_usable = tp_new0 (int, (gsize) flow->n_vertices + 1);
  for (int v = 0; v < flow->n_vertices; v++)
    for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
      {
        put (flow, a, a);
        relist_from (flow, v, a);
      }
}

void
tp_flow_relist (TpFlow *flow, int a)
{
  int sister = flow->arcs[a].sister;

  if (flow->listed == NULL)
    return;
  relist_from (flow, flow->arcs[sister].head, a);
  relist_from (flow, flow->arcs[a].head, sister);
}
