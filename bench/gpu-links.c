/* gpu-links.c: what an OpenCL device says of itself, what copies to it cost from
 * memory that may be paged out and from memory that is pinned, and what a kernel
 * costs that does nothing, as JSON. Each is the median of the calls, waited for.
 *
 *   gpu-links [INDEX]        of all devices, in the order of `tplan devices`
 */
#include "config.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "ir/clock.h"
#include "ir/compare.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CALLS 21
#define N_PIPELINED 200
#define MAX_DEVICES 64

typedef struct
{
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem there, pinned;
  size_t size;
  char *pageable, *mapped;    /* of pinned */
} Links;

static void
check (cl_int code, const char *what)
{
  if (code == CL_SUCCESS)
    return;
  fprintf (stderr, "gpu-links: %s: %d\n", what, code);
  exit (1);
}

/* GPUs first. */
static cl_device_id
find_device (guint index)
{
  const cl_device_type kinds[]
      = { CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU };
  cl_platform_id platforms[MAX_DEVICES];
  cl_device_id devices[MAX_DEVICES];
  cl_uint n_platforms = 0, n, n_found = 0;

  check (clGetPlatformIDs (MAX_DEVICES, platforms, &n_platforms), "platforms");
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (cl_uint i = 0; i < n_platforms && n_found < MAX_DEVICES; i++)
      if (clGetDeviceIDs (platforms[i], kinds[kind], MAX_DEVICES - n_found,
                          devices + n_found, &n) == CL_SUCCESS)
        n_found += MIN (n, MAX_DEVICES - n_found);
  if (index < n_found)
    return devices[index];
  fprintf (stderr, "gpu-links: there are %u devices\n", n_found);
  exit (1);
}

/* Nanoseconds of a copy of the first @size bytes. */
static gint64
time_copy (const Links *links, gboolean is_write, char *host, size_t size)
{
  gint64 times[N_CALLS];

  for (int i = -2; i < N_CALLS; i++)
    {
      gint64 start = tp_clock_get_ns ();

      if (is_write)
        check (clEnqueueWriteBuffer (links->queue, links->there, CL_TRUE, 0,
                                     size, host, 0, NULL, NULL), "write");
      else
        check (clEnqueueReadBuffer (links->queue, links->there, CL_TRUE, 0,
                                    size, host, 0, NULL, NULL), "read");
      if (i >= 0)
        times[i] = tp_clock_get_ns () - start;
    }
  qsort (times, N_CALLS, sizeof times[0], tp_compare_int64);
  return times[N_CALLS / 2];
}

static void
open_links (Links *links, guint index)
{
  cl_int code;

  links->device = find_device (index);
  links->context = clCreateContext (NULL, 1, &links->device, NULL, NULL, &code);
  check (code, "context");
  links->queue = clCreateCommandQueue (links->context, links->device, 0, &code);
  check (code, "queue");
  links->there = clCreateBuffer (links->context, CL_MEM_READ_WRITE, links->size,
                                 NULL, &code);
  check (code, "buffer");
  links->pinned = clCreateBuffer (links->context,
                                  CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                  links->size, NULL, &code);
  check (code, "pinned buffer");
  links->mapped = clEnqueueMapBuffer (
      links->queue, links->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
      links->size, 0, NULL, NULL, &code);
  check (code, "map");
  links->pageable = g_malloc (links->size);
  memset (links->pageable, 1, links->size);
  memset (links->mapped, 2, links->size);
}

/* One of many in the queue, without a word in between; each flushed; each with an
 * event, as who follows a run has it. */
typedef enum
{
  WAY_PLAIN,
  WAY_FLUSHED,
  WAY_EVENTS,
  N_WAYS,
} Way;

static gint64
time_queued (const Links *links, cl_kernel kernel, Way way)
{
  gint64 start = tp_clock_get_ns ();
  size_t size = 1;

  for (int i = 0; i < N_PIPELINED; i++)
    {
      cl_event event = NULL;

      check (clEnqueueNDRangeKernel (links->queue, kernel, 1, NULL, &size, &size,
                                     0, NULL, way == WAY_EVENTS ? &event : NULL),
             "launch");
      if (way == WAY_FLUSHED)
        check (clFlush (links->queue), "flush");
      if (event != NULL)
        clReleaseEvent (event);
    }
  check (clFinish (links->queue), "finish");
  return (tp_clock_get_ns () - start) / N_PIPELINED;
}

/* What an empty kernel of many takes by the device's clock, and from the end of one
 * to the end of the next in a queue that keeps times; 0: it has no clock. */
static void
time_stamped (const Links *links, cl_kernel kernel, gint64 *out_busy_ns,
              gint64 *out_apart_ns)
{
  size_t size = 1;
  cl_event events[N_PIPELINED];
  cl_ulong begin = 0, end = 0, busy = 0, first = 0;
  cl_int code;
  cl_command_queue queue
      = clCreateCommandQueue (links->context, links->device,
                              CL_QUEUE_PROFILING_ENABLE, &code);

  check (code, "queue");
  for (int i = 0; i < N_PIPELINED; i++)
    check (clEnqueueNDRangeKernel (queue, kernel, 1, NULL, &size, &size, 0, NULL,
                                   &events[i]), "launch");
  check (clFinish (queue), "finish");
  for (int i = 0; i < N_PIPELINED; i++)
    {
      clGetEventProfilingInfo (events[i], CL_PROFILING_COMMAND_START,
                               sizeof begin, &begin, NULL);
      clGetEventProfilingInfo (events[i], CL_PROFILING_COMMAND_END, sizeof end,
                               &end, NULL);
      first = i == 0 ? end : first;
      busy += end - begin;
      clReleaseEvent (events[i]);
    }
  clReleaseCommandQueue (queue);
  *out_busy_ns = busy / N_PIPELINED;
  *out_apart_ns = (end - first) / (N_PIPELINED - 1);
}

/* An empty kernel, alone and waited for, and among many. */
static void
print_launches (const Links *links)
{
  static const char *const names[] = { "queued", "flushed", "with_events" };
  gint64 busy_ns, apart_ns;
  const char *source = "__kernel void nothing (__global float *x) { }";
  gint64 times[N_CALLS], start;
  size_t size = 1;
  cl_int code;
  cl_program program
      = clCreateProgramWithSource (links->context, 1, &source, NULL, &code);
  cl_kernel kernel;

  check (code, "program");
  check (clBuildProgram (program, 1, &links->device, "-cl-std=CL1.2", NULL,
                         NULL), "build");
  kernel = clCreateKernel (program, "nothing", &code);
  check (code, "kernel");
  check (clSetKernelArg (kernel, 0, sizeof (cl_mem), &links->there), "argument");
  for (int i = -2; i < N_CALLS; i++)
    {
      start = tp_clock_get_ns ();
      check (clEnqueueNDRangeKernel (links->queue, kernel, 1, NULL, &size, &size,
                                     0, NULL, NULL), "launch");
      check (clFinish (links->queue), "finish");
      if (i >= 0)
        times[i] = tp_clock_get_ns () - start;
    }
  qsort (times, N_CALLS, sizeof times[0], tp_compare_int64);
  printf ("  \"launch_waited_ns\": %" G_GINT64_FORMAT ",\n", times[N_CALLS / 2]);
  for (Way way = WAY_PLAIN; way < N_WAYS; way++)
    {
      for (int i = 0; i < 3; i++)
        times[i] = time_queued (links, kernel, way);
      qsort (times, 3, sizeof times[0], tp_compare_int64);
      printf ("  \"launch_%s_ns\": %" G_GINT64_FORMAT ",\n", names[way], times[1]);
    }
  time_stamped (links, kernel, &busy_ns, &apart_ns);
  printf ("  \"launch_busy_ns\": %" G_GINT64_FORMAT ",\n"
          "  \"launch_stamped_ns\": %" G_GINT64_FORMAT ",\n", busy_ns, apart_ns);
}

static void
print_size (const Links *links, size_t size, gboolean is_last)
{
  printf ("    {\"bytes\": %zu, \"to_device_pageable_ns\": %" G_GINT64_FORMAT
          ", \"to_device_pinned_ns\": %" G_GINT64_FORMAT
          ", \"to_host_pageable_ns\": %" G_GINT64_FORMAT
          ", \"to_host_pinned_ns\": %" G_GINT64_FORMAT "}%s\n",
          size, time_copy (links, TRUE, links->pageable, size),
          time_copy (links, TRUE, links->mapped, size),
          time_copy (links, FALSE, links->pageable, size),
          time_copy (links, FALSE, links->mapped, size), is_last ? "" : ",");
  fflush (stdout);
}

static void
print_texts (cl_device_id device)
{
  static const struct { const char *name; cl_device_info what; } texts[] = {
    { "device", CL_DEVICE_NAME }, { "version", CL_DEVICE_VERSION },
    { "driver", CL_DRIVER_VERSION }, { "language", CL_DEVICE_OPENCL_C_VERSION },
    { "extensions", CL_DEVICE_EXTENSIONS },
  };
  char text[8192];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      memset (text, 0, sizeof text);
      clGetDeviceInfo (device, texts[i].what, sizeof text - 1, text, NULL);
      printf ("  \"%s\": \"%s\",\n", texts[i].name,
              g_strdelimit (g_strstrip (text), "\"\\\n\t", ' '));
    }
}

static void
print_numbers (cl_device_id device)
{
  static const struct { const char *name; cl_device_info what; } numbers[] = {
    { "type", CL_DEVICE_TYPE }, { "units", CL_DEVICE_MAX_COMPUTE_UNITS },
    { "clock_mhz", CL_DEVICE_MAX_CLOCK_FREQUENCY },
    { "group_items", CL_DEVICE_MAX_WORK_GROUP_SIZE },
    { "local_bytes", CL_DEVICE_LOCAL_MEM_SIZE },
    { "cache_bytes", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE },
    { "memory_bytes", CL_DEVICE_GLOBAL_MEM_SIZE },
    { "buffer_bytes", CL_DEVICE_MAX_MEM_ALLOC_SIZE },
    { "base_align_bits", CL_DEVICE_MEM_BASE_ADDR_ALIGN },
    { "single_fp_config", CL_DEVICE_SINGLE_FP_CONFIG },
    { "host_unified_memory", CL_DEVICE_HOST_UNIFIED_MEMORY },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      guint64 value = 0; /* of 4 or 8 bytes */

      clGetDeviceInfo (device, numbers[i].what, sizeof value, &value, NULL);
      printf ("  \"%s\": %" G_GUINT64_FORMAT ",\n", numbers[i].name, value);
    }
}

int
main (int argc, char **argv)
{
  static const size_t sizes[] = { 4 << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20 };
  Links links = { .size = 64 << 20 };

  open_links (&links, argc > 1 ? (guint) atoi (argv[1]) : 0);
  puts ("{\n  \"format\": \"tplan-gpu-links/1\",");
  print_texts (links.device);
  print_numbers (links.device);
  print_launches (&links);
  puts ("  \"copies\": [");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    print_size (&links, sizes[i], i + 1 == G_N_ELEMENTS (sizes));
  puts ("  ]\n}");
  return 0;
}
