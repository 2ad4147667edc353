/* share-tree.h: the search for the least cost on several devices, and its
 * proof. */
#ifndef TP_PLANNER_SHARE_TREE_H
#define TP_PLANNER_SHARE_TREE_H

#include "planner/share-climb.h"

/* A placement, the cheapest that was found, in @devices; *out_cost, *out_bound:
 * what it costs, and what none costs less than. */
TpShareProof *tp_share_tree_search (TpShareModel *model, guint8 *devices,
                                    gint64 *out_cost, gint64 *out_bound);
/* The same with less work and no choices: the one bound there is. */
TpShareProof *tp_share_tree_climb (TpShareModel *model, guint8 *devices,
                                   gint64 *out_cost, gint64 *out_bound);
/* The messages of @state that are not as @base (nullable: zeros) has them. */
TpShareBound *tp_share_tree_write (const TpShareState *state,
                                   const TpShareState *base);
/* The messages of @bound, whose amounts are in parts of @unit, as made for the same graph. */
void tp_share_tree_recall (const TpShareBound *bound, gint64 unit,
                           TpShareState *state);

#endif
