/* opencl.c: finding OpenCL devices, what they are like, and their errors. */
#include "config.h"

#include "runtime/opencl.h"

#include "ir/guard.h"
#include "kernel/jit.h"
#include "runtime/opencl-drivers.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

/* What drivers claim beyond these is a mistake of theirs. */
#define UNITS_MAX 4096
#define LOCAL_BYTES_MAX (1 << 20)
#define LISTED_MAX 1024       /* platforms, or devices of one */

#define GPU_LOCAL_SIZE 256
#define MAX_DIMENSIONS 16      /* 3 are usual */
#define DEVICE_UUID 0x106a     /* CL_DEVICE_UUID_KHR, not in old headers */
#define PCI_BUS_INFO 0x410F   /* CL_DEVICE_PCI_BUS_INFO_KHR */
#define TOPOLOGY_AMD 0x4037   /* CL_DEVICE_TOPOLOGY_AMD */

/* The loader's list of drivers (one more may renumber all devices) and layers,
 * and whose files they are. */
static const char *const variables[] = {
  "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
  "OPENCL_LAYERS", "POCL_DEVICES", "POCL_MAX_PTHREAD_COUNT", "RUSTICL_ENABLE",
  NULL
};
static const char *const libraries[] = {
  "LLVM", "clang", "OpenCL", "opencl", "pocl", "nvidia", "amdocl", "libigd",
  "libigc", "libmali", "mesa", NULL
};
const TpDeviceDrivers tp_opencl_drivers = {
  .folder = TP_OPENCL_DRIVERS,
  .variables = variables,
  .libraries = libraries,
  .list = tp_opencl_drivers_list,
  .narrow = tp_opencl_drivers_narrow,
  .get_chosen = tp_opencl_drivers_get_chosen,
};

typedef struct
{
  cl_device_id device;
  cl_platform_id platform;    /* that listed it */
} Found;

static GArray *found;         /* Found */
static const char *absence;   /* why there are none */

/* A driver may list fewer than it counted. */
static void
add_devices (cl_platform_id platform)
{
  cl_uint n = 0;
  g_autofree cl_device_id *devices = NULL;

  if (clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) != CL_SUCCESS
      || n == 0)
    return;
  n = MIN (n, LISTED_MAX);
  devices = g_new0 (cl_device_id, n);
  if (clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, n, devices, NULL)
      != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < n && devices[i] != NULL; i++)
    {
      Found it = { devices[i], platform };

      g_array_append_val (found, it);
    }
}

/* ---- signals ------------------------------------------------------------- */

static void
save_signals (struct sigaction *saved)
{
  for (int i = 1; i < NSIG; i++)
    if (sigaction (i, NULL, &saved[i]) != 0)
      saved[i].sa_handler = SIG_ERR; /* none to keep */
}

static void
restore_signals (const struct sigaction *saved)
{
  struct sigaction now;

  for (int i = 1; i < NSIG; i++)
    if (saved[i].sa_handler != SIG_ERR && sigaction (i, NULL, &now) == 0
        && now.sa_handler != saved[i].sa_handler)
      sigaction (i, &saved[i], NULL);
}

/* ---- devices ------------------------------------------------------------- */

/* Processors go last, else as drivers have them: who takes the first device wants
 * the GPU, not what `cpu` runs on already. */
static void
put_gpus_first (GArray *devices)
{
  guint n_first = 0;

  for (guint i = 0; i < devices->len; i++)
    {
      Found it = g_array_index (devices, Found, i);

      if (tp_opencl_is_cpu (it.device))
        continue;
      g_array_remove_index (devices, i);
      g_array_insert_val (devices, n_first++, it);
    }
}

static void
find_all (void)
{
  cl_uint n = 0;
  g_autofree cl_platform_id *platforms = NULL;
  cl_int code;

  found = g_array_new (FALSE, FALSE, sizeof (Found));
  absence = "no OpenCL platform is installed";
  tp_opencl_drivers_begin ();
  code = clGetPlatformIDs (0, NULL, &n);
  tp_opencl_drivers_end ();
  if (code != CL_SUCCESS || n == 0)
    return;
  absence = "no OpenCL platform has a device";
  n = MIN (n, LISTED_MAX);
  platforms = g_new0 (cl_platform_id, n);
  if (clGetPlatformIDs (n, platforms, NULL) != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < n && platforms[i] != NULL; i++)
    add_devices (platforms[i]);
  put_gpus_first (found);
}

/* Drivers put handlers on signals when they start (PoCL and its LLVM: on SIGINT,
 * SIGTERM, SIGSEGV and a dozen more), which are the program's. */
static void
find_devices (void)
{
  struct sigaction saved[NSIG];

  save_signals (saved);
  find_all ();
  restore_signals (saved);
}

int
tp_opencl_count (const char **out_reason)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, find_devices);
  *out_reason = found->len == 0 ? absence : NULL;
  return found->len;
}

cl_device_id
tp_opencl_get (int index)
{
  return g_array_index (found, Found, index).device;
}

/* ---- errors ---------------------------------------------------------------- */

static const struct
{
  cl_int code;
  const char *name;
} error_names[] = {
#define NAME(code) { code, #code }
  NAME (CL_DEVICE_NOT_FOUND),
  NAME (CL_DEVICE_NOT_AVAILABLE),
  NAME (CL_COMPILER_NOT_AVAILABLE),
  NAME (CL_MEM_OBJECT_ALLOCATION_FAILURE),
  NAME (CL_OUT_OF_RESOURCES),
  NAME (CL_OUT_OF_HOST_MEMORY),
  NAME (CL_PROFILING_INFO_NOT_AVAILABLE),
  NAME (CL_MEM_COPY_OVERLAP),
  NAME (CL_BUILD_PROGRAM_FAILURE),
  NAME (CL_MAP_FAILURE),
  NAME (CL_MISALIGNED_SUB_BUFFER_OFFSET),
  NAME (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
  NAME (CL_COMPILE_PROGRAM_FAILURE),
  NAME (CL_LINKER_NOT_AVAILABLE),
  NAME (CL_DEVICE_PARTITION_FAILED),
  NAME (CL_INVALID_VALUE),
  NAME (CL_INVALID_DEVICE),
  NAME (CL_INVALID_CONTEXT),
  NAME (CL_INVALID_QUEUE_PROPERTIES),
  NAME (CL_INVALID_COMMAND_QUEUE),
  NAME (CL_INVALID_HOST_PTR),
  NAME (CL_INVALID_MEM_OBJECT),
  NAME (CL_INVALID_BINARY),
  NAME (CL_INVALID_BUILD_OPTIONS),
  NAME (CL_INVALID_PROGRAM),
  NAME (CL_INVALID_PROGRAM_EXECUTABLE),
  NAME (CL_INVALID_KERNEL_NAME),
  NAME (CL_INVALID_KERNEL_DEFINITION),
  NAME (CL_INVALID_KERNEL),
  NAME (CL_INVALID_ARG_INDEX),
  NAME (CL_INVALID_ARG_VALUE),
  NAME (CL_INVALID_ARG_SIZE),
  NAME (CL_INVALID_KERNEL_ARGS),
  NAME (CL_INVALID_WORK_DIMENSION),
  NAME (CL_INVALID_WORK_GROUP_SIZE),
  NAME (CL_INVALID_WORK_ITEM_SIZE),
  NAME (CL_INVALID_GLOBAL_OFFSET),
  NAME (CL_INVALID_EVENT_WAIT_LIST),
  NAME (CL_INVALID_EVENT),
  NAME (CL_INVALID_OPERATION),
  NAME (CL_INVALID_BUFFER_SIZE),
  NAME (CL_INVALID_GLOBAL_WORK_SIZE),
  NAME (CL_INVALID_PROPERTY),
#undef NAME
};

/* "CL_OUT_OF_RESOURCES", ... */
static const char *
get_error_name (cl_int code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (error_names); i++)
    if (error_names[i].code == code)
      return error_names[i].name;
  return "an unknown error";
}

cl_int
tp_opencl_check (cl_int code, const void *object)
{
  return code == CL_SUCCESS && object == NULL ? CL_OUT_OF_RESOURCES : code;
}

static gboolean
is_memory_error (cl_int code)
{
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE
         || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

gboolean
tp_opencl_fail (GError **error, const char *device, cl_int code,
                const char *format, ...)
{
  gboolean is_memory = is_memory_error (code);
  g_autofree char *action = NULL;
  va_list args;

  va_start (args, format);
  action = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR,
               is_memory ? TPLAN_ERROR_MEMORY : TPLAN_ERROR_DEVICE,
               "device '%s': %s: %s (%d); %s", device, action,
               get_error_name (code), code,
               is_memory ? "cut the batch or free device memory"
                         : "see `tplan devices`");
  return FALSE;
}

/* ---- what a device is like -------------------------------------------------- */

guint64
tp_opencl_get_number (cl_device_id device, cl_device_info what)
{
  guint64 value = 0;          /* of 4 or 8 bytes; the rest stays 0 */

  if (clGetDeviceInfo (device, what, sizeof value, &value, NULL) != CL_SUCCESS)
    return 0;
#if G_BYTE_ORDER == G_BIG_ENDIAN
  {
    size_t size = 0;

    clGetDeviceInfo (device, what, 0, NULL, &size);
    value >>= 8 * (sizeof value - size);
  }
#endif
  return value;
}

gint64
tp_opencl_get_max_buf_bytes (cl_device_id device)
{
  guint64 bytes = tp_opencl_get_number (device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);

  return bytes == 0 ? G_MAXINT64 : (gint64) MIN (bytes, G_MAXINT64);
}

/* What a driver says of itself in at most TP_OPENCL_TEXT_MAX bytes. */
char *
tp_opencl_dup_text (cl_device_id device, cl_device_info what)
{
  size_t size = 0;
  g_autofree char *text = NULL;

  if (clGetDeviceInfo (device, what, 0, NULL, &size) != CL_SUCCESS
      || size > TP_OPENCL_TEXT_MAX)
    return g_strdup ("unknown");
  text = g_malloc0 (size + 1);
  if (clGetDeviceInfo (device, what, size, text, NULL) != CL_SUCCESS)
    return g_strdup ("unknown");
  return g_strdup (g_strstrip (text));
}

char *
tp_opencl_dup_log (cl_program program, cl_device_id device)
{
  size_t size = 0;
  char *log;

  if (clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                             &size) != CL_SUCCESS
      || size > TP_OPENCL_TEXT_MAX)
    size = 0;
  log = tp_alloc0 (size + 1, 1);
  clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  return log;
}

static char *
dup_platform_text (cl_platform_id platform, cl_platform_info what)
{
  size_t size = 0;
  g_autofree char *text = NULL;

  if (clGetPlatformInfo (platform, what, 0, NULL, &size) != CL_SUCCESS
      || size > TP_OPENCL_TEXT_MAX)
    return g_strdup ("unknown");
  text = g_malloc0 (size + 1);
  if (clGetPlatformInfo (platform, what, size, text, NULL) != CL_SUCCESS)
    return g_strdup ("unknown");
  return g_strdup (g_strstrip (text));
}

/* Of the one that listed it: what a driver says it is of may be none. */
char *
tp_opencl_dup_platform (int index)
{
  cl_platform_id platform = g_array_index (found, Found, index).platform;
  g_autofree char *name = dup_platform_text (platform, CL_PLATFORM_NAME);
  g_autofree char *version = dup_platform_text (platform, CL_PLATFORM_VERSION);

  return g_strdup_printf ("%s;%s", name, version);
}

/* By cl_khr_device_uuid, which tells two GPUs of one make apart. */
char *
tp_opencl_dup_uuid (cl_device_id device)
{
  guint8 uuid[16];
  GString *text = g_string_new (NULL);

  if (!tp_opencl_is_cpu (device)
      && clGetDeviceInfo (device, DEVICE_UUID, sizeof uuid, uuid, NULL)
           == CL_SUCCESS)
    for (gsize i = 0; i < sizeof uuid; i++)
      g_string_append_printf (text, "%02x", uuid[i]);
  return g_string_free (text, FALSE);
}

/* What is in the processor, and takes from its memory, draws with it. */
char *
tp_opencl_dup_pci (cl_device_id device)
{
  cl_uint place[4] = { 0 };   /* domain, bus, device, function */
  guint8 amd[24] = { 0 };     /* the kind, 1; the last three bytes: likewise */

  if (tp_opencl_is_cpu (device)
      || tp_opencl_get_number (device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0)
    return NULL;
  if (clGetDeviceInfo (device, PCI_BUS_INFO, sizeof place, place, NULL)
          == CL_SUCCESS)
    return g_strdup_printf ("%04x:%02x:%02x.%x", place[0], place[1], place[2],
                            place[3]);
  if (clGetDeviceInfo (device, TOPOLOGY_AMD, sizeof amd, amd, NULL)
          == CL_SUCCESS
      && amd[0] == 1)
    return g_strdup_printf ("0000:%02x:%02x.%x", amd[21], amd[22], amd[23]);
  return g_strdup ("");
}

int
tp_opencl_count_units (cl_device_id device)
{
  guint64 n = tp_opencl_get_number (device, CL_DEVICE_MAX_COMPUTE_UNITS);

  return (int) CLAMP (n, 1, UNITS_MAX);
}

gboolean
tp_opencl_is_cpu (cl_device_id device)
{
  return (tp_opencl_get_number (device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU)
         != 0;
}

const char *
tp_opencl_get_build_options (cl_device_id device, TpOpenclMma mma)
{
  static const char *const options[2][2]
      = { { "-cl-std=CL1.2", "-cl-std=CL1.2 -DTP_MMA" },
          { "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
            "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DTP_MMA" } };
  guint64 config = tp_opencl_get_number (device, CL_DEVICE_SINGLE_FP_CONFIG);
  gboolean is_exact = (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;

  return options[is_exact][mma == TP_OPENCL_MMA_THERE];
}

/* Caches of a CPU are asked of the CPU: OpenCL tells of the last one only. */
static void
describe_cpu (cl_device_id device, TpTarget *target)
{
  guint64 lanes
      = tp_opencl_get_number (device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);

  tp_jit_describe_cpu (target);
  if (lanes == 4 || lanes == 8 || lanes == 16)
    target->lanes = lanes;
  target->n_registers = target->lanes == 16 ? 32 : 16;
  target->local_size = 1;
}

/* What TPLAN_OPENCL_LOCAL_SIZE asks for: 1 for the schedules of CPUs, more for
 * those of GPUs with groups of at most so many; else as the type of the device is. */
static int
choose_local_size (cl_device_id device)
{
  const char *text = secure_getenv ("TPLAN_OPENCL_LOCAL_SIZE");
  guint64 wanted = 0;

  if (text != NULL
      && g_ascii_string_to_unsigned (text, 10, 1, 1024, &wanted, NULL))
    return wanted;
  return tp_opencl_is_cpu (device) ? 1 : GPU_LOCAL_SIZE;
}

/* Items of a group in one dimension, which may be fewer than in all. */
static guint64
get_group_limit (cl_device_id device)
{
  guint64 limit = tp_opencl_get_number (device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  size_t sizes[MAX_DIMENSIONS] = { 0 };

  if (clGetDeviceInfo (device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes,
                       sizes, NULL) == CL_SUCCESS
      && sizes[0] > 0)
    limit = MIN (limit, sizes[0]);
  return limit;
}

static void
describe_gpu (cl_device_id device, int local_size, TpTarget *target)
{
  guint64 limit = get_group_limit (device);

  while ((guint64) local_size > MAX (limit, 1))
    local_size /= 2;
  target->lanes = 1;
  target->n_registers = 32;
  target->l1_bytes = 16 << 10;
  target->l2_bytes
      = MIN (tp_opencl_get_number (device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
             G_MAXINT32);
  target->local_size = local_size;
}

/* All that cl_khr_fp64 is: rounding to nearest, fused products, denormals. */
static gboolean
has_float64 (cl_device_id device)
{
  g_autofree char *extensions
      = tp_opencl_dup_text (device, CL_DEVICE_EXTENSIONS);
  g_auto (GStrv) names = g_strsplit (extensions, " ", -1);

  return g_strv_contains ((const char *const *) names, "cl_khr_fp64");
}

void
tp_opencl_describe (cl_device_id device, TpOpenclMma mma, TpTarget *out_target)
{
  gint64 local_bytes
      = MIN (tp_opencl_get_number (device, CL_DEVICE_LOCAL_MEM_SIZE),
             LOCAL_BYTES_MAX);
  int local_size = choose_local_size (device);

  if (local_size == 1)
    describe_cpu (device, out_target);
  else
    describe_gpu (device, local_size, out_target);
  out_target->n_units = tp_opencl_count_units (device);
  out_target->has_float64 = has_float64 (device);
  out_target->has_mma = local_size > 1 && mma != TP_OPENCL_MMA_NONE;
  if (out_target->local_bytes == 0 || out_target->local_bytes > local_bytes)
    out_target->local_bytes = local_bytes;
}
