/* session-actions.c: the order of everything a run does: feeds first, then
 * every unit, followed by the moves and fetches of what it made. */
#include "config.h"

#include "runtime/session-private.h"

#include <string.h>

/* A view has the bytes of its input. */
static void
find_roots (TpSession *session)
{
  const TpGraph *graph = session->graph;

  for (int i = 0; i < graph->n_tensors; i++)
    session->roots[i] = i;
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];

      if (node->op != NULL && node->op->kind == TP_OP_VIEW)
        session->roots[node->outputs[0]] = session->roots[node->inputs[0]];
    }
}

static int *
find_storage (const TpSession *session, int tensor, int device)
{
  int root = session->roots[tensor];

  return &session->storage_of[(gsize) root * session->n_devices + device];
}

static int
add_storage (TpSession *session, int tensor, int device)
{
  int *index = find_storage (session, tensor, device);
  TpStorage storage = { .tensor = session->roots[tensor], .device = device,
                        .first = -1, .last = -1 };

  if (*index >= 0)
    return *index;
  storage.is_constant
      = tp_tensor_is_constant (&session->graph->tensors[storage.tensor]);
  *index = session->storages->len;
  g_array_append_val (session->storages, storage);
  return *index;
}

/* Every storage a unit reads or writes. Constants read as they are need none:
 * the device has its own way with them. */
static void
add_storages (TpSession *session)
{
  for (guint i = 0; i < session->units->len; i++)
    {
      const TpSessionUnit *unit = tp_session_get_unit (session, i);

      for (int j = 0; j < unit->n_operands; j++)
        if (unit->tensors[j] >= 0
            && !tp_tensor_is_constant (
                &session->graph->tensors[unit->tensors[j]]))
          add_storage (session, unit->tensors[j], unit->device);
    }
}

/* ---- actions ------------------------------------------------------------ */

static gint64
predict_unit (const TpSession *session, const TpSessionUnit *unit)
{
  gint64 time_ns = 0;

  for (int i = 0; i < unit->n_nodes; i++)
    for (int j = 0; j < session->plan->n_placements; j++)
      {
        /* Placements are in the order of nodes in all plans but odd ones. */
        int at = (unit->nodes[i] + j) % session->plan->n_placements;

        if (session->plan->placements[at].node != unit->nodes[i])
          continue;
        time_ns += session->plan->placements[at].time_ns;
        break;
      }
  return time_ns;
}

static gint64
predict_transfer (const TpSession *session, int tensor, int to)
{
  for (int i = 0; i < session->plan->n_transfers; i++)
    {
      const TpTransfer *transfer = &session->plan->transfers[i];

      if (transfer->tensor >= 0
          && transfer->tensor < session->graph->n_tensors
          && transfer->to == to
          && session->roots[transfer->tensor] == session->roots[tensor])
        return transfer->time_ns;
    }
  return 0;
}

static int
add_transfer_step (TpSession *session, int tensor, int to)
{
  TpSessionStep step = { .node = -1, .tensor = tensor, .device = to };

  step.predicted_ns = predict_transfer (session, tensor, to);
  g_array_append_val (session->steps, step);
  return session->steps->len - 1;
}

static int
add_unit_step (TpSession *session, const TpSessionUnit *unit)
{
  TpSessionStep step = { .node = unit->nodes[0], .tensor = -1,
                         .device = unit->device };

  step.predicted_ns = predict_unit (session, unit);
  g_array_append_val (session->steps, step);
  return session->steps->len - 1;
}

static void
touch (TpSession *session, int storage, gboolean is_write)
{
  TpStorage *it = tp_session_get_storage (session, storage);
  int action = session->actions->len;

  if (is_write && it->first < 0)
    it->first = action;
  it->last = action;
}

static void
add_action (TpSession *session, TpAction action)
{
  if (action.src >= 0)
    touch (session, action.src, FALSE);
  if (action.dst >= 0)
    touch (session, action.dst, TRUE);
  g_array_append_val (session->actions, action);
}

static void
add_feeds (TpSession *session, int input)
{
  int tensor = session->graph->inputs[input];

  for (int device = 0; device < session->n_devices; device++)
    {
      int storage = *find_storage (session, tensor, device);

      if (storage < 0)
        continue;
      add_action (session, (TpAction){
        .kind = TP_DO_FEED, .unit = -1, .src = -1, .dst = storage,
        .input = input, .output = -1,
        .size_bytes = session->graph->tensors[tensor].size_bytes,
        .step = device == session->host
                    ? -1
                    : add_transfer_step (session, tensor, device) });
    }
}

/* To every other device that has a storage for it: someone reads it there. */
static void
add_moves (TpSession *session, int tensor, int from)
{
  int src = *find_storage (session, tensor, from);

  for (int to = 0; to < session->n_devices; to++)
    {
      int dst = *find_storage (session, tensor, to);

      if (to == from || dst < 0)
        continue;
      add_action (session, (TpAction){
        .kind = TP_DO_MOVE, .unit = -1, .src = src, .dst = dst,
        .input = -1, .output = -1,
        .size_bytes = session->graph->tensors[tensor].size_bytes,
        .step = add_transfer_step (session, tensor, to) });
    }
}

/* From the host where it is there too. */
static void
add_fetches (TpSession *session, int tensor, int from)
{
  const TpGraph *graph = session->graph;
  int host = session->host;

  if (host != TP_COSTS_HOST && *find_storage (session, tensor, host) >= 0)
    from = host;
  for (int i = 0; i < graph->n_outputs; i++)
    if (session->roots[graph->outputs[i]] == session->roots[tensor])
      add_action (session, (TpAction){
        .kind = TP_DO_FETCH, .unit = -1,
        .src = *find_storage (session, tensor, from), .dst = -1,
        .input = -1, .output = i,
        .size_bytes = graph->tensors[tensor].size_bytes,
        .step = from == host ? -1
                             : add_transfer_step (session, tensor, host) });
}

/* Outputs that no unit makes. */
static void
add_passes (TpSession *session)
{
  const TpGraph *graph = session->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    {
      int root = session->roots[graph->outputs[i]];
      TpAction action = { .unit = -1, .src = -1, .dst = -1, .input = -1,
                          .output = i, .step = -1,
                          .size_bytes = graph->tensors[root].size_bytes };

      if (tp_tensor_is_constant (&graph->tensors[root]))
        {
          action.kind = TP_DO_EMIT;
          add_action (session, action);
        }
      for (int j = 0; j < graph->n_inputs; j++)
        if (graph->inputs[j] == root)
          {
            action.kind = TP_DO_PASS;
            action.input = j;
            add_action (session, action);
          }
    }
}

/* Whether all that @unit reads is there. A plan made by hand may have groups
 * that hide a tensor others read, or delay it. */
static gboolean
check_inputs (TpSession *session, const TpSessionUnit *unit, GError **error)
{
  const TpGraph *graph = session->graph;

  for (int i = 0; i < unit->n_operands; i++)
    {
      int storage = unit->tensors[i] < 0
                      ? -1
                      : *find_storage (session, unit->tensors[i], unit->device);
      const TpStorage *it
          = storage < 0 ? NULL : tp_session_get_storage (session, storage);

      if (it == NULL || unit->is_output[i] || it->is_constant || it->first >= 0)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: op '%s' needs tensor '%s', which a group hides or "
                   "makes later; make the plan anew",
                   graph->nodes[unit->nodes[0]].name,
                   graph->tensors[unit->tensors[i]].name);
      return FALSE;
    }
  return TRUE;
}

static void
add_launch (TpSession *session, int index)
{
  const TpSessionUnit *unit = tp_session_get_unit (session, index);

  for (int i = 0; i < unit->n_operands; i++)
    if (unit->tensors[i] >= 0)
      {
        int storage = *find_storage (session, unit->tensors[i], unit->device);

        if (storage >= 0)
          touch (session, storage, unit->is_output[i]);
      }
  add_action (session, (TpAction){
    .kind = TP_DO_LAUNCH, .unit = index, .src = -1, .dst = -1, .input = -1,
    .output = -1, .step = add_unit_step (session, unit) });
}

static gboolean
check_outputs (const TpSession *session, GError **error)
{
  g_autofree gboolean *is_made = g_new0 (gboolean, session->graph->n_outputs);

  for (guint i = 0; i < session->actions->len; i++)
    {
      const TpAction *action = &g_array_index (session->actions, TpAction, i);

      if (action->output >= 0)
        is_made[action->output] = TRUE;
    }
  for (int i = 0; i < session->graph->n_outputs; i++)
    if (!is_made[i])
      {
        int tensor = session->graph->outputs[i];

        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                     "plan: a group hides output '%s'; make the plan anew",
                     session->graph->tensors[tensor].name);
        return FALSE;
      }
  return TRUE;
}

gboolean
tp_session_make_actions (TpSession *session, GError **error)
{
  const TpGraph *graph = session->graph;

  find_roots (session);
  add_storages (session);
  for (int i = 0; i < graph->n_inputs; i++)
    add_feeds (session, i);
  for (guint i = 0; i < session->units->len; i++)
    {
      const TpSessionUnit *unit = tp_session_get_unit (session, i);

      if (!check_inputs (session, unit, error))
        return FALSE;
      add_launch (session, i);
      for (int j = 0; j < unit->n_operands; j++)
        if (unit->is_output[j] && unit->tensors[j] >= 0)
          {
            add_moves (session, unit->tensors[j], unit->device);
            add_fetches (session, unit->tensors[j], unit->device);
          }
    }
  add_passes (session);
  return check_outputs (session, error);
}
