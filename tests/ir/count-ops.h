/* count-ops.h: how many ops of a type there are. */
#ifndef TP_TESTS_COUNT_OPS_H
#define TP_TESTS_COUNT_OPS_H

#include "ir/graph.h"

#include <string.h>

static inline int
count_ops (const TpGraph *graph, const char *type)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += strcmp (graph->nodes[i].type, type) == 0;
  return n;
}

#endif
