/* graph-json-row.h: ops of JSON graphs by the million.
 *
 * An op that has nothing but names, times and shapes, all of them plain, is read from
 * its text; as values of JSON it takes ten times the work. Whatever is not plain, wrong
 * text among it, is left to tp_graph_json_add_op (). */
#ifndef TP_FORMAT_GRAPH_JSON_ROW_H
#define TP_FORMAT_GRAPH_JSON_ROW_H

#include "format/graph-json-shape.h"

#define TP_GRAPH_ROW_BYTES 4096
#define TP_GRAPH_ROW_NAMES 16 /* inputs at most, and outputs, and times */

typedef struct
{
  int n;
  const char *names[TP_GRAPH_ROW_NAMES];
} TpGraphRowNames;

/* Its strings are in @text. */
typedef struct
{
  char text[TP_GRAPH_ROW_BYTES + 1];
  const char *name, *type;    /* NULL: not there */
  TpGraphRowNames inputs, outputs;
  int n_costs, n_shapes;      /* shapes: 0, or one for each output */
  TpNodeCost costs[TP_GRAPH_ROW_NAMES];
  int ranks[TP_GRAPH_ROW_NAMES];
  TpDimSpec dims[TP_GRAPH_ROW_NAMES][TP_MAX_RANK];
} TpGraphRow;

/* FALSE: no such op. */
gboolean tp_graph_row_scan (const char *text, gsize size, TpGraphRow *row);
/* As entry @index of "ops"; what it reads is defined. */
gboolean tp_graph_row_add (const TpGraphJson *reader, const TpGraphRow *row,
                           gsize index, GError **error);
/* Whether what it reads is defined. */
gboolean tp_graph_row_is_fed (const TpGraphJson *reader,
                              const TpGraphRow *row);

#endif
