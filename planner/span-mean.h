/* span-mean.h: how long a stage takes at least for what the devices have to do together. */
#ifndef TP_PLANNER_SPAN_MEAN_H
#define TP_PLANNER_SPAN_MEAN_H

#include "planner/span-stage.h"

/* Once, when costs are known. */
void tp_span_mean_prepare (TpSpanStage *stage);
/* Of the stage that is looked at, whose jobs and times are there: the greatest mean, by
 * weights with which some op is as dear on each device. */
gint64 tp_span_mean_find (TpSpanStage *stage);

#endif
