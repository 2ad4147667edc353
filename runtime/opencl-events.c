/* opencl-events.c: see opencl-events.h. */
#include "config.h"

#include "runtime/opencl-events.h"

static void CL_CALLBACK
on_end (cl_event event, cl_int status, void *data)
{
  (void) event;
  (void) status;
  g_atomic_int_inc ((gint *) data);
  g_atomic_rc_box_release (data);
}

/* A driver that cannot tell is taken to have done it. */
void
tp_opencl_count_end (cl_event event, gint *n_ended)
{
  gint *held = g_atomic_rc_box_acquire (n_ended);

  if (event == NULL
      || clSetEventCallback (event, CL_COMPLETE, on_end, held) != CL_SUCCESS)
    on_end (event, CL_COMPLETE, held);
}

/* The first is the last as long as it is alone: one event is held once, so that
 * nothing depends on how a driver counts. */
void
tp_opencl_timed_take (TpOpenclTimed *timed, cl_event event)
{
  if (timed->first == NULL)
    {
      timed->first = event;
      return;
    }
  if (timed->last != NULL)
    clReleaseEvent (timed->last);
  timed->last = event;
}

cl_event
tp_opencl_timed_get_last (const TpOpenclTimed *timed)
{
  return timed->last != NULL ? timed->last : timed->first;
}

gboolean
tp_opencl_timed_read (const TpOpenclTimed *timed, TpStamp *out_stamp)
{
  cl_ulong begin = 0, end = 0;

  if (timed->first == NULL
      || clGetEventProfilingInfo (timed->first, CL_PROFILING_COMMAND_START,
                                  sizeof begin, &begin, NULL) != CL_SUCCESS
      || clGetEventProfilingInfo (tp_opencl_timed_get_last (timed),
                                  CL_PROFILING_COMMAND_END, sizeof end, &end,
                                  NULL) != CL_SUCCESS)
    return FALSE;
  *out_stamp = (TpStamp){ begin, end };
  return begin > 0 && end >= begin;
}

void
tp_opencl_timed_clear (const TpOpenclTimed *timed)
{
  if (timed->first != NULL)
    clReleaseEvent (timed->first);
  if (timed->last != NULL)
    clReleaseEvent (timed->last);
}
