/* onnx-items.c: see onnx-items.h. */
#include "config.h"

#include "format/onnx-items.h"

typedef struct
{
  TpOnnx *onnx;
  TpOnnxItems items;
  int index;
} Walk;

static gboolean
walk_field (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Walk *walk = user;
  TpWirePath path = { wire->path, walk->items.name, walk->index };

  if (field->number != walk->items.number)
    return TRUE;
  walk->index++;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && walk->items.add (walk->onnx, tp_wire_enter (wire, field, &path),
                             error);
}

gboolean
tp_onnx_read_items (TpOnnx *onnx, TpWire wire, TpOnnxItems items,
                    GError **error)
{
  Walk walk = { onnx, items, 0 };

  return tp_wire_read (wire, walk_field, &walk, error);
}
