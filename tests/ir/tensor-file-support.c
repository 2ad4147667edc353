/* tensor-file-support.c: opening files of tensors made in memory. */
#include "config.h"

#include "tests/ir/tensor-file-support.h"

#include <string.h>

GByteArray *
bytes_new (const void *data, gsize size)
{
  return g_byte_array_append (g_byte_array_new (), data, size);
}

TpTensorFile *
open_file (const GByteArray *data, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data->data, data->len);

  return tp_tensor_file_new (bytes, name, NULL, error);
}

/* Reads every tensor of @data; FALSE with @error. */
gboolean
read_all (const GByteArray *data, const char *name, GError **error)
{
  g_autoptr (TpTensorFile) file = open_file (data, name, error);
  const char *const *keys;
  TpFileTensor tensor;
  int n;

  if (file == NULL)
    return FALSE;
  keys = tp_tensor_file_get_keys (file, &n);
  if (keys[0] == NULL)
    return tp_tensor_file_get (file, NULL, &tensor, error);
  for (int i = 0; i < n; i++)
    if (!tp_tensor_file_get (file, keys[i], &tensor, error))
      return FALSE;
  return TRUE;
}

void
assert_refused (const GByteArray *data, const char *name, int code,
                const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = g_strdup_printf ("%s: %s", name, pattern);

  g_assert_false (read_all (data, name, &error));
  g_assert_error (error, TPLAN_ERROR, code);
  if (!g_pattern_match_simple (whole, error->message))
    g_error ("'%s' is not like '%s'", error->message, whole);
}

void
check_truncations (const GByteArray *data, const char *name)
{
  g_autoptr (GByteArray) cut = g_byte_array_new ();

  for (guint i = 0; i < data->len; i++)
    {
      g_autoptr (GError) error = NULL;

      g_byte_array_set_size (cut, 0);
      g_byte_array_append (cut, data->data, i);
      g_assert_false (read_all (cut, name, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, name));
    }
}

void
check_w (TpTensorFile *file)
{
  static const float values[] = { 1, 2, 3, 4 };
  g_autoptr (GError) error = NULL;
  TpFileTensor w;

  tp_tensor_file_get (file, "w", &w, &error);
  g_assert_no_error (error);
  g_assert_cmpint (w.dtype, ==, TPLAN_DTYPE_FLOAT32);
  g_assert_cmpint (w.rank, ==, 2);
  g_assert_cmpint (w.dims[0], ==, 2);
  g_assert_cmpint (w.dims[1], ==, 2);
  g_assert_cmpmem (w.data, w.size_bytes, values, sizeof values);
}

void
put (GByteArray *bytes, guint64 value, int n)
{
  for (int i = 0; i < n; i++, value >>= 8)
    {
      guint8 byte = value & 0xff;
      g_byte_array_append (bytes, &byte, 1);
    }
}
