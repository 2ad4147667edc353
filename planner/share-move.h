/* share-move.h: cheaper placements on several devices, by cuts. */
#ifndef TP_PLANNER_SHARE_MOVE_H
#define TP_PLANNER_SHARE_MOVE_H

#include "planner/share-model.h"

/* Where all ops may be on @device those are there; the others where they are
 * cheapest alone. */
void tp_share_move_start (const TpShareModel *model, int device,
                          guint8 *devices);
/* Each op is where @first or where @second has it: of all such placements a cheap
 * one, in @out if it costs less than *@cost, which is then its cost. Where both are
 * on one device throughout it is the cheapest. */
gboolean tp_share_move_join (const TpShareModel *model, const guint8 *first,
                             const guint8 *second, guint8 *out, gint64 *cost);
/* Lets every device take ops, and every two trade them, until nothing is
 * gained. */
void tp_share_move_improve (const TpShareModel *model, guint8 *devices,
                            gint64 *cost);

#endif
