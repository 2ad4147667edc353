/* limit-cut.h: the cheapest placement where some ops are fixed and memory has a
 * price; and what it proves of all of them. */
#ifndef TP_PLANNER_LIMIT_CUT_H
#define TP_PLANNER_LIMIT_CUT_H

#include "ir/array.h"
#include "planner/limit-model.h"

typedef struct
{
  const TpLimitModel *model;  /* (unowned) */
  TpMemoryBound *bound;       /* (nullable): taken */
  gint64 value;               /* what it proves of the ops fixed so */
  gint64 offset;              /* part of it that no op answers for */
  gint64 *levels;             /* [op * 2 + device]: the part that each does */
  gint8 *devices;             /* the placement found */
} TpLimitCut;

/* @fixed: device of each op, or TP_LIMIT_FREE. */
TpLimitCut *tp_limit_cut_new (const TpLimitModel *model, const TpArray *prices,
                              gboolean has_costs, const gint8 *fixed);
void tp_limit_cut_free (TpLimitCut *cut);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLimitCut, tp_limit_cut_free)

/* What its bound proves where the unit of @op is on @device besides. */
gint64 tp_limit_cut_find_value (const TpLimitCut *cut, const gint8 *fixed,
                                int op, int device);

#endif
