/* graph-json-init.h: initializers of JSON graphs: listed, random, filled, or
 * in a file beside the graph. */
#ifndef TP_FORMAT_GRAPH_JSON_INIT_H
#define TP_FORMAT_GRAPH_JSON_INIT_H

#include "format/graph-json-shape.h"

/* One entry of "initializers". */
gboolean tp_graph_json_add_initializer (const TpGraphJson *reader,
                                        TpJsonPlace place, GError **error);

#endif
