/* graph-partitioning.h: graphs of the benchmark dnn-partitioning (J. Tarnawski et
 * al., Efficient algorithms for device placement of DNN graph operators, 2020). */
#ifndef TP_FORMAT_GRAPH_PARTITIONING_H
#define TP_FORMAT_GRAPH_PARTITIONING_H

#include "format/graph-json-shape.h"

/* What its times are given for. */
#define TP_GIVEN_DEVICE_CPU "sim:server-cpu"
#define TP_GIVEN_DEVICE_FPGA "sim:server-gpu"

gboolean tp_graph_is_partitioning (const json_t *root);
/* Adds all of @root to the builder of @reader. */
gboolean tp_graph_json_add_partitioning (const TpGraphJson *reader,
                                         const json_t *root, GError **error);

#endif
