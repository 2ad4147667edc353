/* opencl-events.c: what events tell while the caller goes on. */
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
