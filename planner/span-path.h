/* span-path.h: how long a run takes at least, however many engines work at once:
 * along the longest way through the graph each step waits for the one before. */
#ifndef TP_PLANNER_SPAN_PATH_H
#define TP_PLANNER_SPAN_PATH_H

#include "planner/problem.h"

/* No placement ends sooner. For any number of devices; O(tensors' readers x
 * devices squared). */
gint64 tp_span_path_find (const TpProblem *problem);

#endif
