/* span-stage-private.h: what the bounds of a stage ask of it. */
#ifndef TP_PLANNER_SPAN_STAGE_PRIVATE_H
#define TP_PLANNER_SPAN_STAGE_PRIVATE_H

#include "planner/span-stage.h"

#define FUSED 4               /* of @fuses, beside a bit for each device */

static inline gboolean
may_be (const TpSpanStage *stage, int node, int device)
{
  return stage->may[node] >> device & 1;
}

/* -1: it may be on either. */
static inline int
find_device (const TpSpanStage *stage, int node)
{
  return stage->may[node] == 3 ? -1 : stage->may[node] - 1;
}

static inline const TpGroup *
get_group (const TpSpanStage *stage, int group)
{
  return &stage->problem->groups->groups[group];
}

static inline int
get_last (const TpSpanStage *stage, int group)
{
  const TpGroup *it = get_group (stage, group);

  return it->nodes[it->n_nodes - 1];
}

static inline gint64
get_cost (const TpSpanStage *stage, int node, int device)
{
  return stage->costs[2 * node + device];
}

static inline gint64
get_fused_cost (const TpSpanStage *stage, int group, int device)
{
  return stage->fused_costs[2 * group + device];
}

/* 0: it is in no group that could be one kernel. */
static inline guint8
get_fuses (const TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];

  return group < 0 ? 0 : stage->fuses[group];
}

#endif
