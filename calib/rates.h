/* rates.h: what is known of what devices draw and are rented for. */
#ifndef TP_CALIB_RATES_H
#define TP_CALIB_RATES_H

#include "calib/machine-info.h"
#include "ir/rates.h"

/* Of a simulated one, what its machine says; of others what the file of @machine
 * (nullable) states: else nothing, and the caller is to be told. */
void tp_calib_find_rate (const TpMachineInfo *machine, const char *device,
                         TpRate *out_rate);

#endif
