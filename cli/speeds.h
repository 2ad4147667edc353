/* speeds.h: what was measured of how engines slow each other. */
#ifndef TP_CLI_SPEEDS_H
#define TP_CLI_SPEEDS_H

#include <jansson.h>

#include "calib/cost-db.h"

/* Of each engine of @row's device and of another, while one other works, that is
 * slower then: {"engine", "beside", "speed"}; an empty list: none is, or nothing was
 * measured. */
json_t *tp_cli_speeds_to_json (const TpDeviceRow *row);
/* Texts, as below. */
json_t *tp_cli_list_speeds (const TpDeviceRow *row);
/* Adds "cpu and opencl:0 at once cpu: kernels at 0.93 and 0.9 of their speeds, ..." for each other device;
 * @out frees them. */
void tp_cli_describe_speeds (const TpDeviceRow *row, GPtrArray *out);

#endif
