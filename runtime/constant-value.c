/* constant-value.c: see constant-value.h. */
#include "config.h"

#include "runtime/constant-value.h"

#include "ir/graph-value.h"
#include "ir/mapping.h"
#include "ir/recipe.h"
#include "runtime/pool.h"
#include "runtime/strided.h"

#define PART 16384            /* elements that a thread takes at a time */

void *
tp_constant_try_alloc (const TpDevice *device, gint64 size_bytes,
                       GError **error)
{
  void *data = g_try_malloc (MAX (size_bytes, 1));

  if (data == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "device '%s': cannot have %" G_GINT64_FORMAT " bytes to "
                 "prepare a constant", device->ops->name, size_bytes);
  return data;
}

/* Whether its bytes are somewhere, in the order of its strides. */
static gboolean
is_there (const TpTensor *tensor)
{
  return tensor->init.kind == TP_INIT_DATA && tensor->init.data != NULL
         && tensor->init.scale == NULL
         && tensor->init.steps == NULL
         && tp_tensor_is_row_major (tensor);
}

gboolean
tp_constant_is_in_place (const TpTensor *tensor)
{
  return is_there (tensor)
         && (guintptr) tensor->init.data % tp_dtype_get_size (tensor->dtype)
              == 0;
}

typedef struct
{
  const TpTensor *tensor;
  char *dst;
} Value;

static void
write_parts (gpointer data, gint64 first, gint64 end, int thread)
{
  const Value *value = data;
  const TpTensor *tensor = value->tensor;

  first *= PART;
  end = MIN (end * PART, tensor->count);
  tp_tensor_write_part (
      tensor, first, end - first,
      value->dst + first * (gint64) tp_dtype_get_size (tensor->dtype));
}

const void *
tp_constant_get_value (const TpDevice *device, int n_threads,
                       const TpTensor *tensor, void **out_owned,
                       GError **error)
{
  g_auto (TpReading) reading = tp_tensor_begin_reading (tensor);
  g_autofree void *rows = NULL, *value = NULL;
  Value work;

  if (is_there (tensor))
    return tensor->init.data;
  rows = tp_constant_try_alloc (device, tensor->size_bytes, error);
  if (rows == NULL)
    return NULL;
  work = (Value){ tensor, rows };
  tp_pool_run (n_threads, (tensor->count + PART - 1) / PART, write_parts, &work);
  if (tp_tensor_is_row_major (tensor))
    return *out_owned = g_steal_pointer (&rows);
  value = tp_constant_try_alloc (device, tensor->size_bytes, error);
  if (value == NULL)
    return NULL;
  tp_strided_scatter (tensor, rows, value);
  return *out_owned = g_steal_pointer (&value);
}

/* No more than its own bytes are asked for, so other tensors of the file stay. */
void
tp_constant_let_go (const TpTensor *tensor)
{
  if (tensor->init.kind == TP_INIT_DATA)
    tp_mapping_let_go (tensor->init.data, tensor->size_bytes);
}
