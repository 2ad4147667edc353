/* onnx-wire.c: fields of the protobuf wire format. */
#include "config.h"

#include "format/onnx-wire.h"

#include <string.h>

static void
append_path (GString *text, const TpWirePath *path)
{
  if (path->parent != NULL)
    {
      append_path (text, path->parent);
      g_string_append_c (text, '.');
    }
  g_string_append (text, path->field);
  if (path->index >= 0)
    g_string_append_printf (text, "[%d]", path->index);
}

char *
tp_wire_path_to_string (const TpWirePath *path)
{
  GString *text = g_string_new (NULL);

  if (path != NULL)
    append_path (text, path);
  return g_string_free (text, FALSE);
}

void
tp_wire_set_error (const TpWire *wire, const guint8 *at, GError **error,
                   const char *format, ...)
{
  g_autofree char *path = tp_wire_path_to_string (wire->path);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: byte %" G_GSIZE_FORMAT " (%s): %s", wire->file,
               (gsize) (at - wire->base), *path ? path : "model", message);
}

/* ---- items ------------------------------------------------------------- */

static gboolean
read_varint (TpWire *wire, guint64 *out, GError **error)
{
  const guint8 *first = wire->pos;
  guint64 value = 0;

  for (int shift = 0; shift < 64 && wire->pos < wire->end; shift += 7)
    {
      guint8 byte = *wire->pos++;

      if (shift == 63 && byte > 1)
        break;
      value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        {
          *out = value;
          return TRUE;
        }
    }
  tp_wire_set_error (wire, first, error,
                     "a number is cut short or longer than 64 bits: the file "
                     "is damaged or no ONNX model");
  return FALSE;
}

static gboolean
read_fixed (TpWire *wire, gsize size, guint64 *out, GError **error)
{
  if ((gsize) (wire->end - wire->pos) < size)
    {
      tp_wire_set_error (wire, wire->pos, error,
                         "%" G_GSIZE_FORMAT " bytes are needed, %td are left: "
                         "the file is cut short or damaged", size,
                         wire->end - wire->pos);
      return FALSE;
    }
  *out = 0;
  for (gsize i = 0; i < size; i++)
    *out |= (guint64) wire->pos[i] << (8 * i);
  wire->pos += size;
  return TRUE;
}

static gboolean
read_bytes (TpWire *wire, TpWireField *field, GError **error)
{
  const guint8 *first = wire->pos;
  guint64 size;

  if (!read_varint (wire, &size, error))
    return FALSE;
  if (size > (guint64) (wire->end - wire->pos))
    {
      tp_wire_set_error (wire, first, error,
                         "%" G_GUINT64_FORMAT " bytes are announced, %td are "
                         "left: the file is cut short or damaged", size,
                         wire->end - wire->pos);
      return FALSE;
    }
  field->data = wire->pos;
  field->size = size;
  wire->pos += size;
  return TRUE;
}

static gboolean
read_item (TpWire *wire, TpWireField *field, const guint8 *first,
           GError **error)
{
  switch (field->type)
    {
    case TP_WIRE_VARINT:
      return read_varint (wire, &field->value, error);
    case TP_WIRE_FIXED64:
      return read_fixed (wire, 8, &field->value, error);
    case TP_WIRE_FIXED32:
      return read_fixed (wire, 4, &field->value, error);
    case TP_WIRE_BYTES:
      return read_bytes (wire, field, error);
    }
  tp_wire_set_error (wire, first, error,
                     "wire type %d: the file is damaged or no ONNX model",
                     field->type);
  return FALSE;
}

static gboolean
read_field (TpWire *wire, TpWireField *field, GError **error)
{
  const guint8 *first = wire->pos;
  guint64 tag;

  if (!read_varint (wire, &tag, error))
    return FALSE;
  if (tag > G_MAXUINT32 || tag < 8)
    {
      tp_wire_set_error (wire, first, error,
                         "field tag %" G_GUINT64_FORMAT ": the file is damaged "
                         "or no ONNX model", tag);
      return FALSE;
    }
  *field = (TpWireField){ .number = tag >> 3, .type = tag & 7 };
  return read_item (wire, field, first, error);
}

/* ---- messages ---------------------------------------------------------- */

TpWire
tp_wire_open (GBytes *bytes, const char *file, const TpWirePath *path)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const guint8 *base = data != NULL ? data : (const guint8 *) "";

  return (TpWire){ file, base, base, base + size, path };
}

gboolean
tp_wire_read (TpWire wire, TpWireHandler handler, gpointer user,
              GError **error)
{
  while (wire.pos < wire.end)
    {
      TpWireField field;

      if (!read_field (&wire, &field, error)
          || !handler (&wire, &field, user, error))
        return FALSE;
    }
  return TRUE;
}

TpWire
tp_wire_enter (const TpWire *wire, const TpWireField *field,
               const TpWirePath *path)
{
  TpWire inner = *wire;

  g_assert (field->type == TP_WIRE_BYTES);
  inner.pos = field->data;
  inner.end = field->data + field->size;
  inner.path = path;
  return inner;
}

gboolean
tp_wire_expect (const TpWire *wire, const TpWireField *field, TpWireType type,
                GError **error)
{
  if (field->type == type)
    return TRUE;
  tp_wire_set_error (wire, wire->pos, error,
                     "field %u before this has wire type %d, must have %d: the "
                     "file is damaged or no ONNX model", field->number,
                     field->type, type);
  return FALSE;
}

/* ---- values ------------------------------------------------------------ */

gboolean
tp_wire_get_int (const TpWire *wire, const TpWireField *field, gint64 *out,
                 GError **error)
{
  if (!tp_wire_expect (wire, field, TP_WIRE_VARINT, error))
    return FALSE;
  *out = (gint64) field->value;
  return TRUE;
}

gboolean
tp_wire_get_float (const TpWire *wire, const TpWireField *field, double *out,
                   GError **error)
{
  guint32 bits = field->value;
  float value;

  if (!tp_wire_expect (wire, field, TP_WIRE_FIXED32, error))
    return FALSE;
  memcpy (&value, &bits, sizeof value);
  *out = value;
  return TRUE;
}

gboolean
tp_wire_get_string (const TpWire *wire, const TpWireField *field,
                    TpRegion *strings, const char **out, GError **error)
{
  char *text;

  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  if (field->size > 0 && memchr (field->data, '\0', field->size) != NULL)
    {
      tp_wire_set_error (wire, field->data, error,
                         "a text contains a NUL byte: the file is damaged");
      return FALSE;
    }
  text = tp_region_alloc (strings, (gint64) field->size + 1, 1, error);
  if (text == NULL)
    return FALSE;
  if (field->size > 0)
    memcpy (text, field->data, field->size);
  *out = text;
  return TRUE;
}

gboolean
tp_wire_get_repeated (const TpWire *wire, const TpWireField *field,
                      TpWireSink sink, GError **error)
{
  TpWire inner;

  if (field->type == sink.item)
    {
      sink.add (sink.user, field->value);
      return TRUE;
    }
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error))
    return FALSE;
  inner = tp_wire_enter (wire, field, wire->path);
  while (inner.pos < inner.end)
    {
      TpWireField one = { .type = sink.item };

      if (!read_item (&inner, &one, inner.pos, error))
        return FALSE;
      sink.add (sink.user, one.value);
    }
  return TRUE;
}

void
tp_wire_set_unsupported (const TpWire *wire, GError **error,
                         const char *format, ...)
{
  g_autofree char *path = tp_wire_path_to_string (wire->path);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%s: %s: not supported: %s", wire->file, path, message);
}
