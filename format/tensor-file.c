/* tensor-file.c: opens a file of tensors by its suffix, and finds one in it. */
#include "config.h"

#include "format/npy.h"
#include "format/onnx-tensor.h"
#include "format/tensor-kinds.h"
#include "format/tensor-npz.h"
#include "format/tensor-safetensors.h"
#include "ir/name-hash.h"

#include <string.h>

#define MAX_KEYS_LISTED 8     /* in a message */

static gboolean
npy_read (TpTensorFile *file, TpTensorEntry *entry, GError **error)
{
  return tp_npy_parse (file->bytes, file->name, &entry->tensor, error);
}

static gboolean
pb_read (TpTensorFile *file, TpTensorEntry *entry, GError **error)
{
  return tp_onnx_read_lone_tensor (file->bytes, file->name, file->region,
                                   &entry->tensor, error);
}

static const TpTensorKind kinds[] = {
  { ".npy", FALSE, NULL, npy_read },
  { ".npz", TRUE, tp_npz_list, tp_npz_read },
  { ".safetensors", TRUE, tp_safetensors_list, tp_safetensors_read },
  { ".pb", FALSE, NULL, pb_read },
};

/* ---- opening ----------------------------------------------------------- */

static const TpTensorKind *
find_kind (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_suffix (name, kinds[i].suffix))
      return &kinds[i];
  return NULL;
}

static void
free_entry (gpointer data)
{
  TpTensorEntry *entry = data;

  g_free (entry->key);
  g_free (entry);
}

TpTensorFile *
tp_tensor_file_new (GBytes *bytes, const char *name, const TpLimits *limits,
                    GError **error)
{
  g_autoptr (TpTensorFile) file = NULL;
  const TpTensorKind *kind = find_kind (name);
  static const char *const end = NULL;
  TpLimits defaults;

  if (kind == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "%s: tensors are read from .npy, .npz, .safetensors and .pb "
                   "files: save it as one of them", name);
      return NULL;
    }
  file = g_new0 (TpTensorFile, 1);
  file->kind = kind;
  file->name = g_strdup (name);
  file->bytes = g_bytes_ref (bytes);
  file->base = g_bytes_get_data (bytes, &file->size);
  tp_limits_init (&defaults);
  file->region = tp_region_new (
      tp_limits_get_memory (limits ? limits : &defaults, file->size));
  file->entries = tp_map_new (tp_name_hash, g_str_equal, NULL, free_entry);
  file->keys = tp_array_new (sizeof (char *));
  if (kind->has_keys ? !kind->list (file, error)
                     : tp_tensor_file_add (file, "", error) == NULL)
    return NULL;
  tp_array_append_val (file->keys, end);
  return g_steal_pointer (&file);
}

void
tp_tensor_file_free (TpTensorFile *file)
{
  tp_array_unref (file->keys);
  tp_map_free (file->entries);
  tp_region_free (file->region);
  g_bytes_unref (file->bytes);
  g_free (file->name);
  g_free (file);
}

const char *const *
tp_tensor_file_get_keys (const TpTensorFile *file, int *out_n)
{
  static const char *const none[] = { NULL };

  *out_n = file->kind->has_keys ? file->keys->len - 1 : 0;
  return file->kind->has_keys ? (const char *const *) file->keys->data : none;
}

/* ---- finding ----------------------------------------------------------- */

static char *
format_keys (const TpTensorFile *file)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = file->keys->len - 1;

  for (guint i = 0; i < MIN (n, MAX_KEYS_LISTED); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "",
                            tp_array_index (file->keys, const char *, i));
  if (n > MAX_KEYS_LISTED)
    g_string_append_printf (list, " and %u more", n - MAX_KEYS_LISTED);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static TpTensorEntry *
find_entry (const TpTensorFile *file, const char *key, GError **error)
{
  TpTensorEntry *entry = NULL;
  g_autofree char *list = NULL;

  if (!file->kind->has_keys && key != NULL)
    {
      tp_tensor_file_fail (file, error, "one tensor without a key is in such a "
                           "file: leave out the key '%s'", key);
      return NULL;
    }
  if (key != NULL)
    entry = tp_map_lookup (file->entries, key);
  else if (file->keys->len == 2)
    entry = tp_map_lookup (file->entries,
                           tp_array_index (file->keys, const char *, 0));
  if (entry != NULL)
    return entry;
  list = format_keys (file);
  if (file->keys->len == 1)
    tp_tensor_file_fail (file, error, "there is no tensor in the file");
  else if (key == NULL)
    tp_tensor_file_fail (file, error, "the file holds several tensors: give "
                         "the key of one: %s", list);
  else
    tp_tensor_file_fail (file, error, "there is no tensor '%s'; there are: %s",
                         key, list);
  return NULL;
}

/* A bool is 0 or 1, whatever byte the file has. */
static gboolean
clean_bools (TpTensorFile *file, TpFileTensor *tensor, GError **error)
{
  const guint8 *bytes = tensor->data;
  guint8 *copy;
  gint64 i = 0;

  while (i < tensor->count && bytes[i] <= 1)
    i++;
  if (i == tensor->count)
    return TRUE;
  copy = tp_region_dup (file->region, bytes, tensor->count, 1, error);
  if (copy == NULL)
    return FALSE;
  for (; i < tensor->count; i++)
    copy[i] = copy[i] != 0;
  tensor->data = copy;
  return TRUE;
}

gboolean
tp_tensor_file_get (TpTensorFile *file, const char *key,
                    TpFileTensor *out_tensor, GError **error)
{
  TpTensorEntry *entry = find_entry (file, key, error);

  if (entry == NULL)
    return FALSE;
  if (!entry->is_read)
    {
      if (!file->kind->read (file, entry, error)
          || (tp_dtype_get (entry->tensor.dtype)->class == TP_CLASS_BOOL
              && !clean_bools (file, &entry->tensor, error)))
        return FALSE;
      entry->is_read = TRUE;
    }
  *out_tensor = entry->tensor;
  return TRUE;
}

void
tp_tensor_file_split (const char *text, char **out_path, char **out_key)
{
  *out_key = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *mark = g_strconcat (kinds[i].suffix, ":", NULL);
      const char *at = strstr (text, mark);

      if (at == NULL)
        continue;
      at += strlen (kinds[i].suffix);
      *out_path = g_strndup (text, at - text);
      *out_key = g_strdup (at + 1);
      return;
    }
  *out_path = g_strdup (text);
}
