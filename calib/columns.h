/* columns.h: the two kinds of row as data, so that SQL and JSON are both made
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

/* "a, b, c", with ?, ? for each if @is_placeholder. */
char *tp_columns_join (const TpColumn *columns, gboolean is_placeholder);
/* "a TEXT NOT NULL, ..., UNIQUE (keys)" */
char *tp_columns_declare (const TpColumn *columns);

#endif
