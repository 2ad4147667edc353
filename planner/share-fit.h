/* share-fit.h: a placement on several devices that takes too much, mended. */
#ifndef TP_PLANNER_SHARE_FIT_H
#define TP_PLANNER_SHARE_FIT_H

#include "planner/share-model.h"

/* Moves what is cheapest to be rid of, for its bytes, off devices that hold too much,
 * to where there is room, until none does. @spare: bytes of each limit to be left
 * alone. *@work: less what was looked at. FALSE: there is nothing left to be moved. */
gboolean tp_share_fit (const TpShareModel *model, const TpLimitHeld *held,
                       gint64 spare, guint8 *devices, gint64 *work);

#endif
