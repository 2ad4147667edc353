/* devices.h: the kinds of devices there are, and opening one by name. */
#ifndef TP_RUNTIME_DEVICES_H
#define TP_RUNTIME_DEVICES_H

#include "runtime/device.h"

/* By name: "cpu", "opencl:1", "sim:server-gpu". TPLAN_ERROR_DEVICE says which
 * there are. */
TpDevice *tp_device_open (const char *name, const TpDeviceOptions *options,
                          GError **error);

const TpDeviceOps *const *tp_device_list (int *out_n);

/* Names of all devices of this machine: "cpu", "opencl:0", ..., "ref". */
GPtrArray *tp_device_names (void);

/* The kind of device that @name is of, whether there is one here or not. NULL:
 * TPLAN_ERROR_DEVICE says which kinds there are. */
const TpDeviceOps *tp_device_find_kind (const char *name, GError **error);

/* Whether a device could be called @name, here or elsewhere; opens nothing. FALSE:
 * TPLAN_ERROR_USAGE says what they are called. */
gboolean tp_device_check_name (const char *name, GError **error);

/* Whether a device of this name works in host memory, by its kind: opens
 * nothing. What a simulated one says of itself is in its figures. */
gboolean tp_device_is_host (const char *name);

/* One that works in host memory and is here: the quickest of them. NULL: none. */
const char *tp_device_find_host (void);

/* FALSE also where there is no such kind. */
gboolean tp_device_is_simulated (const char *name);

/* Of @names, ended by NULL, what to use where the user named none: a host, and
 * the first device that works beside one. NULL: TPLAN_ERROR_DEVICE, there is no
 * host; what is slow is never chosen unasked. */
char **tp_device_choose_defaults (const char *const *names, GError **error);

#endif
