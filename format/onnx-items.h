/* onnx-items.h: what a GraphProto has of one kind: nodes, initializers and so on. */
#ifndef TP_FORMAT_ONNX_ITEMS_H
#define TP_FORMAT_ONNX_ITEMS_H

#include "format/onnx.h"

typedef struct
{
  guint32 number;             /* of the field */
  const char *name;           /* of it, for messages */
  gboolean (*add) (TpOnnx *onnx, TpWire wire, GError **error);
} TpOnnxItems;

/* Adds all of @items that the message @wire has, in their order. */
gboolean tp_onnx_read_items (TpOnnx *onnx, TpWire wire, TpOnnxItems items,
                             GError **error);

#endif
