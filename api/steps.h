/* steps.h: what a session does in a run, step by step. */
#ifndef TP_API_STEPS_H
#define TP_API_STEPS_H

#include "include/tplan.h"
#include "ir/plan.h"
#include "runtime/session.h"

/* What was foretold of each step of @session, which runs @plan. Ends in one of
 * zeros; the caller frees it. */
TplanStep *tp_steps_foretell (const TpSession *session, const TpPlan *plan,
                              const TpGraph *graph);
/* Puts in what the last profiled run took. */
void tp_steps_measure (const TpSession *session, TplanStep *steps);

#endif
