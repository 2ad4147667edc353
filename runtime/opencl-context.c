/* opencl-context.c: the contexts of this process, one per device and number of
 * threads, kept until it ends.
 *
 * A driver may still drop its last reference to a finished command, from a
 * thread of its own, when clFinish() has returned: a context released then goes
 * away under its feet (PoCL 3.1). And a context costs more to make than a
 * session should. */
#include "config.h"

#include "runtime/opencl-context.h"

#include "runtime/opencl.h"

#include <pthread.h>
#include <unistd.h>

typedef struct
{
  int index;
  guint64 n_threads;          /* 0: all */
  TpOpenclContext context;
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of entries */
static GArray *entries;       /* Entry */
static int owner;             /* process they are of; 0: none yet */

/* A CPU is not to use more threads than asked for. 0: it would not anyway. */
static guint64
count_part (cl_device_id device, guint64 n_threads)
{
  guint64 n_units = tp_opencl_count_units (device);

  return tp_opencl_is_cpu (device) && n_threads < n_units ? n_threads : 0;
}

/* A driver that cannot may have no such call at all (rusticl): it is not to be
 * tried. */
static gboolean
can_part (cl_device_id device)
{
  g_autofree cl_device_partition_property *kinds = NULL;
  size_t size = 0;

  if (clGetDeviceInfo (device, CL_DEVICE_PARTITION_PROPERTIES, 0, NULL, &size)
          != CL_SUCCESS
      || size == 0 || size > 4096)
    return FALSE;
  kinds = g_malloc0 (size);
  if (clGetDeviceInfo (device, CL_DEVICE_PARTITION_PROPERTIES, size, kinds,
                       NULL)
      != CL_SUCCESS)
    return FALSE;
  for (size_t i = 0; i < size / sizeof kinds[0]; i++)
    if (kinds[i] == CL_DEVICE_PARTITION_BY_COUNTS)
      return TRUE;
  return FALSE;
}

/* The whole device where the driver cannot part it. */
static cl_device_id
find_part (cl_device_id device, guint64 n_threads)
{
  cl_device_partition_property parts[]
      = { CL_DEVICE_PARTITION_BY_COUNTS, n_threads,
          CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
  cl_device_id part = NULL;
  cl_uint n = 0;

  if (n_threads > 0 && can_part (device)
      && clCreateSubDevices (device, parts, 1, &part, &n) == CL_SUCCESS
      && n == 1 && part != NULL)
    return part;
  return device;
}

static const Entry *
find_entry (int index, guint64 n_threads)
{
  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      if (entry->index == index && entry->n_threads == n_threads)
        return entry;
    }
  return NULL;
}

gboolean
tp_opencl_is_forked (void)
{
  int pid = g_atomic_int_get (&owner);

  return pid != 0 && pid != getpid ();
}

gboolean
tp_opencl_check_process (const char *device, GError **error)
{
  if (!tp_opencl_is_forked ())
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "device '%s': this process was forked from %d, where the threads "
               "of OpenCL's drivers stayed: fork before the first session, or "
               "exec", device, g_atomic_int_get (&owner));
  return FALSE;
}

static cl_int
add_entry (int index, guint64 n_threads)
{
  Entry entry = { .index = index, .n_threads = n_threads };
  cl_device_id device = find_part (tp_opencl_get (index), n_threads);
  cl_int code;

  entry.context.device = device;
  g_atomic_int_set (&owner, getpid ());
  entry.context.context = clCreateContext (NULL, 1, &device, NULL, NULL, &code);
  code = tp_opencl_check (code, entry.context.context);
  if (code != CL_SUCCESS)
    {
      if (device != tp_opencl_get (index))
        clReleaseDevice (device);
      return code;
    }
  if (entries == NULL)
    entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_append_val (entries, entry);
  return CL_SUCCESS;
}

cl_int
tp_opencl_find_context (int index, int n_threads, TpOpenclContext *out_context)
{
  guint64 part = count_part (tp_opencl_get (index), n_threads);
  cl_int code = CL_SUCCESS;

  pthread_mutex_lock (&lock);
  if (find_entry (index, part) == NULL)
    code = add_entry (index, part);
  if (code == CL_SUCCESS)
    *out_context = find_entry (index, part)->context;
  pthread_mutex_unlock (&lock);
  return code;
}
