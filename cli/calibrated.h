/* calibrated.h: how good a calibration is, and what company it had, in words and JSON. */
#ifndef TP_CLI_CALIBRATED_H
#define TP_CLI_CALIBRATED_H

#include "calib/calib.h"

#include <jansson.h>

/* What others had of the processors, and the samples that were disturbed. */
char *tp_calibrated_format_load (const TpCalibReport *report);
/* "B: times within +-4.1 %"; "-": there are no figures to grade. */
char *tp_calibrated_format_grade (const TpCalibReport *report);
/* So that what was measured is not settled, however well it agrees. */
gboolean tp_calibrated_is_strained (const TpCalibReport *report);
/* @advice: what to do. */
json_t *tp_calibrated_to_json (const TpCalibReport *report, const char *advice);

#endif
