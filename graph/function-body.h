/* function-body.h: bodies of ops that are other ops, while they are added. */
#ifndef TP_GRAPH_FUNCTION_BODY_H
#define TP_GRAPH_FUNCTION_BODY_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

typedef struct TpFunction TpFunction;

/* A body being added. After a failure nothing more is. */
typedef struct
{
  const TpFunction *function;
  TpGraphBuilder *builder;
  const TpNode *node;
  TpNodeNames ends;           /* of @node */
  GPtrArray *names;           /* char*, made up */
  gboolean has_failed;
  GError **error;
} TpBody;

/* NULL: it is left out. */
const char *tp_body_get_input (const TpBody *self, int i);
/* A name made up, for a tensor. */
const char *tp_body_make_name (TpBody *self);
/* Adds an op of one output, called @output or, if NULL, by a name made up.
 * Inputs end with NULL. Returns the name. */
const char *tp_body_add (TpBody *self, const char *type, const TpAttr *attr,
                         const char *output, ...) G_GNUC_NULL_TERMINATED;
/* An op, all of it. */
void tp_body_add_node (TpBody *self, const char *type, const TpAttr *attr,
                       const TpNodeNames *names);
const char *tp_body_add_float (TpBody *self, double value);
const char *tp_body_add_int (TpBody *self, gint64 value);

#endif
