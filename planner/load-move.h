/* load-move.h: placements whose busiest engine carries less, from others. */
#ifndef TP_PLANNER_LOAD_MOVE_H
#define TP_PLANNER_LOAD_MOVE_H

#include "planner/load-model.h"

typedef struct
{
  TpLoadModel *model;         /* (unowned) */
  guint8 *devices;            /* the best met */
  gint64 *loads;              /* its loads */
  gint64 work_left;           /* in ops moved for trial */
} TpLoadBest;

/* Takes @devices if its busiest engine carries less. */
void tp_load_best_offer (TpLoadBest *best, const guint8 *devices);
/* Goes from @from to @to op by op, in their order, and offers what is between. */
void tp_load_best_walk (TpLoadBest *best, const guint8 *from,
                        const guint8 *to);
/* Moves and swaps ops and groups while that helps. */
void tp_load_best_improve (TpLoadBest *best);

#endif
