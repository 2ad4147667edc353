/* opencl-wait.c: see opencl-wait.h.
 *
 * The driver of a CPU runs kernels in a thread of its own, and wakes it by each that
 * is enqueued. A caller that sleeps as soon as it has enqueued all leaves its
 * processor to that thread, which the system then wakes there while the caller
 * enqueues, and the other processor has nothing to do: of many short kernels, both
 * then wait for each other. And a processor that sleeps takes tens of microseconds
 * to wake. Which of the two ways a process finds is chance. */
#include "config.h"

#include "runtime/opencl-wait.h"

#include "ir/clock.h"
#include "runtime/opencl-context.h"
#include "runtime/pool.h"
#include "runtime/threads.h"

#define AWAKE_NS 10000000     /* what takes longer is not held up by its caller */
#define N_PAUSES 64           /* between two questions, for which drivers lock */

gboolean
tp_opencl_takes_all (cl_device_id device)
{
  return tp_opencl_is_cpu (device)
         && tp_opencl_count_units (device) >= tp_threads_count_processors ();
}

static gboolean
is_complete (cl_event event)
{
  cl_int status = CL_COMPLETE;

  return clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                         sizeof status, &status, NULL) != CL_SUCCESS
         || status <= CL_COMPLETE;
}

static void
pass_time (void)
{
  for (int i = 0; i < N_PAUSES; i++)
    tp_pool_pause ();
}

cl_int
tp_opencl_await (cl_command_queue queue, cl_event event)
{
  gint64 end_ns = tp_clock_get_ns () + AWAKE_NS;
  cl_int flushed = clFlush (queue), waited;

  while (flushed == CL_SUCCESS && !is_complete (event)
         && tp_clock_get_ns () < end_ns)
    pass_time ();
  waited = clWaitForEvents (1, &event); /* the memory of a copy is the caller's */
  TP_OPENCL_RELEASE (Event, event);
  return flushed == CL_SUCCESS ? waited : flushed;
}

cl_int
tp_opencl_finish_awake (cl_command_queue queue)
{
  cl_event event = NULL;
  cl_int code = clEnqueueMarkerWithWaitList (queue, 0, NULL, &event);

  code = tp_opencl_check (code, event);
  if (code == CL_SUCCESS)
    code = tp_opencl_await (queue, event);
  return code == CL_SUCCESS ? clFinish (queue) : code;
}
