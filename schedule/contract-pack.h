/* contract-pack.h: where the micro-kernel reads w. */
#ifndef TP_SCHEDULE_CONTRACT_PACK_H
#define TP_SCHEDULE_CONTRACT_PACK_H

#include "schedule/build.h"
#include "schedule/contract-plan.h"

/* Sets all of @plan that hangs on w, and changes plan->nest, a copy of the
 * caller's. @is_packed: w is copied into panels, by @build or by its steps. */
void tp_contract_pack (TpContractPlan *plan, TpBuild *build,
                       gboolean is_packed);

#endif
