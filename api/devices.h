/* devices.h: the devices of this machine, asked of their drivers from outside. */
#ifndef TP_API_DEVICES_H
#define TP_API_DEVICES_H

#include "calib/calib.h"

/* "cpu" and the first OpenCL device there is: what is planned for when nobody
 * names devices. Asks drivers in a child process. NULL-terminated; the caller
 * frees. TPLAN_ERROR_DEVICE: there is no "cpu", or the drivers gave no answer. */
char **tp_devices_choose (GError **error);

/* FALSE: TPLAN_ERROR_DEVICE, one of @options' devices is not in this machine.
 * What was measured here is; drivers are asked of what is left, in a child. */
gboolean tp_devices_check (TpCostDb *db, const TpCalibOptions *options,
                           GError **error);

/* Calls @work (@data, @out) in a child and returns what it put into @out: so
 * that a driver can neither crash nor thread this process. */
char *tp_devices_ask (void (*work) (gpointer data, GString *out),
                      gpointer data, GError **error);

#endif
