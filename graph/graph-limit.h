/* graph-limit.h: what a builder takes from one file, and how it complains. */
#ifndef TP_GRAPH_GRAPH_LIMIT_H
#define TP_GRAPH_GRAPH_LIMIT_H

#include "graph/graph-builder-private.h"
#include "ir/limit.h"

void tp_builder_set_error (TpGraphBuilder *builder, const char *place,
                           GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* What the file may have more of if it is trusted. */
void tp_builder_set_limit_error (TpGraphBuilder *builder, TpLimit limit,
                                 const char *place, GError **error,
                                 const char *format, ...)
    G_GNUC_PRINTF (5, 6);

/* For a file of @size_bytes: how much may be made of it. No limit on memory
 * before. @limits: (nullable): the defaults */
void tp_graph_builder_set_limits (TpGraphBuilder *builder,
                                  const TpLimits *limits, gint64 size_bytes);

/* Another file of @size_bytes belongs to it. */
void tp_graph_builder_allow (TpGraphBuilder *builder, gint64 size_bytes);

#endif
