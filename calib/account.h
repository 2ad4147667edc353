/* account.h: how good a calibration is, and what company it had. */
#ifndef TP_CALIB_ACCOUNT_H
#define TP_CALIB_ACCOUNT_H

#include "calib/calibration.h"

/* What all processors and this process with its children have worked. */
typedef struct
{
  gint64 wall_us, busy_us, stolen_us, own_us;
} TpWorkload;

/* busy_us: -1 where the system does not tell. */
void tp_workload_read (TpWorkload *out_now);
/* Adds what others did since @begin. */
void tp_account_add_load (TpCalibReport *report, const TpWorkload *begin);
/* Counts what the tables have of the kernels of self->graph. */
gboolean tp_account_count (TpCalibration *self, GError **error);

#endif
