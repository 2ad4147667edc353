/* cost-rows.h: rows of a cost table made by hand, and a folder for the table. */
#ifndef TESTS_CALIB_COST_ROWS_H
#define TESTS_CALIB_COST_ROWS_H

#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "tests/set-text.h"

typedef struct
{
  char *folder;
  char *path;
} Fixture;

void set_up (Fixture *fixture, gconstpointer data);
void remove_folder (const char *folder);
void tear_down (Fixture *fixture, gconstpointer data);
TpDeviceRow *make_device (const char *name, const char *facts);
TpEntryRow *make_entry (gint64 device, int number);
gint64 put_device (TpCostDb *db, const char *name, const char *facts);
gboolean put_entry (TpCostDb *db, TpEntryRow *entry, GError **error);
/* Of plan @number, measured at @seconds. */
TpWholeRow *make_whole (gint64 device, int number, gint64 seconds);
/* Takes @whole. */
gboolean put_whole (TpCostDb *db, TpWholeRow *whole);
int count_wholes (TpCostDb *db, gint64 device);
TpCostDb *open_table (const char *path, gboolean is_read_only);

#endif
