/* limit-climb.h: prices on memory for which a cut proves most. */
#ifndef TP_PLANNER_LIMIT_CLIMB_H
#define TP_PLANNER_LIMIT_CLIMB_H

#include "ir/array.h"
#include "planner/limit-best.h"
#include "planner/limit-cut.h"

typedef struct
{
  const TpLimitModel *model;
  TpLimitBest *best;          /* is offered what cuts find */
  TpArray *seen, *costs;      /* what cuts found, of all climbs: n_ops gint8 of each,
                               * and gint64 */
  gint64 max_price;
  int cuts_left;
  int n_tries;
} TpLimitClimber;

void tp_limit_climber_init (TpLimitClimber *climber, TpLimitBest *best,
                            int n_cuts);
void tp_limit_climber_clear (TpLimitClimber *climber);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitClimber, tp_limit_climber_clear)

typedef struct
{
  TpLimitCut *cut;            /* the one that proves most */
  gint8 *found;               /* what the last cut found */
  gint8 *under;               /* of the mix, what fits and has the largest part; or
                               * as @found */
  double *parts;              /* [op]: of the mix of placements that fits and costs
                               * least, how much has it on the second device */
  int device, step;           /* where memory is short; -1: nowhere */
  gboolean is_hopeless;       /* at no price does it fit */
} TpLimitClimb;
void tp_limit_climb_clear (TpLimitClimb *climb);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitClimb, tp_limit_climb_clear)

/* Starts from @prices (TpMemoryPrice); stops where none can be cheaper than the
 * best. */
void tp_limit_climb_init (TpLimitClimb *climb, TpLimitClimber *climber,
                          const gint8 *fixed, const TpArray *prices);

#endif
