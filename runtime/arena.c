/* arena.c: see arena.h. */
#include "config.h"

#include "runtime/arena.h"

#include "ir/graph-value.h"
#include "runtime/constant-value.h"
#include "runtime/host.h"

gboolean
tp_arena_init (TpArena *arena, GError **error)
{
  if (arena->size_bytes == 0)
    return TRUE;
  arena->whole = arena->device->ops->alloc (arena->device, NULL, 0,
                                            arena->size_bytes, error);
  return arena->whole != NULL;
}

void
tp_arena_clear (TpArena *arena)
{
  if (arena->whole != NULL)
    arena->device->ops->free_buf (arena->device, arena->whole);
  arena->whole = NULL;
}

void *
tp_tensor_dup_value (const TpTensor *tensor, GError **error)
{
  void *value = g_try_malloc (MAX (tensor->size_bytes, 1));

  if (value == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "constant '%s': cannot have %" G_GINT64_FORMAT " bytes",
                 tensor->name, tensor->size_bytes);
  else if (tensor->state > 0)
    memset (value, 0, tensor->size_bytes);
  else
    tp_tensor_write_value (tensor, value);
  return value;
}

static gboolean
is_in_place (const TpArena *arena, const TpTensor *tensor)
{
  return arena->is_host && tensor->state == 0
         && tp_constant_is_in_place (tensor);
}

/* In the order of its strides; a state, which has none, begins as zeros. */
static const void *
get_value (const TpArena *arena, const TpTensor *tensor, void **out_owned,
           GError **error)
{
  if (tensor->state > 0)
    return *out_owned = tp_tensor_dup_value (tensor, error);
  return tp_constant_get_value (arena->device, 1, tensor, out_owned, error);
}

/* *buf is there to be dropped on FALSE too. */
static gboolean
place_constant (const TpArena *arena, const TpTensor *tensor, TpBuf **buf,
                GError **error)
{
  TpDevice *device = arena->device;
  g_autofree void *owned = NULL;
  const void *value = get_value (arena, tensor, &owned, error);

  if (value == NULL)
    return FALSE;
  if (is_in_place (arena, tensor))
    {
      *buf = tp_host_buf_wrap ((void *) value, tensor->size_bytes);
      return TRUE;
    }
  *buf = device->ops->alloc (device, NULL, 0, MAX (tensor->size_bytes, 1),
                             error);
  if (*buf == NULL
      || !tp_device_write (device, *buf, value, tensor->size_bytes, error))
    return FALSE;
  tp_constant_let_go (tensor);
  return TRUE;
}

gboolean
tp_arena_place (const TpArena *arena, const TpExecution *execution,
                TpBuf **bufs, GError **error)
{
  TpDevice *device = arena->device;

  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      if (it->device != arena->index)
        continue;
      if (it->is_constant)
        {
          if (bufs[i] == NULL
              && !place_constant (arena, &execution->graph->tensors[it->tensor],
                                  &bufs[i], error))
            return FALSE;
          continue;
        }
      bufs[i] = device->ops->alloc (device, arena->whole, it->offset,
                                    it->size_bytes, error);
      if (bufs[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

gint64
tp_arena_count_constants (const TpArena *arena, const TpExecution *execution)
{
  gint64 sum = 0;

  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      if (it->device == arena->index && it->is_constant
          && !is_in_place (arena, &execution->graph->tensors[it->tensor]))
        sum += it->size_bytes;
    }
  return sum;
}

void
tp_arena_drop (const TpArena *arena, const TpExecution *execution,
               TpBuf **bufs)
{
  for (int i = 0; i < execution->n_storages; i++)
    if (execution->storages[i].device == arena->index)
      {
        if (bufs[i] != NULL)
          arena->device->ops->free_buf (arena->device, bufs[i]);
        bufs[i] = NULL;
      }
}
