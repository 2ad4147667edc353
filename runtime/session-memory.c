/* session-memory.c: one arena per device, and all that has a place in it bound
 * to the launches. */
#include "config.h"

#include "runtime/session-memory.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "runtime/session-overlap.h"
#include "runtime/session-recipes.h"

static gboolean
make_arena (TpSession *session, TpSessionSlot *slot, int device,
            GError **error)
{
  const TpSessionDevice *there = &session->devices[device];
  TpArena *arena = &slot->arenas[device];

  *arena = (TpArena){
    .device = there->device, .is_host = there->info.is_host, .index = device,
    .size_bytes = session->execution->memory[device].arena_bytes,
  };
  return tp_arena_init (arena, error)
         && tp_arena_place (arena, session->execution, slot->bufs, error);
}

/* What moves between two devices passes through the host; one that is the host
 * reads and writes its own memory. */
static gint64
count_staging (const TpSession *session, const TpAction *action)
{
  if (action->kind != TP_DO_MOVE
      || tp_session_get_device (session, action->src)->info.is_host
      || tp_session_get_device (session, action->dst)->info.is_host)
    return 0;
  return action->size_bytes;
}

static gboolean
make_staging (TpSession *session, TpSessionSlot *slot, GError **error)
{
  const TpExecution *execution = session->execution;
  int n = tp_session_wants_overlap (session) ? 2 * execution->n_devices : 1;
  gint64 size_bytes = 0;

  for (int i = 0; i < execution->n_actions; i++)
    size_bytes = MAX (size_bytes,
                      count_staging (session, &execution->actions[i]));
  if (size_bytes == 0)
    return TRUE;
  session->staging_bytes = size_bytes;
  slot->staging = g_try_malloc_n (n, size_bytes);
  if (slot->staging == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot have %" G_GINT64_FORMAT
                 " bytes to pass tensors through", size_bytes);
  return slot->staging != NULL;
}

static gboolean
make_emitted (TpSession *session, GError **error)
{
  const TpExecution *execution = session->execution;

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];

      if (action->kind != TP_DO_EMIT)
        continue;
      session->emitted[action->output] = tp_tensor_dup_value (
          &session->graph->tensors[action->tensor], error);
      if (session->emitted[action->output] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* All slots read the constants of the first. */
static void
share_constants (const TpSession *session, TpSessionSlot *slot)
{
  const TpExecution *execution = session->execution;

  for (int i = 0; i < execution->n_storages; i++)
    if (execution->storages[i].is_constant)
      slot->bufs[i] = session->slots[0].bufs[i];
}

static gboolean
make_slot (TpSession *session, TpSessionSlot *slot, GError **error)
{
  if (slot != &session->slots[0])
    share_constants (session, slot);
  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL
        && !make_arena (session, slot, i, error))
      return FALSE;
  return make_staging (session, slot, error);
}

gboolean
tp_session_make_arenas (TpSession *session, GError **error)
{
  for (int i = 0; i < session->n_slots; i++)
    if (!make_slot (session, &session->slots[i], error))
      return FALSE;
  return make_emitted (session, error);
}

/* ---- binding ------------------------------------------------------------ */

static TpUnit
get_unit (const TpSession *session, int unit)
{
  const TpPlacedUnit *it = &session->execution->units->units[unit];

  return (TpUnit){ .graph = session->graph, .n_nodes = it->n_nodes,
                   .nodes = it->nodes,
                   .lowered = session->units[unit].lowered,
                   .schedule = session->units[unit].schedule };
}

static gboolean
compile_device (TpSession *session, int device, GError **error)
{
  const TpUnits *all = session->execution->units;
  TpSessionDevice *there = &session->devices[device];
  g_autoptr (TpArray) units = tp_array_new (sizeof (TpUnit));

  for (int i = 0; i < all->n; i++)
    {
      TpUnit unit = get_unit (session, i);

      if (all->units[i].device != device)
        continue;
      session->units[i].index = units->len;
      tp_array_append_val (units, unit);
    }
  there->code = there->device->ops->compile (
      there->device, (const TpUnit *) (void *) units->data, units->len, error);
  return there->code != NULL;
}

/* The storage of what @unit reads or writes; -1: the device sees to it. */
static gboolean
find_operand (const TpSession *session, int unit, int tensor, int *out_storage,
              GError **error)
{
  const TpPlacedUnit *it = &session->execution->units->units[unit];

  *out_storage = -1;
  if (tensor < 0 || tp_tensor_is_constant (&session->graph->tensors[tensor]))
    return TRUE;
  *out_storage = tp_execution_find_storage (session->execution, tensor,
                                            it->device);
  if (*out_storage >= 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "plan: the kernel of op '%s' needs tensor '%s', which a group "
               "hides; make the plan anew",
               session->graph->nodes[it->nodes[0]].name,
               session->graph->tensors[tensor].name);
  return FALSE;
}

static gboolean
bind_unit (TpSession *session, const TpSessionSlot *slot, int index,
           GError **error)
{
  const TpUnit unit = get_unit (session, index);
  int device = session->execution->units->units[index].device;
  const TpSessionDevice *there = &session->devices[device];
  g_autoptr (TpArray) operands = tp_unit_list_operands (&unit);
  g_autofree TpBuf **bufs = tp_new0 (TpBuf *, operands->len + 1);

  for (guint i = 0; i < operands->len; i++)
    {
      int storage;

      if (!find_operand (session, index,
                         tp_array_index (operands, TpUnitOperand, i).tensor,
                         &storage, error))
        return FALSE;
      bufs[i] = storage >= 0 ? slot->bufs[storage] : NULL;
    }
  slot->launches[index]
      = there->device->ops->bind (there->device, there->code,
                                  session->units[index].index, bufs, error);
  return slot->launches[index] != NULL;
}

gboolean
tp_session_bind (TpSession *session, GError **error)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL
        && !compile_device (session, i, error))
      return FALSE;
  for (int slot = 0; slot < session->n_slots; slot++)
    for (int i = 0; i < session->execution->units->n; i++)
      {
        if (!bind_unit (session, &session->slots[slot], i, error))
          return FALSE;
        /* Other slots find what the first has made of it. */
        tp_session_note_start (session);
        tp_session_release_recipes (session, i);
      }
  return TRUE;
}
