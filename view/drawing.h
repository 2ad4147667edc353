/* drawing.h: what is to be drawn of a plan: vertices and edges, before cgraph.
 *
 * A vertex is an op, or, in a graph of too many ops, a block of them. An edge is
 * all the tensors from one vertex to another. */
#ifndef TP_VIEW_DRAWING_H
#define TP_VIEW_DRAWING_H

#include "ir/plan.h"

typedef struct
{
  int first_node;             /* -1: a graph input or output */
  int n_nodes;
  int n_repeats;              /* of what it is; 1: it is no repetition */
  int tensor;                 /* of an input or output; else -1 */
  int device;                 /* where most of its time goes; TP_COSTS_HOST: an
                               * end, in host memory */
  gboolean is_mixed;          /* it has ops on other devices */
  int group;                  /* in effect; -1: none, or a block */
  gint64 time_ns;
  int level;                  /* longest way to it from the top, copies
                               * twice: what they cost is written there */
} TpVertex;

typedef struct
{
  int from, to;               /* vertices */
  int n_tensors;
  gboolean is_cut;            /* crosses devices */
  gint64 size_bytes;          /* copied on this edge; 0: the copy is drawn on
                               * another edge */
  gint64 time_ns;
} TpEdge;

typedef struct
{
  GArray *vertices;           /* TpVertex */
  GArray *edges;              /* TpEdge, ordered by from, to */
} TpDrawing;

/* At most @max_vertices besides inputs and outputs. */
TpDrawing *tp_drawing_new (const TpPlan *plan, const TpGraph *graph,
                           int max_vertices);
/* Vertices that stand below each other. */
int tp_drawing_count_levels (const TpDrawing *drawing);
void tp_drawing_free (TpDrawing *drawing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDrawing, tp_drawing_free)

#endif
