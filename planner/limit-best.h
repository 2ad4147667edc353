/* limit-best.h: the cheapest placement met so far whose arenas fit. */
#ifndef TP_PLANNER_LIMIT_BEST_H
#define TP_PLANNER_LIMIT_BEST_H

#include "planner/limit-layout.h"
#include "planner/limit-model.h"

typedef struct
{
  const TpLimitModel *model;
  gint8 *devices;             /* of the cheapest */
  gint64 cost;                /* TP_COST_NONE: none fits yet */
  gint8 *nearest;             /* the one that takes least too much */
  gint64 nearest_over;
  gint64 work_left;           /* of looking beside what is offered */
  gint64 *shares;             /* [op]: of what is to be moved */
  TpLimitLayout layout;
} TpLimitBest;

void tp_limit_best_init (TpLimitBest *best, const TpLimitModel *model);
void tp_limit_best_clear (TpLimitBest *best);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitBest, tp_limit_best_clear)

/* Takes @devices if it fits and costs less; whether it fits. */
gboolean tp_limit_best_offer (TpLimitBest *best, const gint8 *devices);
/* Offers @devices, moved until it fits, and what is cheaper beside it. */
void tp_limit_best_search (TpLimitBest *best, const gint8 *devices);

/* The device on which @devices hold most too much, when op *@out_step begins;
 * -1: none. */
int tp_limit_find_fullest (const TpLimitModel *model, const gint8 *devices,
                           int *out_step);
/* By how much both hold more than what they share has, each where it holds most. */
gint64 tp_limit_find_pool_over (const TpLimitModel *model,
                                const gint8 *devices);

#endif
