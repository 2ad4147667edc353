/* sweep-devices.h: where ops are in one of the plans that a sweep tells of. */
#ifndef TP_CLI_SWEEP_DEVICES_H
#define TP_CLI_SWEEP_DEVICES_H

#include <jansson.h>

#include "ir/plan.h"

/* @devices: [op of @plan]. {device: number of ops} */
json_t *tp_sweep_devices_to_json (const TpPlan *plan, const guint8 *devices);
/* "3 on cpu, 1 on opencl:0": the caller frees. */
char *tp_sweep_devices_format (const TpPlan *plan, const guint8 *devices);

#endif
