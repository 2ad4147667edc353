/* maxflow-private.h: the residual graph that both methods work on. */
#ifndef TP_PLANNER_MAXFLOW_PRIVATE_H
#define TP_PLANNER_MAXFLOW_PRIVATE_H

#include "ir/array.h"
#include "planner/maxflow.h"

typedef struct
{
  int head;
  int sister;                 /* the same pair, other direction */
  gint64 residual;
  gint64 reverse;             /* residual of the sister: kept here too, so that
                               * looking along arcs reads them in order only */
} Arc;

typedef struct
{
  int u, v;
  gint64 capacity, reverse;
} Pair;

struct TpFlow
{
  int n_vertices;
  gint64 *source_capacity;
  gint64 *sink_capacity;
  gint64 *terminal;           /* residual: > 0 from the source, < 0 to the sink;
                               * what passes straight through is taken first */
  int n_pairs;
  TpArray *pairs;             /* Pair; NULL when @arcs are there */
  int *first;                 /* [n_vertices + 1]: arcs of v: first[v] ... */
  Arc *arcs;
  int *pair_arc;              /* arc u->v of each pair */
  gint64 *pair_capacity;      /* and what that was; of a settled flow, whose arcs
                               * are gone, what goes through it */
  gint64 effort;
  gboolean has_switched;

  int *level;                 /* of Dinic's search; valid when stamped */
  int *stamp;
  int *current;               /* the arc to go down by, when all are tried in */
  int *untried;               /* turn from that by which the vertex was found */
  int clock;
  gint64 scans_left;          /* of arcs, that this search may still make */
  TpArray *path;              /* int: arcs */

  guint8 *is_sink;            /* NULL: nothing was forced yet. Else sides of the
                               * cut, which searches keep to */
  gint64 *most;               /* what forcing each vertex takes at most */

  int *listed;                /* NULL, or [arc]: those of a vertex, usable first */
  int *place;                 /* [arc]: of each in @listed */
  int *n_usable;              /* [vertex] */
};

static inline void
tp_flow_push (TpFlow *flow, int a, gint64 amount)
{
  Arc *arc = &flow->arcs[a], *sister = &flow->arcs[arc->sister];

  arc->residual -= amount;
  arc->reverse += amount;
  sister->residual += amount;
  sister->reverse -= amount;
}

#endif
