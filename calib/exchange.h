/* exchange.h: cost tables as JSON, "tplan-cost/3": to install on equal
 * machines, to keep beside a report, to read. */
#ifndef TP_CALIB_EXCHANGE_H
#define TP_CALIB_EXCHANGE_H

#include "calib/calib.h"

/* JSON, format "tplan-cost/3". Import checks all of it before the first row is
 * written; entries measured later win. @out_n: entries taken. */
char *tp_cost_db_export (TpCostDb *db, GError **error);
gboolean tp_cost_db_import (TpCostDb *db, const char *text, gsize size,
                            int *out_n, GError **error);

#endif
