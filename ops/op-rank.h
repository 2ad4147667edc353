/* op-rank.h: what ops share that look for the greatest along one dimension. */
#ifndef TP_OPS_OP_RANK_H
#define TP_OPS_OP_RANK_H

#include "ops/op-util.h"

/* Whether the last input is the positions along dimension @axis of input 0. */
gboolean tp_rank_check_positions (const TpNode *node,
                                  const TpTensor *const *inputs, int axis,
                                  GError **error);
/* Expression: the position along nest axis @along; 0 where there is none. */
int tp_rank_load_position (TpLowering *lowering, int along);
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

/* Expression: @position where @value is the wanted one; of nothing but NaN one of
 * those that there are. */
int tp_rank_find_place (TpLowering *lowering, const TpExtreme *extreme,
                        int value, int position);

#endif
