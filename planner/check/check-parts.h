/* check-parts.h: "Parts of a chain", docs/planner.md. */
#ifndef TP_PLANNER_CHECK_PARTS_H
#define TP_PLANNER_CHECK_PARTS_H

#include "ir/costs.h"

/* Adds those of the chain of the @n @nodes. @kinds: [op]: 1 << its kind;
 * @pairs_elementwise: elementwise ops alone are a group. */
void tp_checker_add_parts (const guint8 *kinds, gboolean pairs_elementwise,
                           const int *nodes, int n, TpGroups *groups);

#endif
