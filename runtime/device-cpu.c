/* device-cpu.c: kernels as machine code of this CPU, made by the LLVM module;
 * the groups of a kernel are shared out over the thread pool. */
#include "config.h"

#include "ir/guard.h"
#include "runtime/compiler.h"
#include "runtime/device.h"
#include "runtime/host.h"
#include "runtime/kernel-code.h"
#include "runtime/pool.h"
#include "runtime/threads.h"

extern const TpDeviceOps tp_device_cpu;

static const char *const libraries[] = { "LLVM", "clang", NULL };
static const TpDeviceDrivers drivers = { .libraries = libraries };

typedef struct
{
  TpDevice base;
  int n_threads;
  TpCodeCache *cache;         /* (nullable) */
} CpuDevice;

typedef struct
{
  TpKernelCode kernel_code;
  TpJit *jit;
  TpBuf *scratch;             /* local memory of each thread */
  gint64 scratch_bytes;       /* per thread */
} CpuCode;

typedef struct
{
  TpJitFunc function;
  int n_buffers;
  TpBuf **bufs;               /* (owned list) */
  void **buffers;             /* where they are, now */
  gint64 n_groups;
  gint64 iteration;           /* now running */
  char *scratch;
  gint64 scratch_bytes;
} CpuStep;

struct TpLaunch
{
  int n_steps, first_repeated;
  gint64 n_iterations;
  CpuStep *steps;
};

static int
cpu_count (const char **out_reason)
{
  gboolean is_there = tp_compiler_get_identity (NULL) != NULL;

  *out_reason = is_there ? NULL : tp_compiler_get_absence ();
  return is_there;
}

/* What there is to know of it may be kept where its code is. */
static gboolean
check_compiler (const TpCodeCache *cache, GError **error)
{
  if (tp_compiler_get_identity (cache) != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "device '%s' is absent: %s", tp_device_cpu.name,
               tp_compiler_get_absence ());
  return FALSE;
}

static TpDevice *
cpu_open (const char *which, const TpDeviceOptions *options, GError **error)
{
  g_autofree CpuDevice *device = g_new0 (CpuDevice, 1);
  g_autoptr (GError) reason = NULL;

  device->base.ops = &tp_device_cpu;
  device->n_threads = tp_threads_count (options->n_threads);
  /* without one, kernels are compiled each time */
  device->cache = tp_code_cache_open (options->code_cache != NULL
                                          ? options->code_cache
                                          : tp_code_cache_get_place (),
                                      &reason);
  if (g_error_matches (reason, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  if (!check_compiler (device->cache, error)
      || !tp_pool_prepare (device->n_threads, error))
    {
      tp_code_cache_close (device->cache);
      return NULL;
    }
  return &g_steal_pointer (&device)->base;
}

static void
cpu_close (TpDevice *base)
{
  CpuDevice *device = (CpuDevice *) base;

  tp_code_cache_close (device->cache);
  g_free (device);
}

static TpTarget
get_target (const CpuDevice *device)
{
  TpTarget target = { 0 };

  tp_jit_describe_cpu (&target);
  target.n_units = device->n_threads;
  return target;
}

static void
cpu_describe (TpDevice *base, TpDeviceInfo *out_info)
{
  const CpuDevice *device = (CpuDevice *) base;

  *out_info = (TpDeviceInfo){
    .name = g_strdup ("cpu"),
    .description = g_strdup_printf ("%s, %d threads", tp_jit_get_cpu (),
                                    device->n_threads),
    .identity = g_strdup_printf ("cpu;%s;threads=%d;%s", tp_jit_get_cpu (),
                                 device->n_threads, 
                                 tp_compiler_get_identity (device->cache)),
    .memory_bytes = tp_host_get_memory_bytes (),
    .is_host = TRUE,
    .takes_loans = TRUE,
    .target = get_target (device),
  };
}

/* ---- compiling ----------------------------------------------------------- */

static gboolean
compile_kernels (const CpuDevice *device, CpuCode *code, GError **error)
{
  const TpArray *kernels = code->kernel_code.kernels;
  const TpKernel *const *list
      = (const TpKernel *const *) (void *) kernels->data;
  const TpCompiler compiler = { device->n_threads, device->cache };

  code->jit = tp_compiler_make (&compiler, list, kernels->len, error);
  return code->jit != NULL;
}

static gboolean
alloc_scratch (CpuDevice *device, CpuCode *code, GError **error)
{
  const TpArray *kernels = code->kernel_code.kernels;
  gint64 most = 0;

  for (guint i = 0; i < kernels->len; i++)
    {
      const TpKernel *kernel = tp_kernel_code_get (&code->kernel_code, i);

      most = MAX (most, tp_jit_local_bytes (kernel));
    }
  /* Threads a cache line off each other's sets, and no line shared. */
  code->scratch_bytes
      = (most + TP_BUF_ALIGN - 1) / TP_BUF_ALIGN * TP_BUF_ALIGN + 64;
  code->scratch = tp_host_buf_new (&device->base, NULL, 0,
                                   code->scratch_bytes * device->n_threads,
                                   error);
  return code->scratch != NULL;
}

static void
cpu_free_code (TpDevice *device, TpCode *base)
{
  CpuCode *code = (CpuCode *) base;

  if (code == NULL)
    return;
  tp_jit_free (code->jit);
  tp_host_buf_free (device, code->scratch);
  tp_kernel_code_clear (&code->kernel_code);
  g_free (code);
}

static TpCode *
cpu_compile (TpDevice *base, const TpUnit *units, int n_units, GError **error)
{
  CpuDevice *device = (CpuDevice *) base;
  CpuCode *code = g_new0 (CpuCode, 1);
  g_auto (TpMaking) making = { base, NULL, NULL };
  const TpTarget target = get_target (device);

  code->kernel_code = (TpKernelCode){ .base.n_units = n_units,
                                      .device = base,
                                      .is_host = TRUE,
                                      .n_threads = device->n_threads };
  making.code = &code->kernel_code.base;
  if (!tp_kernel_code_init (&code->kernel_code, &target, units, error)
      || !compile_kernels (device, code, error)
      || !alloc_scratch (device, code, error))
    return NULL;
  return g_steal_pointer (&making.code);
}

/* ---- launching ----------------------------------------------------------- */

static void
cpu_free_launch (TpDevice *device, TpLaunch *launch)
{
  if (launch == NULL)
    return;
  for (int i = 0; i < launch->n_steps; i++)
    {
      g_free (launch->steps[i].bufs);
      g_free (launch->steps[i].buffers);
    }
  g_free (launch->steps);
  g_free (launch);
}

/* Takes @bufs. */
static CpuStep
make_step (const CpuCode *code, const TpStep *step, int kernel, TpBuf **bufs)
{
  return (CpuStep){
    .function = tp_jit_get (code->jit, kernel),
    .n_buffers = step->n_args,
    .bufs = bufs,
    .buffers = g_new0 (void *, step->n_args + 1),
    .n_groups = step->kernel->n_groups,
    .scratch = tp_host_buf_get_data (code->scratch),
    .scratch_bytes = code->scratch_bytes,
  };
}

static TpLaunch *
cpu_bind (TpDevice *device, TpCode *base, int unit, TpBuf *const *operands,
          GError **error)
{
  CpuCode *code = (CpuCode *) base;
  const TpKernelUnit *it = &code->kernel_code.units[unit];
  const TpProgram *program = it->program;
  TpLaunch *launch = g_new0 (TpLaunch, 1);
  g_auto (TpMaking) making = { device, NULL, launch };

  launch->steps = tp_new0 (CpuStep, program->n_steps + 1);
  launch->n_steps = program->n_steps;
  launch->n_iterations = program->n_iterations;
  launch->first_repeated = program->first_repeated_step;
  for (int i = 0; i < launch->n_steps; i++)
    {
      TpBuf **bufs = tp_kernel_code_bind (&code->kernel_code, unit, i, operands,
                                          error);

      if (bufs == NULL)
        return NULL;
      launch->steps[i] = make_step (code, &program->steps[i], it->kernels[i],
                                    bufs);
    }
  return g_steal_pointer (&making.launch);
}

static void
run_groups (gpointer data, gint64 first, gint64 end, int thread)
{
  const CpuStep *step = data;
  char *scratch = step->scratch + thread * step->scratch_bytes;

  for (gint64 group = first; group < end; group++)
    step->function (step->buffers, group, scratch, step->iteration);
}

static void
find_buffers (TpLaunch *launch)
{
  for (int i = 0; i < launch->n_steps; i++)
    for (int k = 0; k < launch->steps[i].n_buffers; k++)
      launch->steps[i].buffers[k]
          = tp_host_buf_get_data (launch->steps[i].bufs[k]);
}

static void
run_steps (const CpuDevice *device, TpLaunch *launch, int first,
           gint64 iteration)
{
  for (int i = first; i < launch->n_steps; i++)
    {
      CpuStep *step = &launch->steps[i];

      step->iteration = iteration;
      tp_pool_run (device->n_threads, step->n_groups, run_groups, step);
    }
}

static gboolean
cpu_launch (TpDevice *base, TpLaunch *launch, GError **error)
{
  const CpuDevice *device = (CpuDevice *) base;

  if (launch == NULL)
    return TRUE;
  find_buffers (launch);
  for (gint64 i = 0; i < launch->n_iterations; i++)
    run_steps (device, launch, i == 0 ? 0 : launch->first_repeated, i);
  return TRUE;
}

const TpDeviceOps tp_device_cpu = {
  .name = "cpu",
  .which = NULL,
  .role = TP_ROLE_HOST,
  .guess = { 0, 10, 2000, 256, 0.5 }, /* half the lanes */
  .drivers = &drivers,
  .count = cpu_count,
  .open = cpu_open,
  .close = cpu_close,
  .describe = cpu_describe,
  .compile = cpu_compile,
  .free_code = cpu_free_code,
  .alloc = tp_host_buf_new,
  .free_buf = tp_host_buf_free,
  .copy = tp_host_buf_copy,
  .bind = cpu_bind,
  .launch = cpu_launch,
  .free_launch = cpu_free_launch,
};
