/* onnx-if.h: If: its two branches are read like bodies of functions, and know all
 * names around. */
#ifndef TP_FORMAT_ONNX_IF_H
#define TP_FORMAT_ONNX_IF_H

#include "format/onnx-wire.h"
#include "format/onnx.h"

/* Adds the ops of both branches of the If at @wire, called @name or "", and what
 * picks from what they give. */
gboolean tp_onnx_add_if (TpOnnx *onnx, const TpWire *wire, const char *name,
                         const TpOnnxArguments *arguments, GError **error);

#endif
