/* fuzz-object.c: relocatable objects, such as a cache of kernels keeps. What is
 * linked is never run: it is looked at, as code may hold anything. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "kernel/object.h"

/* Alone, and beside itself: the second has calls and constants of its own. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  /* an end of its own, for the sanitizer to see what is read behind it */
  g_autofree guint8 *copy = g_memdup2 (data, size);
  const TpObject objects[] = { { copy, size }, { copy, size } };

  for (int n = 1; n <= 2; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpObjectCode) code = tp_object_link (objects, n, &error);

      g_assert ((code == NULL) == (error != NULL));
      for (int i = 0; code != NULL && i < n; i++)
        (void) *(const volatile guint8 *) tp_object_code_get (code, i);
    }
  return 0;
}
