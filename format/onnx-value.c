/* onnx-value.c: ValueInfoProto: the graph's inputs and outputs. */
#include "config.h"

#include "format/onnx-value.h"

#include "format/onnx-tensor.h"
#include "format/onnx.h"

enum { VALUE_NAME = 1, VALUE_TYPE = 2 };
enum { TYPE_TENSOR = 1, TYPE_SEQUENCE = 4, TYPE_OPTIONAL = 9 };
enum { TENSOR_ELEM_TYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1 };
enum { DIM_VALUE = 1, DIM_PARAM = 2 };

typedef struct
{
  TpOnnx *onnx;
  const char *name;
  gint64 elem_type;
  gboolean has_type, has_shape;
  const char *kind;           /* (nullable): what it is, if no tensor */
  int n_dims;                 /* may exceed TP_MAX_RANK */
  TpDimSpec dims[TP_MAX_RANK];
  TpDimSpec dim;              /* being read */
} Value;

static gboolean
read_dim (const TpWire *wire, const TpWireField *field, gpointer user,
          GError **error)
{
  Value *value = user;

  if (field->number == DIM_VALUE)
    return tp_wire_get_int (wire, field, &value->dim.value, error);
  if (field->number == DIM_PARAM)
    return tp_wire_get_string (wire, field, value->onnx->strings,
                               &value->dim.name, error);
  return TRUE;
}

static gboolean
read_shape (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Value *value = user;
  TpWirePath path = { wire->path, "dim", value->n_dims };

  if (field->number != SHAPE_DIM)
    return TRUE;
  value->dim = (TpDimSpec){ -1, NULL };
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
      || !tp_wire_read (tp_wire_enter (wire, field, &path), read_dim, value,
                        error))
    return FALSE;
  if (value->n_dims < TP_MAX_RANK)
    value->dims[value->n_dims] = value->dim;
  value->n_dims++;
  return TRUE;
}

static gboolean
read_tensor (const TpWire *wire, const TpWireField *field, gpointer user,
             GError **error)
{
  Value *value = user;
  TpWirePath path = { wire->path, "shape", -1 };

  if (field->number == TENSOR_ELEM_TYPE)
    return tp_wire_get_int (wire, field, &value->elem_type, error);
  if (field->number != TENSOR_SHAPE)
    return TRUE;
  value->has_shape = TRUE;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && tp_wire_read (tp_wire_enter (wire, field, &path), read_shape,
                          value, error);
}

static gboolean
read_type (const TpWire *wire, const TpWireField *field, gpointer user,
           GError **error)
{
  Value *value = user;
  TpWirePath path = { wire->path, "tensor_type", -1 };

  if (field->number == TYPE_SEQUENCE)
    value->kind = "a sequence, whose length nobody knows before a run: make its "
                  "elements inputs";
  else if (field->number == TYPE_OPTIONAL)
    value->kind = "optional: make it a tensor, or leave it out";
  if (field->number != TYPE_TENSOR)
    return TRUE;
  value->has_type = TRUE;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && tp_wire_read (tp_wire_enter (wire, field, &path), read_tensor,
                          value, error);
}

static gboolean
read_value (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Value *value = user;
  TpWirePath path = { wire->path, "type", -1 };

  if (field->number == VALUE_NAME)
    return tp_wire_get_string (wire, field, value->onnx->strings, &value->name,
                               error);
  if (field->number != VALUE_TYPE)
    return TRUE;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
         && tp_wire_read (tp_wire_enter (wire, field, &path), read_type, value,
                          error);
}

/* A dimension without value or name is called after its input: "x.0". */
static gboolean
name_dims (Value *value, GError **error)
{
  for (int i = 0; i < value->n_dims; i++)
    {
      TpDimSpec *dim = &value->dims[i];
      g_autofree char *name = g_strdup_printf ("%s.%d", value->name, i);

      if (dim->name != NULL && *dim->name != '\0')
        dim->value = -1;
      else if (dim->value >= 0)
        dim->name = NULL;
      else if ((dim->name = tp_region_strdup (value->onnx->strings, name,
                                              error)) == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
refuse_type (const Value *value, const TpWire *wire, GError **error)
{
  g_autofree char *known = tp_onnx_join_type_names (" or ");

  if (value->kind != NULL)
    tp_wire_set_unsupported (wire, error, "input '%s' is %s", value->name,
                             value->kind);
  else
    tp_wire_set_unsupported (wire, error, "input '%s' is no tensor of %s: "
                             "it is %s (ONNX element type %" G_GINT64_FORMAT ")",
                             value->name, known,
                             tp_onnx_get_type_name (value->elem_type),
                             value->elem_type);
}

gboolean
tp_onnx_add_input (TpOnnx *onnx, TpWire wire, GError **error)
{
  Value value = { .onnx = onnx, .name = "" };
  g_autofree char *place = tp_wire_path_to_string (wire.path);
  TpTensorSpec input = { .dims = value.dims, .place = place };
  const TpNarrow *narrow;

  tp_region_clear (onnx->strings);
  if (!tp_wire_read (wire, read_value, &value, error))
    return FALSE;
  if (tp_graph_builder_is_defined (onnx->builder, value.name))
    return TRUE; /* an initializer, listed here too by old files */
  narrow = tp_narrow_find_onnx (value.elem_type);
  if (narrow != NULL)
    {
      input.dtype = narrow->dtype;
      tp_onnx_set_narrow (onnx, value.name, narrow);
    }
  else if (!value.has_type || !tp_dtype_find_onnx (value.elem_type, &input.dtype))
    {
      refuse_type (&value, &wire, error);
      return FALSE;
    }
  if (!value.has_shape || value.n_dims > TP_MAX_RANK)
    {
      tp_wire_set_error (&wire, wire.pos, error, "input '%s' must have a shape "
                         "of at most %d dimensions", value.name, TP_MAX_RANK);
      return FALSE;
    }
  if (!name_dims (&value, error))
    return FALSE;
  input.name = value.name;
  input.rank = value.n_dims;
  return tp_graph_builder_add_input (onnx->builder, &input, error);
}

gboolean
tp_onnx_add_output (TpOnnx *onnx, TpWire wire, GError **error)
{
  Value value = { .onnx = onnx, .name = "" };
  g_autofree char *place = tp_wire_path_to_string (wire.path);

  tp_region_clear (onnx->strings);
  return tp_wire_read (wire, read_value, &value, error)
         && tp_graph_builder_add_output (onnx->builder, value.name, place,
                                         error);
}
