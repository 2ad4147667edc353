/* cost-schema.c: see cost-schema.h. */
#include "config.h"

#include "calib/cost-schema.h"

#include "calib/columns.h"

static char *
make_tables (void)
{
  g_autofree char *devices = tp_columns_declare (tp_device_columns);
  g_autofree char *entries = tp_columns_declare (tp_entry_columns);

  return g_strdup_printf (
      "CREATE TABLE device (id INTEGER PRIMARY KEY, %s);"
      "CREATE TABLE entry (%s, FOREIGN KEY (device) REFERENCES device (id) "
      "ON DELETE CASCADE);"
      "CREATE INDEX entry_family ON entry (device, family);"
      "PRAGMA application_id = %d; PRAGMA user_version = %d;",
      devices, entries, TP_COST_APPLICATION_ID, TP_COST_DB_VERSION);
}

/* Links get their points. Medians were taken over whatever company the machine
 * had, and nothing in an entry tells: all are used, and measured again. */
static char *
upgrade_from_1 (void)
{
  return g_strdup_printf (
      "ALTER TABLE device ADD COLUMN to_device_points TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE device ADD COLUMN to_host_points TEXT NOT NULL DEFAULT '';"
      "UPDATE entry SET state = %d WHERE state = %d; PRAGMA user_version = %d;",
      TP_ENTRY_PROVISIONAL, TP_ENTRY_SETTLED, TP_COST_DB_VERSION);
}

char *
tp_cost_schema_make_sql (gint64 version)
{
  return version == 0 ? make_tables () : upgrade_from_1 ();
}

sqlite3 *
tp_cost_schema_copy_to_memory (sqlite3 *file)
{
  sqlite3 *copy = NULL;
  sqlite3_backup *backup = NULL;
  int result = sqlite3_open (":memory:", &copy);

  if (result == SQLITE_OK)
    backup = sqlite3_backup_init (copy, "main", file, "main");
  if (backup != NULL)
    result = sqlite3_backup_step (backup, -1);
  sqlite3_backup_finish (backup);
  if (backup != NULL && result == SQLITE_DONE)
    return copy;
  sqlite3_close_v2 (copy);
  return NULL;
}
