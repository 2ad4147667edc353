/* cost-sql.c: see cost-sql.h. */
#include "config.h"

#include "calib/cost-sql.h"

gboolean
tp_sql_fail (TpCostDb *db, const char *what, GError **error)
{
  const char *message = sqlite3_errmsg (db->sqlite);

  switch (sqlite3_errcode (db->sqlite) & 0xff)
    {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_BUSY,
                   "%s: cannot %s: another process holds the cost table: try "
                   "again",
                   db->path, what);
      break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: cannot %s: %s: not a cost table of tplan: move it away",
                   db->path, what, message);
      break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "%s: cannot %s: %s: set TPLAN_COST to a file you may write",
                   db->path, what, message);
      break;
    default:
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED, "%s: cannot %s: %s",
                   db->path, what, message);
    }
  return FALSE;
}

gboolean
tp_sql_execute (TpCostDb *db, const char *sql, const char *what, GError **error)
{
  if (sqlite3_exec (db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
    return tp_sql_fail (db, what, error);
  return TRUE;
}

sqlite3_stmt *
tp_sql_prepare (TpCostDb *db, const char *sql, const char *what, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (db->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
    tp_sql_fail (db, what, error);
  return statement;
}

GString *
tp_sql_new_upsert (const char *table, const TpColumn *columns)
{
  g_autofree char *names = tp_columns_join (columns, FALSE);
  g_autofree char *holes = tp_columns_join (columns, TRUE);
  g_autofree char *keys = tp_columns_join_keys (columns);
  GString *sql = g_string_new (NULL);

  g_string_printf (sql, "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) "
                   "DO UPDATE SET ", table, names, holes, keys);
  for (int i = 0; columns[i].name != NULL; i++)
    g_string_append_printf (sql, "%s%s = excluded.%s", i > 0 ? ", " : "",
                            columns[i].name, columns[i].name);
  return sql;
}

void
tp_sql_bind (sqlite3_stmt *statement, const TpColumn *columns, const void *row)
{
  for (int i = 0; columns[i].name != NULL; i++)
    {
      const void *field = (const char *)row + columns[i].offset;

      switch (columns[i].kind)
        {
        case TP_COLUMN_INT:
          sqlite3_bind_int (statement, i + 1, *(const int *)field);
          break;
        case TP_COLUMN_INT64:
        case TP_COLUMN_PROBE:
          sqlite3_bind_int64 (statement, i + 1, *(const gint64 *)field);
          break;
        case TP_COLUMN_REAL:
          sqlite3_bind_double (statement, i + 1, *(const double *)field);
          break;
        case TP_COLUMN_TEXT:
        case TP_COLUMN_NOTE:
          sqlite3_bind_text (statement, i + 1, *(char *const *)field, -1,
                             SQLITE_STATIC);
          break;
        case TP_COLUMN_POINTS:
          sqlite3_bind_text (statement, i + 1, tp_fit_points_to_text (field),
                             -1, g_free);
          break;
        }
    }
}

void
tp_sql_read (sqlite3_stmt *statement, int first, const TpColumn *columns,
             void *row)
{
  for (int i = 0; columns[i].name != NULL; i++)
    {
      void *field = (char *)row + columns[i].offset;
      const char *text;

      switch (columns[i].kind)
        {
        case TP_COLUMN_INT:
          *(int *)field = sqlite3_column_int (statement, first + i);
          break;
        case TP_COLUMN_INT64:
        case TP_COLUMN_PROBE:
          *(gint64 *)field = sqlite3_column_int64 (statement, first + i);
          break;
        case TP_COLUMN_REAL:
          *(double *)field = sqlite3_column_double (statement, first + i);
          break;
        case TP_COLUMN_TEXT:
        case TP_COLUMN_NOTE:
          text = (const char *)sqlite3_column_text (statement, first + i);
          g_free (*(char **)field);
          *(char **)field = g_utf8_make_valid (text != NULL ? text : "", -1);
          break;
        case TP_COLUMN_POINTS:
          text = (const char *)sqlite3_column_text (statement, first + i);
          if (text == NULL || !tp_fit_points_from_text (text, field))
            ((TpFit *)field)->n_points = 0; /* the line is there */
          break;
        }
    }
}
