/* graph-write-onnx.h: a graph as an ONNX model. */
#ifndef TP_FORMAT_GRAPH_WRITE_ONNX_H
#define TP_FORMAT_GRAPH_WRITE_ONNX_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/**
 * tp_graph_write_onnx:
 * @builder: an open graph
 * @types: (nullable): the same graph read to the end, as far as that went: the
 *   types of outputs are taken from it
 * @data_path: (nullable): weights of 1 KiB or more go there, a file beside @path,
 *   as external data
 *
 * Constants that are a seed or one value are written out. Pins, costs and the
 * "shapes" of unknown ops have no place in ONNX and are left out.
 */
gboolean tp_graph_write_onnx (TpGraphBuilder *builder, const TpGraph *types,
                              const char *path, const char *data_path,
                              GError **error);

/* What else goes into the file. */
typedef struct
{
  const TpGraph *types;       /* (nullable) as above, as is the next */
  const char *data_path;
  const char *const *devices; /* (nullable) [node of the draft]: names, NULL for
                               * none: metadata that tp_placement_load () reads,
                               * and the annotation by which ONNX Runtime assigns
                               * nodes */
  gboolean has_configuration; /* @devices also as a device configuration, which is
                               * of version 11 of the format: outputs of a node
                               * are whole, and on its device */
} TpOnnxParts;
gboolean tp_graph_write_onnx_parts (TpGraphBuilder *builder,
                                    const TpOnnxParts *parts,
                                    const char *path, GError **error);

#endif
