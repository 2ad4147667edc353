/* winograd-analyze.h: is a nest a convolution that Winograd's filtering fits? */
#ifndef TP_SCHEDULE_WINOGRAD_ANALYZE_H
#define TP_SCHEDULE_WINOGRAD_ANALYZE_H

#include "schedule/build.h"
#include "schedule/winograd.h"

TpWinograd *tp_winograd_new (const TpBuild *build, const TpNest *nest);
void tp_winograd_free (TpWinograd *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpWinograd, tp_winograd_free)

#endif
