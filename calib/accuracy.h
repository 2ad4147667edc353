/* accuracy.h: whether figures of kernels with larger errors than float32 need have, as
 * tp_program_is_relaxed () tells them, count. Unless asked for they do not: a plan may
 * then have no such kernel, whatever the table was tuned with. */
#ifndef TP_CALIB_ACCURACY_H
#define TP_CALIB_ACCURACY_H

#include "calib/cost-db.h"

/* From now on, in @db and its system table; FALSE until then. */
void tp_accuracy_set (TpCostDb *db, gboolean is_relaxed);
/* FALSE: @row has larger errors than are asked for. */
gboolean tp_accuracy_is_met (const TpCostDb *db, const TpEntryRow *row);

/* tp_program_is_relaxed (), for who knows no schedules. */
gboolean tp_accuracy_is_relaxed (const char *schedule);

/* What there is of a kernel on @device. */
typedef struct
{
  gboolean may_relax;         /* by some schedule, one with larger errors is there
                               * to be had */
  gboolean is_relaxed;        /* and the table has one */
} TpAccuracy;

/* Adds to @accuracy. Of a table that cannot be read, nothing. */
void tp_accuracy_look (TpCostDb *db, gint64 device, const char *digest,
                       const char *dtype, TpAccuracy *accuracy);

#endif
