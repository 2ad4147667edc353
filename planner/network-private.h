/* network-private.h: the arcs of a network, for who changes what they can take. */
#ifndef TP_PLANNER_NETWORK_PRIVATE_H
#define TP_PLANNER_NETWORK_PRIVATE_H

#include "ir/array.h"
#include "planner/network.h"

#define INFINITE (-1)

enum
{
  VERTEX_SOURCE,
  VERTEX_SINK,
  VERTEX_NODES /* one each, then the rest */
};

typedef struct
{
  TpCutVertex name;           /* of a copy, or of a whole group */
  int near;                   /* an op it has to do with */
} Vertex;

/* An arc and its reverse; only between inner vertices has it one. */
typedef struct
{
  int from, to;
  gint64 capacity, reverse;
  int n_copies, n_reverse_copies; /* that each pays for; those that cost nothing
                                   * are not counted */
  guint place;                /* of its flow, and of its reverse's the next */
} NetArc;

struct TpNetwork
{
  const TpProblem *problem;   /* (unowned) */
  TpArray *vertices;          /* Vertex: those after the nodes */
  TpArray *arcs;              /* NetArc: those after the two of each node, which are
                               * read off the problem when they are asked for */
  guint n_places;             /* of flows, also of arcs that there could be */
  gint64 sum;                 /* of finite capacities */
  gint64 n_copies;            /* in them */
  gint64 constant;
  gint64 price;               /* on top of every copy in an arc */
  gint64 value;
  int *flow_vertex;           /* number in @flow of each vertex after the
                               * terminals */
  guint8 *is_sink;
  TpFlow *flow;
};

/* All there are: first those of the nodes, "s->n" and "n->t" of each in turn. */
guint tp_network_count_arcs (const TpNetwork *network);
NetArc tp_network_get_arc (const TpNetwork *network, guint index);

#endif
