/* graph-json.h: graphs in the format tplan-graph/1. */
#ifndef TP_FORMAT_GRAPH_JSON_H
#define TP_FORMAT_GRAPH_JSON_H

#include "format/load-options.h"

/* As tp_graph_open () does, from memory; @path is for messages, and where files
 * beside it are looked for. */
TpGraphBuilder *tp_graph_open_json (const char *path, const char *text,
                                    gsize size, const TpLoadOptions *options,
                                    GError **error);

#endif
