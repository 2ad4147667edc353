/* check-weigh.h: the figures of a plan, each times the weight of the engine that it
 * keeps busy; and what a flow proves of their sum. */
#ifndef TP_PLANNER_CHECK_WEIGH_H
#define TP_PLANNER_CHECK_WEIGH_H

#include "planner/check/check-paths.h"

/* Zeroed at first. */
typedef struct
{
  TpChecker checker;          /* the same, of other figures */
  gint64 *node_costs, *gains; /* which it has from here */
  TpCheckerLegs *legs;
} TpCheckerWeighed;

/* @weights: [engine], at least 0; engines as in ir/load-proof.h. @passed: (nullable):
 * what is added to them. FALSE: the sums are too large, which was said. */
gboolean tp_checker_weigh (const TpChecker *checker, const gint64 *weights,
                           const TpCheckerPassed *passed,
                           TpCheckerWeighed *weighed);
void tp_checker_weighed_clear (TpCheckerWeighed *weighed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerWeighed, tp_checker_weighed_clear)

/* What no placement goes below by that flow, of two devices; one has none, and nothing is
 * proved of it. FALSE: it is none at all, which was said. */
gboolean tp_checker_prove (TpCheckerWeighed *weighed, const gint64 *flows,
                           int n_flows, gint64 *out_value);

#endif
