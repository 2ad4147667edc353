/* tensor-safetensors.c: .safetensors: the length of a header, the header in
 * JSON, the bytes of all tensors without gaps. */
#include "config.h"

#include "format/tensor-safetensors.h"

#include "format/json-read.h"
#include "format/tensor-kinds.h"
#include "ir/array.h"

#include <string.h>

#define PREFIX_SIZE 8
#define MAX_HEADER_BYTES (16 << 20)

/* Known to the format, not to us. */
static const char *const foreign_dtypes[]
    = { "F8_E4M3", "F8_E5M2", "U64", NULL };

typedef struct
{
  TpTensorFile *file;
  gsize first;                /* byte behind the header */
  TpArray *extents;           /* TpExtent */
} Reader;

static gboolean
find_dtype (TpTensorEntry *entry, const char *name)
{
  for (int i = 0; i < tp_dtype_count (); i++)
    if (strcmp (tp_dtype_get (i)->safetensors, name) == 0)
      {
        entry->tensor.dtype = i;
        return TRUE;
      }
  for (int i = 0; foreign_dtypes[i] != NULL; i++)
    if (strcmp (foreign_dtypes[i], name) == 0)
      {
        entry->foreign_dtype = foreign_dtypes[i];
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_dtype (TpJsonPlace place, TpTensorEntry *entry, GError **error)
{
  const char *name;

  if (!tp_json_get_string (place, "dtype", TRUE, &name, error))
    return FALSE;
  if (find_dtype (entry, name))
    return TRUE;
  tp_json_set_error (place, "dtype", error, "is '%s', no type of the format",
                     name);
  return FALSE;
}

static gboolean
read_shape (TpJsonPlace place, TpFileTensor *tensor, GError **error)
{
  json_t *list, *item;
  size_t i;

  if (!tp_json_get_list (place, "shape", TRUE, &list, error))
    return FALSE;
  if (json_array_size (list) > TP_MAX_RANK)
    {
      tp_json_set_error (place, "shape", error, "has more than %d dimensions",
                         TP_MAX_RANK);
      return FALSE;
    }
  tensor->rank = json_array_size (list);
  json_array_foreach (list, i, item)
    {
      tensor->dims[i] = json_is_integer (item) ? json_integer_value (item) : -1;
      if (tensor->dims[i] < 0)
        break;
    }
  if (i == json_array_size (list)
      && tp_dims_count (tensor->rank, tensor->dims, &tensor->count))
    return TRUE;
  tp_json_set_error (place, "shape", error, "must be a list of integers from "
                     "0, with a size below 2^63 bytes");
  return FALSE;
}

/* First and last byte of a tensor, counted from the end of the header. */
static gboolean
read_offsets (const Reader *reader, TpJsonPlace place, TpTensorEntry *entry,
              GError **error)
{
  gsize room = reader->file->size - reader->first;
  json_t *list;
  gint64 first, end;

  if (!tp_json_get_list (place, "data_offsets", TRUE, &list, error))
    return FALSE;
  if (json_array_size (list) != 2
      || !json_is_integer (json_array_get (list, 0))
      || !json_is_integer (json_array_get (list, 1)))
    {
      tp_json_set_error (place, "data_offsets", error, "must be two integers");
      return FALSE;
    }
  first = json_integer_value (json_array_get (list, 0));
  end = json_integer_value (json_array_get (list, 1));
  if (first < 0 || end < first || (guint64) end > room)
    {
      tp_json_set_error (place, "data_offsets", error,
                         "are %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         "; %" G_GSIZE_FORMAT " bytes follow the header: the "
                         "file is cut short or damaged", first, end, room);
      return FALSE;
    }
  entry->offset = reader->first + first;
  entry->size = end - first;
  return TRUE;
}

static gboolean
check_size (TpJsonPlace place, TpTensorEntry *entry, GError **error)
{
  TpFileTensor *tensor = &entry->tensor;

  if (entry->foreign_dtype != NULL)
    return TRUE;
  tensor->size_bytes
      = tensor->count * (gint64) tp_dtype_get_size (tensor->dtype);
  if ((guint64) tensor->size_bytes == entry->size)
    return TRUE;
  tp_json_set_error (place, "data_offsets", error, "span %" G_GSIZE_FORMAT
                     " bytes, the shape takes %" G_GINT64_FORMAT, entry->size,
                     tensor->size_bytes);
  return FALSE;
}

static gboolean
add_tensor (Reader *reader, const char *key, const json_t *json,
            GError **error)
{
  static const char *const keys[] = { "dtype", "shape", "data_offsets", NULL };
  TpJsonPlace place = { reader->file->name, key, json };
  TpTensorEntry *entry = tp_tensor_file_add (reader->file, key, error);
  TpExtent extent;

  if (entry == NULL || !tp_json_check_object (place, keys, error)
      || !read_dtype (place, entry, error)
      || !read_shape (place, &entry->tensor, error)
      || !read_offsets (reader, place, entry, error)
      || !check_size (place, entry, error))
    return FALSE;
  extent = (TpExtent){ entry->offset, entry->offset + entry->size };
  tp_array_append_val (reader->extents, extent);
  return TRUE;
}

/* Every byte belongs to one tensor, as the format wants it: what hides between
 * them is no one's. */
static gboolean
check_extents (const Reader *reader, GError **error)
{
  gsize at = reader->first;
  gboolean overlaps = tp_extents_find_overlap (reader->extents) >= 0;

  for (guint i = 0; !overlaps && i < reader->extents->len; i++)
    {
      const TpExtent *extent = &tp_array_index (reader->extents, TpExtent, i);

      if (extent->first != at)
        break;
      at = extent->end;
    }
  if (overlaps)
    return tp_tensor_file_fail (reader->file, error, "two tensors share bytes: "
                                "the file is damaged or made to harm");
  if (at != reader->file->size)
    return tp_tensor_file_fail (reader->file, error, "the bytes from %"
                                G_GSIZE_FORMAT " on belong to no tensor: the "
                                "file is damaged", at);
  return TRUE;
}

static gboolean
find_header (const TpTensorFile *file, gsize *out_size, GError **error)
{
  guint64 size = 0;

  for (int i = 0; i < PREFIX_SIZE && file->size >= PREFIX_SIZE; i++)
    size |= (guint64) file->base[i] << (8 * i);
  *out_size = size;
  if (size < 2 || size > file->size - PREFIX_SIZE
      || file->base[PREFIX_SIZE] != '{')
    return tp_tensor_file_fail (file, error,
                                "not a .safetensors file, or cut short: save it anew");
  if (size > MAX_HEADER_BYTES)
    return tp_tensor_file_fail (file, error, "its header has %" G_GUINT64_FORMAT
                                " bytes; at most %d are read", size,
                                MAX_HEADER_BYTES);
  return TRUE;
}

gboolean
tp_safetensors_list (TpTensorFile *file, GError **error)
{
  g_autoptr (json_t) root = NULL;
  g_autoptr (TpArray) extents = tp_array_new (sizeof (TpExtent));
  Reader reader = { .file = file, .extents = extents };
  const char *key;
  json_t *value;
  gsize size;

  if (!find_header (file, &size, error))
    return FALSE;
  reader.first = PREFIX_SIZE + size;
  root = tp_json_parse (file->name, (const char *) file->base + PREFIX_SIZE,
                        size, error);
  if (root == NULL)
    return FALSE;
  json_object_foreach (root, key, value)
    if (strcmp (key, "__metadata__") != 0
        && !add_tensor (&reader, key, value, error))
      return FALSE;
  return check_extents (&reader, error);
}

static const char *
get_name (TpDtype dtype)
{
  return tp_dtype_get (dtype)->safetensors;
}

gboolean
tp_safetensors_read (TpTensorFile *file, TpTensorEntry *entry, GError **error)
{
  g_autofree char *names = NULL;

  if (entry->foreign_dtype == NULL)
    {
      entry->tensor.data = file->base + entry->offset;
      return TRUE;
    }
  names = tp_dtype_join_names (get_name, " and ");
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%s: tensor '%s' is %s; known are %s: convert it before saving, "
               "as with tensor.float ()",
               file->name, entry->key, entry->foreign_dtype, names);
  return FALSE;
}
