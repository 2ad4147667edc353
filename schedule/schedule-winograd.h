/* schedule-winograd.h: the family "winograd", for those who are its rivals. */
#ifndef TP_SCHEDULE_SCHEDULE_WINOGRAD_H
#define TP_SCHEDULE_SCHEDULE_WINOGRAD_H

#include "schedule/family.h"

/* Whether the model takes Winograd's filtering to be the fastest way to compute
 * @nest, canonical. */
gboolean tp_schedule_winograd_is_best (const TpBuild *build,
                                       const TpNest *nest);

#endif
