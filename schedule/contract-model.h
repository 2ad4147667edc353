/* contract-model.h: what a contraction costs, by a small model of cycles. */
#ifndef TP_SCHEDULE_CONTRACT_MODEL_H
#define TP_SCHEDULE_CONTRACT_MODEL_H

#include "schedule/contract-plan.h"

/* Cycles of all micro-kernels: of the tile alone. */
double tp_contract_model_tiles (const TpContractPlan *plan);
/* Cycles until all units are done that share @all cycles, the largest groups
 * taking @group each. */
double tp_contract_model_units (const TpTarget *target, double group,
                                double all);
/* The same of a choice, with blocks and staging. */
double tp_contract_model_blocks (const TpContractPlan *plan);

#endif
