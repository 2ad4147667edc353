/* opencl-drivers.h: which drivers the OpenCL loader is to load. */
#ifndef TP_RUNTIME_OPENCL_DRIVERS_H
#define TP_RUNTIME_OPENCL_DRIVERS_H

#include "runtime/device.h"

#define TP_OPENCL_DRIVERS "/etc/OpenCL/vendors" /* where nothing else is said */

/* As the functions of TpDeviceDrivers. */
char **tp_opencl_drivers_list (void);
gboolean tp_opencl_drivers_narrow (const char *const *files, GError **error);
const char *tp_opencl_drivers_get_chosen (void);

/* Around the call that makes the loader load: it reads the environment. */
void tp_opencl_drivers_begin (void);
void tp_opencl_drivers_end (void);

#endif
