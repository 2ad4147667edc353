/* session-states.c: see session-states.h.
 *
 * The next value of a state is written over the last where nobody can tell: who else
 * reads it has done so before, and each element is written by who read that very one.
 * Else it has memory of its own, and is copied when the run has ended. */
#include "config.h"

#include "runtime/session-states.h"

#include "ir/array.h"
#include "nest/nest.h"
#include "runtime/host.h"
#include "runtime/session-private.h"

#include <string.h>

/* ---- what can be ----------------------------------------------------------- */

static const TpTensor *
find_first_state (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0)
      return &graph->tensors[graph->tensors[i].state - 1];
  return NULL;
}

/* Whose bytes are those of another tensor: a view makes it. */
static const TpTensor *
find_view (const TpSession *session)
{
  for (int i = 0; i < session->graph->n_tensors; i++)
    if (session->graph->tensors[i].state > 0
        && session->execution->roots[i] != i)
      return &session->graph->tensors[i];
  return NULL;
}

gboolean
tp_session_check_states (const TpSession *session, GError **error)
{
  const TpTensor *first = find_first_state (session->graph);
  const TpTensor *view = find_view (session);

  if (first == NULL)
    return TRUE;
  if (session->n_slots > 1)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "%d runs in flight, but each begins with what the one before "
                 "left in the state '%s': let one run at a time",
                 session->n_slots, first->name);
  else if (view != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "'%s', the next value of a state, is made by a view of another "
                 "tensor: give an op that copies it (Identity)", view->name);
  else
    return TRUE;
  return FALSE;
}

/* ---- whether it is written in place ----------------------------------------- */

typedef struct
{
  const TpSession *session;
  int state, next;            /* tensors */
  int maker;                  /* unit */
} Pair;

static gboolean
has_root (const Pair *pair, int tensor, int root)
{
  return tensor >= 0 && pair->session->execution->roots[tensor] == root;
}

static gboolean
is_access (const Pair *pair, const TpLowered *lowered, const TpAccess *access,
           int root)
{
  return has_root (pair, lowered->operands[access->operand].tensor, root);
}

/* Whether all of the state that @nest reads is the element that each point is to
 * store. */
static gboolean
reads_own (const Pair *pair, const TpLowered *lowered, const TpNest *nest)
{
  gboolean is_own = TRUE;

  for (int i = 0; is_own && i < nest->n_axes; i++)
    is_own = !nest->axes[i].is_reduce;
  for (int i = 0; is_own && i < nest->n_loads; i++)
    if (is_access (pair, lowered, &nest->loads[i], pair->state))
      is_own = nest->loads[i].index < 0
               && nest->loads[i].offset == nest->store.offset
               && memcmp (nest->loads[i].stride, nest->store.stride,
                          nest->n_axes * sizeof nest->store.stride[0]) == 0;
  return is_own;
}

static gboolean
reads_state (const Pair *pair, const TpLowered *lowered, const TpNest *nest)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (is_access (pair, lowered, &nest->loads[i], pair->state))
      return TRUE;
  return FALSE;
}

static gboolean
is_written_over (const Pair *pair, const TpLowered *lowered)
{
  gboolean is_begun = FALSE;

  if (lowered == NULL || lowered->n_iterations > 1)
    return FALSE; /* nor is any of it written in part */
  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];
      gboolean is_store
          = is_access (pair, lowered, &nest->store, pair->next);

      if ((is_begun && reads_state (pair, lowered, nest))
          || (is_store && !reads_own (pair, lowered, nest)))
        return FALSE;
      is_begun |= is_store;
    }
  return TRUE;
}

static gboolean
unit_reads (const Pair *pair, const TpPlacedUnit *unit)
{
  for (int i = 0; i < unit->n_read; i++)
    if (has_root (pair, unit->tensors[i], pair->state))
      return TRUE;
  return FALSE;
}

/* In the order of actions, which may be that of a schedule. */
static gboolean
is_read_later (const Pair *pair)
{
  const TpExecution *execution = pair->session->execution;
  gboolean is_made = FALSE;

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];

      if (action->kind != TP_DO_LAUNCH)
        continue;
      if (is_made && unit_reads (pair, &execution->units->units[action->unit]))
        return TRUE;
      is_made |= action->unit == pair->maker;
    }
  return FALSE;
}

static int
find_maker (const TpUnits *units, int tensor)
{
  for (int i = 0; i < units->n; i++)
    for (int k = 0; k < units->units[i].n_written; k++)
      if (units->units[i].tensors[units->units[i].n_read + k] == tensor)
        return i;
  return -1;
}

/* ---- memory ----------------------------------------------------------------- */

/* The one there is: all that has to do with a state is on one device. */
static int
find_storage (const TpSession *session, int tensor)
{
  int found = -1;

  for (int i = 0; found < 0 && i < session->execution->n_devices; i++)
    found = tp_execution_find_storage (session->execution, tensor, i);
  return found;
}

static gboolean
fail_storage (const TpSession *session, int tensor, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "plan: the state '%s' is where no op reads it, or a group hides "
               "what is next: make the plan anew",
               session->graph->tensors[tensor].name);
  return FALSE;
}

static gboolean
allocate (TpSession *session, int storage, GError **error)
{
  const TpStorage *it = &session->execution->storages[storage];
  TpDevice *device = session->devices[it->device].device;
  TpBuf **buf = &session->slots[0].bufs[storage];
  g_autofree void *zeros = NULL;

  if (*buf != NULL)
    return TRUE;
  zeros = tp_tensor_dup_value (&session->graph->tensors[it->tensor], error);
  if (zeros == NULL)
    return FALSE;
  *buf = device->ops->alloc (device, NULL, 0, it->size_bytes, error);
  return *buf != NULL
         && tp_device_write (device, *buf, zeros,
                             session->graph->tensors[it->tensor].size_bytes,
                             error);
}

static gboolean
make_state (TpSession *session, int tensor, GError **error)
{
  TpSessionState state
      = { .tensor = tensor, .storage = find_storage (session, tensor),
          .next = -1 };

  if (state.storage < 0)
    return fail_storage (session, tensor, error);
  tp_array_append_val (session->states, state);
  return allocate (session, state.storage, error);
}

static TpSessionState *
find_state (TpSession *session, int tensor)
{
  for (guint i = 0; i < session->states->len; i++)
    {
      TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->tensor == tensor)
        return it;
    }
  return NULL;
}

static gboolean
make_next (TpSession *session, int tensor, GError **error)
{
  const TpUnits *units = session->execution->units;
  TpBuf **bufs = session->slots[0].bufs;
  Pair pair = { .session = session, .next = tensor,
                .state = session->graph->tensors[tensor].state - 1,
                .maker = find_maker (units, tensor) };
  TpSessionState *state = find_state (session, pair.state);

  state->next = find_storage (session, tensor);
  if (state->next < 0 || pair.maker < 0)
    return fail_storage (session, pair.state, error);
  state->is_in_place
      = !is_read_later (&pair)
        && is_written_over (&pair, session->units[pair.maker].lowered);
  if (state->is_in_place)
    bufs[state->next] = bufs[state->storage];
  return allocate (session, state->next, error);
}

/* By way of the host, where one is needed. */
static gboolean
make_passage (TpSession *session, GError **error)
{
  gint64 size_bytes = 0;

  for (guint i = 0; i < session->states->len; i++)
    {
      const TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->next >= 0 && !it->is_in_place
          && !tp_session_get_device (session, it->storage)->info.is_host)
        size_bytes = MAX (size_bytes,
                          session->execution->storages[it->next].size_bytes);
    }
  if (size_bytes == 0)
    return TRUE;
  session->passage = g_try_malloc (size_bytes);
  if (session->passage == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "cannot have %" G_GINT64_FORMAT " bytes to pass states through",
                 size_bytes);
  return session->passage != NULL;
}

gboolean
tp_session_make_states (TpSession *session, GError **error)
{
  const TpTensor *tensors = session->graph->tensors;

  for (int i = 0; i < session->graph->n_tensors; i++)
    if (tensors[i].state == 1 + i && !make_state (session, i, error))
      return FALSE;
  for (int i = 0; i < session->graph->n_tensors; i++)
    if (tensors[i].state > 0 && tensors[i].state != 1 + i
        && !make_next (session, i, error))
      return FALSE;
  return make_passage (session, error);
}

void
tp_session_forget_states (TpSession *session)
{
  for (guint i = 0; session->states != NULL && i < session->states->len; i++)
    {
      const TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->is_in_place)
        session->slots[0].bufs[it->next] = NULL;
    }
}

gint64
tp_session_count_shared (const TpSession *session, int device)
{
  gint64 sum = 0;

  for (guint i = 0; i < session->states->len; i++)
    {
      const TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->is_in_place
          && session->execution->storages[it->next].device == device)
        sum += session->execution->storages[it->next].size_bytes;
    }
  return sum;
}

/* ---- runs ------------------------------------------------------------------- */

static gboolean
copy (TpSession *session, const TpSessionState *state, GError **error)
{
  TpSessionDevice *there = tp_session_get_device (session, state->storage);
  TpBuf *const *bufs = session->slots[0].bufs;
  gint64 size_bytes = session->graph->tensors[state->tensor].size_bytes;

  if (there->info.is_host)
    {
      memcpy (tp_host_buf_get_data (bufs[state->storage]),
              tp_host_buf_get_data (bufs[state->next]), size_bytes);
      return TRUE;
    }
  return tp_device_read (there->device, bufs[state->next], session->passage,
                         size_bytes, error)
         && tp_device_write (there->device, bufs[state->storage],
                             session->passage, size_bytes, error);
}

gboolean
tp_session_advance (TpSession *session, GError **error)
{
  for (guint i = 0; i < session->states->len; i++)
    {
      const TpSessionState *it
          = &tp_array_index (session->states, TpSessionState, i);

      if (it->next >= 0 && !it->is_in_place && !copy (session, it, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_session_set_state (TpSession *session, int tensor, const void *value,
                      GError **error)
{
  const TpSessionState *it = find_state (session, tensor);
  const TpTensor *its = &session->graph->tensors[tensor];
  g_autofree void *zeros = NULL;

  if (value == NULL)
    value = zeros = tp_tensor_dup_value (its, error);
  return value != NULL
         && tp_device_write (
             tp_session_get_device (session, it->storage)->device,
             session->slots[0].bufs[it->storage], value, its->size_bytes,
             error);
}

gboolean
tp_session_get_state (TpSession *session, int tensor, void *out_value,
                      GError **error)
{
  const TpSessionState *it = find_state (session, tensor);

  return tp_device_read (tp_session_get_device (session, it->storage)->device,
                         session->slots[0].bufs[it->storage], out_value,
                         session->graph->tensors[tensor].size_bytes, error);
}
