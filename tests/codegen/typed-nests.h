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

#endif
