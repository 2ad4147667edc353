/* recurrence-nests.h: programs whose last nests are repeated. */
#ifndef TP_TESTS_RECURRENCE_NESTS_H
#define TP_TESTS_RECURRENCE_NESTS_H

#include "nests.h"

/* h = tanh (x[t] + 0.05 * h * R), which does not run away, over 20 steps for a
 * state of @data elements. */
TpLowered *new_matrix_recurrence (const void *data);
/* Over 20 steps: h = tanh (a * x[t] + b * h); y[index[t]] += u[t], rows; rows that are
 * the sum of x and of the one before. Of the last two a kernel runs all steps itself
 * where no element of a row is one of another row elsewhere; else it is run in each. */
void check_recurrences (const TpTarget *target, RunFunc run);

#endif
