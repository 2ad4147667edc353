/* fuzz-tensor.c: files of tensors; SUFFIX says of which kind. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "format/tensor-file.h"

/* Every byte that is promised must be there. */
static void
touch (const TpFileTensor *tensor)
{
  static volatile guint8 sum;
  const guint8 *data = tensor->data;

  for (gint64 i = 0; i < tensor->size_bytes; i++)
    sum += data[i];
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (TpTensorFile) file
      = tp_tensor_file_new (bytes, "tensor" SUFFIX, fuzz_get_limits (), NULL);
  TpFileTensor tensor;
  const char *const *keys;
  int n = 0;

  if (file == NULL)
    return 0;
  keys = tp_tensor_file_get_keys (file, &n);
  if (tp_tensor_file_get (file, NULL, &tensor, NULL))
    touch (&tensor);
  for (int i = 0; i < MIN (n, 16); i++)
    if (tp_tensor_file_get (file, keys[i], &tensor, NULL))
      touch (&tensor);
  return 0;
}
