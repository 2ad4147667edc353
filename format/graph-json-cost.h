/* graph-json-cost.h: what graphs in JSON say things cost. */
#ifndef TP_FORMAT_GRAPH_JSON_COST_H
#define TP_FORMAT_GRAPH_JSON_COST_H

#include "format/graph-json-shape.h"

/* Nanoseconds, or [nanoseconds, half of the 95 % interval], at @key of @place;
 * the device of @out is left alone. */
gboolean tp_graph_json_read_figure (TpJsonPlace place, const char *key,
                                    const json_t *json, TpNodeCost *out,
                                    GError **error);
/* "copies": by tensor and device. */
gboolean tp_graph_json_add_copies (const TpGraphJson *reader,
                                   const json_t *root, GError **error);

#endif
