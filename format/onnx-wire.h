/* onnx-wire.h: the protobuf wire format, read in place.
 *
 * A message is a run of fields; its handler is called for each. Nothing is
 * copied or allocated, unknown fields cost nothing, and no length is believed
 * before it is compared with what is left of the message around it. */
#ifndef TP_FORMAT_ONNX_WIRE_H
#define TP_FORMAT_ONNX_WIRE_H

#include "ir/region.h"
#include "ir/types.h"

/* The field path to a message, such as graph.node[3].attribute[1]. */
typedef struct TpWirePath TpWirePath;
struct TpWirePath
{
  const TpWirePath *parent;   /* NULL: the model itself */
  const char *field;
  int index;                  /* -1: not a repeated field */
};

typedef struct
{
  const char *file;           /* its name, for messages */
  const guint8 *base;         /* of the file */
  const guint8 *pos, *end;    /* of the message */
  const TpWirePath *path;
} TpWire;

typedef enum
{
  TP_WIRE_VARINT = 0,
  TP_WIRE_FIXED64 = 1,
  TP_WIRE_BYTES = 2,
  TP_WIRE_FIXED32 = 5,
} TpWireType;

typedef struct
{
  guint32 number;
  TpWireType type;
  guint64 value;              /* VARINT, FIXED32, FIXED64 */
  const guint8 *data;         /* BYTES */
  gsize size;
} TpWireField;

typedef gboolean (*TpWireHandler) (const TpWire *wire,
                                   const TpWireField *field, gpointer user,
                                   GError **error);

/* "byte 12 (graph.node[3]): ...", code TPLAN_ERROR_INPUT. */
void tp_wire_set_error (const TpWire *wire, const guint8 *at, GError **error,
                        const char *format, ...) G_GNUC_PRINTF (4, 5);
/* "path: place: ...", code TPLAN_ERROR_UNSUPPORTED. */
void tp_wire_set_unsupported (const TpWire *wire, GError **error,
                              const char *format, ...) G_GNUC_PRINTF (3, 4);
char *tp_wire_path_to_string (const TpWirePath *path);

/* All of @bytes, which may be none. */
TpWire tp_wire_open (GBytes *bytes, const char *file, const TpWirePath *path);
/* Calls @handler for each field until one fails. */
gboolean tp_wire_read (TpWire wire, TpWireHandler handler, gpointer user,
                       GError **error);
/* The message in @field, found at @path. */
TpWire tp_wire_enter (const TpWire *wire, const TpWireField *field,
                      const TpWirePath *path);

gboolean tp_wire_expect (const TpWire *wire, const TpWireField *field,
                         TpWireType type, GError **error);
gboolean tp_wire_get_int (const TpWire *wire, const TpWireField *field,
                          gint64 *out, GError **error);
gboolean tp_wire_get_float (const TpWire *wire, const TpWireField *field,
                            double *out, GError **error);
/* Text without a NUL byte, copied into @strings. */
gboolean tp_wire_get_string (const TpWire *wire, const TpWireField *field,
                             TpRegion *strings, const char **out,
                             GError **error);

/* Where repeated numbers go: called for each one, as it stands in the file:
 * varints whole, floats and doubles as bits. */
typedef struct
{
  TpWireType item;            /* of each */
  void (*add) (gpointer user, guint64 bits);
  gpointer user;
} TpWireSink;

/* Repeated numbers come packed (BYTES) or one field each. */
gboolean tp_wire_get_repeated (const TpWire *wire, const TpWireField *field,
                               TpWireSink sink, GError **error);

#endif
