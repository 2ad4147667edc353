/* graph-bind.h: inputs and dimensions whose values are known while a graph is
 * loaded. */
#ifndef TP_GRAPH_GRAPH_BIND_H
#define TP_GRAPH_GRAPH_BIND_H

#include "graph/graph-builder.h"

/* The value of an input, row-major; it may be empty. */
typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
  const void *data;           /* (borrowed) copied when bound */
} TpInputValue;

/* Names to values of inputs, which are constants from then on: a graph has
 * shapes when it is loaded, and some hang on what an input holds. */
typedef GHashTable TpInputValues; /* char* -> TpInputValue* */

/* Makes inputs constant, by name; they name the dimensions they have, where
 * @dims does not. */
gboolean tp_graph_builder_bind (TpGraphBuilder *builder, TpInputValues *values,
                                TpDims *dims, GError **error);

/* "NAME=1,2,3" for each input that is bound to numbers, or to true and false; ended by
 * NULL, (nullable). Its shape is that of the model, where what is not known is as
 * long as the list. They are expected before ops are added, and bound before the
 * graph is finished. TPLAN_ERROR_USAGE: no such input, or other values. */
void tp_graph_builder_expect (TpGraphBuilder *builder,
                              const char *const *values);
gboolean tp_graph_builder_is_expected (const TpGraphBuilder *builder,
                                       const char *name);
gboolean tp_graph_builder_bind_expected (TpGraphBuilder *builder, TpDims *dims,
                                         GError **error);

/* Dimensions that nobody gives a value are 1; their names go into @assumed, which
 * owns them. After what is bound. */
void tp_graph_builder_assume (TpGraphBuilder *builder, TpDims *dims,
                              TpDims *assumed);

/* Dimensions in @dims (nullable) are numbers from then on, and have no names, as if
 * the file said so. */
gboolean tp_graph_builder_fix (TpGraphBuilder *builder, const TpDims *dims,
                               GError **error);

#endif
