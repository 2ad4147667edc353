/* maxflow-trees.c: two search trees that are kept from one path to the next.
 *
 * Y. Boykov, V. Kolmogorov, An experimental comparison of min-cut/max-flow
 * algorithms for energy minimization in vision, 2004. Trees grow from both
 * terminals until they touch; pushing flow along the path makes orphans, which
 * look for a new parent in their tree or leave it. Suits networks such as ours,
 * where nearly every vertex has an arc to a terminal and paths are short. Its
 * worst case is poor, so scans are counted and the caller has another method. */
#include "config.h"

#include "planner/maxflow-trees.h"

#include "ir/guard.h"
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

#define MAX_VERTICES (1 << 29)

/* How many places before its turn of a vertex is fetched what. */
#define VERTEX_AHEAD 8
#define ARCS_AHEAD 4
#define HEADS_AHEAD 2
#define MAX_HEADS 8

/* 16 bytes, so that none lies across two cache lines. */
typedef struct
{
  int mark;                   /* time at which @distance was right */
  int parent;                 /* arc to it, or NONE, TERMINAL, ORPHAN */
  int up;                     /* the parent, where there is an arc to it */
  guint distance : 29;        /* to the terminal */
  guint tree : 2;
  guint is_active : 1;
} TreeVertex;

typedef struct
{
  TpFlow *flow;
  TreeVertex *vertices;
  int time;                   /* the search gives up before it wraps */
  Ring active, orphans;
  gint64 scans, max_scans;
} Trees;

static void
ring_init (Ring *ring, int size)
{
  size += VERTEX_AHEAD;
  *ring = (Ring){ .items = tp_new0 (int, size), .size = size };
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

/* What comes @ahead after the next; past the end, any vertex. */
static int
ring_peek (const Ring *ring, int ahead)
{
  int at = ring->head + ahead;

  return ring->items[at >= ring->size ? at - ring->size : at];
}

/* Vertices lie anywhere in memory and do little each: most of the time went into
 * waiting for them. Those that come up are asked for while others are at work.
 * Few orphans wait at a time: the arcs of each are asked for when it becomes one.
 * Inlined always: calls to what only prefetches are dropped as having no effect. */
static inline __attribute__ ((always_inline)) void
fetch_ahead (const Trees *trees, const Ring *ring)
{
  const TpFlow *flow = trees->flow;
  int far = ring_peek (ring, VERTEX_AHEAD);
  int near = ring_peek (ring, ARCS_AHEAD);
  int next = ring_peek (ring, HEADS_AHEAD);
  int end = MIN (flow->first[next + 1], flow->first[next] + MAX_HEADS);

  __builtin_prefetch (&flow->first[far]);
  __builtin_prefetch (&trees->vertices[far]);
  __builtin_prefetch (&flow->arcs[flow->first[near]]);
  __builtin_prefetch (&flow->arcs[flow->first[near] + 3]);
  for (int a = flow->first[next]; a < end; a++)
    __builtin_prefetch (&trees->vertices[flow->arcs[a].head]);
}

static void
activate (Trees *trees, int v)
{
  if (trees->vertices[v].is_active)
    return;
  trees->vertices[v].is_active = TRUE;
  ring_push (&trees->active, v);
}

static void
make_orphan (Trees *trees, int v)
{
  trees->vertices[v].parent = ORPHAN;
  ring_push (&trees->orphans, v);
  __builtin_prefetch (&trees->flow->arcs[trees->flow->first[v]]);
}

static void
trees_init (Trees *trees, TpFlow *flow)
{
  int n = flow->n_vertices;

  trees->flow = flow;
  trees->vertices = tp_new0 (TreeVertex, n + 1);
  ring_init (&trees->active, n + 1);
  ring_init (&trees->orphans, n + 1);
  for (int v = 0; v < n; v++)
    {
      trees->vertices[v].parent = NONE;
      if (flow->terminal[v] == 0)
        continue;
      trees->vertices[v].tree = flow->terminal[v] > 0 ? SOURCE : SINK;
      trees->vertices[v].parent = TERMINAL;
      trees->vertices[v].distance = 1;
      activate (trees, v);
    }
}

static void
trees_clear (Trees *trees)
{
  g_free (trees->vertices);
  g_free (trees->active.items);
  g_free (trees->orphans.items);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trees, trees_clear)

/* Residual of arc @a of a vertex in tree @side, as flow would go along it away
 * from the terminal, and towards it. */
static gint64
away_residual (const TpFlow *flow, int a, int side)
{
  return side == SOURCE ? flow->arcs[a].residual : flow->arcs[a].reverse;
}

static gint64
back_residual (const TpFlow *flow, int a, int side)
{
  return side == SOURCE ? flow->arcs[a].reverse : flow->arcs[a].residual;
}

/* The arc that carries flow between @v and its parent. */
static int
flow_arc (const Trees *trees, int v, int side)
{
  int a = trees->vertices[v].parent;

  return side == SOURCE ? trees->flow->arcs[a].sister : a;
}

static gint64
find_bottleneck (Trees *trees, int v, int side, gint64 amount)
{
  TpFlow *flow = trees->flow;

  for (; trees->vertices[v].parent != TERMINAL;
       v = trees->vertices[v].up, trees->scans++)
    amount = MIN (amount,
                  back_residual (flow, trees->vertices[v].parent, side));
  return MIN (amount, ABS (flow->terminal[v]));
}

static void
push_along (Trees *trees, int v, int side, gint64 amount)
{
  TpFlow *flow = trees->flow;

  while (trees->vertices[v].parent != TERMINAL)
    {
      int up = trees->vertices[v].up;
      int a = flow_arc (trees, v, side);

      tp_flow_push (flow, a, amount);
      if (flow->arcs[a].residual == 0)
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
  const Arc *arc = &flow->arcs[middle];
  int u = flow->arcs[arc->sister].head, w = arc->head;
  gint64 amount = arc->residual;

  amount = find_bottleneck (trees, u, SOURCE, amount);
  amount = find_bottleneck (trees, w, SINK, amount);
  tp_flow_push (flow, middle, amount);
  push_along (trees, u, SOURCE, amount);
  push_along (trees, w, SINK, amount);
}

/* Distance of @v to its terminal, or -1 when an orphan is in between. What was
 * found out is kept on the way. */
static int
trace_origin (Trees *trees, int v)
{
  TreeVertex *vertices = trees->vertices, *at = &vertices[v], *it;
  int steps = 0, distance;

  for (; at->mark != trees->time && at->parent >= 0; at = &vertices[at->up])
    steps++;
  trees->scans += steps;
  if (at->mark != trees->time)
    {
      if (at->parent != TERMINAL)
        return -1;
      at->mark = trees->time;
      at->distance = 1;
    }
  distance = (int) at->distance + steps;
  it = &vertices[v];
  for (int i = distance; it != at; it = &vertices[it->up])
    {
      it->mark = trees->time;
      it->distance = i--;
    }
  return distance;
}

/* The nearest parent that @v can have in its own tree, or NONE. */
static int
find_parent (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->vertices[v].tree, best = NONE, best_distance = G_MAXINT;

  trees->scans += flow->first[v + 1] - flow->first[v];
  for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
    {
      int w = flow->arcs[a].head, distance;

      if (back_residual (flow, a, side) == 0
          || trees->vertices[w].tree != side
          || trees->vertices[w].parent == ORPHAN)
        continue;
      distance = trace_origin (trees, w);
      if (distance < 0 || distance >= best_distance)
        continue;
      best = a;
      best_distance = distance;
    }
  if (best != NONE)
    {
      trees->vertices[v].mark = trees->time;
      trees->vertices[v].distance = best_distance + 1;
      trees->vertices[v].up = flow->arcs[best].head;
    }
  return best;
}

/* Takes @v out of its tree: its children are orphans, and neighbours that
 * could reach it look again. */
static void
set_free (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->vertices[v].tree;

  for (int a = flow->first[v]; a < flow->first[v + 1]; a++)
    {
      int w = flow->arcs[a].head;

      if (trees->vertices[w].tree != side)
        continue;
      if (back_residual (flow, a, side) > 0)
        activate (trees, w);
      if (trees->vertices[w].parent == flow->arcs[a].sister)
        make_orphan (trees, w);
    }
  trees->vertices[v].tree = FREE;
  trees->vertices[v].parent = NONE;
}

static void
adopt_orphans (Trees *trees)
{
  while (trees->orphans.count > 0)
    {
      int v = ring_pop (&trees->orphans);

      trees->vertices[v].parent = find_parent (trees, v);
      if (trees->vertices[v].parent == NONE)
        set_free (trees, v);
    }
}

/* Makes @w, at the end of arc @a from @v, a child of @v. */
static void
attach (Trees *trees, int v, int a, int w)
{
  trees->vertices[w].parent = trees->flow->arcs[a].sister;
  trees->vertices[w].up = v;
  trees->vertices[w].mark = trees->vertices[v].mark;
  trees->vertices[w].distance = trees->vertices[v].distance + 1;
}

static gboolean
is_exhausted (const Trees *trees)
{
  return trees->scans > trees->max_scans || trees->time == G_MAXINT;
}

/* Looks along the arcs of @v until none leads on, or scans run out. */
static void
grow (Trees *trees, int v)
{
  const TpFlow *flow = trees->flow;
  int side = trees->vertices[v].tree, a = flow->first[v];

  while (trees->vertices[v].tree == side && a < flow->first[v + 1])
    {
      int w = flow->arcs[a].head;

      trees->scans++;
      if (away_residual (flow, a, side) == 0)
        a++;
      else if (trees->vertices[w].tree == FREE)
        {
          trees->vertices[w].tree = side;
          attach (trees, v, a++, w);
          activate (trees, w);
        }
      else if (trees->vertices[w].tree != side)
        {
          trees->time++;
          augment (trees, side == SOURCE ? a : flow->arcs[a].sister);
          adopt_orphans (trees);
          if (is_exhausted (trees))
            return;
        }
      else
        {
          if (trees->vertices[w].mark <= trees->vertices[v].mark
              && trees->vertices[w].distance > trees->vertices[v].distance)
            attach (trees, v, a, w);
          a++;
        }
    }
}

gboolean
tp_flow_grow_trees (TpFlow *flow)
{
  gint64 items = (gint64) flow->n_vertices + flow->first[flow->n_vertices];
  g_auto (Trees) trees = { NULL };

  if (flow->effort <= 0 || flow->n_vertices >= MAX_VERTICES)
    return FALSE;
  trees_init (&trees, flow);
  trees.max_scans = (items + 1) * flow->effort;
  while (trees.active.count > 0 && !is_exhausted (&trees))
    {
      int v = ring_pop (&trees.active);

      fetch_ahead (&trees, &trees.active);
      trees.vertices[v].is_active = FALSE;
      if (trees.vertices[v].tree != FREE)
        grow (&trees, v);
    }
  return !is_exhausted (&trees);
}
