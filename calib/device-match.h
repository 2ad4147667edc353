/* device-match.h: finding the row of a device that still holds. */
#ifndef TP_CALIB_DEVICE_MATCH_H
#define TP_CALIB_DEVICE_MATCH_H

#include "calib/accuracy.h"
#include "calib/cost-db.h"

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

/* Of both. */
TpAccuracy tp_device_match_get_accuracy (const TpDeviceMatch *match,
                                         const char *digest,
                                         const char *dtype);

/* As tp_facts_gather (), for a table that was measured here; for another machine's,
 * those of its row. TPLAN_ERROR_DEVICE: it has no such device. The caller
 * frees. */
char *tp_device_match_dup_facts (TpCostDb *db, const char *device, int n_threads,
                           GError **error);

#endif
