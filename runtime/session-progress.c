/* session-progress.c: how far a run has come, asked from another thread.
 *
 * The run says at which action it is. A device that works while the caller goes
 * on does what was launched in order and counts what has ended, so the launch it
 * is at is known without a word to its driver, which may be what hangs. */
#include "config.h"

#include "runtime/session-progress.h"

#include "runtime/session-overlap.h"

static int
find_unit_device (const TpSession *session, const TpAction *action)
{
  return action->kind == TP_DO_LAUNCH
             ? session->execution->units->units[action->unit].device : -1;
}

/* Whether a launch there has not ended on return. */
static gboolean
goes_on (const TpSessionDevice *there)
{
  return there->device != NULL && !there->info.is_host
         && !there->device->ops->is_simulated;
}

void
tp_session_follow (TpSession *session)
{
  const TpExecution *execution = session->execution;

  if (session->is_followed)
    return;
  session->is_followed = TRUE;
  for (int i = 0; i < execution->n_devices; i++)
    if (goes_on (&session->devices[i]))
      session->devices[i].device->n_ended = g_atomic_rc_box_new0 (gint);
  for (int i = 0; i < execution->n_actions; i++)
    {
      int device = find_unit_device (session, &execution->actions[i]);

      if (device >= 0)
        session->devices[device].n_per_run++;
    }
}

/* Of this run. */
static int
count_ended (const TpSession *session, int device)
{
  const TpSessionDevice *there = &session->devices[device];

  return g_atomic_int_get (there->device->n_ended)
         - g_atomic_int_get (&session->n_runs) * there->n_per_run;
}

static gboolean
is_followed (const TpSession *session, int device)
{
  return session->devices[device].device != NULL
         && session->devices[device].device->n_ended != NULL;
}

guint
tp_session_count_progress (const TpSession *session)
{
  guint n = (guint) g_atomic_int_get (&session->n_runs);

  if (session->n_slots > 1 || session->overlap != NULL)
    return n; /* of actions, all waited for */
  n = (guint) g_atomic_int_get (&session->slots[0].at)
      + n * (guint) (session->execution->n_actions + 2);

  for (int i = 0; i < session->execution->n_devices; i++)
    if (is_followed (session, i))
      n += (guint) g_atomic_int_get (session->devices[i].device->n_ended);
  return n;
}

/* The launch that @device is at, of those before action @end; -1: none. */
static int
find_launch (const TpSession *session, int device, int end)
{
  int n = count_ended (session, device);

  for (int i = 0; i < end; i++)
    if (find_unit_device (session, &session->execution->actions[i]) == device
        && n-- <= 0)
      return i;
  return -1;
}

static char *
describe_action (const TpSession *session, int index)
{
  const TpExecution *execution = session->execution;
  const TpAction *action = &execution->actions[index];
  int device = find_unit_device (session, action);

  if (device >= 0)
    return g_strdup_printf (
        "device '%s': op '%s'", session->plan->devices[device],
        session->graph
            ->nodes[execution->units->units[action->unit].nodes[0]].name);
  return g_strdup_printf ("copying tensor '%s'",
                          session->graph->tensors[action->tensor].name);
}

/* A run that waits for an engine is at nothing. */
static char *
describe_flight (const TpSession *session)
{
  for (int i = 0; i < session->n_slots; i++)
    {
      int at = g_atomic_int_get (&session->slots[i].at);

      if (at >= 0)
        return describe_action (session, at);
    }
  return NULL;
}

static char *
describe_overlap (const TpSession *session)
{
  int at = tp_session_overlap_get_at (session);

  return at >= 0 ? describe_action (session, at) : NULL;
}

char *
tp_session_describe_current (const TpSession *session)
{
  int at = g_atomic_int_get (&session->slots[0].at);
  int end = MIN (at + 1, session->execution->n_actions);

  if (session->n_slots > 1)
    return describe_flight (session);
  if (session->overlap != NULL)
    return describe_overlap (session);
  if (at < 0)
    return NULL;
  for (int i = 0; i < session->execution->n_devices; i++)
    {
      int launch = is_followed (session, i) ? find_launch (session, i, end)
                                            : -1;

      if (launch >= 0)
        return describe_action (session, launch);
    }
  return at < session->execution->n_actions
             ? describe_action (session, at) : g_strdup ("waiting for devices");
}
