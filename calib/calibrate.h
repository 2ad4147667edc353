/* calibrate.h: what must be measured, in which order, and what to do when a
 * driver does not survive it. */
#ifndef TP_CALIB_CALIBRATE_H
#define TP_CALIB_CALIBRATE_H

#include "calib/calib.h"
#include "ir/costs.h"
#include "ir/graph.h"

/* Measures machine constants, transfers, and each distinct kernel of @graph
 * (nodes and @groups) that has no entry yet. @graph NULL: constants and
 * transfers only. In a worker process, forked from this one, which should have
 * no other thread and no device open: a crash or a hang costs one entry.
 * TPLAN_ERROR_INTERRUPTED: *cancelled was set; what was measured is kept. At
 * the time limit returns TRUE with what there is: lookup estimates the rest. */
gboolean tp_calibrate (TpCostDb *db, const TpGraph *graph,
                       const TpGroups *groups, const TpCalibOptions *options,
                       GError **error);

#endif
