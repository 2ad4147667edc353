/* row-check.h: figures that nobody can have measured.
 *
 * A table is a file that anybody may have edited, and exports are written by
 * hand. What is read from either is used only if every number of it can be. */
#ifndef TP_CALIB_ROW_CHECK_H
#define TP_CALIB_ROW_CHECK_H

#include "calib/cost-db.h"

/* Why @row cannot be: "median_ns is -5"; NULL: nothing speaks against it. */
char *tp_device_row_find_fault (const TpDeviceRow *row);
char *tp_entry_row_find_fault (const TpEntryRow *row);
char *tp_whole_row_find_fault (const TpWholeRow *row);

/* The same of a row of the table at @path: TPLAN_ERROR_INPUT. */
gboolean tp_device_row_check (const TpDeviceRow *row, const char *path,
                              GError **error);
gboolean tp_entry_row_check (const TpEntryRow *row, const char *path,
                             GError **error);
gboolean tp_whole_row_check (const TpWholeRow *row, const char *path,
                             GError **error);

#endif
