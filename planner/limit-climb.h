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
  gint64 max_price;
  int cuts_left;
  int n_tries;                /* of one price */
  int steep;                  /* times the last price, where nothing else says
                               * which is next */
} TpLimitClimber;

typedef struct
{
  TpLimitCut *cut;            /* the one that proves most */
  gint8 *over, *under;        /* placements on either side of the limit; equal
                               * where there was none on one side */
  int device, step;           /* where that is; -1: nowhere */
  gboolean is_hopeless;       /* at no price does it fit */
} TpLimitClimb;
void tp_limit_climb_clear (TpLimitClimb *climb);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitClimb, tp_limit_climb_clear)

/* Starts from @prices (TpMemoryPrice); stops where none can be cheaper than the
 * best. */
void tp_limit_climb_init (TpLimitClimb *climb, TpLimitClimber *climber,
                          const gint8 *fixed, const TpArray *prices);

#endif
