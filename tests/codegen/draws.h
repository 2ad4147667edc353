/* draws.h: choices of schedules by chance: whatever a family lists, and whatever it
 * finds no fault with, is right. */
#ifndef TP_TESTS_DRAWS_H
#define TP_TESTS_DRAWS_H

#include "nests.h"
#include "schedule/schedule.h"

gint64 any_of (gint64 lo, gint64 hi); /* either included */

/* In half of the cases what @lowered reads and writes in float32 gets a real type each
 * by chance, but for what it reads again. Returns it. */
TpLowered *draw_reals (TpLowered *lowered);
/* What has no other reals than float32 computes in doubles. Returns it. */
TpLowered *set_doubles (TpLowered *lowered);
/* The same as draw_reals (), or in a quarter of the cases all of it computes in doubles. */
TpLowered *draw_types (TpLowered *lowered);

/* Several maps, of which one turns its array over. */
TpLowered *new_maps (int n);

/* For all nests of @lowered together: @n_draws choices that @family lists, which it
 * must find no fault with, and as many more that it finds none with, where there are
 * any; each by its text, run by @run. Counts all that it lists, too. Returns how many were
 * run. */
int check_family (const TpLowered *lowered, const TpTarget *target,
                  const TpFamily *family, int n_draws, RunFunc run);

/* A few of the family @name by the interpreter; takes @lowered. */
int check_alone (TpLowered *lowered, const TpTarget *target, const char *name);

/* The same of every family for @target, with nests of all kinds by chance: @n_each
 * draws, which each must have. */
void check_draws (const TpTarget *target, int n_each, RunFunc run);

/* @schedule is refused, for @words. */
void check_refused (const TpLowered *lowered, const TpTarget *target,
                    const char *schedule, const char *words);

#endif
