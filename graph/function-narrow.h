/* function-narrow.h: which ops make what is narrower than the element types, and what may
 * read it. It is of a type that has all its values (ir/narrow.h), so that what moves it, or
 * makes reals of it, need not know. */
#ifndef TP_GRAPH_FUNCTION_NARROW_H
#define TP_GRAPH_FUNCTION_NARROW_H

#include "graph/function-body.h"
#include "ir/narrow.h"

/* Ops that have to be told what is narrow. */
typedef struct
{
  const char *type;
  int input;                  /* it is what this is of; -1: that is not asked */
  const char *attr;           /* says what is narrow */
  const char *becomes;        /* the op, once the attribute says it */
  gboolean makes;             /* so is the output */
} TpNarrowUser;

/* NULL: @type is none. */
const TpNarrowUser *tp_function_find_user (const char *type);
/* Whether a @type may read what is narrow as input @i: what computes with it would have
 * to keep to its range. */
gboolean tp_function_takes_narrow (const char *type, int i);
/* What output @i of @node is, whose inputs are @inputs, NULL where they are not narrow;
 * NULL: an element type. */
const TpNarrow *tp_function_find_made (const TpNode *node, int n_inputs,
                                       const TpNarrow *const *inputs, int i);

/* Casts to what is narrow, by arithmetic. */
gboolean tp_function_is_narrowed (const TpNode *node, TpNodeNames names);
const TpFunction *tp_function_list_narrow (gsize *out_n);

#endif
