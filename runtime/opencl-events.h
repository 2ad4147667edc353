/* opencl-events.h: what events tell: while the caller goes on, and of times. */
#ifndef TP_RUNTIME_OPENCL_EVENTS_H
#define TP_RUNTIME_OPENCL_EVENTS_H

#include "runtime/opencl.h"

/* Counts up *@n_ended, a g_atomic_rc_box, once @event is complete. NULL: there was
 * nothing to run. */
void tp_opencl_count_end (cl_event event, gint *n_ended);

/* The first and the last kernel of a launch. */
typedef struct
{
  cl_event first;
  cl_event last;              /* NULL: the first is the last */
} TpOpenclTimed;

/* @event, which comes after those before, is its own from now on. */
void tp_opencl_timed_take (TpOpenclTimed *timed, cl_event event);
cl_event tp_opencl_timed_get_last (const TpOpenclTimed *timed);
/* FALSE: the driver has no clock. */
gboolean tp_opencl_timed_read (const TpOpenclTimed *timed, TpStamp *out_stamp);
void tp_opencl_timed_clear (const TpOpenclTimed *timed);

#endif
