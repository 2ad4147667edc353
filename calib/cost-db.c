/* cost-db.c: the cost table as an SQLite file.
 *
 * A rollback journal, not a write-ahead log: a system table must be readable
 * where its directory cannot be written. Transactions are short, so two
 * processes seldom meet; when they do, one waits. What a transaction has
 * acknowledged survives kill -9. */
#include "config.h"

#include "calib/accuracy.h"
#include "calib/columns.h"
#include "calib/cost-db.h"
#include "calib/cost-path.h"
#include "calib/cost-schema.h"
#include "calib/cost-sql.h"
#include "calib/row-check.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_PATH "/var/lib/tplan/cost.db"
#define BUSY_MS 5000
#define FEW 6                 /* samples without an interval: a first look */

gboolean
tp_cost_db_begin (TpCostDb *db, GError **error)
{
  if (db->n_open == 0
      && !tp_sql_execute (db, "BEGIN IMMEDIATE", "write to it", error))
    return FALSE;
  db->n_open++;
  return TRUE;
}

gboolean
tp_cost_db_end (TpCostDb *db, gboolean is_good, GError **error)
{
  if (--db->n_open > 0)
    return is_good;
  if (is_good && tp_sql_execute (db, "COMMIT", "write to it", error))
    return TRUE;
  sqlite3_exec (db->sqlite, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

/* ---- opening ------------------------------------------------------------ */

static gboolean
read_pragma (TpCostDb *db, const char *name, gint64 *out_value, GError **error)
{
  g_autofree char *sql = g_strdup_printf ("PRAGMA %s", name);
  g_autoptr (sqlite3_stmt) statement
      = tp_sql_prepare (db, sql, "read it", error);

  if (statement == NULL)
    return FALSE;
  if (sqlite3_step (statement) != SQLITE_ROW)
    return tp_sql_fail (db, "read it", error);
  *out_value = sqlite3_column_int64 (statement, 0);
  return TRUE;
}

/* Under a write lock, so that two processes never both create the tables. */
static gboolean
set_up_once (TpCostDb *db, GError **error)
{
  gint64 version = 0;
  gboolean is_good;

  if (!tp_sql_execute (db, "BEGIN IMMEDIATE", "set it up", error))
    return FALSE;
  is_good = read_pragma (db, "user_version", &version, error);
  if (is_good && version < TP_COST_DB_VERSION)
    {
      g_autofree char *sql = tp_cost_schema_make_sql (version);

      is_good = tp_sql_execute (db, sql, "set it up", error);
    }
  if (is_good)
    return tp_sql_execute (db, "COMMIT", "set it up", error);
  sqlite3_exec (db->sqlite, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

static gboolean
check_kind (TpCostDb *db, gint64 application, gint64 version, GError **error)
{
  if (application == TP_COST_APPLICATION_ID && version == TP_COST_DB_VERSION)
    return TRUE;
  if (application != TP_COST_APPLICATION_ID)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: an SQLite file, but not a cost table of tplan: name "
                 "another file", db->path);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: cost table of version %" G_GINT64_FORMAT ", this tplan "
                 "reads version %d: move it away and calibrate again",
                 db->path, version, TP_COST_DB_VERSION);
  return FALSE;
}

/* All three of one moment: another process may be creating the tables. */
static gboolean
read_kind (TpCostDb *db, gint64 *application, gint64 *version, gint64 *pages,
           GError **error)
{
  gboolean is_good;

  if (!tp_sql_execute (db, "BEGIN", "read it", error))
    return FALSE;
  is_good = read_pragma (db, "application_id", application, error)
            && read_pragma (db, "user_version", version, error)
            && read_pragma (db, "page_count", pages, error);
  if (is_good)
    return tp_sql_execute (db, "COMMIT", "read it", error);
  sqlite3_exec (db->sqlite, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

/* Before any of its tables is touched. */
static gboolean
check_foreign (TpCostDb *db, GError **error)
{
  g_autofree char *found = tp_cost_schema_find_foreign (db->sqlite);

  if (found == NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: has '%s', which tplan has not made: name another file, or "
               "drop it", db->path, found);
  return FALSE;
}

/* Who only reads must not change the file, and may have no right to: it is
 * brought up to date in memory. */
static gboolean
move_to_memory (TpCostDb *db, GError **error)
{
  sqlite3 *copy = tp_cost_schema_copy_to_memory (db->sqlite);

  if (copy == NULL)
    return tp_sql_fail (db, "read it", error);
  sqlite3_close_v2 (db->sqlite);
  db->sqlite = copy;
  return TRUE;
}

static gboolean
check_schema (TpCostDb *db, gboolean is_read_only, GError **error)
{
  gint64 application = 0, version = 0, pages = 0;
  gboolean is_new, is_old;

  if (!read_kind (db, &application, &version, &pages, error))
    return FALSE;
  if (application == TP_COST_APPLICATION_ID && !check_foreign (db, error))
    return FALSE;
  is_new = application == 0 && version == 0 && pages <= 1;
  is_old = application == TP_COST_APPLICATION_ID && version >= 1
           && version < TP_COST_DB_VERSION;
  if (is_old && is_read_only && !move_to_memory (db, error))
    return FALSE;
  if ((is_new || is_old)
      && (!set_up_once (db, error)
          || !read_pragma (db, "application_id", &application, error)
          || !read_pragma (db, "user_version", &version, error)))
    return FALSE;
  return check_kind (db, application, version, error);
}

static TpCostDb *
open_file (const char *path, gboolean is_read_only, GError **error)
{
  g_autoptr (TpCostDb) db = g_new0 (TpCostDb, 1);
  struct stat status;
  gboolean is_empty = stat (path, &status) != 0 || status.st_size == 0;
  /* Also to read, opened for writing where that is allowed: only so can what a
   * killed writer left half done be undone. */
  int flags = SQLITE_OPEN_READWRITE;

  db->path = g_strdup (path);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: is a folder: name a file in it", path);
      return NULL;
    }
  if (!is_read_only || is_empty)
    flags |= SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2 (is_read_only && is_empty ? ":memory:" : path,
                       &db->sqlite, flags, NULL) != SQLITE_OK)
    {
      tp_sql_fail (db, "open it", error);
      return NULL;
    }
  sqlite3_extended_result_codes (db->sqlite, 1);
  tp_cost_db_set_busy_ms (db, BUSY_MS);
  /* The file is trusted no further than its rows. */
  if (!tp_sql_execute (db,
                       "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
                       "PRAGMA cell_size_check = ON", "open it", error)
      || !check_schema (db, is_read_only, error)
      || !tp_sql_execute (db,
                          is_read_only ? "PRAGMA query_only = ON"
                                       : "PRAGMA query_only = OFF",
                          "open it", error))
    return NULL;
  return g_steal_pointer (&db);
}

/* A broken system table must not stop anyone: it is then absent. */
static TpCostDb *
open_system (const char *own_path)
{
  const char *path = secure_getenv ("TPLAN_SYSTEM_COST");

  if (path == NULL)
    path = SYSTEM_PATH;
  if (strcmp (path, own_path) == 0 || access (path, R_OK) != 0)
    return NULL;
  return open_file (path, TRUE, NULL);
}

TpCostDb *
tp_cost_db_open (const char *path, gboolean is_read_only, GError **error)
{
  g_autofree char *chosen = path != NULL ? g_strdup (path) : tp_cost_path_choose ();
  g_autofree char *folder = g_path_get_dirname (chosen);
  TpCostDb *db;

  if (!is_read_only && g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "%s: cannot make the folder: %s: set TPLAN_COST to a file "
                   "you may write", folder, g_strerror (errno));
      return NULL;
    }
  db = open_file (chosen, is_read_only, error);
  if (db != NULL)
    db->system = open_system (chosen);
  return db;
}

TpCostDb *
tp_cost_db_new_in_memory (const char *path, GError **error)
{
  TpCostDb *db = open_file (":memory:", FALSE, error);

  if (db != NULL)
    {
      g_free (db->path);
      db->path = g_strdup (path);
    }
  return db;
}

void
tp_cost_db_close (TpCostDb *db)
{
  if (db == NULL)
    return;
  tp_cost_db_close (db->system);
  tp_machine_info_free (db->machine);
  sqlite3_finalize (db->find);
  sqlite3_finalize (db->find_age);
  sqlite3_close_v2 (db->sqlite);
  g_free (db->path);
  g_free (db);
}

TpCostDb *
tp_cost_db_get_system (TpCostDb *db)
{
  return db->system;
}

const TpMachineInfo *
tp_cost_db_get_machine (const TpCostDb *db)
{
  return db->machine;
}

const char *
tp_cost_db_get_path (const TpCostDb *db)
{
  return db->path;
}

void
tp_cost_db_set_busy_ms (TpCostDb *db, int busy_ms)
{
  sqlite3_busy_timeout (db->sqlite, busy_ms);
}

/* ---- rows --------------------------------------------------------------- */

static TpDeviceRow *
read_device (sqlite3_stmt *statement)
{
  TpDeviceRow *row = tp_device_row_new ();

  row->id = sqlite3_column_int64 (statement, 0);
  tp_sql_read (statement, 1, tp_device_columns, row);
  return row;
}

/* NULL: it is not to be believed. */
static TpEntryRow *
read_entry (TpCostDb *db, sqlite3_stmt *statement, GError **error)
{
  g_autoptr (TpEntryRow) row = tp_entry_row_new ();

  tp_sql_read (statement, 0, tp_entry_columns, row);
  row->work.double_flops
      = g_str_equal (row->dtype, "float64") ? row->work.flops : 0;
  return tp_entry_row_check (row, db->path, error) ? g_steal_pointer (&row)
                                                    : NULL;
}

static void
read_speeds (sqlite3_stmt *statement, TpDeviceRow *row)
{
  const char *speeds = (const char *) sqlite3_column_text (statement, 5);

  g_free (row->speeds);
  row->speeds = g_utf8_make_valid (speeds != NULL ? speeds : "", -1);
}

static void
read_watts (sqlite3_stmt *statement, TpDeviceRow *row)
{
  const char *counters = (const char *) sqlite3_column_text (statement, 4);

  row->busy_mw = sqlite3_column_int64 (statement, 1);
  row->idle_mw = sqlite3_column_int64 (statement, 2);
  row->copy_mw = sqlite3_column_int64 (statement, 3);
  g_free (row->counters);
  row->counters = g_utf8_make_valid (counters != NULL ? counters : "", -1);
}

/* 0: there is none. What nobody has asked of @row since, its watts and its speeds, is
 * as it was. */
static gboolean
find_device_id (TpCostDb *db, TpDeviceRow *row, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = tp_sql_prepare (
      db,
      "SELECT id, busy_mw, idle_mw, copy_mw, counters, speeds FROM device "
      "WHERE name = ? AND identity = ? AND facts = ?",
      "read a device", error);
  int result;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, row->name, -1, SQLITE_STATIC);
  sqlite3_bind_text (statement, 2, row->identity, -1, SQLITE_STATIC);
  sqlite3_bind_text (statement, 3, row->facts, -1, SQLITE_STATIC);
  result = sqlite3_step (statement);
  row->id = result == SQLITE_ROW ? sqlite3_column_int64 (statement, 0) : 0;
  if (row->id != 0 && row->busy_mw == 0)
    read_watts (statement, row);
  if (row->id != 0 && *row->speeds == 0)
    read_speeds (statement, row);
  return result == SQLITE_ROW || result == SQLITE_DONE
         || tp_sql_fail (db, "read a device", error);
}

gboolean
tp_cost_db_keep_device (TpCostDb *db, TpDeviceRow *row, GError **error)
{
  return find_device_id (db, row, error)
         && (row->id != 0 || tp_cost_db_put_device (db, row, error));
}

gboolean
tp_cost_db_put_device (TpCostDb *db, TpDeviceRow *row, GError **error)
{
  g_autoptr (GString) sql = tp_sql_new_upsert ("device", tp_device_columns);
  g_autoptr (sqlite3_stmt) statement
      = tp_sql_prepare (db, sql->str, "store a device", error);

  if (statement == NULL || !find_device_id (db, row, error))
    return FALSE;
  tp_sql_bind (statement, tp_device_columns, row);
  if (sqlite3_step (statement) != SQLITE_DONE)
    return tp_sql_fail (db, "store a device", error);
  return find_device_id (db, row, error);
}

static gboolean
put_all (TpCostDb *db, sqlite3_stmt *statement, gpointer const *rows, guint n,
         GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      tp_sql_bind (statement, tp_entry_columns, rows[i]);
      if (sqlite3_step (statement) != SQLITE_DONE)
        return tp_sql_fail (db, "store an entry", error);
      sqlite3_reset (statement);
    }
  return TRUE;
}

gboolean
tp_cost_db_put_entries (TpCostDb *db, gpointer const *rows, guint n,
                        GError **error)
{
  g_autoptr (GString) sql = tp_sql_new_upsert ("entry", tp_entry_columns);
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean is_good;

  g_string_append_printf (
      sql,
      " WHERE NOT (excluded.state = %d AND (state = %d OR (state = %d AND "
      "n >= %d AND half_ns * excluded.median_ns < "
      "excluded.half_ns * median_ns)))",
      TP_ENTRY_PROVISIONAL, TP_ENTRY_SETTLED, TP_ENTRY_PROVISIONAL, FEW);
  statement = tp_sql_prepare (db, sql->str, "store entries", error);
  if (statement == NULL || !tp_cost_db_begin (db, error))
    return FALSE;
  is_good = put_all (db, statement, rows, n, error);
  sqlite3_reset (statement);
  return tp_cost_db_end (db, is_good, error);
}

GPtrArray *
tp_cost_db_list_devices (TpCostDb *db, const char *name, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tp_device_row_free);
  g_autofree char *names = tp_columns_join (tp_device_columns, FALSE);
  g_autofree char *sql = g_strdup_printf (
      "SELECT id, %s FROM device WHERE ?1 IS NULL OR name = ?1 "
      "ORDER BY measured_at DESC, id DESC", names);
  g_autoptr (sqlite3_stmt) statement
      = tp_sql_prepare (db, sql, "list devices", error);
  int result;

  if (statement == NULL)
    return NULL;
  sqlite3_bind_text (statement, 1, name, -1, SQLITE_STATIC);
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    g_ptr_array_add (rows, read_device (statement));
  if (result != SQLITE_DONE)
    {
      tp_sql_fail (db, "list devices", error);
      return NULL;
    }
  return g_steal_pointer (&rows);
}

TpPointers *
tp_cost_db_list_entries (TpCostDb *db, gint64 device, const char *family,
                         GError **error)
{
  g_autoptr (TpPointers) rows
      = tp_pointers_new ((GDestroyNotify) tp_entry_row_free);
  g_autofree char *names = tp_columns_join (tp_entry_columns, FALSE);
  g_autofree char *sql = g_strdup_printf (
      "SELECT %s FROM entry WHERE device = ?1%s ORDER BY label, digest, "
      "schedule", names, family != NULL ? " AND family = ?2" : "");
  g_autoptr (sqlite3_stmt) statement
      = tp_sql_prepare (db, sql, "list entries", error);
  TpEntryRow *row;
  int result;

  if (statement == NULL)
    return NULL;
  sqlite3_bind_int64 (statement, 1, device);
  if (family != NULL)
    sqlite3_bind_text (statement, 2, family, -1, SQLITE_STATIC);
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      row = read_entry (db, statement, error);
      if (row == NULL)
        return NULL;
      tp_pointers_add (rows, row);
    }
  if (result != SQLITE_DONE)
    {
      tp_sql_fail (db, "list entries", error);
      return NULL;
    }
  return g_steal_pointer (&rows);
}

void
tp_cost_db_find_least (TpCostDb *db, gint64 device, TpProcessors *out_least)
{
  g_autoptr (sqlite3_stmt) statement = tp_sql_prepare (
      db, "SELECT MIN (NULLIF (handover_ns, 0)), MIN (NULLIF (crowding, 0)), "
          "MIN (NULLIF (contention, 0)), AVG (NULLIF (fma_ns, 0)) "
          "FROM entry WHERE device = ?1",
      "read how near processors were", NULL);

  *out_least = (TpProcessors){ 0 };
  if (statement == NULL)
    return;
  sqlite3_bind_int64 (statement, 1, device);
  if (sqlite3_step (statement) != SQLITE_ROW)
    return;
  out_least->handover_ns = sqlite3_column_int64 (statement, 0);
  out_least->crowding = sqlite3_column_int64 (statement, 1);
  out_least->contention = sqlite3_column_int64 (statement, 2);
  out_least->fma_ns = sqlite3_column_int64 (statement, 3);
}

static sqlite3_stmt *
prepare_find (TpCostDb *db, GError **error)
{
  g_autofree char *names = tp_columns_join (tp_entry_columns, FALSE);
  g_autofree char *sql = g_strdup_printf (
      "SELECT %s FROM entry WHERE device = ?1 AND digest = ?2 AND dtype = ?3 "
      "AND state != %d ORDER BY state = %d, median_ns", names,
      TP_ENTRY_TRIED, TP_ENTRY_FAILED);

  return tp_sql_prepare (db, sql, "read an entry", error);
}

/* The first of what is found that is accurate enough. */
static TpEntryRow *
take_found (TpCostDb *db, GError **error)
{
  int result;

  while ((result = sqlite3_step (db->find)) == SQLITE_ROW)
    {
      g_autoptr (TpEntryRow) row = read_entry (db, db->find, error);

      if (row == NULL || tp_accuracy_is_met (db, row))
        return g_steal_pointer (&row);
    }
  if (result != SQLITE_DONE)
    tp_sql_fail (db, "read an entry", error);
  return NULL;
}

TpEntryRow *
tp_cost_db_find_entry (TpCostDb *db, gint64 device, const char *digest,
                       const char *dtype, GError **error)
{
  TpEntryRow *row;

  if (db->find == NULL)
    db->find = prepare_find (db, error);
  if (db->find == NULL)
    return NULL;
  sqlite3_bind_int64 (db->find, 1, device);
  sqlite3_bind_text (db->find, 2, digest, -1, SQLITE_STATIC);
  sqlite3_bind_text (db->find, 3, dtype, -1, SQLITE_STATIC);
  row = take_found (db, error);
  sqlite3_reset (db->find);
  sqlite3_clear_bindings (db->find);
  return row;
}

gint64
tp_cost_db_find_age (TpCostDb *db, const TpEntryRow *row)
{
  gint64 age = -1;

  if (db->find_age == NULL)
    db->find_age = tp_sql_prepare (
        db, "SELECT measured_at FROM entry WHERE device = ?1 AND digest = ?2 "
            "AND dtype = ?3 AND schedule = ?4", "read an entry", NULL);
  if (db->find_age == NULL)
    return -1;
  sqlite3_bind_int64 (db->find_age, 1, row->device);
  sqlite3_bind_text (db->find_age, 2, row->digest, -1, SQLITE_STATIC);
  sqlite3_bind_text (db->find_age, 3, row->dtype, -1, SQLITE_STATIC);
  sqlite3_bind_text (db->find_age, 4, row->schedule, -1, SQLITE_STATIC);
  if (sqlite3_step (db->find_age) == SQLITE_ROW)
    age = sqlite3_column_int64 (db->find_age, 0);
  sqlite3_reset (db->find_age);
  sqlite3_clear_bindings (db->find_age);
  return age;
}

gboolean
tp_cost_db_forget (TpCostDb *db, gint64 device, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = tp_sql_prepare (
      db, "DELETE FROM device WHERE id = ?", "forget a device", error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, device);
  if (sqlite3_step (statement) != SQLITE_DONE)
    return tp_sql_fail (db, "forget a device", error);
  return TRUE;
}
