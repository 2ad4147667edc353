/* contract-dot.h: the steps of contractions of bytes (contract-bytes.h) in kernel IR. */
#ifndef TP_SCHEDULE_CONTRACT_DOT_H
#define TP_SCHEDULE_CONTRACT_DOT_H

#include "schedule/contract-plan.h"
#include "schedule/emit.h"

/* x as it is staged: a value of its load, moved where its sign is the other one; and what
 * stands for it where there is padding, in all lanes. */
TpValue tp_contract_dot_move_x (const TpContractPlan *plan, TpEmit *emit,
                                TpValue x);
TpValue tp_contract_dot_get_padding (const TpContractPlan *plan, TpEmit *emit);
/* Four of x at @at, in all lanes. */
TpValue tp_contract_dot_load_x (const TpContractPlan *plan, TpEmit *emit,
                                int buffer, TpValue at);
/* @sum and the sum of the bytes of @x. */
TpValue tp_contract_dot_sum_x (const TpContractPlan *plan, TpEmit *emit,
                               TpValue x, TpValue sum);

/* At the point and the lanes that axes are at: what the sum of vector @v of the panel at
 * @panel begins with, and what it is in the end, where @of_x is the sum of x, if there is
 * one. */
TpValue tp_contract_dot_begin (const TpContractPlan *plan, TpEmit *emit,
                               TpValue panel, int v);
TpValue tp_contract_dot_finish (const TpContractPlan *plan, TpEmit *emit,
                                TpValue sum, TpValue of_x);

#endif
