/* opencl-mma.c: see opencl-mma.h. */
#include "config.h"

#include "runtime/opencl-mma.h"

#include "kernel/kernel-opencl-preamble.h"
#include "kernel/kernel.h"
#include "runtime/opencl-context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of cl_nv_device_attribute_query. */
#define COMPUTE_CAPABILITY_MAJOR 0x4000
#define LEAST_CAPABILITY 8

#define PITCH (TP_MMA_SIDE + 8)
#define N_FACTOR (TP_MMA_DEPTH * PITCH)
#define N_RESULTS (TP_MMA_WAVE * TP_MMA_LANES)
#define BEFORE 1000000.0f     /* that the product is added to */

/* One wave: both factors to local memory, and the lanes of each item behind each
 * other to @c. */
static const char source[]
    = "__kernel __attribute__ ((reqd_work_group_size (32, 1, 1)))\n"
      "void probe (__global const float *a, __global const float *b,\n"
      "            __global float *c)\n"
      "{\n"
      "  __local float x[8 * 24] __attribute__ ((aligned (8)));\n"
      "  __local float y[8 * 24] __attribute__ ((aligned (8)));\n"
      "  const int item = get_local_id (0);\n"
      "  for (int i = item; i < 8 * 24; i += 32) {\n"
      "    x[i] = a[i];\n"
      "    y[i] = b[i];\n"
      "  }\n"
      "  barrier (CLK_LOCAL_MEM_FENCE);\n"
      "  vstore8 (tp_mma (x, 24, y, 24, (float8) (1000000.0f)), item, c);\n"
      "}\n";

G_STATIC_ASSERT (N_FACTOR == 8 * 24 && TP_MMA_WAVE == 32);

/* ---- one product ---------------------------------------------------------- */

typedef struct
{
  cl_program program;
  cl_kernel kernel;
  cl_command_queue queue;
  cl_mem memory[3];
} Probe;

static void
probe_clear (Probe *probe)
{
  for (int i = 0; i < 3; i++)
    if (probe->memory[i] != NULL)
      clReleaseMemObject (probe->memory[i]);
  if (probe->kernel != NULL)
    clReleaseKernel (probe->kernel);
  if (probe->program != NULL)
    clReleaseProgram (probe->program);
  if (probe->queue != NULL)
    clReleaseCommandQueue (probe->queue);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Probe, probe_clear)

static gboolean
build (Probe *probe, cl_context context, cl_device_id device, TpOpenclMma mma)
{
  const char *texts[] = { tp_opencl_preamble (), source };
  cl_int code;

  probe->program = clCreateProgramWithSource (context, 2, texts, NULL, &code);
  if (tp_opencl_check (code, probe->program) != CL_SUCCESS
      || clBuildProgram (probe->program, 1, &device,
                         tp_opencl_get_build_options (device, mma), NULL, NULL)
             != CL_SUCCESS)
    return FALSE;
  probe->kernel = clCreateKernel (probe->program, "probe", &code);
  if (tp_opencl_check (code, probe->kernel) != CL_SUCCESS)
    return FALSE;
  probe->queue = clCreateCommandQueue (context, device, 0, &code);
  return tp_opencl_check (code, probe->queue) == CL_SUCCESS;
}

static gboolean
run (Probe *probe, cl_context context, float *const *values)
{
  const size_t sizes[] = { N_FACTOR, N_FACTOR, N_RESULTS };
  size_t items = TP_MMA_WAVE;
  cl_int code;

  for (cl_uint i = 0; i < 3; i++)
    {
      probe->memory[i]
          = clCreateBuffer (context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            sizes[i] * sizeof (float), values[i], &code);
      if (tp_opencl_check (code, probe->memory[i]) != CL_SUCCESS
          || clSetKernelArg (probe->kernel, i, sizeof (cl_mem),
                             &probe->memory[i])
                 != CL_SUCCESS)
        return FALSE;
    }
  return clEnqueueNDRangeKernel (probe->queue, probe->kernel, 1, NULL, &items,
                                 &items, 0, NULL, NULL)
             == CL_SUCCESS
         && clEnqueueReadBuffer (probe->queue, probe->memory[2], CL_TRUE, 0,
                                 N_RESULTS * sizeof (float), values[2], 0, NULL,
                                 NULL)
                == CL_SUCCESS;
}

/* Whole numbers: sums of them are exact in whatever order. */
static void
fill (float *factor, int seed)
{
  for (int i = 0; i < N_FACTOR; i++)
    factor[i] = (float) ((i * 37 + seed * i * i) % 31 - 15);
}

static gboolean
is_right (float *const *values)
{
  for (int i = 0; i < N_RESULTS; i++)
    {
      int item = i / TP_MMA_LANES, lane = i % TP_MMA_LANES;
      int row = tp_mma_get_row (lane) + TP_MMA_ROWS * (item / 4);
      int column = tp_mma_get_column (lane) + TP_MMA_WIDTH * (item % 4);
      float sum = BEFORE;

      for (int k = 0; k < TP_MMA_DEPTH; k++)
        sum += values[0][k * PITCH + row] * values[1][k * PITCH + column];
      if (values[2][i] != sum)
        return FALSE;
    }
  return TRUE;
}

static gboolean
try_product (cl_context context, cl_device_id device, TpOpenclMma mma)
{
  float a[N_FACTOR], b[N_FACTOR], c[N_RESULTS] = { 0 };
  float *const values[] = { a, b, c };
  g_auto (Probe) probe = { 0 };

  fill (a, 3);
  fill (b, 5);
  return build (&probe, context, device, mma) && run (&probe, context, values)
         && is_right (values);
}

/* ---- once for each device -------------------------------------------------- */

static gboolean
may_have (cl_device_id device)
{
  g_autofree char *extensions
      = tp_opencl_dup_text (device, CL_DEVICE_EXTENSIONS);
  g_auto (GStrv) names = g_strsplit (extensions, " ", -1);

  return g_strv_contains ((const char *const *) names,
                          "cl_nv_device_attribute_query")
         && tp_opencl_get_number (device, COMPUTE_CAPABILITY_MAJOR)
                >= LEAST_CAPABILITY;
}

typedef struct
{
  cl_device_id device;
  TpOpenclMma mma;
  gboolean is_right;
} Tried;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of tried */
static GArray *tried;         /* Tried */

static gboolean
find_tried (Tried *it)
{
  for (guint i = 0; i < tried->len; i++)
    {
      const Tried *known = &g_array_index (tried, Tried, i);

      if (known->device == it->device && known->mma == it->mma)
        {
          *it = *known;
          return TRUE;
        }
    }
  return FALSE;
}

TpOpenclMma
tp_opencl_find_mma (cl_context context, cl_device_id device)
{
  const char *wanted = secure_getenv ("TPLAN_OPENCL_MMA");
  Tried it = { .device = device };

  if (g_strcmp0 (wanted, "no") == 0)
    return TP_OPENCL_MMA_NONE;
  it.mma = may_have (device)                  ? TP_OPENCL_MMA_THERE
           : g_strcmp0 (wanted, "yes") == 0 ? TP_OPENCL_MMA_SPELT_OUT
                                              : TP_OPENCL_MMA_NONE;
  if (it.mma == TP_OPENCL_MMA_NONE)
    return it.mma;
  pthread_mutex_lock (&lock);
  if (tried == NULL)
    tried = g_array_new (FALSE, FALSE, sizeof (Tried));
  if (!find_tried (&it))
    {
      it.is_right = try_product (context, device, it.mma);
      g_array_append_val (tried, it);
    }
  pthread_mutex_unlock (&lock);
  return it.is_right ? it.mma : TP_OPENCL_MMA_NONE;
}
