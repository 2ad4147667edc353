/* rates.h: what is known of what devices draw and are rented for. */
#ifndef TP_CALIB_RATES_H
#define TP_CALIB_RATES_H

#include "ir/rates.h"

/* Of a simulated one, what its machine says; of others nothing, which they are to
 * be told. */
void tp_calib_find_rate (const char *device, TpRate *out_rate);

#endif
