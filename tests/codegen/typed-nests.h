/* typed-nests.h: nests over memory of every type, for the tests of schedules. */
#ifndef TP_TESTS_TYPED_NESTS_H
#define TP_TESTS_TYPED_NESTS_H

#include "nests.h"

int add_typed_operand (TpLowered *lowered, TpDtype dtype, gint64 n);
/* One nest of a few loads, guards, indices, operations and maybe a stage; equal
 * numbers @seed, equal nests. */
TpLowered *new_random_typed (const void *seed);
/* Where the greatest of each row stand, in order. */
typedef struct
{
  gint64 rows, cols, k;       /* @k of @cols, at most all */
  gboolean is_turned;
  gboolean is_integer;        /* int64, not float32 */
  gboolean has_ties;          /* few different elements */
  gboolean has_epilogue;      /* three times the place, and a number per rank */
} PlaceCase;

/* @data: a PlaceCase. */
TpLowered *new_places (gconstpointer data);

/* Two outputs from one scratch operand. */
TpLowered *new_scratch_program (void);
/* h = tanh (x[t] + 0.05 * h * R), which does not run away, over 20 steps for a
 * state of @data elements. */
TpLowered *new_matrix_recurrence (const void *data);
/* h = tanh (a * x[t] + b * h) over 20 steps against a plain loop. */
void check_recurrence (const TpTarget *target, RunFunc run);
/* y = x; then y[index[t]] += u[t], rows, for 20 steps: where no element of a row is one of
 * another row elsewhere, a kernel runs all steps itself; else it is run in each. */
void check_scatters (const TpTarget *target, RunFunc run);
/* Sums so far, whose kernels run all turns themselves where no two rows meet. */
void check_prefixes (const TpTarget *target, RunFunc run);

#endif
