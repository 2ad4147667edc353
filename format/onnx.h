/* onnx.h: the ONNX reader, for its own files. */
#ifndef TP_FORMAT_ONNX_H
#define TP_FORMAT_ONNX_H

#include "graph/graph-builder.h"
#include "format/onnx-wire.h"
#include "format/tensor-file.h"

typedef struct TpOnnxFunction TpOnnxFunction;
typedef struct TpOnnxCall TpOnnxCall;

/* Entry of a model's metadata that gives a dimension its value. */
#define TP_ONNX_DIM_PREFIX "tplan.dim."

typedef struct
{
  const char *path;           /* of the model */
  GBytes *bytes;              /* the model */
  const TpLoadOptions *options;
  TpGraphBuilder *builder;    /* NULL: a lone tensor */
  TpRegion *region;           /* of the builder: values that must be copied */
  GStringChunk *strings;      /* of the node being read */
  GHashTable *files;          /* char* -> GBytes*: external data */
  GHashTable *functions;      /* char* -> TpOnnxFunction* */
  const TpOnnxCall *call;     /* whose body is being read; NULL: the graph */
  int n_calls;                /* so far */
} TpOnnx;

/* ONNX's number for an element type; FALSE: not one of ours. */
gboolean tp_onnx_find_dtype (gint64 number, TpDtype *out_dtype);
gint64 tp_onnx_get_type_number (TpDtype dtype);
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

/* ---- functions of the model --------------------------------------------- */

/* The field of a FunctionProto with an attribute and its usual value. */
#define TP_ONNX_FUNCTION_DEFAULT 11

/* What a node calls a function with. */
typedef struct
{
  const GPtrArray *inputs, *outputs; /* const char* */
  const GArray *attrs;               /* TpAttr */
} TpOnnxArguments;

GHashTable *tp_onnx_functions_new (void);
/* Reads the FunctionProto in @field; its body only when it is called. */
gboolean tp_onnx_add_function (TpOnnx *onnx, const TpWire *wire,
                               const TpWireField *field, GError **error);
/* NULL: none of the model's. */
const TpOnnxFunction *tp_onnx_find_function (const TpOnnx *onnx,
                                             const char *domain,
                                             const char *name);
TpWire tp_onnx_function_get_wire (const TpOnnxFunction *function);
/* Adds the nodes of the body. @wire: the node that calls. */
gboolean tp_onnx_call_function (TpOnnx *onnx, const TpOnnxFunction *function,
                                const TpWire *wire,
                                const TpOnnxArguments *arguments,
                                GError **error);
/* In a body: what @name is called in the graph, and the attribute @name of the
 * call, or NULL. Outside: @name, and NULL. */
const char *tp_onnx_map_name (const TpOnnx *onnx, const char *name);
const TpAttr *tp_onnx_find_argument (const TpOnnx *onnx, const char *name);

/* Reads a ValueInfoProto of the graph's inputs, unless it has a value. */
gboolean tp_onnx_add_input (TpOnnx *onnx, TpWire wire, GError **error);
/* Reads a ValueInfoProto of the graph's outputs. */
gboolean tp_onnx_add_output (TpOnnx *onnx, TpWire wire, GError **error);

/* "path: place: ...", code TPLAN_ERROR_UNSUPPORTED. */
void tp_onnx_set_unsupported (const TpWire *wire, GError **error,
                              const char *format, ...) G_GNUC_PRINTF (3, 4);

#endif
