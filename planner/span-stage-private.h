/* span-stage-private.h: what the bounds of a stage ask of it. */
#ifndef TP_PLANNER_SPAN_STAGE_PRIVATE_H
#define TP_PLANNER_SPAN_STAGE_PRIVATE_H

#include "planner/span-stage.h"

#define FUSED 128             /* of @fuses, beside a bit for each device */

static inline gboolean
may_be (const TpSpanStage *stage, int node, int device)
{
  return stage->may[node] >> device & 1;
}

static inline gboolean
is_one (guint set)
{
  return set != 0 && (set & (set - 1)) == 0;
}

/* -1: it may be on several. */
static inline int
find_device (const TpSpanStage *stage, int node)
{
  guint set = stage->may[node];

  return is_one (set) ? g_bit_nth_lsf (set, -1) : -1;
}

/* Where a figure of an op, or a group, on @device is. */
static inline gsize
get_at (const TpSpanStage *stage, int index, int device)
{
  return (gsize) index * stage->n_devices + device;
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
  return stage->costs[get_at (stage, node, device)];
}

static inline gint64
get_fused_cost (const TpSpanStage *stage, int group, int device)
{
  return stage->fused_costs[get_at (stage, group, device)];
}

/* 0: it is in no group that could be one kernel. */
static inline guint8
get_fuses (const TpSpanStage *stage, int node)
{
  int group = stage->stages->group_of[node];

  return group < 0 ? 0 : stage->fuses[group];
}

#endif
