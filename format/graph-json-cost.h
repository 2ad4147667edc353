/* graph-json-cost.h: what graphs in JSON say things cost. */
#ifndef TP_FORMAT_GRAPH_JSON_COST_H
#define TP_FORMAT_GRAPH_JSON_COST_H

#include "format/graph-json-shape.h"
#include "ir/array.h"

/* "cost" of @place: TpNodeCost, appended to @out; at least one where it is there. */
gboolean tp_graph_json_read_costs (TpJsonPlace place, TpArray *out,
                                   GError **error);
/* That "groups" of @root is a list, if it is there. */
gboolean tp_graph_json_check_groups (const TpGraphJson *reader,
                                     const json_t *root, GError **error);
/* An entry of "groups": ops that are yet to be added, and what they cost as one. */
gboolean tp_graph_json_add_group (const TpGraphJson *reader, TpJsonPlace place,
                                  GError **error);
/* "copies": by tensor and device. */
gboolean tp_graph_json_add_copies (const TpGraphJson *reader,
                                   const json_t *root, GError **error);

#endif
