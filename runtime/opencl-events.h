/* opencl-events.h: what events tell: while the caller goes on, and of times. */
#ifndef TP_RUNTIME_OPENCL_EVENTS_H
#define TP_RUNTIME_OPENCL_EVENTS_H

#include "runtime/opencl.h"

/* Counts up *@n_ended, a g_atomic_rc_box, once @event is complete. NULL: there was
 * nothing to run. */
void tp_opencl_count_end (cl_event event, gint *n_ended);

#define TP_OPENCL_TIMED_MOST 8

/* The kernels of a launch: the first ones, and of more than these the last. */
typedef struct
{
  int n;
  cl_event first[TP_OPENCL_TIMED_MOST];
  cl_event last;              /* NULL: it is among the first */
} TpOpenclTimed;

/* @event, which comes after those before, is its own from now on. */
void tp_opencl_timed_take (TpOpenclTimed *timed, cl_event event);
/* NULL: none. */
cl_event tp_opencl_timed_get_last (const TpOpenclTimed *timed);
/* FALSE: the driver has no clock. */
gboolean tp_opencl_timed_read (const TpOpenclTimed *timed, TpStamp *out_stamp);
void tp_opencl_timed_clear (const TpOpenclTimed *timed);

#endif
