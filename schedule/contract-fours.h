/* contract-fours.h: w of a contraction of bytes packed by fours. */
#ifndef TP_SCHEDULE_CONTRACT_FOURS_H
#define TP_SCHEDULE_CONTRACT_FOURS_H

#include "schedule/build.h"
#include "schedule/contract-plan.h"

/* Packs w for @plan and turns the load of plan->nest to it. A panel begins with the sums
 * of its columns, of 32 bits. */
void tp_contract_fours_pack (TpContractPlan *plan, TpBuild *build);
/* Bytes of a panel, and before its first step. */
gint64 tp_contract_fours_count_panel (const TpContractPlan *plan);
gint64 tp_contract_fours_count_head (const TpContractPlan *plan);

#endif
