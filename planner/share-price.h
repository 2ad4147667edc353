/* share-price.h: what placements on several devices cost at least that keep to limits
 * of memory. */
#ifndef TP_PLANNER_SHARE_PRICE_H
#define TP_PLANNER_SHARE_PRICE_H

#include "planner/share-room.h"

/* Of @problem, whose cheapest placement of all, @cheapest, does not fit: offers @room
 * what is cheap where memory has a price; and into @proof what those that fit cost at
 * least, if that is more than @bound, which holds of all. */
void tp_share_price_search (const TpProblem *problem, const guint8 *cheapest,
                            TpShareRoom *room, gint64 bound,
                            TpShareProof *proof);

#endif
