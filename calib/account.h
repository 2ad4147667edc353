/* account.h: how good a calibration is, and what company it had. */
#ifndef TP_CALIB_ACCOUNT_H
#define TP_CALIB_ACCOUNT_H

#include "calib/calibration.h"
#include "calib/workload.h"

/* Adds what others did since @begin. */
void tp_account_add_load (TpCalibReport *report, const TpWorkload *begin);
/* Counts what the tables have of the kernels of self->graph. */
gboolean tp_account_count (TpCalibration *self, GError **error);

#endif
