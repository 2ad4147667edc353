/* lookup.h: finding the row of a device that still holds. */
#ifndef TP_CALIB_LOOKUP_H
#define TP_CALIB_LOOKUP_H

#include "calib/cost-db.h"
#include "calib/keys.h"

typedef struct
{
  TpCostDb *dbs[2];           /* own, system (unowned) */
  TpDeviceRow *rows[2];       /* in each; NULL: none that holds */
  char *stale_reason;         /* none holds, but there was one: what differs */
} TpDeviceMatch;

/* In @db and its system table. FALSE: the table could not be read. */
gboolean tp_device_match_init (TpDeviceMatch *match, TpCostDb *db,
                               const char *device, int n_threads,
                               GError **error);
void tp_device_match_clear (TpDeviceMatch *match);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpDeviceMatch, tp_device_match_clear)
/* Own row, else the system's, else NULL; its table. */
const TpDeviceRow *tp_device_match_get_row (const TpDeviceMatch *match,
                                            TpCostDb **out_db);
/* The system's entry counts where the own table has none. %NULL without @error:
 * neither has. */
TpEntryRow *tp_device_match_find_entry (const TpDeviceMatch *match,
                                        const char *digest, const char *dtype,
                                        GError **error);

/* The first that could be, or TP_COSTS_HOST: all others copy, even within host
 * memory. */
int tp_lookup_find_host (const char *const *devices, int n_devices);
/* As TpCosts has them: places of one kernel get one number, since they have one
 * measurement. */
int *tp_lookup_number_kernels (const TpKeys *keys);

/* Costs of @graph from the table; what is missing is estimated and says so.
 * sim devices come from their profile. Opens no device. */
TpCosts *tp_cost_db_lookup (TpCostDb *db, const TpGraph *graph,
                            const TpGroups *groups,
                            const TpCalibOptions *options, GError **error);

#endif
