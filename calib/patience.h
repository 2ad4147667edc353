/* patience.h: what the environment says of how long a calibration may take. */
#ifndef TP_CALIB_PATIENCE_H
#define TP_CALIB_PATIENCE_H

#include <glib.h>

/* How long to wait at most for processors to be near: 20 s, or
 * $TPLAN_CALIBRATE_WAIT. */
gint64 tp_patience_get_wait_us (void);

/* The same where somebody waits for all of it: no more than 2 s. */
gint64 tp_patience_get_brief_wait_us (void);

/* How long to time the kernels of a graph at most, per device: 10 s, or
 * $TPLAN_CALIBRATE_MOST. Its constants take 1.5 s at most, and no more than this. */
gint64 tp_patience_get_most_us (void);

/* FALSE: one of them is no time, and is as if it were not set. */
gboolean tp_patience_check (GError **error);

#endif
