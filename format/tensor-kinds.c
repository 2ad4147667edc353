/* tensor-kinds.c: what the readers of files of tensors share. */
#include "config.h"

#include "format/tensor-kinds.h"

#include "ir/array.h"

gboolean
tp_tensor_file_fail (const TpTensorFile *file, GError **error,
                     const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: %s", file->name,
               message);
  return FALSE;
}

TpTensorEntry *
tp_tensor_file_add (TpTensorFile *file, const char *key, GError **error)
{
  TpTensorEntry *entry;

  if (tp_map_find (file->entries, key, NULL))
    {
      tp_tensor_file_fail (file, error, "there are two tensors '%s'", key);
      return NULL;
    }
  entry = g_new0 (TpTensorEntry, 1);
  entry->key = g_strdup (key);
  tp_map_insert (file->entries, entry->key, entry);
  tp_array_append_val (file->keys, entry->key);
  return entry;
}

static int
compare_extents (const void *a, const void *b)
{
  const TpExtent *x = a, *y = b;

  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

int
tp_extents_find_overlap (TpArray *extents)
{
  const TpExtent *all = (const TpExtent *) (void *) extents->data;

  if (extents->len > 1)
    qsort (extents->data, extents->len, sizeof (TpExtent), compare_extents);
  for (guint i = 1; i < extents->len; i++)
    if (all[i].first < all[i - 1].end)
      return i;
  return -1;
}
