/* network.h: the graph whose minimum cut is the cheapest placement. */
#ifndef TP_PLANNER_NETWORK_H
#define TP_PLANNER_NETWORK_H

#include "ir/plan.h"
#include "planner/maxflow-force.h"
#include "planner/maxflow.h"
#include "planner/problem.h"

typedef struct TpNetwork TpNetwork;

/* Two devices. Source side: the first. */
TpNetwork *tp_network_new (const TpProblem *problem);
void tp_network_free (TpNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpNetwork, tp_network_free)

/* Finds the minimum cut with the fewest vertices on the second device; returns
 * its capacity. */
gint64 tp_network_solve (TpNetwork *network);
/* A copy of @solved, which is kept, with @price on top of every copy of a tensor
 * that costs anything; solved from the flow found. */
TpNetwork *tp_network_raise (const TpNetwork *solved, gint64 price);
/* The largest that does not overflow. */
gint64 tp_network_get_max_price (const TpNetwork *network);
gint64 tp_network_get_price (const TpNetwork *network);
gint64 tp_network_get_value (const TpNetwork *network);
int tp_network_get_device (const TpNetwork *network, int node);
/* Fusion gains taken in advance: cost = cut - constant. */
gint64 tp_network_get_constant (const TpNetwork *network);
/* For each node: by how much the cost grows when it has to run on its other
 * device, if @is_wanted: [node]; with a number of arcs to look at. @network is good
 * for nothing else then. */
void tp_network_force_all (TpNetwork *network, const guint8 *is_wanted,
                           gint64 scans, TpFlowForced *out);
/* Once solved: frees what only a search needs. What is read off may be asked for
 * still, but nothing is raised or forced. */
void tp_network_settle (TpNetwork *network);
/* The certificate: what flows through each arc that there could be, in the order of
 * docs/plan-format.md. */
gint64 *tp_network_dup_flows (const TpNetwork *network, int *out_n);
/* How many of these are of tensor @index. */
guint tp_network_count_flows (const TpGraph *graph, int index);

#endif
