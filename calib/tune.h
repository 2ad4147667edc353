/* tune.h: which kernels of a graph are worth other schedules than the model's, and
 * having these timed. */
#ifndef TP_CALIB_TUNE_H
#define TP_CALIB_TUNE_H

#include "calib/calibration.h"

#define TP_TUNE_CANDIDATES 13 /* schedules of a kernel, the model's among them */

/* Runs a child on self->measure. *out_is_over: it is time to stop. */
typedef gboolean (*TpTuneRun) (TpCalibration *self, gboolean *out_is_over,
                               GError **error);

/* Has the kernels of self->keys tuned that make more than a per cent of the graph
 * on a device and are not yet, some at a time: what is done stays done. Their
 * times as the model schedules them are in the table by now. */
gboolean tp_tune_graph (TpCalibration *self, TpTuneRun run, GError **error);

#endif
