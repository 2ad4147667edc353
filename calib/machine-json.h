/* machine-json.h: what a machine is, in files: "machine" of "tplan-cost/3". */
#ifndef TP_CALIB_MACHINE_JSON_H
#define TP_CALIB_MACHINE_JSON_H

#include <jansson.h>

#include "calib/machine-info.h"

json_t *tp_machine_info_to_json (const TpMachineInfo *info);
/* TPLAN_ERROR_INPUT: a key that is not known, lacks or is of another type. */
TpMachineInfo *tp_machine_info_from_json (const json_t *json, GError **error);

#endif
