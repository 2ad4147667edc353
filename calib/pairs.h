/* pairs.h: how much engines of two devices slow each other: which are to be asked, and
 * what a crash costs. */
#ifndef TP_CALIB_PAIRS_H
#define TP_CALIB_PAIRS_H

#include "calib/calibration.h"

/* Of all devices, which have rows. What could not be measured is said, and no error. */
gboolean tp_pairs_measure (TpCalibration *self, GError **error);

#endif
