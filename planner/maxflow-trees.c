/* maxflow-trees.c: two search trees that are kept from one path to the next.
 *
 * Y. Boykov, V. Kolmogorov, An experimental comparison of min-cut/max-flow
 * algorithms for energy minimization in vision, 2004. Trees grow from both
 * terminals until they touch; pushing flow along the path makes orphans, which
 * look for a new parent in their tree or leave it. Suits networks such as ours,
 * where nearly every vertex has an arc to a terminal and paths are short. Its
 * worst case is poor, so scans are counted and the caller has another method. */
#include "config.h"

#include "planner/maxflow-private.h"

enum
{
  FREE,
  SOURCE,
  SINK
};

enum
{
  NONE = -1,
  TERMINAL = -2,
  ORPHAN = -3
};

typedef struct
{
  int *items;
  int size, head, count;      /* a ring */
} Ring;

typedef struct
{
  TpFlow *flow;
  guint8 *tree;
  guint8 *is_active;
  int *parent;                /* arc to the parent, or NONE, TERMINAL, ORPHAN */
  int *distance;              /* to the terminal, right as of @mark */
  gint64 *mark;
  gint64 time;
  Ring active, orphans;
  gint64 scans, max_scans;
} Trees;

static void
ring_init (Ring *ring, int size)
{
  *ring = (Ring){ .items = g_new (int, size), .size = size };
}

static void
ring_push (Ring *ring, int v)
{
  int at = ring->head + ring->count++;

  ring->items[at >= ring->size ? at - ring->size : at] = v;
}

static int
ring_pop (Ring *ring)
{
  int v = ring->items[ring->head];

  if (++ring->head == ring->size)
    ring->head = 0;
  ring->count--;
  return v;
}

static void
activate (Trees *trees, int v)
{
  if (trees->is_active[v])
    return;
  trees->is_active[v] = TRUE;
  ring_push (&trees->active, v);
}

static void
make_orphan (Trees *trees, int v)
{
  trees->parent[v] = ORPHAN;
  ring_push (&trees->orphans, v);
}

static void
trees_init (Trees *trees, TpFlow *flow)
{
  int n = flow->n_vertices;

  *trees = (Trees){
    .flow = flow,
    .tree = g_new0 (guint8, n + 1),
    .is_active = g_new0 (guint8, n + 1),
    .parent = g_new (int, n + 1),
    .distance = g_new0 (int, n + 1),
    .mark = g_new0 (gint64, n + 1),
  };
  ring_init (&trees->active, n + 1);
  ring_init (&trees->orphans, n + 1);
  for (int v = 0; v < n; v++)
    {
      trees->parent[v] = NONE;
      if (flow->terminal[v] == 0)
        continue;
      trees->tree[v] = flow->terminal[v] > 0 ? SOURCE : SINK;
      trees->parent[v] = TERMINAL;
      trees->distance[v] = 1;
      activate (trees, v);
    }
}

static void
trees_clear (Trees *trees)
{
  g_free (trees->tree);
  g_free (trees->is_active);
  g_free (trees->parent);
  g_free (trees->distance);
  g_free (trees->mark);
  g_free (trees->active.items);
  g_free (trees->orphans.items);
}

/* Residual of arc @a (v->w) or its sister, as flow would go from the terminal
 * of tree @side outwards. */
static gint64
away_residual (const Trees *trees, int a, int side)
{
  const Arc *arc = &trees->flow->arcs[a];

  return side == SOURCE ? arc->residual
                        : trees->flow->arcs[arc->sister].residual;
}

/* The arc that carries flow between @v and its parent. */
static int
flow_arc (const Trees *trees, int v, int side)
{
  int a = trees->parent[v];

  return side == SOURCE ? trees->flow->arcs[a].sister : a;
}

static gint64
find_bottleneck (Trees *trees, int v, int side, gint64 amount)
{
  TpFlow *flow = trees->flow;

  for (; trees->parent[v] != TERMINAL;
       v = flow->arcs[trees->parent[v]].head, trees->scans++)
    amount = MIN (amount, flow->arcs[flow_arc (trees, v, side)].residual);
  return MIN (amount, ABS (flow->terminal[v]));
}

static void
push_along (Trees *trees, int v, int side, gint64 amount)
{
  TpFlow *flow = trees->flow;

  while (trees->parent[v] != TERMINAL)
    {
      int up = flow->arcs[trees->parent[v]].head;
      Arc *arc = &flow->arcs[flow_arc (trees, v, side)];

      arc->residual -= amount;
      flow->arcs[arc->sister].residual += amount;
      if (arc->residual == 0)
        make_orphan (trees, v);
      v = up;
    }
  flow->terminal[v] -= side == SOURCE ? amount : -amount;
  if (flow->terminal[v] == 0)
    make_orphan (trees, v);
}

/* @middle: the arc from the source tree to the sink tree. */
static void
augment (Trees *trees, int middle)
{
  TpFlow *flow = trees->flow;
  Arc *arc = &flow->arcs[middle];
  int u = flow->arcs[arc->sister].head, w = arc->head;
  gint64 amount = arc->residual;

  amount = find_bottleneck (trees, u, SOURCE, amount);
  amount = find_bottleneck (trees, w, SINK, amount);
  arc->residual -= amount;
  flow->arcs[arc->sister].residual += amount;
  push_along (trees, u, SOURCE, amount);
  push_along (trees, w, SINK, amount);
}

/* Distance of @v to its terminal, or -1 when an orphan is in between. What was
 * found out is kept on the way. */
static int
trace_origin (Trees *trees, int v)
{
  const Arc *arcs = trees->flow->arcs;
  int steps = 0, at = v, distance;

  while (trees->mark[at] != trees->time && trees->parent[at] >= 0)
    {
      at = arcs[trees->parent[at]].head;
      steps++;
    }
  trees->scans += steps;
  if (trees->mark[at] != trees->time)
    {
      if (trees->parent[at] != TERMINAL)
        return -1;
      trees->mark[at] = trees->time;
      trees->distance[at] = 1;
    }
  distance = trees->distance[at] + steps;
  for (int i = distance; v != at; v = arcs[trees->parent[v]].head)
    {
      trees->mark[v] = trees->time;
      trees->distance[v] = i--;
    }
  return distance;
}

/* The nearest parent that @v can have in its own tree, or NONE. */
static int
find_parent (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->tree[v], best = NONE, best_distance = G_MAXINT;

  trees->scans += flow->first[v + 1] - flow->first[v];
  for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
    {
      int w = flow->arcs[a].head, distance;

      if (trees->tree[w] != side || trees->parent[w] == ORPHAN
          || away_residual (trees, flow->arcs[a].sister, side) == 0)
        continue;
      distance = trace_origin (trees, w);
      if (distance < 0 || distance >= best_distance)
        continue;
      best = a;
      best_distance = distance;
    }
  if (best != NONE)
    {
      trees->mark[v] = trees->time;
      trees->distance[v] = best_distance + 1;
    }
  return best;
}

/* Takes @v out of its tree: its children are orphans, and neighbours that
 * could reach it look again. */
static void
set_free (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->tree[v];

  for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
    {
      int w = flow->arcs[a].head;

      if (trees->tree[w] != side)
        continue;
      if (away_residual (trees, flow->arcs[a].sister, side) > 0)
        activate (trees, w);
      if (trees->parent[w] == flow->arcs[a].sister)
        make_orphan (trees, w);
    }
  trees->tree[v] = FREE;
  trees->parent[v] = NONE;
}

static void
adopt_orphans (Trees *trees)
{
  while (trees->orphans.count > 0)
    {
      int v = ring_pop (&trees->orphans);

      trees->parent[v] = find_parent (trees, v);
      if (trees->parent[v] == NONE)
        set_free (trees, v);
    }
}

/* Makes @w, at the end of arc @a from @v, a child of @v. */
static void
attach (Trees *trees, int v, int a, int w)
{
  trees->parent[w] = trees->flow->arcs[a].sister;
  trees->mark[w] = trees->mark[v];
  trees->distance[w] = trees->distance[v] + 1;
}

static gboolean
is_exhausted (const Trees *trees)
{
  return trees->scans > trees->max_scans;
}

/* Looks along the arcs of @v until none leads on, or scans run out. */
static void
grow (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->tree[v], a = flow->first[v];

  while (trees->tree[v] == side && a < flow->first[v + 1])
    {
      int w = flow->arcs[a].head;

      trees->scans++;
      if (away_residual (trees, a, side) == 0)
        a++;
      else if (trees->tree[w] == FREE)
        {
          trees->tree[w] = side;
          attach (trees, v, a++, w);
          activate (trees, w);
        }
      else if (trees->tree[w] != side)
        {
          trees->time++;
          augment (trees, side == SOURCE ? a : flow->arcs[a].sister);
          adopt_orphans (trees);
          if (is_exhausted (trees))
            return;
        }
      else
        {
          if (trees->mark[w] <= trees->mark[v]
              && trees->distance[w] > trees->distance[v])
            attach (trees, v, a, w);
          a++;
        }
    }
}

gboolean
tp_flow_grow_trees (TpFlow *flow)
{
  gint64 items = (gint64) flow->n_vertices + flow->first[flow->n_vertices];
  gboolean is_done;
  Trees trees;

  if (flow->effort <= 0)
    return FALSE;
  trees_init (&trees, flow);
  trees.max_scans = (items + 1) * flow->effort;
  while (trees.active.count > 0 && !is_exhausted (&trees))
    {
      int v = ring_pop (&trees.active);

      trees.is_active[v] = FALSE;
      if (trees.tree[v] != FREE)
        grow (&trees, v);
    }
  is_done = !is_exhausted (&trees);
  trees_clear (&trees);
  return is_done;
}
