/* onnx-tensor.h: TensorProto: constants, in the file or in one beside it. */
#ifndef TP_FORMAT_ONNX_TENSOR_H
#define TP_FORMAT_ONNX_TENSOR_H

#include "format/onnx-wire.h"
#include "format/onnx.h"
#include "format/tensor-file.h"
#include "ir/narrow.h"
#include "ir/region.h"
#include "ir/types.h"

/* Our element types, as ONNX calls them: see tp_dtype_join_names(). */
char *tp_onnx_join_type_names (const char *last);

/* The name of any element type of ONNX, such as "float16". */
const char *tp_onnx_get_type_name (gint64 number);

/* Notes that the tensor @name is @narrow in the model. */
void tp_onnx_set_narrow (TpOnnx *onnx, const char *name, const TpNarrow *narrow);

/* Reads a TensorProto and adds it as constant: by its own name, or by @name. With
 * @takes_narrow it may be of what onnx-narrow.h has, and is noted as such.
 * @wire: the message, its path set. */
gboolean tp_onnx_add_tensor (TpOnnx *onnx, TpWire wire, const char *name,
                             gboolean takes_narrow, GError **error);

/* A file that is one TensorProto; copies go to @region. */
gboolean tp_onnx_read_lone_tensor (GBytes *bytes, const char *path,
                                   TpRegion *region, TpFileTensor *out_tensor,
                                   GError **error);

#endif
