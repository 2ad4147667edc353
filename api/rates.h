/* rates.h: what devices draw and are rented for, as the caller states it. */
#ifndef TP_API_RATES_H
#define TP_API_RATES_H

#include "calib/machine-info.h"
#include "ir/costs.h"

/* (nullable) "DEVICE=BUSY[:IDLE[:COPY]]" and "DEVICE=AMOUNT/h[:use]"; a later one
 * overrides an earlier one, and both what is known of the device. */
typedef struct
{
  const char *const *watts;
  const char *const *prices;
  const TpMachineInfo *machine; /* (nullable): what its file states is known */
  const TpCosts *as;          /* (nullable): of the same devices: what is stated
                               * there comes first */
} TpStatedRates;

/* Into @costs, whose digest they change; nothing where nothing is stated and not
 * @is_wanted. TPLAN_ERROR_USAGE: another form, or no such device. */
gboolean tp_rates_state (TpCosts *costs, const TpStatedRates *stated,
                         gboolean is_wanted, GError **error);

#endif
