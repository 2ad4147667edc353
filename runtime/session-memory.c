/* session-memory.c: one arena per device, and all that has a place in it bound
 * to the launches. */
#include "config.h"

#include "ir/graph-value.h"
#include "ir/intervals.h"
#include "runtime/host.h"
#include "runtime/session-private.h"

/* Intervals of the storages of @device in its arena; @out_storages says whose
 * each is. */
static GArray *
collect_intervals (const TpSession *session, int device, GArray *out_storages)
{
  GArray *intervals = g_array_new (FALSE, TRUE, sizeof (TpInterval));

  for (guint i = 0; i < session->storages->len; i++)
    {
      const TpStorage *storage = tp_session_get_storage (session, i);
      TpInterval interval = { .first = storage->first, .last = storage->last };

      if (storage->device != device || storage->is_constant)
        continue;
      interval.size_bytes
          = MAX (session->graph->tensors[storage->tensor].size_bytes, 1);
      g_array_append_val (intervals, interval);
      g_array_append_val (out_storages, i);
    }
  return intervals;
}

static gboolean
lay_out_arena (TpSession *session, int device, GError **error)
{
  TpSessionDevice *there = &session->devices[device];
  g_autoptr (GArray) owners = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) intervals = collect_intervals (session, device, owners);
  const TpDeviceOps *ops = there->device->ops;

  if (intervals->len == 0)
    return TRUE;
  there->arena_bytes
      = tp_intervals_pack ((TpInterval *) (void *) intervals->data,
                           intervals->len, TP_BUF_ALIGN, &there->bound_bytes);
  there->arena = ops->alloc (there->device, NULL, 0, there->arena_bytes, error);
  if (there->arena == NULL)
    return FALSE;
  for (guint i = 0; i < intervals->len; i++)
    {
      const TpInterval *interval = &g_array_index (intervals, TpInterval, i);
      TpStorage *storage = tp_session_get_storage (
          session, g_array_index (owners, guint, i));

      storage->offset = interval->offset;
      storage->buf = ops->alloc (there->device, there->arena, interval->offset,
                                 interval->size_bytes, error);
      if (storage->buf == NULL)
        return FALSE;
    }
  return TRUE;
}

static void *
dup_constant (const TpTensor *tensor, GError **error)
{
  void *value = g_try_malloc (MAX (tensor->size_bytes, 1));

  if (value == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "constant '%s': cannot have %" G_GINT64_FORMAT " bytes",
                 tensor->name, tensor->size_bytes);
  else
    tp_tensor_write_value (tensor, value);
  return value;
}

/* A constant read through a view: of its own, outside the arena. */
static gboolean
fill_constant (TpSession *session, TpStorage *storage, GError **error)
{
  const TpTensor *tensor = &session->graph->tensors[storage->tensor];
  TpDevice *device = session->devices[storage->device].device;
  g_autofree void *value = dup_constant (tensor, error);

  if (value == NULL)
    return FALSE;
  storage->buf = device->ops->alloc (device, NULL, 0,
                                     MAX (tensor->size_bytes, 1), error);
  return storage->buf != NULL
         && device->ops->copy (device, storage->buf, 0, value,
                               tensor->size_bytes, TRUE, error);
}

static gboolean
make_host_memory (TpSession *session, GError **error)
{
  gint64 staging_bytes = 0;

  for (guint i = 0; i < session->actions->len; i++)
    {
      const TpAction *action = &g_array_index (session->actions, TpAction, i);

      if (action->kind == TP_DO_MOVE)
        staging_bytes = MAX (staging_bytes, action->size_bytes);
      if (action->kind == TP_DO_EMIT)
        {
          int root = session->roots[session->graph->outputs[action->output]];

          session->emitted[action->output]
              = dup_constant (&session->graph->tensors[root], error);
          if (session->emitted[action->output] == NULL)
            return FALSE;
        }
    }
  session->staging = g_try_malloc (MAX (staging_bytes, 1));
  if (session->staging != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "cannot have %" G_GINT64_FORMAT " bytes to pass tensors through",
               staging_bytes);
  return FALSE;
}

gboolean
tp_session_make_arenas (TpSession *session, GError **error)
{
  for (int i = 0; i < session->n_devices; i++)
    if (session->devices[i].device != NULL
        && !lay_out_arena (session, i, error))
      return FALSE;
  for (guint i = 0; i < session->storages->len; i++)
    {
      TpStorage *storage = tp_session_get_storage (session, i);

      if (storage->is_constant && !fill_constant (session, storage, error))
        return FALSE;
    }
  return make_host_memory (session, error);
}

/* ---- binding ------------------------------------------------------------ */

static gboolean
compile_device (TpSession *session, int device, GError **error)
{
  TpSessionDevice *there = &session->devices[device];
  g_autoptr (GArray) units = g_array_new (FALSE, TRUE, sizeof (TpUnit));

  for (guint i = 0; i < session->units->len; i++)
    {
      TpSessionUnit *it = tp_session_get_unit (session, i);
      TpUnit unit = { .graph = session->graph, .n_nodes = it->n_nodes,
                      .nodes = it->nodes, .lowered = it->lowered };

      if (it->device != device)
        continue;
      it->index = units->len;
      g_array_append_val (units, unit);
    }
  there->code = there->device->ops->compile (
      there->device, (const TpUnit *) (void *) units->data, units->len, error);
  return there->code != NULL;
}

static gboolean
bind_unit (TpSession *session, TpSessionUnit *unit, GError **error)
{
  const TpSessionDevice *there = &session->devices[unit->device];
  g_autofree TpBuf **operands = g_new0 (TpBuf *, unit->n_operands + 1);

  for (int i = 0; i < unit->n_operands; i++)
    {
      int root = unit->tensors[i] < 0 ? -1 : session->roots[unit->tensors[i]];
      int storage
          = root < 0
              ? -1
              : session->storage_of[(gsize) root * session->n_devices
                                    + unit->device];

      if (storage >= 0
          && !tp_tensor_is_constant (
              &session->graph->tensors[unit->tensors[i]]))
        operands[i] = tp_session_get_storage (session, storage)->buf;
    }
  unit->launch = there->device->ops->bind (there->device, there->code,
                                           unit->index, operands, error);
  return unit->launch != NULL;
}

gboolean
tp_session_bind (TpSession *session, GError **error)
{
  for (int i = 0; i < session->n_devices; i++)
    if (session->devices[i].device != NULL
        && !compile_device (session, i, error))
      return FALSE;
  for (guint i = 0; i < session->units->len; i++)
    if (!bind_unit (session, tp_session_get_unit (session, i), error))
      return FALSE;
  return TRUE;
}
