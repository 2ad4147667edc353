/* machine-file.h: what was measured of one machine, as a file to plan with
 * elsewhere: "tplan-cost/3" with its "machine", each device once. */
#ifndef TP_CALIB_MACHINE_FILE_H
#define TP_CALIB_MACHINE_FILE_H

#include "calib/cost-db.h"

/* The rows of @db and its system table that hold now for @n_threads. @out_stale:
 * (nullable) of char *, gets why others were left out. TPLAN_ERROR_STALE: none
 * holds. */
char *tp_machine_file_write (TpCostDb *db, int n_threads,
                             GPtrArray *out_stale, GError **error);

/* Whether a file that begins so can be one; a cost table cannot. */
gboolean tp_machine_file_is (const char *text, gsize size);

/* A table in memory whose rows hold, whatever machine this is. @path: for people.
 * TPLAN_ERROR_INPUT: no such file, by place. */
TpCostDb *tp_machine_file_open (const char *path, const char *text, gsize size,
                                GError **error);

#endif
