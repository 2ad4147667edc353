/* check-readings.h: which groups the rules of docs/planner.md give, read in both orders:
 * "Fusion groups". */
#ifndef TP_PLANNER_CHECK_READINGS_H
#define TP_PLANNER_CHECK_READINGS_H

#include "ir/costs.h"

/* The groups of the first reading, those of the second (TpGroup.is_second) of bundles for
 * which it counts, and those that the graph gives a cost of, of one of @devices,
 * NULL-terminated (nullable). @left_out: rules, NULL-terminated (nullable). */
TpGroups *tp_checker_find_groups (const TpGraph *graph,
                                  const char *const *left_out,
                                  const char *const *devices);

/* [op]: the bundle it is in, as the least op of that. Free it. */
int *tp_checker_find_bundles (const TpGroups *family, int n_ops);
/* [group]: whether it is of the second reading, and none of the first has its ops. Free
 * it. */
gboolean *tp_checker_find_new (const TpGroups *family);

#endif
