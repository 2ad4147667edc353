/* graph-write-json.h: a graph as tplan-graph/1, an entry to a line. */
#ifndef TP_FORMAT_GRAPH_WRITE_JSON_H
#define TP_FORMAT_GRAPH_WRITE_JSON_H

#include "graph/graph-builder-private.h"

/**
 * tp_graph_write_json:
 * @data_path: a .safetensors file beside @path, for constants that are not small;
 *   not written when there are none
 * @out_has_data: (nullable): whether there were
 */
gboolean tp_graph_write_json (TpGraphBuilder *builder, const char *path,
                              const char *data_path, gboolean *out_has_data,
                              GError **error);

#endif
