/* bundles.h: groups that share nodes, directly or by way of others. */
#ifndef TP_PLANNER_BUNDLES_H
#define TP_PLANNER_BUNDLES_H

#include "ir/costs.h"

/* [node]: a node of its bundle, the same for all of these; of a node in no group
 * itself. @n_nodes: more than any node of @groups. Free it. */
int *tp_bundles_find (const TpGroups *groups, int n_nodes);

/* [group]: whether the second reading of the rules makes it (fuse.h), and the first does
 * not. Free it. */
gboolean *tp_bundles_find_own (const TpGroups *family, int n_nodes);

/* Makes a family of what both readings of the rules give (fuse.h). The second stays in
 * bundles that have a node of @is_torn and are not the same by the first. */
TpGroups *tp_bundles_join (const TpGroups *first, const TpGroups *second,
                           const guint8 *is_torn, int n_nodes);

#endif
