/* network-lines.h: networks whose capacities change with x along straight lines: made
 * once, and solved for each x. */
#ifndef TP_PLANNER_NETWORK_LINES_H
#define TP_PLANNER_NETWORK_LINES_H

#include "planner/network.h"

typedef struct TpNetworkLines TpNetworkLines;

/* @first, @second: as they are for x = 1 and 2; both outlive it, and the first is its own
 * to solve. NULL: their arcs are not the same. */
TpNetworkLines *tp_network_lines_new (TpNetwork *first,
                                      const TpNetwork *second);
void tp_network_lines_free (TpNetworkLines *lines); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpNetworkLines, tp_network_lines_free)

/* The least for x = p / q, q times, and where it has each op: [node]. The caller sees to
 * it that all costs together stay below TP_PROBLEM_LIMIT. */
gint64 tp_network_lines_solve (TpNetworkLines *lines, gint64 p, gint64 q,
                               guint8 *devices);

#endif
