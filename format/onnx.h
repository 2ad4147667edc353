/* onnx.h: the ONNX reader, for its own files. */
#ifndef TP_FORMAT_ONNX_H
#define TP_FORMAT_ONNX_H

#include "format/load-options.h"
#include "format/onnx-wire.h"
#include "format/tensor-file.h"
#include "graph/graph-builder.h"
#include "ir/array.h"
#include "ir/map.h"
#include "ir/region.h"

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
  TpRegion *strings;          /* of the node being read */
  TpRegion *kept;             /* strings of functions */
  TpMap *files;               /* char* -> GBytes*: external data */
  TpMap *narrow;              /* char* -> const TpNarrow*: of tensors that are narrower
                               * in the model than what they are read to */
  TpMap *functions;           /* char* -> TpOnnxFunction* */
  TpMap *constants;           /* of bodies, by where they stand in the file */
  TpMap *values;              /* large ones of bodies, by where they lie */
  const TpOnnxCall *call;     /* whose body is being read; NULL: the graph */
  int n_calls;                /* so far */
} TpOnnx;

/* ---- functions of the model --------------------------------------------- */

/* The field of a FunctionProto with an attribute and its usual value. */
#define TP_ONNX_FUNCTION_DEFAULT 11

/* What a node calls a function with. */
typedef struct
{
  const TpArray *inputs, *outputs; /* const char* */
  const TpArray *attrs;       /* TpAttr */
} TpOnnxArguments;

#endif
