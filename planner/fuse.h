/* fuse.h: which nodes could run as one kernel. */
#ifndef TP_PLANNER_FUSE_H
#define TP_PLANNER_FUSE_H

#include "ir/costs.h"
#include "ir/graph.h"

/* Disjoint groups of nodes that could run as one kernel, by the rules table.
 * @disabled: names of rules not to use, NULL-terminated (nullable). */
TpGroups *tp_fuse_find (const TpGraph *graph, const char *const *disabled);

/* Names of rules; NULL-terminated. */
const char *const *tp_fuse_list (void);

#endif
