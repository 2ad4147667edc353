/* op-rank.h: what ops share that look for the greatest along one dimension. */
#ifndef TP_OPS_OP_RANK_H
#define TP_OPS_OP_RANK_H

#include "ops/op-util.h"

/* Expression: input 0 along the axes of the output, which has dimension @axis if
 * @keeps_dims; in place of that dimension along nest axis @k, -1: at its first. */
int tp_rank_load_rows (TpLowering *lowering, int axis, gboolean keeps_dims,
                       int k);

/* Among @n elements along the reduce axes: */
typedef struct
{
  TpCombiner combiner;        /* what makes the wanted one of them */
  gboolean is_last;           /* of equal ones */
  gint64 n;
} TpExtreme;

#endif
