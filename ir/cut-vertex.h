/* cut-vertex.h: vertices of the network whose minimum cut is the cheapest
 * plan. */
#ifndef TP_IR_CUT_VERTEX_H
#define TP_IR_CUT_VERTEX_H

#include <glib.h>

/* What a vertex stands for, and its name in messages. */
typedef enum
{
  TP_CUT_SOURCE,              /* "s": the first device */
  TP_CUT_SINK,                /* "t": the second */
  TP_CUT_NODE,                /* "n<node>": where it is placed */
  TP_CUT_ON_SECOND,           /* "h<tensor>": there is a copy on the second */
  TP_CUT_ON_FIRST,            /* "d<tensor>": there is a copy on the first */
  TP_CUT_WHOLE_FIRST,         /* "g<group>c": it is whole on the first */
  TP_CUT_WHOLE_SECOND,        /* "g<group>d": it is whole on the second */
  TP_CUT_TOGETHER,            /* "k<colocation>": where all of it is */
  TP_N_CUT_VERTICES
} TpCutVertexKind;

typedef struct
{
  int kind;                   /* TpCutVertexKind */
  int index;                  /* node, tensor, group or colocation; of "s" and "t": 0 */
} TpCutVertex;

#define TP_CUT_VERTEX_NAME 16 /* a letter, an int, a letter, and the end */

/* @name: TP_CUT_VERTEX_NAME bytes, returned. */
char *tp_cut_vertex_write (TpCutVertex vertex, char *name);

#endif
