/* graph-load.h: opens a graph and finds out which reader is for it. */
#ifndef TP_FORMAT_GRAPH_LOAD_H
#define TP_FORMAT_GRAPH_LOAD_H

#include "format/load-options.h"
#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/* Opsets whose tests, ONNX's own, pass; others are read as the nearest. */
#define TP_OPSET_OLDEST 6
#define TP_OPSET_NEWEST 23

/* A file as it stands: names, attributes and symbolic dimensions as written, in
 * the order written; every op has a name. For those who copy it. */
TpGraphBuilder *tp_graph_open (const char *path, const TpLoadOptions *options,
                               GError **error);

/**
 * tp_graph_read:
 * @path: a .json (tplan-graph/1) or .onnx file; told apart by content
 *
 * Reads, binds dims and values, sorts, infers shapes and folds constants.
 * TPLAN_ERROR_INPUT names file and place; TPLAN_ERROR_UNSUPPORTED the op;
 * TPLAN_ERROR_LIMIT what the file has too much of; TPLAN_ERROR_USAGE the binding
 * of what the graph has not.
 */
TpGraph *tp_graph_read (const char *path, const TpLoadOptions *options,
                        GError **error);
/* The same of bytes, which @path names for people: a file that was read, or, as
 * @options say, none. */
TpGraph *tp_graph_read_bytes (const char *path, GBytes *bytes,
                              const TpLoadOptions *options, GError **error);
TpGraph *tp_graph_read_json (const char *path, const char *text, gsize size,
                             const TpLoadOptions *options, GError **error);
TpGraph *tp_graph_read_onnx (const char *path, GBytes *bytes,
                             const TpLoadOptions *options, GError **error);

/* The same, with no options but @dims. */
TpGraph *tp_graph_load (const char *path, TpDims *dims, GError **error);
TpGraph *tp_graph_load_json (const char *path, const char *text, gsize size,
                             TpDims *dims, GError **error);
TpGraph *tp_graph_load_onnx (const char *path, GBytes *bytes, TpDims *dims,
                             GError **error);

#endif
