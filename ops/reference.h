/* reference.h: runs graphs by the references of their ops: reals in
 * double, integers exactly. */
#ifndef TP_OPS_REFERENCE_H
#define TP_OPS_REFERENCE_H

#include "ir/graph.h"

/* Runs the whole graph by references. @inputs: one per graph input, then one per
 * state (tp_graph_list_states ()), doubles, row-major. Returns one array per graph output, or per tensor when @keep_all
 * (NULL for constants); free with g_ptr_array_unref(). All row-major, whatever
 * the layout. Memory is checked, and freed after the last reader unless
 * @keep_all. */
GPtrArray *tp_graph_run_reference (const TpGraph *graph,
                                   const double *const *inputs,
                                   gboolean keep_all, GError **error);

/* What rounding leaves in the results of a node, where they are reals. */
typedef struct
{
  double deviation;           /* relative to each; 0: none */
  gboolean is_sum;            /* or to the root of their mean square, if that is more:
                               * what is added up may be that large */
} TpRounding;

/* The same, with results that deviate by @roundings, one per node, at random by
 * @seed; ops that look at places of their input look a few roundings beside them. */
GPtrArray *tp_graph_run_rounded (const TpGraph *graph,
                                 const double *const *inputs,
                                 const TpRounding *roundings, guint32 seed,
                                 GError **error);

/* One node: @inputs (NULL: left out) and @outputs preallocated, gint64 where the
 * tensor is of integers, else double. */
void tp_node_run_reference (const TpGraph *graph, const TpNode *node,
                            void *const *inputs, void **outputs);

#endif
