/* measure-steps.h: how much there is to do, for those who watch. */
#ifndef TP_CALIB_MEASURE_STEPS_H
#define TP_CALIB_MEASURE_STEPS_H

#include "calib/measure.h"

/* Of all passes. */
int tp_measure_count_links (const TpMeasureDevice *device);
/* Rounds with all kernels, at most; where it is not brief those alone count in which
 * processors were near. */
int tp_measure_count_rounds (const TpMeasureJob *job);
/* Steps it will report for @device when all goes well. */
int tp_measure_count_steps (const TpMeasureJob *job,
                            const TpMeasureDevice *device);

#endif
