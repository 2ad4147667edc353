/* contract-stage.h: x copied to scratch of the group. */
#ifndef TP_SCHEDULE_CONTRACT_STAGE_H
#define TP_SCHEDULE_CONTRACT_STAGE_H

#include "schedule/contract-plan.h"
#include "schedule/emit.h"

/* Copies what a group needs of x to @buffer. */
void tp_contract_emit_stage (const TpContractPlan *plan, TpEmit *emit,
                             int buffer, TpValue row_block, TpValue col_block);

#endif
