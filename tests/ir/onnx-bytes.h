/* onnx-bytes.h: writes ONNX files for tests, byte by byte, on its own terms:
 * it shares nothing with the reader. */
#ifndef TP_TESTS_ONNX_BYTES_H
#define TP_TESTS_ONNX_BYTES_H

#include <glib.h>
#include <string.h>

typedef GByteArray Msg;

static inline Msg *
msg_new (void)
{
  return g_byte_array_new ();
}

static inline void
msg_varint (Msg *msg, guint64 value)
{
  do
    {
      guint8 byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
      g_byte_array_append (msg, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

static inline void
msg_int (Msg *msg, guint field, gint64 value)
{
  msg_varint (msg, field << 3);
  msg_varint (msg, (guint64) value);
}

static inline void
msg_bytes (Msg *msg, guint field, const void *data, gsize size)
{
  msg_varint (msg, field << 3 | 2);
  msg_varint (msg, size);
  g_byte_array_append (msg, data, size);
}

static inline void
msg_string (Msg *msg, guint field, const char *text)
{
  msg_bytes (msg, field, text, strlen (text));
}

static inline void
msg_float (Msg *msg, guint field, float value)
{
  msg_varint (msg, field << 3 | 5);
  g_byte_array_append (msg, (const guint8 *) &value, 4);
}

static inline void
msg_double (Msg *msg, guint field, double value)
{
  msg_varint (msg, field << 3 | 1);
  g_byte_array_append (msg, (const guint8 *) &value, 8);
}

/* Takes @inner. */
static inline void
msg_take (Msg *msg, guint field, Msg *inner)
{
  msg_bytes (msg, field, inner->data, inner->len);
  g_byte_array_unref (inner);
}

/* A ValueInfoProto of floats; -1 in @dims: the parameter "N". */
static inline Msg *
value_new (const char *name, int rank, const gint64 *dims)
{
  Msg *value = msg_new (), *type = msg_new (), *tensor = msg_new ();
  Msg *shape = msg_new ();

  for (int i = 0; i < rank; i++)
    {
      Msg *dim = msg_new ();

      if (dims[i] == -1)
        msg_string (dim, 2, "N");
      else if (dims[i] != -2)
        msg_int (dim, 1, dims[i]);
      msg_take (shape, 1, dim);
    }
  msg_int (tensor, 1, 1);
  msg_take (tensor, 2, shape);
  msg_take (type, 1, tensor);
  msg_string (value, 1, name);
  msg_take (value, 2, type);
  return value;
}

/* A TensorProto without values. */
static inline Msg *
tensor_new (const char *name, gint64 data_type, int rank, const gint64 *dims)
{
  Msg *tensor = msg_new ();

  for (int i = 0; i < rank; i++)
    msg_int (tensor, 1, dims[i]);
  msg_int (tensor, 2, data_type);
  msg_string (tensor, 8, name);
  return tensor;
}

/* A NodeProto; @b may be NULL. */
static inline Msg *
node_new (const char *type, const char *a, const char *b, const char *out)
{
  Msg *node = msg_new ();

  if (a != NULL)
    msg_string (node, 1, a);
  if (b != NULL)
    msg_string (node, 1, b);
  msg_string (node, 2, out);
  msg_string (node, 4, type);
  return node;
}

static inline Msg *
attr_new (const char *name, gint64 type)
{
  Msg *attr = msg_new ();

  msg_string (attr, 1, name);
  msg_int (attr, 20, type);
  return attr;
}

/* A ModelProto, opset 13, graph last; takes @graph. */
static inline Msg *
model_new (Msg *graph)
{
  Msg *model = msg_new (), *opset = msg_new ();

  msg_int (opset, 2, 13);
  msg_int (model, 1, 8);
  msg_take (model, 8, opset);
  msg_take (model, 7, graph);
  return model;
}

/* A GraphProto that reads x [2, 3] and gives y. */
static inline Msg *
graph_new (void)
{
  static const gint64 dims[] = { 2, 3 };
  Msg *graph = msg_new ();

  msg_string (graph, 2, "g");
  msg_take (graph, 11, value_new ("x", 2, dims));
  msg_take (graph, 12, value_new ("y", 0, NULL));
  return graph;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Msg, g_byte_array_unref)

#endif
