/* onnx-opset.c: which version of whose ops (OperatorSetIdProto). */
#include "config.h"

#include "format/onnx-opset.h"

#include <string.h>

static gboolean
read_field (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  TpOnnxOpset *opset = user;

  if (field->number == TP_ONNX_OPSET_DOMAIN)
    return tp_wire_get_string (wire, field, opset->strings, &opset->domain,
                               error);
  if (field->number == TP_ONNX_OPSET_VERSION)
    return tp_wire_get_int (wire, field, &opset->version, error);
  return TRUE;
}

gboolean
tp_onnx_opset_read (TpOnnxOpset *opset, TpWire wire, GError **error)
{
  opset->domain = "";
  opset->version = 0;
  return tp_wire_read (wire, read_field, opset, error);
}

gboolean
tp_onnx_domain_is_own (const char *domain)
{
  return *domain == '\0' || strcmp (domain, "ai.onnx") == 0;
}
