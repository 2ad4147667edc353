/* maxflow-trees.h: two search trees that are kept from one path to the next. */
#ifndef TP_PLANNER_MAXFLOW_TREES_H
#define TP_PLANNER_MAXFLOW_TREES_H

#include "planner/maxflow.h"

/* Boykov and Kolmogorov's method. FALSE: used up @flow->effort; the flow so far
 * is feasible. */
gboolean tp_flow_grow_trees (TpFlow *flow);

#endif
