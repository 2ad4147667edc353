/* session-tasks.c: see session-tasks.h. */
#include "config.h"

#include "runtime/session-tasks.h"

#include "ir/guard.h"
#include "runtime/engines.h"

static int
get_engine (const TpSession *session, int storage, TpEngineKind kind)
{
  return session->execution->storages[storage].device * TP_ENGINE_KINDS
         + (int) kind;
}

static gboolean
is_host (const TpSession *session, int storage)
{
  return tp_session_get_device (session, storage)->info.is_host;
}

static gboolean
is_hand_over (const TpAction *action)
{
  return action->kind == TP_DO_MOVE && action->src == action->dst;
}

/* Nobody works at one: it is the caller's. Simulated devices have it on their clocks. */
static int
find_hand_over_engine (const TpSession *session, const TpAction *action)
{
  int device = session->execution->storages[action->src].device;

  if (!session->is_simulated)
    return -1;
  return get_engine (session, action->src,
                     action->to == device ? TP_ENGINE_TO : TP_ENGINE_FROM);
}

static TpSessionTask
make_task (const TpSession *session, int index)
{
  const TpAction *action = &session->execution->actions[index];
  TpSessionTask task = { index, TP_TASK_WHOLE, -1, 0 };

  if (action->kind == TP_DO_LAUNCH)
    task.engine
        = session->execution->units->units[action->unit].device
              * TP_ENGINE_KINDS
          + TP_ENGINE_KERNELS;
  else if (is_hand_over (action))
    task.engine = find_hand_over_engine (session, action);
  else if (action->src >= 0 && !is_host (session, action->src))
    task.engine = get_engine (session, action->src, TP_ENGINE_FROM);
  else if (action->dst >= 0 && !is_host (session, action->dst))
    task.engine = get_engine (session, action->dst, TP_ENGINE_TO);
  return task;
}

static gboolean
has_halves (const TpSession *session, const TpAction *action)
{
  return action->kind == TP_DO_MOVE && !is_hand_over (action)
         && !is_host (session, action->src)
         && !is_host (session, action->dst);
}

TpSessionTask *
tp_session_list_tasks (const TpSession *session, int *out_n)
{
  const TpExecution *execution = session->execution;
  g_autofree TpSessionTask *tasks
      = tp_new0 (TpSessionTask, 2 * (gsize) execution->n_actions + 1);
  int n = 0;

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];
      TpSessionTask task = make_task (session, i);

      if (has_halves (session, action))
        {
          task.part = TP_TASK_FIRST_HALF;
          tasks[n++] = task;
          task.part = TP_TASK_SECOND_HALF;
          task.engine = get_engine (session, action->dst, TP_ENGINE_TO);
        }
      tasks[n++] = task;
    }
  *out_n = n;
  return g_steal_pointer (&tasks);
}

gboolean
tp_session_perform_task (const TpSessionRun *run, const TpSessionTask *task,
                         GError **error)
{
  const TpAction *action = &run->session->execution->actions[task->action];
  char *staging = (char *) run->slot->staging + task->staging_offset;

  switch (task->part)
    {
    case TP_TASK_WHOLE:
      return tp_session_perform (run, action, error);
    case TP_TASK_FIRST_HALF:
      return tp_session_copy (run, action->src, staging, FALSE, error);
    case TP_TASK_SECOND_HALF:
      return tp_session_copy (run, action->dst, staging, TRUE, error);
    }
  g_assert_not_reached ();
}

TpDevice *
tp_session_find_task_device (const TpSession *session,
                             const TpSessionTask *task)
{
  const TpAction *action = &session->execution->actions[task->action];

  return action->kind == TP_DO_LAUNCH
             ? tp_session_get_unit_device (session, action->unit)->device
             : NULL;
}
