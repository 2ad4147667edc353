/* check.h: is a plan what it says it is? */
#ifndef TP_PLANNER_CHECK_H
#define TP_PLANNER_CHECK_H

#include "ir/plan.h"

/* Checks a plan against graph and costs with code of its own: shares nothing
 * with tp_place() but the data. @reasons gets one string per fault.
 * Returns whether the plan is valid and proved. */
gboolean tp_check (const TpPlan *plan, const TpGraph *graph, GPtrArray *reasons);

/* The same in two parts: all but what the digest of the costs should be, and that,
 * which anybody can compute meanwhile. */
gboolean tp_check_undigested (const TpPlan *plan, const TpGraph *graph,
                              GPtrArray *reasons);
gboolean tp_check_digest (const TpPlan *plan, const char *digest,
                          GPtrArray *reasons);

/* The same for who asks more of a plan once it is found right: a checker, zeroed but
 * for plan, graph and reasons, gets all that the check works out, until it is
 * cleared. */
struct TpChecker;
void tp_check_fill (struct TpChecker *checker);
void tp_check_clear (struct TpChecker *checker);

#endif
