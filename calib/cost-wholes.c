/* cost-wholes.c: see cost-wholes.h. */
#include "config.h"

#include "calib/cost-wholes.h"

#include "calib/columns.h"
#include "calib/cost-sql.h"
#include "calib/row-check.h"

#define STORE "store how long a plan took"
#define LIST "list how long plans took"

/* Sittings of one plan beyond those kept. */
static const char forget_old[]
    = "DELETE FROM whole WHERE device = ?1 AND digest = ?2 AND measured_us "
      "NOT IN (SELECT measured_us FROM whole WHERE device = ?1 AND digest = ?2 "
      "ORDER BY measured_us DESC LIMIT ?3)";

static gboolean
step (TpCostDb *db, sqlite3_stmt *statement, GError **error)
{
  gboolean is_good = sqlite3_step (statement) == SQLITE_DONE
                     || tp_sql_fail (db, STORE, error);

  sqlite3_reset (statement);
  return is_good;
}

static gboolean
put_all (TpCostDb *db, gpointer const *rows, guint n, GError **error)
{
  g_autoptr (GString) sql = tp_sql_new_upsert ("whole", tp_whole_columns);
  g_autoptr (sqlite3_stmt) put = tp_sql_prepare (db, sql->str, STORE, error);
  g_autoptr (sqlite3_stmt) forget
      = put == NULL ? NULL : tp_sql_prepare (db, forget_old, STORE, error);

  for (guint i = 0; forget != NULL && i < n; i++)
    {
      const TpWholeRow *row = rows[i];

      tp_sql_bind (put, tp_whole_columns, row);
      sqlite3_bind_int64 (forget, 1, row->device);
      sqlite3_bind_text (forget, 2, row->digest, -1, SQLITE_STATIC);
      sqlite3_bind_int (forget, 3, TP_COST_SITTINGS);
      if (!step (db, put, error) || !step (db, forget, error))
        return FALSE;
    }
  return forget != NULL;
}

gboolean
tp_cost_db_put_wholes (TpCostDb *db, gpointer const *rows, guint n,
                       GError **error)
{
  return tp_cost_db_begin (db, error)
         && tp_cost_db_end (db, put_all (db, rows, n, error), error);
}

TpPointers *
tp_cost_db_list_wholes (TpCostDb *db, gint64 device, GError **error)
{
  g_autoptr (TpPointers) rows
      = tp_pointers_new ((GDestroyNotify) tp_whole_row_free);
  g_autofree char *names = tp_columns_join (tp_whole_columns, FALSE);
  g_autofree char *sql = g_strdup_printf (
      "SELECT %s FROM whole WHERE device = ?1 "
      "ORDER BY measured_us DESC, digest",
      names);
  g_autoptr (sqlite3_stmt) statement = tp_sql_prepare (db, sql, LIST, error);
  int result;

  if (statement == NULL)
    return NULL;
  sqlite3_bind_int64 (statement, 1, device);
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      TpWholeRow *row = tp_whole_row_new ();

      tp_sql_read (statement, 0, tp_whole_columns, row);
      tp_pointers_add (rows, row);
      if (!tp_whole_row_check (row, db->path, error))
        return NULL;
    }
  if (result != SQLITE_DONE)
    {
      tp_sql_fail (db, LIST, error);
      return NULL;
    }
  return g_steal_pointer (&rows);
}
