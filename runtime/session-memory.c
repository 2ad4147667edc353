/* session-memory.c: one arena per device, and all that has a place in it bound
 * to the launches. */
#include "config.h"

#include "runtime/session-memory.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "runtime/session-private.h"

static gboolean
make_arena (TpSession *session, int device, GError **error)
{
  TpSessionDevice *there = &session->devices[device];

  return tp_arena_init (&there->arena, there->device, device,
                        session->execution->memory[device].arena_bytes, error)
         && tp_arena_place (&there->arena, session->execution, session->bufs,
                            error);
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
make_staging (TpSession *session, GError **error)
{
  const TpExecution *execution = session->execution;
  gint64 size_bytes = 0;

  for (int i = 0; i < execution->n_actions; i++)
    size_bytes = MAX (size_bytes,
                      count_staging (session, &execution->actions[i]));
  if (size_bytes == 0)
    return TRUE;
  session->staging = g_try_malloc (size_bytes);
  if (session->staging == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot have %" G_GINT64_FORMAT
                 " bytes to pass tensors through", size_bytes);
  return session->staging != NULL;
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

gboolean
tp_session_make_arenas (TpSession *session, GError **error)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL && !make_arena (session, i, error))
      return FALSE;
  return make_staging (session, error) && make_emitted (session, error);
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

/* The buffer of what @unit reads or writes; NULL: the device sees to it. */
static gboolean
find_operand (const TpSession *session, int unit, int tensor, TpBuf **out_buf,
              GError **error)
{
  const TpPlacedUnit *it = &session->execution->units->units[unit];
  int storage;

  *out_buf = NULL;
  if (tensor < 0 || tp_tensor_is_constant (&session->graph->tensors[tensor]))
    return TRUE;
  storage = tp_execution_find_storage (session->execution, tensor, it->device);
  if (storage >= 0)
    {
      *out_buf = session->bufs[storage];
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "plan: the kernel of op '%s' needs tensor '%s', which a group "
               "hides; make the plan anew",
               session->graph->nodes[it->nodes[0]].name,
               session->graph->tensors[tensor].name);
  return FALSE;
}

static gboolean
bind_unit (TpSession *session, int index, GError **error)
{
  const TpUnit unit = get_unit (session, index);
  int device = session->execution->units->units[index].device;
  const TpSessionDevice *there = &session->devices[device];
  TpSessionUnit *its = &session->units[index];
  g_autoptr (TpArray) operands = tp_unit_list_operands (&unit);
  g_autofree TpBuf **bufs = tp_new0 (TpBuf *, operands->len + 1);

  for (guint i = 0; i < operands->len; i++)
    if (!find_operand (session, index,
                       tp_array_index (operands, TpUnitOperand, i).tensor,
                       &bufs[i], error))
      return FALSE;
  its->launch = there->device->ops->bind (there->device, there->code,
                                          its->index, bufs, error);
  return its->launch != NULL;
}

gboolean
tp_session_bind (TpSession *session, GError **error)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL
        && !compile_device (session, i, error))
      return FALSE;
  for (int i = 0; i < session->execution->units->n; i++)
    if (!bind_unit (session, i, error))
      return FALSE;
  return TRUE;
}
