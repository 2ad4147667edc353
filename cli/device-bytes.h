/* device-bytes.h: how much of something each device of a plan has. */
#ifndef TP_CLI_DEVICE_BYTES_H
#define TP_CLI_DEVICE_BYTES_H

#include <jansson.h>

#include "ir/plan.h"

/* @bytes: one per device. "5.1 MiB on cpu, 0 B on opencl:0"; caller frees. */
char *tp_cli_format_device_bytes (const TpPlan *plan, const gint64 *bytes);
/* {"cpu": 5347737, "opencl:0": 0} */
json_t *tp_cli_device_bytes_to_json (const TpPlan *plan, const gint64 *bytes);

#endif
