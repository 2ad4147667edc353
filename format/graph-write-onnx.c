/* graph-write-onnx.c: a graph as an ONNX model.
 *
 * A message is written behind its length, and weights are large, so the graph is
 * first laid out as pieces: bytes, then the values of a tensor. Their sizes give
 * the length; then they are written in order. */
#include "config.h"

#include "format/graph-write-onnx.h"

#include "format/file-save.h"
#include "format/graph-write.h"
#include "format/onnx-opset.h"
#include "format/onnx-put-values.h"
#include "format/onnx-put.h"
#include "format/onnx.h"
#include "format/placement.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "ir/graph-value.h"

#include <string.h>

#define IR_VERSION 8
#define IR_VERSION_METADATA 10 /* the first in which nodes have any */
#define IR_VERSION_DEVICES 11 /* ... and devices */
#define CONFIGURATION "tplan" /* there may be others */
#define ORT_ANNOTATION "layer_ann" /* see session.layer_assignment_settings */
#define EXTERNAL_ALIGN 4096
#define MIN_EXTERNAL_BYTES 1024

enum
{
  MODEL_IR_VERSION = 1,
  MODEL_PRODUCER = 2,
  MODEL_PRODUCER_VERSION = 3,
  MODEL_GRAPH = 7,
  MODEL_OPSET = 8,
  MODEL_METADATA = 14,
  MODEL_CONFIGURATION = 26,
};
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4,
       NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7, NODE_METADATA = 9,
       NODE_DEVICES = 10 };
enum { CONFIGURATION_NAME = 1, CONFIGURATION_COUNT = 2, CONFIGURATION_DEVICE = 3 };
enum { DEVICES_CONFIGURATION = 1, DEVICES_SHARDING = 2 };
enum { SHARDING_TENSOR = 1, SHARDING_DEVICE = 2 };
enum { ATTR_NAME = 1, ATTR_F = 2, ATTR_I = 3, ATTR_S = 4, ATTR_T = 5,
       ATTR_FLOATS = 7, ATTR_INTS = 8, ATTR_STRINGS = 9, ATTR_TYPE = 20 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9,
       TENSOR_EXTERNAL = 13, TENSOR_LOCATION = 14 };

/* Bytes, and then the values of @tensor if there is one. */
typedef struct
{
  GByteArray *bytes;
  const TpTensor *tensor;
} Piece;

typedef struct
{
  TpGraphBuilder *builder;
  const TpGraph *types;       /* (nullable) */
  const char *const *devices; /* (nullable) [node] */
  GPtrArray *configuration;   /* (nullable) char*: the devices there are */
  GArray *pieces;             /* Piece */
  GByteArray *bytes;          /* of the piece being made */
  GPtrArray *domains;         /* char*: of ops not ONNX's own */
  TpSaver *data;              /* NULL: no second file */
  char *data_name;
  gint64 data_offset;
} Writer;

/* ---- tensors ----------------------------------------------------------- */

/* A TensorProto without its values. */
static GByteArray *
describe_tensor (const TpTensor *tensor)
{
  GByteArray *out = g_byte_array_new ();

  for (int i = 0; i < tensor->rank; i++)
    tp_onnx_put_int (out, TENSOR_DIMS, tensor->dims[i]);
  tp_onnx_put_int (out, TENSOR_TYPE, tp_dtype_get (tensor->dtype)->onnx);
  tp_onnx_put_string (out, TENSOR_NAME, tensor->name);
  return out;
}

/* Values in the model: the piece ends where they go. */
static void
add_inside (Writer *writer, const TpTensor *tensor)
{
  GByteArray *out = describe_tensor (tensor);
  Piece piece = { writer->bytes, tensor };

  tp_onnx_put_varint (out, TENSOR_RAW << 3 | TP_WIRE_BYTES);
  tp_onnx_put_varint (out, tensor->size_bytes);
  tp_onnx_put_varint (writer->bytes, GRAPH_INITIALIZER << 3 | TP_WIRE_BYTES);
  tp_onnx_put_varint (writer->bytes, out->len + tensor->size_bytes);
  g_byte_array_append (writer->bytes, out->data, out->len);
  g_byte_array_unref (out);
  g_array_append_val (writer->pieces, piece);
  writer->bytes = g_byte_array_new ();
}

static gboolean
add_outside (Writer *writer, const TpTensor *tensor, GError **error)
{
  static const guint8 zeros[EXTERNAL_ALIGN];
  gint64 gap = -writer->data_offset & (EXTERNAL_ALIGN - 1);
  GByteArray *out = describe_tensor (tensor);
  g_autofree char *offset = NULL, *length = NULL;

  writer->data_offset += gap;
  offset = g_strdup_printf ("%" G_GINT64_FORMAT, writer->data_offset);
  length = g_strdup_printf ("%" G_GINT64_FORMAT, tensor->size_bytes);
  writer->data_offset += tensor->size_bytes;
  tp_onnx_put_entry (out, TENSOR_EXTERNAL, "location", writer->data_name);
  tp_onnx_put_entry (out, TENSOR_EXTERNAL, "offset", offset);
  tp_onnx_put_entry (out, TENSOR_EXTERNAL, "length", length);
  tp_onnx_put_int (out, TENSOR_LOCATION, 1);
  tp_onnx_put_message (writer->bytes, GRAPH_INITIALIZER, out);
  return tp_saver_write (writer->data, zeros, gap, error)
         && tp_saver_write_tensor (writer->data, tensor, error);
}

static gboolean
add_initializers (Writer *writer, GError **error)
{
  TpGraphBuilder *builder = writer->builder;
  g_autofree guint8 *uses = tp_graph_find_uses (builder);

  for (guint i = 0; i < builder->constants->len; i++)
    {
      int index = g_array_index (builder->constants, int, i);
      const TpTensor *tensor = tp_draft_tensor (builder->draft, index);

      if (!(uses[index] & 1))
        continue;
      if (writer->data == NULL || tensor->size_bytes < MIN_EXTERNAL_BYTES)
        add_inside (writer, tensor);
      else if (!add_outside (writer, tensor, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- nodes ------------------------------------------------------------- */

static gboolean
put_tensor (GByteArray *out, const TpTensor *tensor, GError **error)
{
  g_autofree void *values = g_try_malloc (MAX (tensor->size_bytes, 1));
  GByteArray *message;

  if (values == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "no memory for tensor '%s'", tensor->name);
      return FALSE;
    }
  tp_tensor_write_value (tensor, values);
  message = describe_tensor (tensor);
  tp_onnx_put_bytes (message, TENSOR_RAW, values, tensor->size_bytes);
  tp_onnx_put_message (out, ATTR_T, message);
  return TRUE;
}

/* The value of @attr, and ONNX's number for its kind. */
static gboolean
put_attr (const Writer *writer, GByteArray *out, const TpAttr *attr,
          GError **error)
{
  static const int types[]
      = { [TP_ATTR_FLOAT] = 1, [TP_ATTR_INT] = 2,    [TP_ATTR_STRING] = 3,
          [TP_ATTR_TENSOR] = 4, [TP_ATTR_FLOATS] = 6, [TP_ATTR_INTS] = 7,
          [TP_ATTR_STRINGS] = 8 };

  tp_onnx_put_string (out, ATTR_NAME, attr->name);
  tp_onnx_put_int (out, ATTR_TYPE, types[attr->kind]);
  switch (attr->kind)
    {
    case TP_ATTR_INT:
      tp_onnx_put_int (out, ATTR_I, attr->i);
      return TRUE;
    case TP_ATTR_FLOAT:
      tp_onnx_put_varint (out, ATTR_F << 3 | TP_WIRE_FIXED32);
      tp_onnx_put_float (out, attr->f);
      return TRUE;
    case TP_ATTR_STRING:
      tp_onnx_put_string (out, ATTR_S, attr->s);
      return TRUE;
    case TP_ATTR_TENSOR:
      return put_tensor (out,
                         tp_draft_tensor (writer->builder->draft, attr->i),
                         error);
    case TP_ATTR_INTS:
      for (int i = 0; i < attr->n; i++)
        tp_onnx_put_int (out, ATTR_INTS, attr->ints[i]);
      return TRUE;
    case TP_ATTR_STRINGS:
      for (int i = 0; i < attr->n; i++)
        tp_onnx_put_string (out, ATTR_STRINGS, attr->strings[i]);
      return TRUE;
    case TP_ATTR_FLOATS:
      for (int i = 0; i < attr->n; i++)
        {
          tp_onnx_put_varint (out, ATTR_FLOATS << 3 | TP_WIRE_FIXED32);
          tp_onnx_put_float (out, attr->floats[i]);
        }
      return TRUE;
    }
  g_assert_not_reached ();
}

static void
put_names (const Writer *writer, GByteArray *out, const TpNode *node,
           int index)
{
  for (int i = 0; i < node->n_inputs; i++)
    tp_onnx_put_string (out, NODE_INPUT,
                        node->inputs[i] < 0
                            ? ""
                            : tp_draft_tensor (writer->builder->draft,
                                               node->inputs[i])->name);
  for (int i = 0; i < node->n_outputs; i++)
    {
      const char *name
          = tp_draft_tensor (writer->builder->draft, node->outputs[i])->name;

      tp_onnx_put_string (out, NODE_OUTPUT,
                          tp_graph_is_made_up (name, index, i) ? "" : name);
    }
}

/* Of ops whose names are bare here, and which ONNX does not have. */
static char *
dup_domain (const char *type)
{
  static const char *const contributed[]
      = { "FastGelu", "MatMulNBits", NULL };
  const char *dot = strrchr (type, '.');

  if (g_strv_contains (contributed, type))
    return g_strdup ("com.microsoft");
  return g_strndup (type, dot == NULL ? 0 : (gsize) (dot - type));
}

/* "com.microsoft.FusedConv" is FusedConv of the domain com.microsoft. */
static void
put_type (Writer *writer, GByteArray *out, const char *type)
{
  const char *dot = strrchr (type, '.');
  g_autofree char *domain = dup_domain (type);

  tp_onnx_put_string (out, NODE_TYPE, dot == NULL ? type : dot + 1);
  if (*domain == '\0')
    return;
  tp_onnx_put_string (out, NODE_DOMAIN, domain);
  if (!g_ptr_array_find_with_equal_func (writer->domains, domain, g_str_equal,
                                         NULL))
    g_ptr_array_add (writer->domains, g_steal_pointer (&domain));
}

/* Where the outputs of @node are: whole, on the device of that number. */
static void
put_node_device (const Writer *writer, GByteArray *out, const TpNode *node,
                 const char *device)
{
  GByteArray *devices = g_byte_array_new ();
  guint number = 0;

  g_ptr_array_find_with_equal_func (writer->configuration, device, g_str_equal,
                                    &number);
  tp_onnx_put_string (devices, DEVICES_CONFIGURATION, CONFIGURATION);
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      {
        const TpTensor *output
            = tp_draft_tensor (writer->builder->draft, node->outputs[i]);
        GByteArray *sharding = g_byte_array_new ();

        tp_onnx_put_string (sharding, SHARDING_TENSOR, output->name);
        tp_onnx_put_int (sharding, SHARDING_DEVICE, number);
        tp_onnx_put_message (devices, DEVICES_SHARDING, sharding);
      }
  tp_onnx_put_message (out, NODE_DEVICES, devices);
}

static void
put_device (const Writer *writer, GByteArray *out, const TpNode *node,
            const char *device)
{
  tp_onnx_put_entry (out, NODE_METADATA, TP_PLACEMENT_KEY, device);
  tp_onnx_put_entry (out, NODE_METADATA, ORT_ANNOTATION, device);
  if (writer->configuration != NULL)
    put_node_device (writer, out, node, device);
}

static gboolean
add_nodes (Writer *writer, GError **error)
{
  TpDraft *draft = writer->builder->draft;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);
      GByteArray *out = g_byte_array_new ();
      gboolean good = TRUE;

      put_names (writer, out, node, i);
      tp_onnx_put_string (out, NODE_NAME, node->name);
      put_type (writer, out, node->type);
      if (writer->devices != NULL && writer->devices[i] != NULL)
        put_device (writer, out, node, writer->devices[i]);
      for (int k = 0; good && k < node->n_attrs; k++)
        {
          GByteArray *attr = g_byte_array_new ();

          good = put_attr (writer, attr, &node->attrs[k], error);
          tp_onnx_put_message (out, NODE_ATTRIBUTE, attr);
        }
      tp_onnx_put_message (writer->bytes, GRAPH_NODE, out);
      if (!good)
        return FALSE;
    }
  return TRUE;
}

/* ---- the model --------------------------------------------------------- */

static void
put_opset (GByteArray *out, const char *domain, gint64 version)
{
  GByteArray *opset = g_byte_array_new ();

  if (*domain != '\0')
    tp_onnx_put_string (opset, TP_ONNX_OPSET_DOMAIN, domain);
  tp_onnx_put_int (opset, TP_ONNX_OPSET_VERSION, version);
  tp_onnx_put_message (out, MODEL_OPSET, opset);
}

static void
put_configuration (const Writer *writer, GByteArray *out)
{
  GByteArray *configuration = g_byte_array_new ();

  tp_onnx_put_string (configuration, CONFIGURATION_NAME, CONFIGURATION);
  tp_onnx_put_int (configuration, CONFIGURATION_COUNT,
                   writer->configuration->len);
  for (guint i = 0; i < writer->configuration->len; i++)
    tp_onnx_put_string (configuration, CONFIGURATION_DEVICE,
                        writer->configuration->pdata[i]);
  tp_onnx_put_message (out, MODEL_CONFIGURATION, configuration);
}

/* Everything before the graph; the values of dimensions are ours alone. */
static GByteArray *
make_head (const Writer *writer, gint64 graph_bytes)
{
  GByteArray *out = g_byte_array_new ();
  const TpDims *dims = writer->builder->dims;
  g_autoptr (TpArray) names = tp_dims_sort_names (dims);

  tp_onnx_put_int (out, MODEL_IR_VERSION,
                   writer->configuration != NULL ? IR_VERSION_DEVICES
                   : writer->devices != NULL     ? IR_VERSION_METADATA
                                                 : IR_VERSION);
  tp_onnx_put_string (out, MODEL_PRODUCER, "tplan");
  tp_onnx_put_string (out, MODEL_PRODUCER_VERSION, PACKAGE_VERSION);
  put_opset (out, "", writer->builder->draft->opset);
  for (guint i = 0; i < writer->domains->len; i++)
    put_opset (out, writer->domains->pdata[i], 1);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = tp_array_index (names, const char *, i);
      g_autofree char *key = g_strconcat (TP_ONNX_DIM_PREFIX, name, NULL);
      g_autofree char *text
          = g_strdup_printf ("%" G_GINT64_FORMAT, *tp_dims_find (dims, name));

      tp_onnx_put_entry (out, MODEL_METADATA, key, text);
    }
  if (writer->configuration != NULL)
    put_configuration (writer, out);
  tp_onnx_put_varint (out, MODEL_GRAPH << 3 | TP_WIRE_BYTES);
  tp_onnx_put_varint (out, graph_bytes);
  return out;
}

static gboolean
save_pieces (const Writer *writer, const char *path, GError **error)
{
  g_autoptr (TpSaver) saver = tp_saver_new (path, error);
  g_autoptr (GByteArray) head = NULL;
  gint64 size = 0;

  if (saver == NULL)
    return FALSE;
  for (guint i = 0; i < writer->pieces->len; i++)
    {
      const Piece *piece = &g_array_index (writer->pieces, Piece, i);

      size += piece->bytes->len;
      size += piece->tensor != NULL ? piece->tensor->size_bytes : 0;
    }
  head = make_head (writer, size);
  if (!tp_saver_write (saver, head->data, head->len, error))
    return FALSE;
  for (guint i = 0; i < writer->pieces->len; i++)
    {
      const Piece *piece = &g_array_index (writer->pieces, Piece, i);

      if (!tp_saver_write (saver, piece->bytes->data, piece->bytes->len, error)
          || (piece->tensor != NULL
              && !tp_saver_write_tensor (saver, piece->tensor, error)))
        return FALSE;
    }
  return tp_saver_finish (saver, error);
}

static gboolean
write_all (Writer *writer, const char *path, GError **error)
{
  Piece last = { NULL, NULL };

  tp_onnx_put_string (writer->bytes, GRAPH_NAME,
              *writer->builder->draft->name != '\0'
                  ? writer->builder->draft->name
                  : "graph");
  if (!add_nodes (writer, error))
    return FALSE;
  tp_onnx_put_values (writer->bytes, writer->builder, writer->types);
  if (!add_initializers (writer, error))
    return FALSE;
  last.bytes = g_byte_array_ref (writer->bytes);
  g_array_append_val (writer->pieces, last);
  return (writer->data == NULL || tp_saver_finish (writer->data, error))
         && save_pieces (writer, path, error);
}

static void
clear_piece (gpointer piece)
{
  g_byte_array_unref (((Piece *) piece)->bytes);
}

gboolean
tp_graph_write_onnx (TpGraphBuilder *builder, const TpGraph *types,
                     const char *path, const char *data_path, GError **error)
{
  const TpOnnxParts parts = { .types = types, .data_path = data_path };

  return tp_graph_write_onnx_parts (builder, &parts, path, error);
}

gboolean
tp_graph_write_onnx_parts (TpGraphBuilder *builder, const TpOnnxParts *parts,
                           const char *path, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_autoptr (GPtrArray) domains = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) configuration = NULL;
  g_autoptr (TpSaver) data = NULL;
  g_autofree char *data_name = NULL;
  Writer writer = { .builder = builder, .types = parts->types,
                    .devices = parts->devices, .pieces = pieces,
                    .domains = domains };
  gboolean good;

  g_assert (builder->draft->branches->len == 0);
  if (!tp_graph_check_stateless (builder, error))
    return FALSE;
  if (parts->has_configuration)
    writer.configuration = configuration = tp_placement_list_devices (
        parts->devices, builder->draft->nodes->len);
  g_array_set_clear_func (pieces, clear_piece);
  if (parts->data_path != NULL)
    {
      data = tp_saver_new (parts->data_path, error);
      if (data == NULL)
        return FALSE;
      data_name = g_path_get_basename (parts->data_path);
    }
  writer.data = data;
  writer.data_name = data_name;
  writer.bytes = g_byte_array_new ();
  good = write_all (&writer, path, error);
  g_byte_array_unref (writer.bytes);
  return good;
}
