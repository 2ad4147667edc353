/* opencl.h: finding OpenCL devices, what they are like, and their errors. Only
 * for device-opencl.c. */
#ifndef TP_RUNTIME_OPENCL_H
#define TP_RUNTIME_OPENCL_H

/* Of 2.0 shared memory alone is used, and only where a device says it has it. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "ir/types.h"
#include "runtime/device.h"
#include "schedule/program.h"

#define TP_OPENCL_TEXT_MAX (1 << 20) /* bytes; more is no text */

extern const TpDeviceDrivers tp_opencl_drivers;

/* All devices of all platforms, GPUs first, else in the drivers' order; found
 * once. A machine without any is nothing unusual: *@out_reason says why
 * (interned). */
int tp_opencl_count (const char **out_reason);
cl_device_id tp_opencl_get (int index);

typedef struct
{
  cl_context context;
  cl_device_id device;        /* or a part of it with fewer threads */
} TpOpenclContext;

/* @code of a call that made @object: a driver may tell of success and make none. */
cl_int tp_opencl_check (cl_int code, const void *object);
/* Always FALSE; the code decides between TPLAN_ERROR_MEMORY and _DEVICE.
 * @action: "cannot run kernel 'k3'". */
gboolean tp_opencl_fail (GError **error, const char *device, cl_int code,
                         const char *format, ...) G_GNUC_PRINTF (4, 5);

int tp_opencl_count_units (cl_device_id device); /* as far as believed */
gboolean tp_opencl_is_cpu (cl_device_id device);
guint64 tp_opencl_get_number (cl_device_id device, cl_device_info what);
/* As large a buffer as the driver lets be made; one that does not say is asked when
 * it is made. */
gint64 tp_opencl_get_max_buf_bytes (cl_device_id device);
char *tp_opencl_dup_text (cl_device_id device, cl_device_info what);
/* "platform name;platform version" of that device; caller frees. */
char *tp_opencl_dup_platform (int index);
/* In hex; "" where there is none. Caller frees. */
char *tp_opencl_dup_uuid (cl_device_id device);
/* As TpDeviceInfo has it. Caller frees. */
char *tp_opencl_dup_pci (cl_device_id device);
/* What building @program said, at most TP_OPENCL_TEXT_MAX bytes; caller frees. */
char *tp_opencl_dup_log (cl_program program, cl_device_id device);
typedef enum
{
  TP_OPENCL_MMA_NONE,
  TP_OPENCL_MMA_SPELT_OUT,    /* item by item: for tests, where there is no such GPU */
  TP_OPENCL_MMA_THERE,        /* programs are built with TP_MMA defined */
} TpOpenclMma;

/* For clBuildProgram (). */
const char *tp_opencl_get_build_options (cl_device_id device, TpOpenclMma mma);
void tp_opencl_describe (cl_device_id device, TpOpenclMma mma,
                         TpTarget *out_target);

#endif
