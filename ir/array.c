/* array.c: doubles. */
#include "config.h"

#include "ir/array.h"

#include "ir/guard.h"

#include <string.h>

#define FIRST_CAPACITY 16

TpArray *
tp_array_new (gsize size)
{
  TpArray *array = tp_new0 (TpArray, 1);

  array->size = size;
  array->n_refs = 1;
  return array;
}

TpArray *
tp_array_ref (TpArray *array)
{
  array->n_refs++;
  return array;
}

void
tp_array_unref (TpArray *array)
{
  if (array == NULL || --array->n_refs > 0)
    return;
  g_free (array->data);
  g_free (array);
}

static void
make_room (TpArray *array, gsize len)
{
  gsize capacity = MAX (array->capacity, FIRST_CAPACITY);

  if (len <= array->capacity)
    return;
  while (capacity < len)
    capacity *= 2;
  if (capacity > G_MAXUINT)
    tp_guard_leave (G_MAXSIZE);
  array->data = tp_realloc (array->data, capacity, array->size);
  array->capacity = capacity;
}

void
tp_array_append_vals (TpArray *array, gconstpointer values, guint n)
{
  make_room (array, (gsize) array->len + n);
  if (n > 0)
    memcpy (array->data + (gsize) array->len * array->size, values,
            (gsize) n * array->size);
  array->len += n;
}

void
tp_array_set_size (TpArray *array, guint len)
{
  make_room (array, len);
  if (len > array->len)
    memset (array->data + (gsize) array->len * array->size, 0,
            (gsize) (len - array->len) * array->size);
  array->len = len;
}

void
tp_array_trim (TpArray *array)
{
  if (array->len == 0 || array->len == array->capacity)
    return;
  array->data = tp_realloc (array->data, array->len, array->size);
  array->capacity = array->len;
}

void
tp_array_remove_index (TpArray *array, guint index)
{
  char *element = array->data + (gsize) index * array->size;

  g_assert (index < array->len);
  array->len--;
  memmove (element, element + array->size,
           (gsize) (array->len - index) * array->size);
}

gpointer
tp_array_steal (TpArray *array)
{
  array->len = array->capacity = 0;
  return g_steal_pointer (&array->data);
}
