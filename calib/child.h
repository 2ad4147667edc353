/* child.h: a child of a calibration, and what its end says. */
#ifndef TP_CALIB_CHILD_H
#define TP_CALIB_CHILD_H

#include "calib/calibration.h"

gboolean tp_calibration_is_cancelled (const TpCalibration *self);
/* That, or past its deadline. */
gboolean tp_calibration_is_over (const TpCalibration *self);

/* Calibrations of one table take turns. TRUE: it took a while, and the table may know
 * more by now. */
gboolean tp_child_wait_for_turn (TpCalibration *self);
/* @work sees @self; its end is in self->end. FALSE: it could not be started, or said
 * what cannot be stored. */
gboolean tp_child_run (TpCalibration *self,
                       void (*work) (TpChannel *, gpointer), GError **error);
/* Whether the last child crashed or hung. */
gboolean tp_child_is_broken (const TpCalibration *self);
/* What came of the driver that it was with; the caller frees. */
char *tp_child_describe_end (const TpCalibration *self);
/* Always FALSE. */
gboolean tp_child_fail_to_open (const TpCalibration *self, GError **error);
/* Blames the kernel it was at, or narrows down. */
gboolean tp_child_blame (TpCalibration *self, GError **error);

#endif
