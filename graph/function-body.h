/* function-body.h: what bodies of ops that are other ops are put together with. */
#ifndef TP_GRAPH_FUNCTION_BODY_H
#define TP_GRAPH_FUNCTION_BODY_H

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
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

struct TpFunction
{
  const char *type;
  int n_inputs_min, n_inputs_max, n_outputs_max;
  const char *const *attrs;   /* NULL ends */
  double window[3];           /* windows: factors of cos (0), cos (t), cos (2t) */
  void (*add) (TpBody *body);
};

/* NULL: left out. */
const char *tp_body_get_input (const TpBody *self, int i);
const char *tp_body_get_output (const TpBody *self, int i);
/* A constant called @name; NULL: there is none, as far as is known. Gone with the next
 * addition. */
const TpTensor *tp_body_find_constant (const TpBody *self, const char *name);
/* That a model wants what this body cannot give: nothing more is added. */
void tp_body_refuse (TpBody *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

TpAttr tp_body_make_int (const char *name, gint64 value);
/* As the node of the body has it, or @usual. */
TpAttr tp_body_take_float (const TpBody *self, const char *name, double usual);

/* Adds @node, of which the type and the attributes count. */
void tp_body_add_node (TpBody *self, const TpNode *node, TpNodeNames names);
/* Adds an op of one output, called @output or, if NULL, by a name made up.
 * Inputs end with NULL. Returns the name. */
const char *tp_body_add (TpBody *self, const char *type, const TpAttr *attr,
                         const char *output, ...) G_GNUC_NULL_TERMINATED;
/* @x and input @i, if that is there: their sum. */
const char *tp_body_add_input (TpBody *self, const char *x, int i);
const char *tp_body_add_float (TpBody *self, double value);
const char *tp_body_add_int (TpBody *self, gint64 value);
/* The same without attributes or a name: @type of up to three inputs. */
const char *tp_body_apply (TpBody *self, const char *type, const char *a,
                           const char *b, const char *c);
/* A constant of one dimension. */
const char *tp_body_add_ints (TpBody *self, int n, const gint64 *values);
#define TP_BODY_INTS(self, ...)                                               \
  tp_body_add_ints (self, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })),   \
                    (const gint64[]){ __VA_ARGS__ })
/* @parts, put one behind the other along dimension 0. */
const char *tp_body_join (TpBody *self, int n, const char *const *parts);
#define TP_BODY_JOIN(self, ...)                                               \
  tp_body_join (self, G_N_ELEMENTS (((const char *const[]){ __VA_ARGS__ })),  \
                (const char *const[]){ __VA_ARGS__ })
/* Elements @from .. @to - 1 of @list, bounds of one element each. */
const char *tp_body_slice (TpBody *self, const char *list, const char *from,
                           const char *to);
const char *tp_body_add_shape (TpBody *self, const char *x);
/* Element @i of the list @shape, as a list. */
const char *tp_body_pick (TpBody *self, const char *shape, gint64 i);
/* A product of all of @list, a list itself. */
const char *tp_body_multiply_all (TpBody *self, const char *list);
/* 0, 1, .. @n - 1, of one dimension; @n is a list of one. */
const char *tp_body_count_to (TpBody *self, const char *n);
/* @x in that shape; 0: as @x has it, -1: the rest. */
const char *tp_body_add_reshape (TpBody *self, const char *x, int n,
                                 const gint64 *dims);
/* Squeeze or Unsqueeze of dimension @axis: an input from opset 13 on. */
const char *tp_body_add_view (TpBody *self, const char *type, const char *x,
                              gint64 axis);
/* A name that is new. */
const char *tp_body_make_name (TpBody *self);

#endif
