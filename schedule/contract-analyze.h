/* contract-analyze.h: is a nest a contraction? */
#ifndef TP_SCHEDULE_CONTRACT_ANALYZE_H
#define TP_SCHEDULE_CONTRACT_ANALYZE_H

#include "schedule/build.h"
#include "schedule/contract.h"

/* Roles of operands and axes; NULL: no contraction. w is a load. */
TpContract *tp_contract_new (const TpBuild *build, const TpNest *nest);
/* The same where w may be any expression of loads. */
TpContract *tp_contract_new_any (const TpBuild *build, const TpNest *nest);
/* The same of a nest with one stage, a sum of products of some kind, that depend on the
 * axes as @factors, two loads, do. */
TpContract *tp_contract_new_of (const TpBuild *build, const TpNest *nest,
                                const int factors[2]);
/* By falling step in x. */
void tp_contract_order_k (TpContract *c);
void tp_contract_free (TpContract *c); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpContract, tp_contract_free)
/* Marks in @axes, of TP_NEST_MAX_AXES, those that a load of @expr depends on. */
void tp_contract_find_axes (const TpNest *nest, int expr, gboolean *axes);

#endif
