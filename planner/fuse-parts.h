/* fuse-parts.h: groups within a chain. */
#ifndef TP_PLANNER_FUSE_PARTS_H
#define TP_PLANNER_FUSE_PARTS_H

#include "ir/costs.h"
#include "ir/graph.h"

/* Adds what the @n @nodes of a chain could be run in, on either side of where its kinds
 * meet, each after those that it holds. @joins_maps: maps alone are a group. */
void tp_fuse_add_parts (const TpGraph *graph, gboolean joins_maps,
                        const int *nodes, int n, TpGroups *groups);

#endif
