/* use-plan.h: what the targets that read plans share. */
#ifndef FUZZ_USE_PLAN_H
#define FUZZ_USE_PLAN_H

#include "include/tplan.h"

/* Signs the plan @text, which lacks its last two lines: or no change would be read
 * any further. Reads it for @graph and uses it by the calls that a program makes. */
void fuzz_use_plan (const char *text, gsize size, GBytes *graph);

#endif
