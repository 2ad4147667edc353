/* onnx-opset.h: which version of whose ops (OperatorSetIdProto). */
#ifndef TP_FORMAT_ONNX_OPSET_H
#define TP_FORMAT_ONNX_OPSET_H

#include "format/onnx-wire.h"

enum { TP_ONNX_OPSET_DOMAIN = 1, TP_ONNX_OPSET_VERSION = 2 };

typedef struct
{
  TpRegion *strings;          /* set by the caller: the domain goes there */
  const char *domain;
  gint64 version;
} TpOnnxOpset;

gboolean tp_onnx_opset_read (TpOnnxOpset *opset, TpWire wire, GError **error);
/* Whether ops of @domain are ONNX's own. */
gboolean tp_onnx_domain_is_own (const char *domain);

#endif
