/* estimate.h: times of what was not measured. */
#ifndef TP_CALIB_ESTIMATE_H
#define TP_CALIB_ESTIMATE_H

#include "calib/keys.h"
#include "runtime/device.h"

typedef struct TpEstimator TpEstimator;

/* @db, @row: where the device's entries are; both NULL: never measured, then
 * @kind's guess and the CPU tell what it may be. Borrows both. */
TpEstimator *tp_estimator_new (TpCostDb *db, const TpDeviceRow *row,
                               const TpDeviceOps *kind, int n_threads);
void tp_estimator_free (TpEstimator *estimator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpEstimator, tp_estimator_free)

/* Fills time, spread and is_estimated: from the nearest measured kernels of the
 * same family by work, else by the device's constants. */
gboolean tp_estimator_fill (TpEstimator *estimator, const TpKey *key,
                            TpCost *cost, GError **error);
/* The roofline alone. */
gint64 tp_estimator_roofline_ns (const TpEstimator *estimator,
                                 const TpWork *work);
/* Between host memory and the device, which is not the host of the plan. */
gint64 tp_estimator_transfer_ns (const TpEstimator *estimator, gint64 bytes,
                                 gboolean is_to_device);

#endif
