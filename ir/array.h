/* array.h: GArray, for what grows with the model: where there is no memory, the
 * guarded call is left (ir/guard.h). */
#ifndef TP_IR_ARRAY_H
#define TP_IR_ARRAY_H

#include <glib.h>

typedef struct
{
  char *data;                 /* @len elements */
  guint len;
  guint capacity;             /* elements */
  guint size;                 /* bytes of each */
  int n_refs;                 /* of one thread */
} TpArray;

TpArray *tp_array_new (gsize size);
TpArray *tp_array_ref (TpArray *array);
void tp_array_unref (TpArray *array); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpArray, tp_array_unref)

void tp_array_append_vals (TpArray *array, gconstpointer values, guint n);
void tp_array_set_size (TpArray *array, guint len); /* new ones are zero */
void tp_array_trim (TpArray *array); /* to what its elements take */
void tp_array_remove_index (TpArray *array, guint index);
/* The elements, for g_free(); @array is empty then. */
gpointer tp_array_steal (TpArray *array);

#define tp_array_index(array, Type, i) (((Type *) (void *) (array)->data)[i])
#define tp_array_append_val(array, value) \
  tp_array_append_vals (array, &(value), 1)

#endif
