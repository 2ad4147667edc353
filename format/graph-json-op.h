/* graph-json-op.h: ops of JSON graphs: names, attributes, pins and costs. */
#ifndef TP_FORMAT_GRAPH_JSON_OP_H
#define TP_FORMAT_GRAPH_JSON_OP_H

#include "format/graph-json-shape.h"

/* @json, entry @index of "ops". */
gboolean tp_graph_json_add_op (const TpGraphJson *reader, const json_t *json,
                               gsize index, GError **error);

#endif
