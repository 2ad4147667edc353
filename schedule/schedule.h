/* schedule.h: the families of schedules, and the choice among them. */
#ifndef TP_SCHEDULE_SCHEDULE_H
#define TP_SCHEDULE_SCHEDULE_H

#include "schedule/family.h"

/* All of them, in the order they are asked. */
const TpFamily *const *tp_schedule_list (int *out_n);
/* Choices of all of them, from text. */
TpArray *tp_schedule_parse (const char *text, GError **error);

/* As TpFamily has it. @out_may: whether another choice of the family may be. */
gboolean tp_schedule_is_relaxed (const TpChoice *choice, gboolean *out_may);

/**
 * tp_schedule_range:
 *
 * Adds kernels for nests [@first, @end) of what is built to @build, by the
 * choices given to it or else by those of the model, and the choices made. Why
 * one that is given cannot be is then in build->error.
 */
void tp_schedule_range (TpBuild *build, int first, int end);

#endif
