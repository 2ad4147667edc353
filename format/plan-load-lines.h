/* plan-load-lines.h: plans that are laid out as they are written. */
#ifndef TP_FORMAT_PLAN_LOAD_LINES_H
#define TP_FORMAT_PLAN_LOAD_LINES_H

#include "format/plan-read.h"

/* Fills @plan, which is new, from its text in @bytes, list by list; its graph. Whatever
 * was made of it is right if it is written as the same bytes, so it is taken only then.
 * NULL without @error: it is not, and may be read in another way. */
TpGraph *tp_plan_load_lines (const TpPlanReader *reader, GBytes *bytes,
                             TpPlan *plan, GError **error);

#endif
