/* mix-union.h: several graphs as one, whose parts have nothing to do with each other,
 * and in which all takes as often as long as a part is run in a round. */
#ifndef TP_PLANNER_MIX_UNION_H
#define TP_PLANNER_MIX_UNION_H

#include "ir/mix.h"

/* What of it is of a part: from these numbers on. */
typedef struct
{
  int node, tensor, group, colocation;
} TpMixFirst;

/* Zeroed at first. */
typedef struct
{
  TpGraph graph;              /* no more of it than placing asks for */
  TpGroups *groups;
  TpCosts *costs;
  TpMixFirst *first;          /* [part], and what is after the last */
  int *numbers;               /* of tensors and nodes: what those of graph point
                               * to */
  int *ends;                  /* inputs of graph, then outputs */
  TpColocation *colocations;  /* the graph's, and of each node which it is in */
  int *colocation_of;
} TpMixUnion;

/* Of parts whose plans are for the same devices; kept no longer than these. */
void tp_mix_union_init (TpMixUnion *all, const TpMix *mix);
void tp_mix_union_clear (TpMixUnion *all);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMixUnion, tp_mix_union_clear)

#endif
