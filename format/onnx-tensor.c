/* onnx-tensor.c: TensorProto: constants, in the file or in one beside it.
 *
 * raw_data is used where it lies, aligned or not. The lists of numbers
 * (float_data, int64_data, ...) are read twice: counted, then stored, so that
 * memory is asked for what is there, not for what the dims say. */
#include "config.h"

#include "format/onnx-tensor.h"

#include "format/file.h"
#include "format/onnx-narrow.h"
#include "format/onnx-scope.h"
#include "format/onnx.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/name-hash.h"
#include "ir/region.h"

#include <string.h>

enum
{
  TENSOR_DIMS = 1,
  TENSOR_DATA_TYPE = 2,
  TENSOR_SEGMENT = 3,
  TENSOR_FLOAT_DATA = 4,
  TENSOR_INT32_DATA = 5,
  TENSOR_INT64_DATA = 7,
  TENSOR_NAME = 8,
  TENSOR_RAW_DATA = 9,
  TENSOR_DOUBLE_DATA = 10,
  TENSOR_EXTERNAL_DATA = 13,
  TENSOR_DATA_LOCATION = 14,
};

enum { EXTERNAL_KEY = 1, EXTERNAL_VALUE = 2, LOCATION_EXTERNAL = 1 };

typedef struct
{
  TpOnnx *onnx;
  const char *name;
  gint64 data_type;
  gboolean takes_narrow;
  const TpNarrow *narrow;     /* what is of a byte or less in the file; or NULL */
  TpDtype dtype;              /* once the frame is checked */
  TpArray *dims;              /* gint64 */
  gint64 count, size_bytes;
  gint64 file_bytes;          /* what it takes there */
  TpWireField raw;            /* number 0: none */
  gint64 location;
  const char *external[3];    /* location, offset, length */
  const char *key;            /* of the external entry being read */
  gint64 n_listed;
  guint8 *data;               /* where lists go */
} Tensor;

const char *
tp_onnx_get_type_name (gint64 number)
{
  static const char *const names[]
      = { "of no type", "float", "uint8", "int8", "uint16", "int16", "int32",
          "int64", "string", "bool", "float16", "double", "uint32", "uint64",
          "complex64", "complex128", "bfloat16", "float8e4m3fn",
          "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
          "float4e2m1", "float8e8m0", "uint2", "int2" };

  return number >= 0 && number < (gint64) G_N_ELEMENTS (names)
             ? names[number]
             : "of an unknown type";
}

static const char *
get_name (TpDtype dtype)
{
  return tp_onnx_get_type_name (tp_dtype_get (dtype)->onnx);
}

char *
tp_onnx_join_type_names (const char *last)
{
  return tp_dtype_join_names (get_name, last);
}

/* ---- first reading: what there is -------------------------------------- */

static gboolean
read_external (const TpWire *wire, const TpWireField *field, gpointer user,
               GError **error)
{
  static const char *const keys[] = { "location", "offset", "length" };
  Tensor *tensor = user;
  const char *value = NULL;

  if (field->number == EXTERNAL_KEY)
    return tp_wire_get_string (wire, field, tensor->onnx->strings,
                               &tensor->key, error);
  if (field->number != EXTERNAL_VALUE)
    return TRUE;
  if (!tp_wire_get_string (wire, field, tensor->onnx->strings, &value, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_strcmp0 (tensor->key, keys[i]) == 0)
      tensor->external[i] = value;
  return TRUE;
}

static void
add_dim (gpointer user, guint64 bits)
{
  Tensor *tensor = user;
  gint64 dim = bits;

  if (tensor->dims->len <= TP_MAX_RANK) /* one more shows that it is too many */
    tp_array_append_val (tensor->dims, dim);
}

static gboolean
read_frame (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Tensor *tensor = user;
  TpWirePath path = { wire->path, "external_data", -1 };

  switch (field->number)
    {
    case TENSOR_DIMS:
      return tp_wire_get_repeated (
          wire, field, (TpWireSink){ TP_WIRE_VARINT, add_dim, tensor }, error);
    case TENSOR_DATA_TYPE:
      return tp_wire_get_int (wire, field, &tensor->data_type, error);
    case TENSOR_NAME:
      return tp_wire_get_string (wire, field, tensor->onnx->strings,
                                 &tensor->name, error);
    case TENSOR_RAW_DATA:
      tensor->raw = *field;
      return tp_wire_expect (wire, field, TP_WIRE_BYTES, error);
    case TENSOR_DATA_LOCATION:
      return tp_wire_get_int (wire, field, &tensor->location, error);
    case TENSOR_EXTERNAL_DATA:
      tensor->key = NULL;
      return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
             && tp_wire_read (tp_wire_enter (wire, field, &path),
                              read_external, tensor, error);
    case TENSOR_SEGMENT:
      tp_wire_set_unsupported (wire, error, "tensors in segments");
      return FALSE;
    default:
      return TRUE;
    }
}

static gboolean
check_frame (Tensor *tensor, const TpWire *wire, GError **error)
{
  const gint64 *dims = (const gint64 *) (void *) tensor->dims->data;

  if (tensor->data_type == 0)
    {
      tp_wire_set_error (wire, wire->end, error, "tensor '%s' has no element "
                         "type: the file is cut short or damaged",
                         tensor->name);
      return FALSE;
    }
  if (tensor->takes_narrow)
    tensor->narrow = tp_narrow_find_onnx (tensor->data_type);
  if (tensor->narrow != NULL)
    tensor->dtype = tensor->narrow->dtype;
  else if (!tp_dtype_find_onnx (tensor->data_type, &tensor->dtype))
    {
      g_autofree char *known = tp_onnx_join_type_names (", ");

      tp_wire_set_unsupported (wire, error, "tensor '%s' is %s (ONNX element "
                               "type %" G_GINT64_FORMAT "); known are %s: "
                               "convert the model", tensor->name,
                               tp_onnx_get_type_name (tensor->data_type),
                               tensor->data_type, known);
      return FALSE;
    }
  if (tensor->dims->len > TP_MAX_RANK)
    tp_wire_set_error (wire, wire->pos, error, "tensor '%s' has more than %d "
                       "dimensions", tensor->name, TP_MAX_RANK);
  else if (!tp_dims_count (tensor->dims->len, dims, &tensor->count))
    tp_wire_set_error (wire, wire->pos, error, "tensor '%s': its shape is "
                       "negative or its size overflows 64 bits", tensor->name);
  else
    {
      tensor->size_bytes
          = tensor->count * (gint64) tp_dtype_get_size (tensor->dtype);
      tensor->file_bytes
          = tensor->narrow == NULL
                ? tensor->size_bytes
                : tp_onnx_narrow_count_bytes (tensor->narrow, tensor->count);
      return TRUE;
    }
  return FALSE;
}

/* ---- values in lists --------------------------------------------------- */

typedef struct
{
  guint32 number;             /* of the field */
  TpWireType item;
} List;

/* Two reals and the widest integer have lists of their own; all others are
 * int32_data. */
static List
list_of (TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  gboolean is_real = row->class == TP_CLASS_REAL;

  if (is_real && row->size == sizeof (float))
    return (List){ TENSOR_FLOAT_DATA, TP_WIRE_FIXED32 };
  if (is_real && row->size == sizeof (double))
    return (List){ TENSOR_DOUBLE_DATA, TP_WIRE_FIXED64 };
  return (List){ row->size == sizeof (gint64) ? TENSOR_INT64_DATA
                                              : TENSOR_INT32_DATA,
                 TP_WIRE_VARINT };
}

static void
count_item (gpointer user, guint64 bits)
{
  ((Tensor *) user)->n_listed++;
}

static void
store_item (gpointer user, guint64 bits)
{
  Tensor *tensor = user;
  const TpDtypeRow *row = tp_dtype_get (tensor->dtype);
  gsize size = tensor->narrow != NULL ? 1 : row->size;

  if (row->class == TP_CLASS_BOOL)
    bits = bits != 0;
  for (gsize i = 0; i < size; i++)
    tensor->data[tensor->n_listed * size + i] = 0;
  memcpy (tensor->data + tensor->n_listed * size, &bits, size);
  tensor->n_listed++;
}

static gboolean
count_list (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Tensor *tensor = user;
  List list = list_of (tensor->dtype);
  TpWireSink sink = { list.item, count_item, tensor };

  return field->number != list.number
         || tp_wire_get_repeated (wire, field, sink, error);
}

static gboolean
store_list (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Tensor *tensor = user;
  List list = list_of (tensor->dtype);
  TpWireSink sink = { list.item, store_item, tensor };

  return field->number != list.number
         || tp_wire_get_repeated (wire, field, sink, error);
}

static const void *
read_lists (Tensor *tensor, const TpWire *wire, GError **error)
{
  /* of those that are narrow a number is a byte of them */
  gint64 count = tensor->narrow == NULL ? tensor->count : tensor->file_bytes;

  tensor->n_listed = 0;
  if (!tp_wire_read (*wire, count_list, tensor, error))
    return NULL;
  if (tensor->n_listed != count)
    {
      tp_wire_set_error (wire, wire->pos, error,
                         "tensor '%s': its shape has %" G_GINT64_FORMAT
                         " elements, the file %" G_GINT64_FORMAT,
                         tensor->name, count, tensor->n_listed);
      return NULL;
    }
  tensor->data = tp_region_alloc (tensor->onnx->region,
                                  tensor->file_bytes, 1, error);
  tensor->n_listed = 0;
  if (tensor->data == NULL || !tp_wire_read (*wire, store_list, tensor, error))
    return NULL;
  return tensor->data;
}

/* ---- values as bytes --------------------------------------------------- */

/* @data where it lies, unless a bool of it is neither 0 nor 1. */
static const void *
use_bytes (Tensor *tensor, const guint8 *data, GError **error)
{
  gint64 i = 0;
  guint8 *copy;

  if (tensor->count == 0)
    return ""; /* an empty message has no place */
  if (tp_dtype_get (tensor->dtype)->class != TP_CLASS_BOOL)
    return data;
  while (i < tensor->count && data[i] <= 1)
    i++;
  if (i == tensor->count)
    return data;
  copy = tp_region_dup (tensor->onnx->region, data, tensor->count, 1, error);
  for (; copy != NULL && i < tensor->count; i++)
    copy[i] = copy[i] != 0;
  return copy;
}

static const void *
read_raw (Tensor *tensor, const TpWire *wire, GError **error)
{
  if (tensor->raw.size == (guint64) tensor->file_bytes)
    return use_bytes (tensor, tensor->raw.data, error);
  tp_wire_set_error (wire, tensor->raw.data, error,
                     "tensor '%s': its shape takes %" G_GINT64_FORMAT
                     " bytes, raw_data has %" G_GSIZE_FORMAT, tensor->name,
                     tensor->file_bytes, tensor->raw.size);
  return NULL;
}

/* The whole file called @name, mapped once. */
static GBytes *
get_file (TpOnnx *onnx, const TpWire *wire, const char *name, GError **error)
{
  GBytes *bytes = tp_map_lookup (onnx->files, name);
  g_autoptr (GError) cause = NULL;

  if (bytes != NULL)
    return bytes;
  if (onnx->builder == NULL)
    {
      tp_wire_set_unsupported (wire, error, "external data of a lone tensor: "
                               "put the values into the file");
      return NULL;
    }
  bytes = tp_load_options_find_file (
      onnx->options, onnx->path ? onnx->path : "", name, &cause);
  if (bytes == NULL)
    {
      tp_wire_set_error (wire, wire->pos, error, "%s", cause->message);
      return NULL;
    }
  tp_map_insert (onnx->files, g_strdup (name), bytes);
  tp_graph_builder_keep (onnx->builder, bytes);
  tp_graph_builder_allow (onnx->builder, g_bytes_get_size (bytes));
  return bytes;
}

/* A decimal number; absent: @fallback. */
static gboolean
parse_number (const char *text, gint64 fallback, gint64 *out)
{
  guint64 value;

  *out = fallback;
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &value, NULL))
    return FALSE;
  *out = value;
  return TRUE;
}

static const void *
read_file (Tensor *tensor, const TpWire *wire, GError **error)
{
  gint64 offset, length, end;
  GBytes *bytes;

  if (tensor->external[0] == NULL
      || !parse_number (tensor->external[1], 0, &offset)
      || !parse_number (tensor->external[2], tensor->file_bytes, &length)
      || length != tensor->file_bytes || !tp_size_add (offset, length, &end))
    {
      tp_wire_set_error (wire, wire->pos, error,
                         "tensor '%s': external_data needs a location, an "
                         "offset of 0 or more, and a length of %"
                         G_GINT64_FORMAT ": save the model anew", tensor->name,
                         tensor->file_bytes);
      return NULL;
    }
  bytes = get_file (tensor->onnx, wire, tensor->external[0], error);
  if (bytes == NULL)
    return NULL;
  if ((guint64) end > g_bytes_get_size (bytes))
    {
      tp_wire_set_error (wire, wire->pos, error,
                         "tensor '%s' ends at byte %" G_GINT64_FORMAT
                         " of '%s', which has %" G_GSIZE_FORMAT, tensor->name,
                         end, tensor->external[0], g_bytes_get_size (bytes));
      return NULL;
    }
  return use_bytes (tensor,
                    (const guint8 *) g_bytes_get_data (bytes, NULL) + offset,
                    error);
}

/* NULL: out of memory, or of what the file may ask for. */
static const void *
unpack (Tensor *tensor, const guint8 *packed, GError **error)
{
  guint8 *out = packed == NULL ? NULL
                               : tp_region_alloc (tensor->onnx->region,
                                                  tensor->size_bytes,
                                                  tp_dtype_get_size (tensor->dtype),
                                                  error);

  if (out != NULL)
    tp_onnx_narrow_unpack (tensor->narrow, packed, tensor->count, out);
  return out;
}

static gboolean
read_tensor (Tensor *tensor, const TpWire *wire, TpFileTensor *out,
             GError **error)
{
  if (!check_frame (tensor, wire, error))
    return FALSE;
  if (tensor->location == LOCATION_EXTERNAL)
    out->data = read_file (tensor, wire, error);
  else if (tensor->raw.number != 0)
    out->data = read_raw (tensor, wire, error);
  else
    out->data = read_lists (tensor, wire, error);
  if (tensor->narrow != NULL)
    out->data = unpack (tensor, out->data, error);
  out->dtype = tensor->dtype;
  out->rank = tensor->dims->len;
  for (int i = 0; i < out->rank; i++)
    out->dims[i] = tp_array_index (tensor->dims, gint64, i);
  out->count = tensor->count;
  out->size_bytes = tensor->size_bytes;
  return out->data != NULL;
}

void
tp_onnx_set_narrow (TpOnnx *onnx, const char *name, const TpNarrow *narrow)
{
  tp_map_insert (onnx->narrow, tp_memdup (name, strlen (name) + 1), (gpointer) narrow);
}

gboolean
tp_onnx_add_tensor (TpOnnx *onnx, TpWire wire, const char *name,
                    gboolean takes_narrow, GError **error)
{
  g_autoptr (TpArray) dims = tp_array_new (sizeof (gint64));
  Tensor tensor = { .onnx = onnx, .name = "", .dims = dims,
                    .takes_narrow = takes_narrow };
  TpTensor constant = { .init = { .kind = TP_INIT_DATA } };
  TpFileTensor value = { .rank = 0 };
  g_autofree char *place = tp_wire_path_to_string (wire.path);

  if (!tp_wire_read (wire, read_frame, &tensor, error))
    return FALSE;
  tensor.name = name != NULL ? name : tp_onnx_map_name (onnx, tensor.name);
  if (!read_tensor (&tensor, &wire, &value, error))
    return FALSE;
  if (tensor.narrow != NULL)
    tp_onnx_set_narrow (onnx, tensor.name, tensor.narrow);
  constant.name = tensor.name;
  constant.dtype = value.dtype;
  constant.rank = value.rank;
  constant.dims = value.dims;
  constant.init.data = value.data;
  return tp_graph_builder_add_constant (onnx->builder, &constant, place, error);
}

gboolean
tp_onnx_read_lone_tensor (GBytes *bytes, const char *path, TpRegion *region,
                          TpFileTensor *out_tensor, GError **error)
{
  g_autoptr (TpArray) dims = tp_array_new (sizeof (gint64));
  g_autoptr (TpRegion) strings = tp_region_new (TP_REGION_NO_BUDGET);
  g_autoptr (TpMap) files = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  TpWirePath root = { NULL, "tensor", -1 };
  TpWire wire = tp_wire_open (bytes, path, &root);
  TpOnnx onnx = { .path = path, .bytes = bytes, .region = region,
                  .strings = strings, .files = files };
  Tensor tensor = { .onnx = &onnx, .name = "", .dims = dims,
                    .takes_narrow = TRUE };

  return tp_wire_read (wire, read_frame, &tensor, error)
         && read_tensor (&tensor, &wire, out_tensor, error);
}
