/* onnx.h: the ONNX reader, for its own files. */
#ifndef TP_IR_ONNX_H
#define TP_IR_ONNX_H

#include "ir/graph-builder.h"
#include "ir/onnx-wire.h"
#include "ir/tensor-file.h"

typedef struct
{
  const char *path;           /* of the model */
  GBytes *bytes;              /* the model */
  const TpLoadOptions *options;
  TpGraphBuilder *builder;    /* NULL: a lone tensor */
  TpRegion *region;           /* of the builder: values that must be copied */
  GStringChunk *strings;      /* of the node being read */
  GHashTable *files;          /* char* -> GBytes*: external data */
} TpOnnx;

/* ONNX's number for an element type; FALSE: not one of ours. */
gboolean tp_onnx_find_dtype (gint64 number, TpDtype *out_dtype);
/* Its name for any element type, such as "float16". */
const char *tp_onnx_get_type_name (gint64 number);

/* Reads a TensorProto and adds it as constant: by its own name, or by @name.
 * @wire: the message, its path set. */
gboolean tp_onnx_add_tensor (TpOnnx *onnx, TpWire wire, const char *name,
                             GError **error);
/* A file that is one TensorProto; copies go to @region. */
gboolean tp_onnx_read_lone_tensor (GBytes *bytes, const char *path,
                                   TpRegion *region, TpFileTensor *out_tensor,
                                   GError **error);
/* Reads a NodeProto. */
gboolean tp_onnx_add_node (TpOnnx *onnx, TpWire wire, GError **error);
/* Reads a ValueInfoProto of the graph's inputs, unless it has a value. */
gboolean tp_onnx_add_input (TpOnnx *onnx, TpWire wire, GError **error);
/* Reads a ValueInfoProto of the graph's outputs. */
gboolean tp_onnx_add_output (TpOnnx *onnx, TpWire wire, GError **error);

/* "path: place: ...", code TPLAN_ERROR_UNSUPPORTED. */
void tp_onnx_set_unsupported (const TpWire *wire, GError **error,
                              const char *format, ...) G_GNUC_PRINTF (3, 4);

#endif
