/* fuse.h: which nodes could run as one kernel. */
#ifndef TP_PLANNER_FUSE_H
#define TP_PLANNER_FUSE_H

#include "ir/costs.h"
#include "ir/graph.h"

/* Disjoint groups of nodes that could run as one program, by the rules table.
 * @disabled: names of rules not to use, NULL-terminated (nullable). */
TpGroups *tp_fuse_find (const TpGraph *graph, const char *const *disabled);
/* The same with the groups that these hold, for who knows which of them pay
 * (offer.h): first chains, which are disjoint, each after the parts that it could be run
 * in; then wholes, likewise, each of some of the chains and of nodes that are in none.
 * Then the same by a second reading of the rules (TpGroup.is_second), where a map is
 * handed several values: which of them it goes with is another one there. All that is
 * chained to such a map is there by both readings, so that one of them can be chosen.
 * Last those that the graph gives a cost of, of one of @devices (NULL-terminated,
 * nullable): of their nodes no rules make other groups. */
TpGroups *tp_fuse_find_all (const TpGraph *graph, const char *const *disabled,
                            const char *const *devices);

/* Names of rules; NULL-terminated. */
const char *const *tp_fuse_list (void);

#endif
