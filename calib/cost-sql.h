/* cost-sql.h: statements on a cost table, and rows as their parameters.
 * Internal to the files that keep its rows. */
#ifndef TP_CALIB_COST_SQL_H
#define TP_CALIB_COST_SQL_H

#include <sqlite3.h>

#include "calib/columns.h"
#include "calib/machine-info.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

struct TpCostDb
{
  sqlite3 *sqlite;
  char *path;
  sqlite3_stmt *find;         /* tp_cost_db_find_entry (), kept prepared */
  sqlite3_stmt *find_age;     /* tp_cost_db_find_age (), likewise */
  TpCostDb *system;
  gboolean is_relaxed;        /* see accuracy.h */
  TpMachineInfo *machine;     /* (nullable) all rows are of this other one */
  int n_open;                 /* tp_cost_db_begin () without its end */
};

/* @what: could not be done: "read it"; FALSE. */
gboolean tp_sql_fail (TpCostDb *db, const char *what, GError **error);
gboolean tp_sql_execute (TpCostDb *db, const char *sql, const char *what,
                         GError **error);
sqlite3_stmt *tp_sql_prepare (TpCostDb *db, const char *sql, const char *what,
                              GError **error);
/* "INSERT INTO table ... ON CONFLICT (keys) DO UPDATE SET ...". */
GString *tp_sql_new_upsert (const char *table, const TpColumn *columns);
void tp_sql_bind (sqlite3_stmt *statement, const TpColumn *columns,
                  const void *row);
/* Reads columns from @first on into @row. */
void tp_sql_read (sqlite3_stmt *statement, int first, const TpColumn *columns,
                  void *row);

#endif
