/* onnx-put.h: the wire format of ONNX, written. */
#ifndef TP_FORMAT_ONNX_PUT_H
#define TP_FORMAT_ONNX_PUT_H

#include <glib.h>

/* Without a field. */
void tp_onnx_put_varint (GByteArray *out, guint64 value);
void tp_onnx_put_float (GByteArray *out, double value);

void tp_onnx_put_int (GByteArray *out, int field, gint64 value);
void tp_onnx_put_bytes (GByteArray *out, int field, const void *data, gsize size);
void tp_onnx_put_string (GByteArray *out, int field, const char *text);
/* Takes @message. */
void tp_onnx_put_message (GByteArray *out, int field, GByteArray *message);
/* A StringStringEntryProto. */
void tp_onnx_put_entry (GByteArray *out, int field, const char *key,
                        const char *value);

#endif
