/* columns.h: the kinds of row as data, so that SQL and JSON are both made
 * from one list. Internal to calib. */
#ifndef TP_CALIB_COLUMNS_H
#define TP_CALIB_COLUMNS_H

#include "calib/cost-db.h"

typedef enum
{
  TP_COLUMN_INT,              /* int */
  TP_COLUMN_INT64,
  TP_COLUMN_REAL,
  TP_COLUMN_TEXT,             /* char *, never NULL */
  TP_COLUMN_PROBE,            /* gint64; 0: older tables have none */
  TP_COLUMN_POINTS,           /* TpFit: its points, as text */
  TP_COLUMN_NOTE,             /* char *, never NULL; "": older tables have none */
} TpColumnKind;

typedef struct
{
  const char *name;           /* NULL ends */
  TpColumnKind kind;
  gsize offset;               /* in the row struct */
  gboolean is_key;
} TpColumn;

extern const TpColumn tp_device_columns[];
extern const TpColumn tp_entry_columns[];
extern const TpColumn tp_whole_columns[];

/* "a, b, c", with ?, ? for each if @is_placeholder. */
char *tp_columns_join (const TpColumn *columns, gboolean is_placeholder);
/* "a, b": those that tell rows apart. */
char *tp_columns_join_keys (const TpColumn *columns);
/* "a TEXT NOT NULL, ..., UNIQUE (keys)" */
char *tp_columns_declare (const TpColumn *columns);

TpDeviceRow *tp_device_row_new (void);
TpDeviceRow *tp_device_row_copy (const TpDeviceRow *row);
void tp_device_row_free (TpDeviceRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDeviceRow, tp_device_row_free)
TpEntryRow *tp_entry_row_new (void);
void tp_entry_row_free (TpEntryRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpEntryRow, tp_entry_row_free)
TpWholeRow *tp_whole_row_new (void);
void tp_whole_row_free (TpWholeRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpWholeRow, tp_whole_row_free)
const char *tp_entry_state_get_name (gint64 state);

#endif
