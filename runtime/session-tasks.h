/* session-tasks.h: the actions of a run, shared out among engines: the kernels of a
 * device, and either direction of its copies. */
#ifndef TP_RUNTIME_SESSION_TASKS_H
#define TP_RUNTIME_SESSION_TASKS_H

#include "runtime/session-actions.h"

typedef enum
{
  TP_TASK_WHOLE,
  TP_TASK_FIRST_HALF,         /* of a move between devices that both have memory of
                               * their own: to the host */
  TP_TASK_SECOND_HALF,        /* and from it */
} TpTaskPart;

typedef struct
{
  int action;
  TpTaskPart part;
  int engine;                 /* as in engines.h; -1: it needs none, a copy within
                               * host memory */
  gint64 staging_offset;      /* of halves: where they meet */
} TpSessionTask;

/* In the order of the actions; g_free(). */
TpSessionTask *tp_session_list_tasks (const TpSession *session, int *out_n);

gboolean tp_session_perform_task (const TpSessionRun *run,
                                  const TpSessionTask *task, GError **error);

/* The device with the kernels of @task; NULL: it is a copy. */
TpDevice *tp_session_find_task_device (const TpSession *session,
                                       const TpSessionTask *task);

#endif
