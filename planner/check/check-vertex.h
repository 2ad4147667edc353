/* check-vertex.h: vertices of the cut network, numbered. */
#ifndef TP_PLANNER_CHECK_VERTEX_H
#define TP_PLANNER_CHECK_VERTEX_H

#include "planner/check/check-private.h"

/* One number for each that there could be: those of a kind in a row. */
typedef struct
{
  gint64 bases[TP_N_CUT_VERTICES + 1];
} TpCheckerVertices;

TpCheckerVertices tp_checker_number_vertices (const TpChecker *checker);

static inline gint64
tp_checker_count_vertices (const TpCheckerVertices *vertices)
{
  return vertices->bases[TP_N_CUT_VERTICES];
}

/* -1: there is no such vertex, whatever a plan says. */
static inline gint64
tp_checker_find_vertex (const TpCheckerVertices *vertices, TpCutVertex vertex)
{
  gint64 number;

  if (vertex.kind < 0 || vertex.kind >= TP_N_CUT_VERTICES || vertex.index < 0)
    return -1;
  number = vertices->bases[vertex.kind] + vertex.index;
  return number < vertices->bases[vertex.kind + 1] ? number : -1;
}

#endif
