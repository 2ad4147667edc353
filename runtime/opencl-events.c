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

/* One event is held once, so that nothing depends on how a driver counts. */
void
tp_opencl_timed_take (TpOpenclTimed *timed, cl_event event)
{
  if (timed->n < TP_OPENCL_TIMED_MOST)
    {
      timed->first[timed->n++] = event;
      return;
    }
  if (timed->last != NULL)
    clReleaseEvent (timed->last);
  timed->last = event;
}

cl_event
tp_opencl_timed_get_last (const TpOpenclTimed *timed)
{
  if (timed->last != NULL)
    return timed->last;
  return timed->n > 0 ? timed->first[timed->n - 1] : NULL;
}

static gint64
read_time (cl_event event, cl_profiling_info which)
{
  cl_ulong time = 0;

  if (event == NULL
      || clGetEventProfilingInfo (event, which, sizeof time, &time, NULL)
             != CL_SUCCESS)
    return 0;
  return (gint64) MIN (time, G_MAXINT64);
}

/* How long it computed within @span_ns; of more kernels than are held all the
 * while. */
static gint64
read_busy (const TpOpenclTimed *timed, gint64 span_ns)
{
  gint64 busy_ns = 0;

  if (timed->last != NULL)
    return span_ns;
  for (int i = 0; i < timed->n; i++)
    {
      gint64 time_ns
          = read_time (timed->first[i], CL_PROFILING_COMMAND_END)
            - read_time (timed->first[i], CL_PROFILING_COMMAND_START);

      busy_ns += CLAMP (time_ns, 0, span_ns - busy_ns);
    }
  return busy_ns;
}

gboolean
tp_opencl_timed_read (const TpOpenclTimed *timed, TpStamp *out_stamp)
{
  gint64 begin = read_time (timed->first[0], CL_PROFILING_COMMAND_START);
  gint64 end = read_time (tp_opencl_timed_get_last (timed),
                          CL_PROFILING_COMMAND_END);

  if (begin <= 0 || end < begin)
    return FALSE;
  *out_stamp = (TpStamp){ begin, end, read_busy (timed, end - begin) };
  return TRUE;
}

void
tp_opencl_timed_clear (const TpOpenclTimed *timed)
{
  for (int i = 0; i < timed->n; i++)
    clReleaseEvent (timed->first[i]);
  if (timed->last != NULL)
    clReleaseEvent (timed->last);
}
