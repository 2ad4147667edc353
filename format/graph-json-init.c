/* graph-json-init.c: initializers of JSON graphs: listed, random, filled, or
 * in a file beside the graph. */
#include "config.h"

#include "format/graph-json-init.h"

#include "format/file.h"
#include "format/graph-json-shape.h"
#include "format/tensor-file.h"
#include "graph/graph-builder-private.h"
#include "ir/region.h"

#include <math.h>
#include <string.h>

#define MAX_EXACT ((gint64) 1 << 53) /* of integers that a double holds */

typedef struct
{
  const TpGraphJson *reader;
  TpJsonPlace place;
  gboolean has_shape;
  TpTensor tensor;            /* all but its values, and dimensions: @dims */
  gint64 dims[TP_MAX_RANK];
} Entry;

static gboolean
add (const Entry *entry, const TpInit *init, GError **error)
{
  TpTensor constant = entry->tensor;

  constant.dims = entry->dims;
  constant.init = *init;
  return tp_graph_builder_add_constant (entry->reader->builder, &constant,
                                        entry->place.path, error);
}

/* ---- data -------------------------------------------------------------- */

static gboolean
is_integer_in (const json_t *item, gint64 low, gint64 high)
{
  return json_is_integer (item) && json_integer_value (item) >= low
         && json_integer_value (item) <= high;
}

static gboolean
store_real (const TpDtypeRow *row, const json_t *item, void *dst)
{
  double number = json_number_value (item);
  double stored = 0.0;

  row->store_reals (&number, 1, 1, dst);
  row->load_reals (dst, 1, 1, &stored);
  return json_is_number (item) && isfinite (stored);
}

/* Booleans may be 0 and 1 too. */
static gboolean
store_integer (const TpDtypeRow *row, const json_t *item, void *dst)
{
  gboolean is_bool = row->class == TP_CLASS_BOOL;
  gint64 number = json_is_true (item) ? 1 : json_integer_value (item);

  row->store_integers (&number, 1, 1, dst);
  return (is_bool && json_is_boolean (item))
         || is_integer_in (item, row->low, is_bool ? 1 : row->high);
}

/* Stores element @i; FALSE when it is not a value of the type. */
static gboolean
store (TpDtype dtype, void *data, gsize i, const json_t *item)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  void *dst = (char *) data + i * row->size;

  return row->class == TP_CLASS_REAL ? store_real (row, item, dst)
                                     : store_integer (row, item, dst);
}

static gboolean
add_data (const Entry *entry, const json_t *list, GError **error)
{
  TpInit init = { .kind = TP_INIT_DATA };
  json_t *item;
  size_t i;
  void *data;

  if (!json_is_array (list)
      || json_array_size (list) != (gsize) entry->tensor.count)
    {
      tp_json_set_error (entry->place, "data", error,
                         "must be a list of %" G_GINT64_FORMAT
                         " values, row by row",
                         entry->tensor.count);
      return FALSE;
    }
  data = tp_region_alloc (entry->reader->builder->draft->region,
                          entry->tensor.count,
                          tp_dtype_get_size (entry->tensor.dtype), error);
  if (data == NULL)
    return FALSE;
  json_array_foreach (list, i, item)
    if (!store (entry->tensor.dtype, data, i, item))
      {
        g_autofree char *at = g_strdup_printf ("data[%zu]", i);
        tp_json_set_error (entry->place, at, error, "is not a value of type %s",
                           tp_dtype_get_name (entry->tensor.dtype));
        return FALSE;
      }
  init.data = data;
  return add (entry, &init, error);
}

/* ---- random, fill ------------------------------------------------------ */

static gboolean
add_random (const Entry *entry, const json_t *value, GError **error)
{
  static const char *const keys[] = { "seed", "std", NULL };
  g_autofree char *path = g_strconcat (entry->place.path, ".random", NULL);
  TpJsonPlace place = tp_graph_json_place (entry->reader, path, value);
  TpInit init = { .kind = TP_INIT_RANDOM, .value = 1.0 };
  gint64 seed;

  if (!tp_json_check_object (place, keys, error)
      || !tp_json_get_int (place, "seed", TRUE, &seed, error)
      || !tp_json_get_number (place, "std", FALSE, &init.value, error))
    return FALSE;
  if (seed < 0)
    tp_json_set_error (place, "seed", error, "must not be negative");
  else if (!(init.value >= 0.0 && init.value <= 1e30))
    tp_json_set_error (place, "std", error, "must be from 0 to 1e30");
  else if (tp_dtype_is_integer (entry->tensor.dtype))
    tp_json_set_error (place, NULL, error,
                       "random values are reals, not %s",
                       tp_dtype_get_name (entry->tensor.dtype));
  else
    {
      init.seed = seed;
      return add (entry, &init, error);
    }
  return FALSE;
}

static gboolean
add_fill (const Entry *entry, const json_t *value, GError **error)
{
  TpInit init = { .kind = TP_INIT_FILL };
  gint64 slot;

  if (!store (entry->tensor.dtype, &slot, 0, value)
      || (json_is_integer (value)
          && !is_integer_in (value, -MAX_EXACT, MAX_EXACT)))
    {
      tp_json_set_error (entry->place, "fill", error,
                         "is not a value of type %s, or an integer beyond "
                         "2^53: list it as data",
                         tp_dtype_get_name (entry->tensor.dtype));
      return FALSE;
    }
  init.value = json_is_boolean (value) ? json_is_true (value)
                                       : json_number_value (value);
  return add (entry, &init, error);
}

/* ---- file -------------------------------------------------------------- */

static gboolean
check_file_shape (const Entry *entry, const TpFileTensor *value,
                  GError **error)
{
  if (json_object_get (entry->place.json, "dtype") != NULL
      && entry->tensor.dtype != value->dtype)
    tp_json_set_error (entry->place, "dtype", error, "the file holds %s",
                       tp_dtype_get_name (value->dtype));
  else if (entry->has_shape
           && (entry->tensor.rank != value->rank
               || memcmp (entry->dims, value->dims,
                          value->rank * sizeof (gint64))
                      != 0))
    tp_json_set_error (entry->place, "shape", error,
                       "the file holds another shape, of rank %d", value->rank);
  else
    return TRUE;
  return FALSE;
}

/* The file called @name, opened once and kept as long as the graph. */
static TpTensorFile *
get_file (const Entry *entry, const char *name, GError **error)
{
  const TpGraphJson *reader = entry->reader;
  TpTensorFile *file = tp_map_lookup (reader->files, name);
  const TpLimits *limits = &reader->builder->draft->limits;
  g_autoptr (GBytes) bytes = NULL;

  if (file != NULL)
    return file;
  bytes = tp_load_options_find_file (reader->options, reader->path, name,
                                     error);
  file = bytes != NULL ? tp_tensor_file_new (bytes, name, limits, error) : NULL;
  if (file == NULL)
    return NULL;
  tp_region_own (reader->builder->draft->region, file,
                 (GDestroyNotify) tp_tensor_file_free);
  tp_map_insert (reader->files, g_strdup (name), file);
  return file;
}

static gboolean
find_value (const Entry *entry, const char *name, TpFileTensor *out_value,
            GError **error)
{
  const char *key = NULL;
  TpTensorFile *file;

  if (!tp_json_get_string (entry->place, "key", FALSE, &key, error))
    return FALSE;
  file = get_file (entry, name, error);
  if (file != NULL && tp_tensor_file_get (file, key, out_value, error))
    return TRUE;
  g_prefix_error (error, "%s: %s.file: ", entry->reader->path,
                  entry->place.path);
  return FALSE;
}

static gboolean
add_file (const Entry *entry, const json_t *value, GError **error)
{
  const char *name = json_string_value (value);
  Entry filled = *entry;
  TpInit init = { .kind = TP_INIT_DATA };
  TpFileTensor tensor;

  if (name == NULL || entry->reader->path == NULL)
    {
      tp_json_set_error (entry->place, "file", error,
                         "must be the name of a file beside the graph");
      return FALSE;
    }
  if (!find_value (entry, name, &tensor, error)
      || !check_file_shape (entry, &tensor, error))
    return FALSE;
  filled.tensor.dtype = tensor.dtype;
  filled.tensor.rank = tensor.rank;
  memcpy (filled.dims, tensor.dims, sizeof tensor.dims);
  init.data = tensor.data;
  return add (&filled, &init, error);
}

/* ---- an entry ---------------------------------------------------------- */

static gboolean
read_shape (Entry *entry, GError **error)
{
  json_t *list, *item;
  size_t i;

  if (!tp_json_get_list (entry->place, "shape", FALSE, &list, error))
    return FALSE;
  entry->has_shape = list != NULL;
  entry->tensor.rank = json_array_size (list);
  if (json_array_size (list) > TP_MAX_RANK)
    {
      tp_json_set_error (entry->place, "shape", error,
                         "has more than %d dimensions", TP_MAX_RANK);
      return FALSE;
    }
  json_array_foreach (list, i, item)
    {
      g_autofree char *at = g_strdup_printf ("shape[%zu]", i);

      entry->dims[i] = json_integer_value (item);
      if (!json_is_integer (item) || entry->dims[i] < 0)
        {
          tp_json_set_error (entry->place, at, error,
                             "must be an integer, 0 or more");
          return FALSE;
        }
    }
  if (tp_dims_count (entry->tensor.rank, entry->dims,
                     &entry->tensor.count))
    return TRUE;
  tp_json_set_error (entry->place, "shape", error,
                     "has too many elements: the size overflows 64 bits");
  return FALSE;
}

gboolean
tp_graph_json_add_initializer (const TpGraphJson *reader, TpJsonPlace place,
                               GError **error)
{
  static const char *const keys[] = { "name", "dtype", "shape", "data",
                                      "random", "fill", "file", "key", NULL };
  static const struct
  {
    const char *key;
    gboolean (*add) (const Entry *entry, const json_t *value, GError **error);
  } forms[] = {
    { "data", add_data }, { "random", add_random },
    { "fill", add_fill }, { "file", add_file },
  };
  Entry entry
      = { .reader = reader,
          .place = place,
          .tensor.dtype = TPLAN_DTYPE_FLOAT32 };
  gsize form = 0, n_forms = 0;

  if (!tp_json_check_object (place, keys, error)
      || !tp_json_get_string (place, "name", TRUE, &entry.tensor.name, error)
      || !tp_json_get_dtype (place, "dtype", &entry.tensor.dtype, error)
      || !read_shape (&entry, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (json_object_get (place.json, forms[i].key) != NULL)
      {
        form = i;
        n_forms++;
      }
  if (n_forms != 1)
    tp_json_set_error (place, NULL, error,
                       "needs exactly one of data, random, fill, file");
  else if (!entry.has_shape && forms[form].add != add_file)
    tp_json_set_error (place, "shape", error, "is missing, must be a list");
  else if (json_object_get (place.json, "key") != NULL
           && forms[form].add != add_file)
    tp_json_set_error (place, "key", error, "only a file has keys");
  else
    return forms[form].add (
        &entry, json_object_get (place.json, forms[form].key), error);
  return FALSE;
}
