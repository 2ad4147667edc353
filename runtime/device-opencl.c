/* device-opencl.c: kernels as OpenCL C, one program for all units. Launches are
 * kernel objects of their own with arguments set once, in an in-order queue, so
 * that a run is nothing but enqueueing. */
#include "config.h"

#include "kernel/kernel-opencl-preamble.h"
#include "kernel/kernel-opencl.h"
#include "kernel/kernel-ops.h"
#include "runtime/device.h"
#include "runtime/host.h"
#include "runtime/kernel-code.h"
#include "ir/guard.h"
#include "ir/text.h"
#include "runtime/opencl-buf.h"
#include "runtime/opencl-context.h"
#include "runtime/opencl-copy.h"
#include "runtime/opencl-events.h"
#include "runtime/opencl-mma.h"
#include "runtime/opencl-shared.h"
#include "runtime/opencl-wait.h"
#include "runtime/opencl.h"
#include "runtime/pool.h"
#include "runtime/threads.h"

extern const TpDeviceOps tp_device_opencl;

typedef struct
{
  TpDevice base;
  int index;
  char *name;                 /* "opencl:0" */
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  cl_command_queue timed;     /* made when stamps are first asked for */
  cl_command_queue current;   /* one of the two */
  cl_command_queue copies[2]; /* [is_write] where it is shared: copies do not wait
                               * for kernels; else NULL */
  gboolean takes_all;         /* processors, so that nobody else may wait awake */
  gboolean has_shared;        /* buffers that the host uses in place */
  gboolean is_mapped;         /* for hosts that do so by turns with kernels */
  gboolean is_working;        /* nobody has waited for what was queued last: to wait
                               * where nothing was takes as long as a kernel */
  TpOpenclMma mma;
  TpOpenclCopier copier;
  gint64 max_buf_bytes;
  GArray *pending;            /* TpOpenclTimed, oldest first */
} ClDevice;

typedef struct
{
  TpKernelCode kernel_code;
  cl_program program;
} ClCode;

typedef struct
{
  cl_kernel kernel;
  size_t global_size, local_size;
  int iteration_arg;          /* -1: does not ask */
} ClStep;

struct TpLaunch
{
  int n_steps, first_repeated;
  gint64 n_iterations;
  ClStep *steps;
};

/* ---- opening -------------------------------------------------------------- */

static void
cl_close (TpDevice *base)
{
  ClDevice *device = (ClDevice *) base;

  tp_opencl_copier_clear (&device->copier);
  if (device->queue != NULL)
    TP_OPENCL_RELEASE (CommandQueue, device->queue);
  if (device->timed != NULL)
    TP_OPENCL_RELEASE (CommandQueue, device->timed);
  for (int i = 0; i < 2; i++)
    if (device->copies[i] != NULL)
      TP_OPENCL_RELEASE (CommandQueue, device->copies[i]);
  g_array_unref (device->pending);
  g_free (device->name);
  g_free (device);
}

static gboolean
make_queue (ClDevice *device, cl_command_queue *out_queue, GError **error)
{
  cl_int code;

  *out_queue = clCreateCommandQueue (device->context, device->id, 0, &code);
  code = tp_opencl_check (code, *out_queue);
  return code == CL_SUCCESS
         || tp_opencl_fail (error, device->name, code, "cannot make a queue");
}

static gboolean
open_context (ClDevice *device, const TpDeviceOptions *options, GError **error)
{
  TpOpenclContext shared;
  cl_int code;

  if (!tp_opencl_check_process (device->name, error))
    return FALSE;
  device->copier.n_threads = tp_threads_count (options->n_threads);
  code = tp_opencl_find_context (device->index, device->copier.n_threads,
                                 &shared);
  if (code != CL_SUCCESS)
    return tp_opencl_fail (error, device->name, code, "cannot make a context");
  device->context = shared.context;
  device->id = shared.device;
  device->is_mapped = options->is_mapped && tp_opencl_can_map (device->id);
  device->has_shared
      = device->is_mapped
        || (options->is_shared && tp_opencl_can_share (device->id));
  device->takes_all = tp_opencl_takes_all (device->id);
  device->mma = tp_opencl_find_mma (device->context, device->id);
  device->copier.is_awake = !options->is_shared && !device->takes_all
                            && tp_opencl_is_cpu (device->id);
  if (!make_queue (device, &device->queue, error))
    return FALSE;
  device->current = device->queue;
  for (int i = 0; options->is_shared && i < 2; i++)
    if (!make_queue (device, &device->copies[i], error))
      return FALSE;
  return TRUE;
}

static TpDevice *
cl_open (const char *which, const TpDeviceOptions *options, GError **error)
{
  const char *reason;
  int n = tp_opencl_count (&reason);
  guint64 index = 0;
  ClDevice *device;

  if (!g_ascii_string_to_unsigned (which, 10, 0, MAX (n - 1, 0), &index, NULL))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE, n < 2
                   ? "device 'opencl:%s': there is opencl:0"
                   : "device 'opencl:%s': there are opencl:0 to opencl:%d",
                   which, n - 1);
      return NULL;
    }
  device = g_new0 (ClDevice, 1);
  device->base.ops = &tp_device_opencl;
  device->pending = g_array_new (FALSE, FALSE, sizeof (TpOpenclTimed));
  device->name = g_strdup_printf ("opencl:%d", (int) index);
  device->index = index;
  device->id = tp_opencl_get (index);
  tp_opencl_copier_init (&device->copier, device->id);
  device->max_buf_bytes = tp_opencl_get_max_buf_bytes (device->id);
  if (open_context (device, options, error))
    return &device->base;
  cl_close (&device->base);
  return NULL;
}

static void
cl_describe (TpDevice *base, TpDeviceInfo *out_info)
{
  const ClDevice *device = (ClDevice *) base;
  g_autofree char *name = tp_opencl_dup_text (device->id, CL_DEVICE_NAME);
  g_autofree char *vendor = tp_opencl_dup_text (device->id, CL_DEVICE_VENDOR);
  g_autofree char *version = tp_opencl_dup_text (device->id, CL_DEVICE_VERSION);
  g_autofree char *driver = tp_opencl_dup_text (device->id, CL_DRIVER_VERSION);
  g_autofree char *platform = tp_opencl_dup_platform (device->index);
  g_autofree char *uuid = tp_opencl_dup_uuid (device->id);
  int n_units = tp_opencl_count_units (device->id);
  TpTarget target = { 0 };

  tp_opencl_describe (device->id, device->mma, &target);
  *out_info = (TpDeviceInfo){
    .name = g_strdup (device->name),
    .description = g_strdup_printf ("%s, %d units (%s)", name, n_units,
                                    platform),
    .identity = g_strdup_printf (
        "opencl;%s;%s;%s;%s;%s;units=%d;%s%s%s", platform, vendor, name, version,
        driver, n_units, uuid,
        tp_opencl_wants_pinned (device->id) ? ";pinned" : "",
        target.has_mma ? ";mma" : ""),
    .memory_bytes = MIN (tp_opencl_get_number (device->id,
                                               CL_DEVICE_GLOBAL_MEM_SIZE),
                         G_MAXINT64),
    .is_mapped = device->is_mapped,
    .is_apart = !tp_opencl_is_cpu (device->id),
    .takes_all = device->takes_all,
    .pci = tp_opencl_dup_pci (device->id),
    .target = target,
  };
}

/* ---- memory --------------------------------------------------------------- */

static cl_mem
new_memory (ClDevice *device, gint64 size_bytes, char **out_shared,
            cl_int *out_code)
{
  cl_mem_flags flags = CL_MEM_READ_WRITE;

  if (device->has_shared)
    return tp_opencl_new_shared (device->context, size_bytes, out_shared,
                                 out_code);
  if (device->copier.is_mapped)
    flags |= CL_MEM_ALLOC_HOST_PTR;
  return clCreateBuffer (device->context, flags, size_bytes, NULL, out_code);
}

static TpBuf *
cl_alloc (TpDevice *base, TpBuf *parent, gint64 offset, gint64 size_bytes,
          GError **error)
{
  ClDevice *device = (ClDevice *) base;
  cl_int code;
  char *shared = NULL;
  cl_mem memory;

  if (parent != NULL)
    return tp_opencl_buf_new_part (parent, offset, size_bytes);
  if (size_bytes > device->max_buf_bytes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "device '%s': a buffer of %" G_GINT64_FORMAT " bytes is "
                   "needed, the driver allows %" G_GINT64_FORMAT
                   "; cut the batch", device->name, size_bytes,
                   device->max_buf_bytes);
      return NULL;
    }
  if (!device->has_shared)
    tp_opencl_copier_prepare (&device->copier, device->queue, size_bytes);
  memory = new_memory (device, MAX (size_bytes, 1), &shared, &code);
  code = tp_opencl_check (code, memory);
  if (code != CL_SUCCESS)
    {
      tp_opencl_fail (error, device->name, code,
                      "cannot have a buffer of %" G_GINT64_FORMAT " bytes",
                      size_bytes);
      return NULL;
    }
  tp_device_count_bytes (base, size_bytes);
  return tp_opencl_buf_new ((TpOpenclPlace){ memory, 0 }, shared, size_bytes);
}

static void
cl_free_buf (TpDevice *base, TpBuf *base_buf)
{
  TpOpenclBuf *buf = (TpOpenclBuf *) base_buf;

  if (buf == NULL)
    return;
  if (!buf->is_part)
    {
      TP_OPENCL_RELEASE (MemObject, buf->place.memory);
      tp_device_count_bytes (base, -buf->size_bytes);
    }
  g_free (buf);
}

/* ---- compiling ------------------------------------------------------------- */

static gboolean
fail_build (const ClDevice *device, cl_program program, cl_int code,
            GError **error)
{
  g_autofree char *log = tp_opencl_dup_log (program, device->id);

  return tp_opencl_fail (error, device->name, code, "cannot build kernels: %s",
                         g_strstrip (log));
}

/* Drivers keep binaries of sources they have seen. */
static gboolean
build_program (ClDevice *device, ClCode *code, GError **error)
{
  const TpArray *kernels = code->kernel_code.kernels;
  g_autoptr (GString) source = g_string_new (NULL);
  const char *text;
  cl_int result;

  if (kernels->len == 0)
    return TRUE;
  tp_text_append (source, tp_opencl_preamble ());
  for (guint i = 0; i < kernels->len; i++)
    {
      g_autofree char *kernel
          = tp_kernel_to_opencl (tp_kernel_code_get (&code->kernel_code, i));

      tp_text_append (source, kernel);
    }
  text = source->str;
  code->program = clCreateProgramWithSource (device->context, 1, &text, NULL,
                                             &result);
  result = tp_opencl_check (result, code->program);
  if (result != CL_SUCCESS)
    return tp_opencl_fail (error, device->name, result,
                           "cannot make a program");
  result = clBuildProgram (code->program, 1, &device->id,
                           tp_opencl_get_build_options (device->id, device->mma),
                           NULL, NULL);
  if (result != CL_SUCCESS)
    return fail_build (device, code->program, result, error);
  return TRUE;
}

static void
cl_free_code (TpDevice *device, TpCode *base)
{
  ClCode *code = (ClCode *) base;

  if (code == NULL)
    return;
  if (code->program != NULL)
    TP_OPENCL_RELEASE (Program, code->program);
  tp_kernel_code_clear (&code->kernel_code);
  g_free (code);
}

static TpCode *
cl_compile (TpDevice *base, const TpUnit *units, int n_units, GError **error)
{
  ClDevice *device = (ClDevice *) base;
  ClCode *code = g_new0 (ClCode, 1);
  g_auto (TpMaking) making = { base, &code->kernel_code.base, NULL };
  TpTarget target = { 0 };

  tp_opencl_describe (device->id, device->mma, &target);
  code->kernel_code
      = (TpKernelCode){ .base.n_units = n_units, .device = base };
  if (!tp_kernel_code_init (&code->kernel_code, &target, units, error)
      || !build_program (device, code, error))
    return NULL;
  return g_steal_pointer (&making.code);
}

/* ---- launching ------------------------------------------------------------- */

static void
cl_free_launch (TpDevice *device, TpLaunch *launch)
{
  if (launch == NULL)
    return;
  for (int i = 0; i < launch->n_steps; i++)
    if (launch->steps[i].kernel != NULL)
      TP_OPENCL_RELEASE (Kernel, launch->steps[i].kernel);
  g_free (launch->steps);
  g_free (launch);
}

/* @bufs: NULL-terminated. */
static gboolean
make_step (const ClCode *code, const TpKernel *kernel, TpBuf *const *bufs,
           ClStep *out_step, GError **error)
{
  const char *name = ((ClDevice *) code->kernel_code.device)->name;
  cl_int result;
  int n = 0;

  out_step->local_size = kernel->local_size;
  out_step->global_size = kernel->n_groups * kernel->local_size;
  out_step->kernel = clCreateKernel (code->program, kernel->name, &result);
  result = tp_opencl_check (result, out_step->kernel);
  if (result != CL_SUCCESS)
    return tp_opencl_fail (error, name, result, "cannot make kernel '%s'",
                           kernel->name);
  for (int i = 0; bufs[i] != NULL; i++)
    {
      const TpOpenclPlace *place = &((const TpOpenclBuf *) bufs[i])->place;
      const cl_long offset = place->offset;

      result = clSetKernelArg (out_step->kernel, n++, sizeof (cl_mem),
                               &place->memory);
      if (result == CL_SUCCESS)
        result = clSetKernelArg (out_step->kernel, n++, sizeof offset, &offset);
      if (result != CL_SUCCESS)
        return tp_opencl_fail (error, name, result,
                               "cannot set argument %d of kernel '%s'", n - 1,
                               kernel->name);
    }
  out_step->iteration_arg = tp_kernel_uses_iteration (kernel) ? n : -1;
  return TRUE;
}

static TpLaunch *
cl_bind (TpDevice *base, TpCode *base_code, int unit, TpBuf *const *operands,
         GError **error)
{
  ClCode *code = (ClCode *) base_code;
  const TpKernelUnit *it = &code->kernel_code.units[unit];
  const TpProgram *program = it->program;
  TpLaunch *launch = g_new0 (TpLaunch, 1);
  g_auto (TpMaking) making = { base, NULL, launch };

  launch->steps = tp_new0 (ClStep, program->n_steps + 1);
  launch->n_steps = program->n_steps;
  launch->n_iterations = program->n_iterations;
  launch->first_repeated = program->first_repeated_step;
  for (int i = 0; i < launch->n_steps; i++)
    {
      const TpKernel *kernel
          = tp_kernel_code_get (&code->kernel_code, it->kernels[i]);
      g_autofree TpBuf **bufs = tp_kernel_code_bind (&code->kernel_code, unit,
                                                     i, operands, error);

      if (bufs == NULL
          || !make_step (code, kernel, bufs, &launch->steps[i], error))
        return NULL;
    }
  return g_steal_pointer (&making.launch);
}

/* A kernel takes its arguments along when it is enqueued. */
static cl_int
enqueue_step (ClDevice *device, const ClStep *step, cl_long iteration,
              TpOpenclTimed *out_timed)
{
  cl_event event = NULL;
  cl_int code = CL_SUCCESS;

  if (step->global_size == 0)
    return CL_SUCCESS;
  if (step->iteration_arg >= 0)
    code = clSetKernelArg (step->kernel, step->iteration_arg, sizeof iteration,
                           &iteration);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel (device->current, step->kernel, 1, NULL,
                                   &step->global_size, &step->local_size, 0,
                                   NULL, out_timed != NULL ? &event : NULL);
  if (code == CL_SUCCESS && out_timed != NULL)
    tp_opencl_timed_take (out_timed, event);
  return code;
}

static cl_int
enqueue (ClDevice *device, const TpLaunch *launch, TpOpenclTimed *out_timed)
{
  cl_int code = CL_SUCCESS;

  for (gint64 i = 0; i < launch->n_iterations; i++)
    for (int step = i == 0 ? 0 : launch->first_repeated;
         step < launch->n_steps && code == CL_SUCCESS; step++)
      code = enqueue_step (device, &launch->steps[step], i, out_timed);
  return code;
}

/* ---- stamps ----------------------------------------------------------------- */

/* The queue that keeps times while stamps are wanted, else the other. */
static cl_int
choose_queue (ClDevice *device)
{
  cl_int code = CL_SUCCESS;
  cl_command_queue wanted;

  if (device->base.stamps != NULL && device->timed == NULL)
    device->timed = clCreateCommandQueue (device->context, device->id,
                                          CL_QUEUE_PROFILING_ENABLE, &code);
  code = device->base.stamps != NULL ? tp_opencl_check (code, device->timed)
                                     : code;
  wanted = device->base.stamps != NULL ? device->timed : device->queue;
  if (code != CL_SUCCESS || wanted == device->current)
    return code;
  code = clFinish (device->current);
  device->current = wanted;
  return code;
}

/* All, or none when the driver has no clock. */
static void
take_stamps (ClDevice *device)
{
  GArray *stamps = device->base.stamps;
  guint n_before = stamps != NULL ? stamps->len : 0;
  gboolean has_clock = stamps != NULL;

  for (guint i = 0; i < device->pending->len; i++)
    {
      TpOpenclTimed *timed
          = &g_array_index (device->pending, TpOpenclTimed, i);
      TpStamp stamp;

      has_clock = has_clock && tp_opencl_timed_read (timed, &stamp);
      if (has_clock)
        g_array_append_val (stamps, stamp);
      tp_opencl_timed_clear (timed);
    }
  if (stamps != NULL && !has_clock)
    g_array_set_size (stamps, n_before);
  g_array_set_size (device->pending, 0);
}

static gboolean
wait (ClDevice *device, GError **error)
{
  cl_int code = device->copier.is_awake
                    ? tp_opencl_finish_awake (device->current)
                    : clFinish (device->current);

  take_stamps (device);
  device->is_working = FALSE;
  return code == CL_SUCCESS
         || tp_opencl_fail (error, device->name, code, "cannot finish");
}

static gboolean
cl_copy (TpDevice *base, const TpCopy *copy, GError **error)
{
  ClDevice *device = (ClDevice *) base;
  cl_command_queue own = device->copies[copy->is_write != FALSE];
  cl_command_queue queue = own != NULL ? own : device->current;
  const TpOpenclBuf *buf = (const TpOpenclBuf *) copy->buf;
  cl_int code;

  g_assert (copy->size_bytes <= MAX (buf->size_bytes, 1));
  if (copy->size_bytes == 0)
    return TRUE;
  if (!tp_opencl_check_process (device->name, error))
    return FALSE;
  if (copy->host == NULL)
    return copy->is_write || own != NULL || !device->is_working
           || wait (device, error);
  if (own != NULL && buf->base.data != NULL)
    {
      tp_host_copy (copy, buf->base.data);
      return TRUE;
    }
  device->is_working = TRUE;
  code = tp_opencl_copy (&device->copier, queue, &buf->place, copy);
  /* A write that blocks has read its source; kernels are in another queue. */
  if (code == CL_SUCCESS && own != NULL)
    code = clFinish (own);
  if (code == CL_SUCCESS && !copy->is_write)
    device->is_working = FALSE;
  if (code == CL_SUCCESS)
    return TRUE;
  return tp_opencl_fail (error, device->name, code,
                         "cannot copy %" G_GINT64_FORMAT " bytes %s",
                         copy->size_bytes,
                         copy->is_write ? "to it" : "from it");
}

static gboolean
cl_launch (TpDevice *base, TpLaunch *launch, GError **error)
{
  ClDevice *device = (ClDevice *) base;
  TpOpenclTimed timed = { 0 };
  gboolean is_told = base->stamps != NULL || base->n_ended != NULL;
  cl_int code;

  if (!tp_opencl_check_process (device->name, error))
    return FALSE;
  if (launch == NULL)
    return wait (device, error);
  if (device->takes_all)
    tp_pool_rest ();
  device->is_working = TRUE;
  code = choose_queue (device);
  if (code == CL_SUCCESS)
    code = enqueue (device, launch, is_told ? &timed : NULL);
  if (base->n_ended != NULL)
    tp_opencl_count_end (tp_opencl_timed_get_last (&timed), base->n_ended);
  if (base->stamps != NULL)
    g_array_append_val (device->pending, timed);
  else
    tp_opencl_timed_clear (&timed);
  if (code == CL_SUCCESS)
    code = clFlush (device->current);
  if (code == CL_SUCCESS)
    return TRUE;
  return tp_opencl_fail (error, device->name, code, "cannot run a kernel");
}

const TpDeviceOps tp_device_opencl = {
  .name = "opencl",
  .which = "N",
  .role = TP_ROLE_OTHER,
  /* no better than a host until measured; float64: of GPUs, 1/2 to 1/64 */
  .guess = { 0, 10, 10000, 1024, 0.125 },
  .drivers = &tp_opencl_drivers,
  .count = tp_opencl_count,
  .open = cl_open,
  .close = cl_close,
  .describe = cl_describe,
  .compile = cl_compile,
  .free_code = cl_free_code,
  .alloc = cl_alloc,
  .free_buf = cl_free_buf,
  .copy = cl_copy,
  .bind = cl_bind,
  .launch = cl_launch,
  .free_launch = cl_free_launch,
};
