/* cost-schema.c: see cost-schema.h. */
#include "config.h"

#include "calib/cost-schema.h"

#include "calib/columns.h"

#define ENTRY_RENEWED \
  "CREATE TRIGGER entry_renewed AFTER UPDATE ON entry BEGIN " \
  "DELETE FROM whole WHERE device = NEW.device " \
  "AND measured_us < (NEW.measured_at + 1) * 1000000; END"

/* An entry measured anew is another figure: what wholes said of the old one,
 * they do not say of it. Which wholes it has a part in is not kept, so those of
 * its device go. */
static char *
make_wholes (void)
{
  g_autofree char *wholes = tp_columns_declare (tp_whole_columns);

  return g_strdup_printf (
      "CREATE TABLE whole (%s, FOREIGN KEY (device) REFERENCES device (id) "
      "ON DELETE CASCADE);"
      ENTRY_RENEWED ";",
      wholes);
}

/* How near processors were nobody asked, nor whether others used their cores; and
 * version 3 took those on one core for near. */
#define ADD_PROCESSORS \
  "ALTER TABLE entry ADD COLUMN handover_ns INTEGER NOT NULL DEFAULT 0;" \
  "ALTER TABLE entry ADD COLUMN crowding INTEGER NOT NULL DEFAULT 0;"
#define ADD_CONTENTION \
  "ALTER TABLE entry ADD COLUMN contention INTEGER NOT NULL DEFAULT 0;" \
  "UPDATE entry SET handover_ns = 0, crowding = 0;"

/* What devices draw nobody asked. */
#define ADD_POWER \
  "ALTER TABLE device ADD COLUMN busy_mw INTEGER NOT NULL DEFAULT 0;" \
  "ALTER TABLE device ADD COLUMN idle_mw INTEGER NOT NULL DEFAULT 0;" \
  "ALTER TABLE device ADD COLUMN copy_mw INTEGER NOT NULL DEFAULT 0;" \
  "ALTER TABLE device ADD COLUMN counters TEXT NOT NULL DEFAULT '';"

/* Nor how fast they are beside each other. */
#define ADD_SPEEDS \
  "ALTER TABLE device ADD COLUMN speeds TEXT NOT NULL DEFAULT '';"

/* Nor whether the host works in their memory. */
#define ADD_MAPS \
  "ALTER TABLE device ADD COLUMN map_to_device_points TEXT NOT NULL " \
  "DEFAULT '';" \
  "ALTER TABLE device ADD COLUMN map_to_host_points TEXT NOT NULL DEFAULT '';" \
  "ALTER TABLE device ADD COLUMN map_permille INTEGER NOT NULL DEFAULT 0;"

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
      "PRAGMA application_id = %d;",
      devices, entries, TP_COST_APPLICATION_ID);
}

/* Links get their points. Medians were taken over whatever company the machine
 * had, and nothing in an entry tells: all are used, and measured again. */
static char *
upgrade_from_1 (void)
{
  return g_strdup_printf (
      "ALTER TABLE device ADD COLUMN to_device_points TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE device ADD COLUMN to_host_points TEXT NOT NULL DEFAULT '';"
      ADD_PROCESSORS ADD_CONTENTION ADD_POWER ADD_SPEEDS ADD_MAPS
      "UPDATE entry SET state = %d WHERE state = %d;",
      TP_ENTRY_PROVISIONAL, TP_ENTRY_SETTLED);
}

char *
tp_cost_schema_make_sql (gint64 version)
{
  g_autofree char *first
      = version == 0   ? make_tables ()
        : version == 1 ? upgrade_from_1 ()
        : version == 2 ? g_strdup (ADD_PROCESSORS ADD_CONTENTION ADD_POWER
                                   ADD_SPEEDS ADD_MAPS)
        : version == 3 ? g_strdup (ADD_CONTENTION ADD_POWER ADD_SPEEDS
                                   ADD_MAPS)
        : version == 4 ? g_strdup (ADD_POWER ADD_SPEEDS ADD_MAPS)
        : version == 5 ? g_strdup (ADD_SPEEDS ADD_MAPS)
                       : g_strdup (ADD_MAPS);
  g_autofree char *wholes = version < 3 ? make_wholes () : g_strdup ("");

  return g_strdup_printf ("%s%sPRAGMA user_version = %d;", first, wholes,
                          TP_COST_DB_VERSION);
}

/* What is no table of rows or an index has no page: a view or a trigger may compute
 * for ever. */
char *
tp_cost_schema_find_foreign (sqlite3 *file)
{
  static const char sql[]
      = "SELECT type || ' ' || name FROM sqlite_master WHERE rootpage = 0 "
        "AND sql IS NOT '" ENTRY_RENEWED "' LIMIT 1";
  sqlite3_stmt *statement = NULL;
  char *found = NULL;

  if (sqlite3_prepare_v2 (file, sql, -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    found = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return found;
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
