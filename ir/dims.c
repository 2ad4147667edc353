/* dims.c: see dims.h. */
#include "config.h"

#include "ir/dims.h"

#include "ir/compare.h"
#include "ir/map.h"
#include "ir/name-hash.h"

#include <stdlib.h>

struct TpDims
{
  int n_refs;                 /* of one thread */
  TpArray *names;             /* char* */
  TpArray *values;            /* gint64 */
  TpMap *indices;             /* name -> 1 + index */
};

TpDims *
tp_dims_new (void)
{
  TpDims *dims = g_new (TpDims, 1);

  *dims = (TpDims){ .n_refs = 1,
                    .names = tp_array_new (sizeof (char *)),
                    .values = tp_array_new (sizeof (gint64)),
                    .indices
                    = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL) };
  return dims;
}

TpDims *
tp_dims_ref (TpDims *dims)
{
  g_atomic_int_inc (&dims->n_refs);
  return dims;
}

void
tp_dims_unref (TpDims *dims)
{
  if (dims == NULL || !g_atomic_int_dec_and_test (&dims->n_refs))
    return;
  for (guint i = 0; i < dims->names->len; i++)
    g_free (tp_array_index (dims->names, char *, i));
  tp_array_unref (dims->names);
  tp_array_unref (dims->values);
  tp_map_free (dims->indices);
  g_free (dims);
}

static int
find_index (const TpDims *dims, const char *name)
{
  return GPOINTER_TO_INT (tp_map_lookup (dims->indices, name)) - 1;
}

/* Whatever cannot grow, what there is can be released. */
void
tp_dims_set (TpDims *dims, const char *name, gint64 value)
{
  int index = find_index (dims, name);
  guint n = dims->names->len;

  if (index >= 0)
    {
      tp_array_index (dims->values, gint64, index) = value;
      return;
    }
  tp_array_append_val (dims->values, value);
  tp_array_set_size (dims->names, n + 1);
  tp_array_index (dims->names, char *, n) = g_strdup (name);
  tp_map_insert (dims->indices, tp_array_index (dims->names, char *, n),
                 GINT_TO_POINTER (n + 1));
}

const gint64 *
tp_dims_find (const TpDims *dims, const char *name)
{
  int index = dims == NULL ? -1 : find_index (dims, name);

  return index < 0 ? NULL : &tp_array_index (dims->values, gint64, index);
}

int
tp_dims_size (const TpDims *dims)
{
  return (int) dims->names->len;
}

const char *
tp_dims_get_name (const TpDims *dims, int i)
{
  return tp_array_index (dims->names, char *, i);
}

TpArray *
tp_dims_sort_names (const TpDims *dims)
{
  g_autoptr (TpArray) names = tp_array_new (sizeof (char *));

  tp_array_append_vals (names, dims->names->data, dims->names->len);
  if (names->len > 1)
    qsort (names->data, names->len, sizeof (char *), tp_compare_text);
  return g_steal_pointer (&names);
}
