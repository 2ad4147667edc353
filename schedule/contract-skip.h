/* contract-skip.h: taps of a window that meet padding alone at all points of a tile: their
 * products are 0, and left out. */
#ifndef TP_SCHEDULE_CONTRACT_SKIP_H
#define TP_SCHEDULE_CONTRACT_SKIP_H

#include "schedule/contract-tile.h"

/* Reduce axes along which many single points meet padding become the outermost of K, so
 * that what is left out is much; @c can be staged. */
void tp_contract_skip_order (TpContract *c);
/* The dimension of staged x along which reduce axis @axis leaves it at whole tiles so
 * often that they are worth skipping; -1: none. */
int tp_contract_skip_find (const TpContractPlan *plan, int axis);
/* Begins @loop, which has a dimension to skip by, over what some point of @tile wants; its
 * counter. */
TpValue tp_contract_skip_begin (const TpContractPlan *plan, TpEmit *emit,
                                const TpContractTile *tile, const TpContractLoop *loop);

#endif
