/* once.h: what is measured once of each device, in the parent: which devices the tables
 * do not know, and children that measure their constants. */
#ifndef TP_CALIB_ONCE_H
#define TP_CALIB_ONCE_H

#include "calib/calibration.h"

/* What the tables have of each device; says which constants are unknown. */
gboolean tp_once_match (TpCalibration *self, GError **error);
int tp_once_count_unknown (const TpCalibration *self);
/* Processors were that near once: what was measured while they were not is
 * measured again. */
TpProcessors tp_once_find_least (const TpCalibration *self);
/* How many processes measure the same. */
int tp_once_count_sittings (const TpCalibration *self);
/* Constants of all devices that are unknown, by children until one comes through; a
 * device that none survives is dropped where there are others. */
gboolean tp_once_measure (TpCalibration *self, GError **error);

#endif
