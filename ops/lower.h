/* lower.h: one node, or a group of them, to a program of nests. */
#ifndef TP_OPS_LOWER_H
#define TP_OPS_LOWER_H

#include "ir/graph.h"
#include "nest/nest.h"

/* Lowers one node, or several that are to be one fused program: @nodes in
 * topological order. They are a chain: each reads the output of the one before, which
 * nothing else reads: any number of MAPs (the prologue), at most one anchor of another
 * kind (CONTRACT, WINDOW, REDUCE, MOVE), any number of MAPs (the epilogue). Or chains
 * that each make a part of what a node puts together that does nothing else
 * (TP_OP_JOINS), and MAPs after that: each part is written where it is to be. Parts
 * that no node of the group makes are copied.
 * Operands become the tensors read and the scratch, in the order of first use,
 * and last the outputs written, in the order of the last node: every one that is
 * read by somebody. A lone VIEW gives no nests. A recurrence (n_iterations > 1)
 * is never fused. TPLAN_ERROR_UNSUPPORTED: cannot be lowered, or not fused. */
TpLowered *tp_lower_nodes (const TpGraph *graph, const int *nodes, int n_nodes,
                           GError **error);

#endif
