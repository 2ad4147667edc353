/* opencl-wait.h: waiting for a queue, awake where that is worth it. */
#ifndef TP_RUNTIME_OPENCL_WAIT_H
#define TP_RUNTIME_OPENCL_WAIT_H

#include "runtime/opencl.h"

/* Whether @device is a CPU whose threads take all processors: nobody else is to wait
 * awake while they work. */
gboolean tp_opencl_takes_all (cl_device_id device);

/* clFinish (), for which the caller stays awake for some milliseconds first. */
cl_int tp_opencl_finish_awake (cl_command_queue queue);
/* Likewise until the command of @event is done; takes @event. */
cl_int tp_opencl_await (cl_command_queue queue, cl_event event);

#endif
