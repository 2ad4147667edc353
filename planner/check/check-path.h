/* check-path.h: the longest way through the graph. */
#ifndef TP_PLANNER_CHECK_PATH_H
#define TP_PLANNER_CHECK_PATH_H

#include "planner/check/check-private.h"

/* No run ends sooner, wherever ops are and whatever overlaps. */
gint64 tp_checker_find_path (const TpChecker *checker);

#endif
