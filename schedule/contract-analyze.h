/* contract-analyze.h: is a nest a contraction? */
#ifndef TP_SCHEDULE_CONTRACT_ANALYZE_H
#define TP_SCHEDULE_CONTRACT_ANALYZE_H

#include "schedule/build.h"
#include "schedule/contract.h"

/* Roles of operands and axes; NULL: no contraction. */
TpContract *tp_contract_new (const TpBuild *build, const TpNest *nest);
void tp_contract_free (TpContract *c); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpContract, tp_contract_free)
/* Marks in @axes, of TP_NEST_MAX_AXES, those that a load of @expr depends on. */
void tp_contract_find_axes (const TpNest *nest, int expr, gboolean *axes);

#endif
