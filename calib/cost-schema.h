/* cost-schema.h: the tables of a cost table, and those of older ones. Internal to
 * cost-db.c. */
#ifndef TP_CALIB_COST_SCHEMA_H
#define TP_CALIB_COST_SCHEMA_H

#include <glib.h>
#include <sqlite3.h>

#define TP_COST_APPLICATION_ID 0x74706c6e /* "tpln" */

/* Makes the tables (@version 0), or brings those of an older version up to
 * date. */
char *tp_cost_schema_make_sql (gint64 version);
/* A view, virtual table or trigger that tplan has not made, "view device"; NULL: there
 * is none. */
char *tp_cost_schema_find_foreign (sqlite3 *file);
/* NULL: the error is that of @file, or there is no memory. */
sqlite3 *tp_cost_schema_copy_to_memory (sqlite3 *file);

#endif
