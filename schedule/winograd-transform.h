/* winograd-transform.h: the three transforms of Winograd's minimal filtering. */
#ifndef TP_SCHEDULE_WINOGRAD_TRANSFORM_H
#define TP_SCHEDULE_WINOGRAD_TRANSFORM_H

#include "kernel/kernel.h"

typedef struct
{
  int n_to, n_from;
  const double *values;       /* n_to rows of n_from; each has a 1 where kernels
                               * use it */
} TpWinogradMatrix;

/* @output results along a line from output + 2 points and 3 weights. */
typedef struct
{
  int output;
  TpWinogradMatrix points;    /* B^T: side x side */
  TpWinogradMatrix filters;   /* G: side x 3 */
  TpWinogradMatrix results;   /* A^T: output x side */
} TpWinogradForm;

/* NULL: there is none. */
const TpWinogradForm *tp_winograd_form_find (gint64 output);
/* @to (n_to x n_to) = matrix * @from (n_from x n_from) * transposed matrix, lane
 * by lane. */
void tp_winograd_emit_square (TpKernel *kernel, const TpWinogradMatrix *matrix,
                              const TpValue *from, TpValue *to);

#endif
