/* check-stages.h: stages of a run, one after the other. */
#ifndef TP_PLANNER_CHECK_STAGES_H
#define TP_PLANNER_CHECK_STAGES_H

#include "planner/check/check-private.h"

/* What span_waists and span_tree of the plan prove: no run ends sooner. 0: they are
 * empty, or are no proof, which was said. */
gint64 tp_checker_find_stages (TpChecker *checker);

#endif
