/* schedule.h: the families of schedules. Private to codegen. */
#ifndef TP_SCHEDULE_SCHEDULE_H
#define TP_SCHEDULE_SCHEDULE_H

#include "schedule/build.h"

/* Schedules a nest by the best family; used for the nests of the
 * program and for the copies that other schedules ask for. */
void tp_schedule_nest (TpBuild *build, const TpNest *nest);

/* The families. FALSE: not for this nest; the build is unchanged. */
gboolean tp_schedule_contract (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_contract_gpu (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_reduce (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_window (TpBuild *build, const TpNest *nest);
/* Canonical nests without stages that do not depend on each other, in as few
 * kernels as are sensible: many small copies cost mostly their compilation. */
void tp_schedule_maps (TpBuild *build, TpNest *const *nests, int n);

#endif
