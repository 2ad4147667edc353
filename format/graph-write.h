/* graph-write.h: graphs to files: what a converter needs.
 *
 * Written is what was read (tp_graph_open ()), not what planning makes of it:
 * names, attributes, symbolic dimensions and the order of ops stay. */
#ifndef TP_FORMAT_GRAPH_WRITE_H
#define TP_FORMAT_GRAPH_WRITE_H

#include "format/file-save.h"
#include "format/file.h"
#include "graph/graph-builder.h"

/* FALSE: there is state, for which ONNX has no word. */
gboolean tp_graph_check_stateless (TpGraphBuilder *builder, GError **error);
/* Bytes of weights that a file would have in it, or more: whether ONNX needs a second
 * file. */
gint64 tp_graph_count_weight_bytes (TpGraphBuilder *builder);

/* Whether a tensor was named by the builder because the file had no name. */
gboolean tp_graph_is_made_up (const char *tensor, int node, int output);
/* Constants ops or outputs name, by tensor: bit 1 as input or output, bit 2 as
 * value of an attribute. Caller frees. */
guint8 *tp_graph_find_uses (TpGraphBuilder *builder);

/* Writes the values of constant @tensor, row-major. */
gboolean tp_saver_write_tensor (TpSaver *saver, const TpTensor *tensor,
                                GError **error);
/* A .safetensors file of constants; *tensors[i] is called by its name. Sorts
 * @tensors by the width of their elements, so that all lie aligned. */
gboolean tp_safetensors_save (const char *path, GPtrArray *tensors,
                              GError **error);
/* The key it has there: its name, but for the one name that is taken. */
const char *tp_safetensors_get_key (const TpTensor *tensor);

#endif
