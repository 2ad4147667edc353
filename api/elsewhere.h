/* elsewhere.h: what was measured on another machine, from its file. */
#ifndef TP_API_ELSEWHERE_H
#define TP_API_ELSEWHERE_H

#include "calib/cost-db.h"
#include "include/tplan.h"

/* Whether @path is such a file rather than a cost table, by its first letter. */
gboolean tp_elsewhere_is (const char *path);
/* Its table. TPLAN_ERROR_INPUT: no such file, or a bad one. */
TpCostDb *tp_elsewhere_open (const char *path, GError **error);

/* With which all of it was measured; 0: it does not say. */
int tp_elsewhere_count_threads (TpCostDb *db);

#endif
