/* limit-walks.h: prices on the constants of several devices for which the ways met prove
 * most, and the mix of these that is then the cheapest. */
#ifndef TP_PLANNER_LIMIT_WALKS_H
#define TP_PLANNER_LIMIT_WALKS_H

#include "planner/limit-master.h"
#include "planner/limit-sweep.h"

/* Of one box. */
typedef struct
{
  TpArray *met;               /* TpLimitWalk, without devices: of all boxes, the last
                               * of them */
  TpArray *walks;             /* TpLimitWalk, without devices */
  TpLimitMaster master;       /* columns: of each */
} TpLimitWalks;

void tp_limit_walks_init (TpLimitWalks *walks);
void tp_limit_walks_clear (TpLimitWalks *walks);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitWalks, tp_limit_walks_clear)

/* Of another @box, of which about @scale is to be proved: what was met before and is in
 * it. */
void tp_limit_walks_reset (TpLimitWalks *walks, const TpLimitSweep *sweep,
                           const TpLimitBox *box, gint64 scale);
/* What @sweep found in that box. */
void tp_limit_walks_add (TpLimitWalks *walks, const TpLimitSweep *sweep,
                         const TpLimitWalk *walk);
/* Prices to try next, where @value is proved: @price: [device]. FALSE: no prices prove
 * more. */
gboolean tp_limit_walks_next (TpLimitWalks *walks, const TpLimitSweep *sweep,
                              gint64 value, gint64 *price);
/* The walk of the mix that holds most too much on a device, *@out_device, of which the
 * box leaves the peak open by @width at least, of the limit. NULL: none does. */
const TpLimitWalk *tp_limit_walks_find_over (const TpLimitWalks *walks,
                                             const TpLimitSweep *sweep,
                                             double width, int *out_device);

#endif
