/* check-vertex.h: names of vertices of the cut network. */
#ifndef TP_PLANNER_CHECK_VERTEX_H
#define TP_PLANNER_CHECK_VERTEX_H

#include "planner/check/check-private.h"

/* Kinds: s, t; n: op; h, d: copy of a tensor on the second device, the first;
 * c, e: helper of a group on the first, the second. */
typedef struct
{
  char kind;
  int index;
} TpCheckerVertex;

/* Of "s", "t", "n3", "h3", "d3", "g3c", "g3d" with the number in range; FALSE: it
 * is none of these. */
gboolean tp_checker_parse_vertex (const TpChecker *checker, const char *name,
                                  TpCheckerVertex *out);
/* One of its own for each vertex: s 0, t 1, the others from 2. */
gint64 tp_checker_number_vertex (const TpChecker *checker,
                                 TpCheckerVertex vertex);

#endif
