/* measure-steps.h: how much there is to do, for those who watch. */
#ifndef TP_CALIB_MEASURE_STEPS_H
#define TP_CALIB_MEASURE_STEPS_H

#include "calib/measure.h"

/* Of all passes. */
int tp_measure_count_links (const TpMeasureDevice *device);
/* Steps it will report for @device when all goes well. */
int tp_measure_count_steps (const TpMeasureJob *job,
                            const TpMeasureDevice *device);

#endif
