/* accuracy.c: see accuracy.h. */
#include "config.h"

#include "calib/accuracy.h"

#include "calib/cost-sql.h"
#include "schedule/program.h"

void
tp_accuracy_set (TpCostDb *db, gboolean is_relaxed)
{
  db->is_relaxed = is_relaxed;
  if (db->system != NULL)
    db->system->is_relaxed = is_relaxed;
}

gboolean
tp_accuracy_is_relaxed (const char *schedule)
{
  return tp_program_is_relaxed (schedule);
}

gboolean
tp_accuracy_is_met (const TpCostDb *db, const TpEntryRow *row)
{
  return db->is_relaxed || !tp_program_is_relaxed (row->schedule);
}

void
tp_accuracy_look (TpCostDb *db, gint64 device, const char *digest,
                  const char *dtype, TpAccuracy *accuracy)
{
  g_autoptr (sqlite3_stmt) statement = tp_sql_prepare (
      db, "SELECT schedule FROM entry WHERE device = ?1 AND digest = ?2 "
          "AND dtype = ?3", "read schedules", NULL);

  if (statement == NULL)
    return;
  sqlite3_bind_int64 (statement, 1, device);
  sqlite3_bind_text (statement, 2, digest, -1, SQLITE_STATIC);
  sqlite3_bind_text (statement, 3, dtype, -1, SQLITE_STATIC);
  while (sqlite3_step (statement) == SQLITE_ROW)
    {
      const char *text = (const char *) sqlite3_column_text (statement, 0);

      if (text == NULL)
        continue;
      accuracy->may_relax |= tp_program_may_relax (text);
      accuracy->is_relaxed |= tp_program_is_relaxed (text);
    }
}
