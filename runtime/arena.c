/* arena.c: see arena.h. */
#include "config.h"

#include "runtime/arena.h"

#include "ir/graph-value.h"

gboolean
tp_arena_init (TpArena *arena, TpDevice *device, int index, gint64 size_bytes,
               GError **error)
{
  *arena = (TpArena){ .device = device, .index = index,
                      .size_bytes = size_bytes };
  if (size_bytes == 0)
    return TRUE;
  arena->whole = device->ops->alloc (device, NULL, 0, size_bytes, error);
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

/* A constant, or a state, which begins as zeros. *buf is there to be dropped on FALSE too. */
static gboolean
place_constant (TpDevice *device, const TpTensor *tensor, TpBuf **buf,
                GError **error)
{
  g_autofree void *value = tp_tensor_dup_value (tensor, error);

  if (value == NULL)
    return FALSE;
  *buf = device->ops->alloc (device, NULL, 0, MAX (tensor->size_bytes, 1),
                             error);
  return *buf != NULL
         && tp_device_write (device, *buf, value, tensor->size_bytes, error);
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
              && !place_constant (device,
                                  &execution->graph->tensors[it->tensor],
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
