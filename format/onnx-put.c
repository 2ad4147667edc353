/* onnx-put.c: see onnx-put.h. */
#include "config.h"

#include "format/onnx-put.h"

#include "format/onnx-wire.h"

#include <string.h>

enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

void
tp_onnx_put_varint (GByteArray *out, guint64 value)
{
  do
    {
      guint8 byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);

      g_byte_array_append (out, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

void
tp_onnx_put_int (GByteArray *out, int field, gint64 value)
{
  tp_onnx_put_varint (out, field << 3 | TP_WIRE_VARINT);
  tp_onnx_put_varint (out, (guint64) value);
}

void
tp_onnx_put_bytes (GByteArray *out, int field, const void *data, gsize size)
{
  tp_onnx_put_varint (out, field << 3 | TP_WIRE_BYTES);
  tp_onnx_put_varint (out, size);
  if (size > 0)
    g_byte_array_append (out, data, size);
}

void
tp_onnx_put_string (GByteArray *out, int field, const char *text)
{
  tp_onnx_put_bytes (out, field, text, strlen (text));
}

void
tp_onnx_put_float (GByteArray *out, double value)
{
  float single = value;
  guint32 bits;

  memcpy (&bits, &single, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  g_byte_array_append (out, (const guint8 *) &bits, sizeof bits);
}

void
tp_onnx_put_message (GByteArray *out, int field, GByteArray *message)
{
  tp_onnx_put_bytes (out, field, message->data, message->len);
  g_byte_array_unref (message);
}

void
tp_onnx_put_entry (GByteArray *out, int field, const char *key, const char *value)
{
  GByteArray *entry = g_byte_array_new ();

  tp_onnx_put_string (entry, ENTRY_KEY, key);
  tp_onnx_put_string (entry, ENTRY_VALUE, value);
  tp_onnx_put_message (out, field, entry);
}
