/* opencl-events.h: what events tell while the caller goes on. */
#ifndef TP_RUNTIME_OPENCL_EVENTS_H
#define TP_RUNTIME_OPENCL_EVENTS_H

#include "runtime/opencl.h"

/* Counts up *@n_ended, a g_atomic_rc_box, once @event is complete. NULL: there was
 * nothing to run. */
void tp_opencl_count_end (cl_event event, gint *n_ended);

#endif
