/* cost-wholes.h: the wholes of the cost table: how long plans took. */
#ifndef TP_CALIB_COST_WHOLES_H
#define TP_CALIB_COST_WHOLES_H

#include "calib/cost-db.h"

/* Of one plan on one device as many are kept; then the oldest goes. */
#define TP_COST_SITTINGS 8

/* In one transaction; @rows: of TpWholeRow. */
gboolean tp_cost_db_put_wholes (TpCostDb *db, gpointer const *rows, guint n,
                                GError **error);
/* Of a device, of TpWholeRow, last measured first. */
TpPointers *tp_cost_db_list_wholes (TpCostDb *db, gint64 device,
                                    GError **error);

#endif
