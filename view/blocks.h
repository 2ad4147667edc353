/* blocks.h: a long graph as few blocks of ops in a row. */
#ifndef TP_VIEW_BLOCKS_H
#define TP_VIEW_BLOCKS_H

#include "ir/plan.h"

typedef struct
{
  int first, n_nodes;         /* in the order of the graph */
  int n_repeats;              /* equal types on equal devices, so many times in
                               * a row; 1: no repetition */
} TpBlock;

/* Blocks that hold every node of @graph once, at most @max_blocks. Repetitions are
 * one block where they are long enough; others end where devices change and where
 * few tensors are alive. TpBlock, in order; as many as nodes where those fit. */
GArray *tp_blocks_new (const TpPlan *plan, const TpGraph *graph,
                       int max_blocks);

#endif
