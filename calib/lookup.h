/* lookup.h: the costs of a graph, from what was measured. */
#ifndef TP_CALIB_LOOKUP_H
#define TP_CALIB_LOOKUP_H

#include "calib/device-match.h"
#include "calib/keys.h"

/* The first that could be, or TP_COSTS_HOST: all others copy, even within host
 * memory. */
int tp_lookup_find_host (const char *const *devices, int n_devices);
/* As TpCosts has them: places of one kernel get one number, since they have one
 * measurement. */
int *tp_lookup_number_kernels (const TpKeys *keys);

/* Whether a device is the processor, or a driver that runs on it. */
gboolean tp_lookup_is_cpu (const TpDeviceRow *row);
/* Whether threads are so few that all devices of @options can work at once. */
gboolean tp_lookup_leaves_room (const TpCalibOptions *options);

/* Costs of @graph from the table; what is missing is estimated and says so.
 * sim devices come from their profile. Opens no device. */
TpCosts *tp_cost_db_lookup (TpCostDb *db, const TpGraph *graph,
                            const TpGroups *groups,
                            const TpCalibOptions *options, GError **error);

#endif
