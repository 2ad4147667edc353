/* schedule-contract.h: contractions, for families that are made of them. */
#ifndef TP_SCHEDULE_SCHEDULE_CONTRACT_H
#define TP_SCHEDULE_SCHEDULE_CONTRACT_H

#include "schedule/contract-plan.h"
#include "schedule/emit.h"
#include "schedule/family.h"

extern const TpFamily tp_schedule_contract;

/* What @nest, canonical, is to the family "contract"; NULL: nothing. */
TpContract *tp_schedule_contract_analyze (const TpBuild *build,
                                          const TpNest *nest);
/* Whether the model has a choice for @c; then *out_plan is that. */
gboolean tp_schedule_contract_plan (const TpContract *c,
                                    TpContractPlan *out_plan);

/* The scratch that @plan has x staged in, or -1. */
int tp_schedule_contract_add_scratch (const TpContractPlan *plan,
                                      TpKernel *kernel);
/* All that @plan, of one block, computes where the outer axes are; @scratch: of
 * the above. */
void tp_schedule_contract_emit_block (const TpContractPlan *plan, TpEmit *emit,
                                      int scratch);

/* Makes @vectors of panel @panel of w, where @emit is; other nests may be emitted
 * meanwhile, if all is as it was then. */
typedef void (*TpContractMake) (TpEmit *emit, TpValue panel, int vectors,
                                gpointer data);
/* All groups of @plan; @make (nullable) is called before a panel is read. */
void tp_schedule_contract_emit_made (const TpContractPlan *plan, TpEmit *emit,
                                     TpContractMake make, gpointer data);

#endif
