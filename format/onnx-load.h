/* onnx-load.h: ModelProto and GraphProto. */
#ifndef TP_FORMAT_ONNX_LOAD_H
#define TP_FORMAT_ONNX_LOAD_H

#include "format/load-options.h"
#include "graph/graph-builder-private.h"

/* As tp_graph_open () does, from memory; @path is for messages, and where files
 * beside it are looked for. */
TpGraphBuilder *tp_graph_open_onnx (const char *path, GBytes *bytes,
                                    const TpLoadOptions *options,
                                    GError **error);

#endif
